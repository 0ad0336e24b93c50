//! When a schedule's windows are: exactly one of `cron`, `every`, `after` and `at`, and what belongs to it.

use jiff::Timestamp;
use mainspring_core::calendar::{Cron, Dst, HORIZON, Missing, Twice, Zone};
use mainspring_core::schedule::{EVERY_MIN, INSTANTS_MAX};
use mainspring_core::values::{Millis, Wall};

use super::at::{At, Fields};
use crate::mistake::{Code, Mistakes};

pub const DST: &[&str] = &["missing", "twice"];
const KINDS: [&str; 4] = ["cron", "every", "after", "at"];

#[derive(Clone, PartialEq, Debug)]
pub enum Timing {
    Cron {
        /// `H` in it is drawn when it is known whose schedule it is.
        text: String,
        zone: Zone,
        dst: Dst,
    },
    Every(Millis),
    After(Millis),
    At(Vec<Wall>),
}

/// `zone`: of the job.
pub fn timing(fields: &Fields<'_>, zone: Zone, mistakes: &mut Mistakes) -> Option<Timing> {
    let given: Vec<&str> = KINDS.into_iter().filter(|kind| fields.get(kind).is_some()).collect();
    let [kind] = given.as_slice() else {
        refuse(fields, &given, mistakes);
        return None;
    };
    let at = fields.get(kind)?;
    if *kind != "cron" {
        let why = format!("`{kind}` counts elapsed time or names instants: no zone applies to it");
        useless(fields, &["timezone", "dst"], kind, &why, mistakes);
    }
    match *kind {
        "cron" => {
            let zone = fields.get("timezone").map_or(Some(zone), |at| time_zone(at, mistakes));
            let dst = fields.get("dst").map_or(Some(Dst::default()), |at| dst(at, mistakes));
            let text = cron(at, mistakes)?;
            Some(Timing::Cron { text, zone: zone?, dst: dst? })
        }
        "every" => every(at, mistakes).map(Timing::Every),
        "after" => {
            let why = "with `after` the next window comes when what the one before began has ended";
            let never = ["catch_up", "misfire_grace", "overlap", "max_active"];
            useless(fields, &never, kind, why, mistakes);
            every(at, mistakes).map(Timing::After)
        }
        _ => instants(at, mistakes).map(Timing::At),
    }
}

fn refuse(fields: &Fields<'_>, given: &[&str], mistakes: &mut Mistakes) {
    let help = "give one of `cron: \"0 9 * * MON-FRI\"`, `every: 15m`, `after: 10m`, `at: [\"2026-01-31T09:00:00Z\"]`";
    match given {
        [] => mistakes.add(Code::NoTiming, &fields.spot, "it does not say when", help),
        [first, others @ ..] => {
            for other in others {
                let what = format!("`{first}` and `{other}` are two timings");
                let spot = fields.named(other).map_or(&fields.spot, |entry| &entry.key);
                mistakes.add(Code::TwoTimings, spot, what, "make two schedules of them");
            }
        }
    }
}

/// A field that would change nothing is a mistake, so that nobody counts on it.
fn useless(fields: &Fields<'_>, names: &[&str], kind: &str, why: &str, mistakes: &mut Mistakes) {
    for name in names {
        let Some(entry) = fields.named(name).filter(|_| fields.get(name).is_some()) else { continue };
        let what = format!("`{name}` has no effect with `{kind}`");
        mistakes.add(Code::Unsupported, &entry.key, what, format!("leave it out: {why}"));
    }
}

pub fn cron(at: &At<'_>, mistakes: &mut Mistakes) -> Option<String> {
    let text = at.text(mistakes)?.trim();
    match Cron::parse(text, 0) {
        Ok(_) => Some(text.to_owned()),
        Err(error) => {
            mistakes.add(Code::BadCron, &at.spot, error.message(), error.advice);
            None
        }
    }
}

pub fn time_zone(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Zone> {
    let name = at.text(mistakes)?;
    let found = Zone::find(name);
    if found.is_none() {
        let shown: String = name.chars().take(60).collect();
        let help = match Zone::suggest(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "use a name such as `Europe/Berlin` or `UTC`; offsets and abbreviations are none".to_owned()
            }
        };
        mistakes.add(Code::UnknownTimeZone, &at.spot, format!("there is no time zone `{shown}`"), help);
    }
    found
}

fn dst(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Dst> {
    let fields = at.fields(DST, mistakes)?;
    let usual = Dst::default();
    let missing = Missing::ALL.map(|missing| (missing.label(), missing));
    let twice = Twice::ALL.map(|twice| (twice.label(), twice));
    Some(Dst {
        missing: fields.read("missing", mistakes, |at, m| at.one_of(&missing, m)).unwrap_or(usual.missing),
        twice: fields.read("twice", mistakes, |at, m| at.one_of(&twice, m)).unwrap_or(usual.twice),
    })
}

fn every(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Millis> {
    let span = at.duration(mistakes)?;
    if span < EVERY_MIN {
        at.bad(format!("{span} is too short"), "a second is the least: `1s`", mistakes);
        return None;
    }
    Some(span)
}

fn instants(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Vec<Wall>> {
    let items = at.list_or_one(INSTANTS_MAX, mistakes);
    if items.is_empty() {
        // Too many are told already.
        if at.list(mistakes).is_some_and(|items| items.is_empty()) {
            mistakes.add(Code::NoTiming, &at.spot, "there is no instant in it", "name at least one");
        }
        return None;
    }
    let read: Vec<Option<Wall>> = items.iter().map(|at| instant(at, mistakes)).collect();
    read.into_iter().collect()
}

/// RFC 3339, with its offset from UTC.
pub fn instant(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Wall> {
    let text = at.text(mistakes)?;
    let help = "write it as `2026-01-31T09:00:00Z` or `2026-01-31T09:00:00+01:00`";
    let Ok(read) = text.parse::<Timestamp>() else {
        let shown: String = text.chars().take(60).collect();
        at.bad(format!("`{shown}` is no instant"), help, mistakes);
        return None;
    };
    let wall = u64::try_from(read.as_millisecond()).ok().map(Wall::from_millis);
    let wall = wall.filter(|wall| *wall < HORIZON);
    if wall.is_none() {
        at.bad("an instant must lie after 1970 and before 9999-12-30", help, mistakes);
    }
    wall
}
