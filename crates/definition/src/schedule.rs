//! From what was written of a schedule to what the core keeps of it, once it is known whose it is.
//! Entry: [`read_schedule`] for one that comes alone; those of job files go through `check`.
//! - SD-1 the same text under the same key gives the same spec: `H` and the part of a jitter are drawn from the key,
//!   written `tenant/job/name`, as `mainspring cron next --hash` takes it
//!
//! Not here: the slot of its key. Whoever stores it adds that and its [`schedule_offset`], so that schedules which say the
//! same have the same spec.

use std::sync::Arc;

use mainspring_core::calendar::{Cron, Timetable, Zone};
use mainspring_core::schedule::{ScheduleKey, Spec, Target, Terms, Timing};
use mainspring_core::values::{Millis, Wall};

use crate::check::schedule_parameters;
use crate::file::{self, At, Schedule, read as read_tree};
use crate::limits::Limits;
use crate::mistake::{Code, Mistake, Mistakes, Spot};
use crate::parameter::Parameter;

/// A schedule as one JSON or YAML object, under this key. `parameters`: what its job declares; `None` for one without a
/// job, which has none to give.
pub fn read_schedule(
    text: &str,
    key: &ScheduleKey,
    parameters: Option<&[Parameter]>,
) -> Result<Spec, Vec<Mistake>> {
    let mut mistakes = Mistakes::new("");
    let documents = read_tree(text, &Limits::default(), &mut mistakes);
    let Some(root) = documents.first() else {
        if mistakes.count() == 0 {
            mistakes.add(Code::MissingField, &Spot::default(), "there is no schedule in it", "");
        }
        return Err(mistakes.into_sorted());
    };
    let written = file::one(&At::root(root, ""), Zone::UTC, key.name.clone(), &mut mistakes);
    let spec = written.and_then(|written| {
        if written.name != key.name {
            let spot = Spot { at: written.spot.at, path: "name".to_owned() };
            let what = format!("the name is `{}` here and `{}` in the address", written.name, key.name);
            mistakes.add(Code::BadValue, &spot, what, "leave `name` out");
        }
        match parameters {
            Some(declared) => schedule_parameters(&written, declared, &mut mistakes),
            None if !written.parameters.is_empty() => {
                let spot = Spot { at: written.spot.at, path: "parameters".to_owned() };
                mistakes.add(Code::Unsupported, &spot, "only runs of jobs have parameters", "leave them out");
            }
            None => {}
        }
        spec(&written, key, &mut mistakes)
    });
    match spec.filter(|_| mistakes.count() == 0) {
        Some(spec) => Ok(spec),
        None => Err(mistakes.into_sorted()),
    }
}

/// Whether a text can name a schedule.
pub fn is_schedule_name(text: &str) -> bool {
    file::is_name(text, &['.'])
}

/// `None` only if a mistake was told.
pub fn spec(written: &Schedule, key: &ScheduleKey, mistakes: &mut Mistakes) -> Option<Spec> {
    let (timing, text) = match written.timing.as_ref()? {
        file::Timing::Cron { text, zone, dst } => match Cron::parse(text, Cron::seed(&written_key(key))) {
            Ok(cron) => (Timing::Table(Timetable::Cron { cron, zone: *zone, dst: *dst }), text.as_str()),
            Err(error) => {
                mistakes.add(Code::BadCron, &written.spot, error.message(), error.advice);
                return None;
            }
        },
        file::Timing::Every(every) => {
            let anchor = written.start.unwrap_or(Wall::ZERO);
            (Timing::Table(Timetable::Every { every: *every, anchor }), "")
        }
        file::Timing::At(instants) => (Timing::Table(Timetable::instants(instants.clone())), ""),
        file::Timing::After(delay) => (Timing::After(*delay), ""),
    };
    let parameters = serde_json::Value::Object(written.parameters.clone()).to_string();
    let target = Target::Run { parameters: parameters.into_bytes().into(), priority: written.priority };
    let terms = Terms {
        timing,
        text: text.into(),
        start: written.start,
        end: written.end,
        jitter: written.jitter,
        catch_up: written.catch_up,
        grace: written.grace,
        overlap: written.overlap,
        active_max: written.active_max,
    };
    let spec = Spec { target, terms: Arc::new(terms) };
    // From the beginning of time, so that what a file means does not depend on when it is read.
    if mistakes.count() == 0 && spec.next(Wall::ZERO).is_none() {
        let what = "it never fires: no window of it lies between `start` and `end`";
        mistakes.add(Code::NeverFires, &written.spot, what, "put `start` and `end` right");
        return None;
    }
    Some(spec)
}

/// How much later than its instants a schedule begins its windows: always the same for a key, and independent of its `H`.
pub fn schedule_offset(key: &ScheduleKey, jitter: Millis) -> Millis {
    let hash = blake3::hash(written_key(key).as_bytes());
    let part = hash.as_bytes().iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    Millis::new(part % (jitter.get() + 1))
}

fn written_key(key: &ScheduleKey) -> String {
    format!("{}/{}/{}", key.tenant, key.job, key.name)
}
