//! `schedules:` of a job, each read but not yet checked against the job; and `schedule:`, which is one of them.

use std::collections::BTreeMap;

use mainspring_core::calendar::{Dst, Zone};
use mainspring_core::schedule::{
    ACTIVE_MAX_DEFAULT, CATCH_UP_DEFAULT, CATCH_UP_MAX, GRACE_DEFAULT, JITTER_MAX, Overlap,
};
use mainspring_core::values::{Millis, Name, Priority, Wall};
use serde_json::{Map, Value as Json};

use super::at::{At, Fields};
use super::json::json;
use super::name::schedule_name;
use super::settings::priority;
use super::timing::{Timing, cron, instant, time_zone, timing};
use super::tree::Value;
use crate::limits::{SCHEDULE_ACTIVE_MAX, SCHEDULES_MAX};
use crate::mistake::{Code, Mistakes, Spot};

pub const SCHEDULE: &[&str] = &[
    "name",
    "cron",
    "every",
    "after",
    "at",
    "timezone",
    "dst",
    "jitter",
    "catch_up",
    "misfire_grace",
    "overlap",
    "max_active",
    "start",
    "end",
    "parameters",
    "priority",
];

/// Of the only schedule of a job.
pub const NAME_DEFAULT: &str = "default";

#[derive(Clone, Debug)]
pub struct Schedule {
    pub name: Name,
    pub spot: Spot,
    /// `None` only if a mistake was told.
    pub timing: Option<Timing>,
    pub start: Option<Wall>,
    pub end: Option<Wall>,
    pub jitter: Millis,
    pub catch_up: u32,
    pub grace: Millis,
    pub overlap: Overlap,
    pub active_max: u32,
    pub parameters: Map<String, Json>,
    /// Where each parameter stands.
    pub places: BTreeMap<String, Spot>,
    pub priority: Option<Priority>,
}

/// `schedule` with `timezone`, or `schedules`.
pub fn schedules(job: &Fields<'_>, mistakes: &mut Mistakes) -> Vec<Schedule> {
    let (one, many) = (job.get("schedule"), job.get("schedules"));
    let zone = job.get("timezone").map_or(Some(Zone::UTC), |at| time_zone(at, mistakes)).unwrap_or_default();
    match (one, many) {
        (Some(one), Some(_)) => {
            one.bad("give `schedule` or `schedules`, not both", "move it into `schedules`", mistakes);
            Vec::new()
        }
        (Some(one), None) => short(one, zone, mistakes).into_iter().collect(),
        (None, Some(many)) => listed(many, zone, mistakes),
        (None, None) => {
            if let Some(entry) = job.named("timezone").filter(|_| job.get("timezone").is_some()) {
                let help = "add `schedule: \"0 9 * * MON-FRI\"`, or leave it out";
                mistakes.add(
                    Code::Unsupported,
                    &entry.key,
                    "`timezone` has no effect without a schedule",
                    help,
                );
            }
            Vec::new()
        }
    }
}

fn short(at: &At<'_>, zone: Zone, mistakes: &mut Mistakes) -> Option<Schedule> {
    let name = Name::fixed(NAME_DEFAULT);
    if let Value::Map(_) = at.node.value {
        return one(at, zone, name, mistakes);
    }
    let timing = cron(at, mistakes).map(|text| Timing::Cron { text, zone, dst: Dst::default() });
    Some(Schedule { timing, ..Schedule::new(name, at.spot.clone()) })
}

impl Schedule {
    /// Everything but when, as it is unless something else is said.
    pub fn new(name: Name, spot: Spot) -> Self {
        Self {
            name,
            spot,
            timing: None,
            start: None,
            end: None,
            jitter: Millis::ZERO,
            catch_up: 0,
            grace: GRACE_DEFAULT,
            overlap: Overlap::default(),
            active_max: ACTIVE_MAX_DEFAULT,
            parameters: Map::new(),
            places: BTreeMap::new(),
            priority: None,
        }
    }
}

fn listed(at: &At<'_>, zone: Zone, mistakes: &mut Mistakes) -> Vec<Schedule> {
    let items = at.list(mistakes).unwrap_or_default();
    if items.len() > SCHEDULES_MAX {
        let what = format!("{} schedules are more than {SCHEDULES_MAX}", items.len());
        mistakes.add(Code::TooMany, &at.spot, what, "one expression can name many times: `0 9,12,15 * * *`");
        return Vec::new();
    }
    let alone = items.len() == 1;
    let mut found: Vec<Schedule> = Vec::with_capacity(items.len());
    for at in items {
        if !alone && matches!(at.node.value, Value::Map(_)) && at.node.get("name").is_none() {
            let help = format!("only the one schedule of a job may go without; it is `{NAME_DEFAULT}` then");
            mistakes.add(Code::MissingField, &at.spot, "the schedule has no `name`", help);
        }
        let Some(schedule) = one(&at, zone, Name::fixed(NAME_DEFAULT), mistakes) else { continue };
        let twin = found.iter().find(|known| known.name == schedule.name);
        if let (Some(twin), Some(_)) = (twin, at.node.get("name")) {
            let what =
                format!("a schedule `{}` is there already, in line {}", schedule.name, twin.spot.at.line);
            mistakes.add(Code::DuplicateSchedule, &schedule.spot, what, "give it another name");
            continue;
        }
        found.push(schedule);
    }
    found
}

/// `name`: unless it says it.
pub fn one(at: &At<'_>, zone: Zone, name: Name, mistakes: &mut Mistakes) -> Option<Schedule> {
    let fields = at.fields(SCHEDULE, mistakes)?;
    let (start, end) = (fields.read("start", mistakes, instant), fields.read("end", mistakes, instant));
    if let (Some(start), Some(end), Some(at)) = (start, end, fields.get("end"))
        && start > end
    {
        at.bad("it ends before it starts", "put `start` or `end` right", mistakes);
    }
    let given = fields.read("parameters", mistakes, At::entries).unwrap_or_default();
    let overlaps = Overlap::ALL.map(|overlap| (overlap.label(), overlap));
    let most = |at: &At<'_>, m: &mut Mistakes| at.whole(1, SCHEDULE_ACTIVE_MAX, m).map(|most| most as u32);
    Some(Schedule {
        name: fields.read("name", mistakes, schedule_name).unwrap_or(name),
        spot: at.spot.clone(),
        timing: timing(&fields, zone, mistakes),
        start,
        end,
        jitter: fields.read("jitter", mistakes, jitter).unwrap_or(Millis::ZERO),
        catch_up: fields.read("catch_up", mistakes, catch_up).unwrap_or(0),
        grace: fields.read("misfire_grace", mistakes, At::duration).unwrap_or(GRACE_DEFAULT),
        overlap: fields.read("overlap", mistakes, |at, m| at.one_of(&overlaps, m)).unwrap_or_default(),
        active_max: fields.read("max_active", mistakes, most).unwrap_or(ACTIVE_MAX_DEFAULT),
        parameters: given.iter().map(|entry| (entry.name.to_owned(), json(entry.value.node))).collect(),
        places: given.iter().map(|entry| (entry.name.to_owned(), entry.value.spot.clone())).collect(),
        priority: fields.read("priority", mistakes, priority),
    })
}

fn jitter(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Millis> {
    let span = at.duration(mistakes)?;
    if span > JITTER_MAX {
        let help = "jitter moves all windows of a schedule by one fixed part of it; a day is the most";
        at.bad("the jitter is longer than a day", help, mistakes);
        return None;
    }
    Some(span)
}

/// `true`, or how many.
fn catch_up(at: &At<'_>, mistakes: &mut Mistakes) -> Option<u32> {
    match &at.node.value {
        Value::Bool(true) => Some(CATCH_UP_DEFAULT),
        Value::Bool(false) => Some(0),
        Value::Whole(..) => at.whole(0, u64::from(CATCH_UP_MAX), mistakes).map(|count| count as u32),
        _ => {
            at.wrong("true, false, or a number of windows", mistakes);
            None
        }
    }
}
