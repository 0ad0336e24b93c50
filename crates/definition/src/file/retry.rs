//! `retries: 3`, or an object with the names that the REST API uses.

use mainspring_core::retry::{Backoff, DELAYS_MAX, Jitter, RetryOnly, RetryPolicy};
use mainspring_core::values::{FailureClass, Millis};

use super::at::{At, Fields};
use super::tree::Value;
use crate::mistake::Mistakes;

/// Most retries that can be asked for; the REST API has the same bound.
pub const RETRIES_MAX: u64 = 100_000;

pub const FIELDS: &[&str] = &[
    "max_retries",
    "backoff",
    "initial_delay",
    "initial_delay_ms",
    "growth_percent",
    "max_delay",
    "max_delay_ms",
    "delays",
    "delays_ms",
    "jitter_percent",
    "retry_on",
    "retry_on_codes",
    "prefer_other_worker",
];

pub fn retry(at: &At<'_>, mistakes: &mut Mistakes) -> Option<RetryPolicy> {
    let usual = RetryPolicy::default();
    if matches!(at.node.value, Value::Whole(..)) {
        let retries = at.whole(0, RETRIES_MAX, mistakes)?;
        return Some(RetryPolicy { attempts_max: retries as u32 + 1, ..usual });
    }
    if !matches!(at.node.value, Value::Map(_)) {
        at.wrong("a number of retries, or an object", mistakes);
        return None;
    }
    let fields = at.fields(FIELDS, mistakes)?;
    let retries = fields.read("max_retries", mistakes, |at, m| at.whole(0, RETRIES_MAX, m));
    let cap = time(&fields, "max_delay", "max_delay_ms", mistakes);
    let jitter = fields.read("jitter_percent", mistakes, |at, m| at.whole(0, 100, m));
    let other_worker = fields.read("prefer_other_worker", mistakes, At::flag);
    let backoff = backoff(&fields, mistakes);
    Some(RetryPolicy {
        attempts_max: retries.map_or(usual.attempts_max, |retries| retries as u32 + 1),
        cap: cap.unwrap_or(usual.cap),
        jitter: match jitter {
            None => backoff.jitter_default(),
            Some(0) => Jitter::None,
            Some(100) => Jitter::Full,
            Some(percent) => Jitter::Percent(percent as u8),
        },
        backoff,
        only: only(&fields, mistakes),
        prefer_other_worker: other_worker.unwrap_or(usual.prefer_other_worker),
        ..usual
    })
}

#[derive(Clone, Copy)]
enum Word {
    None,
    Fixed,
    Linear,
    Exponential,
}

const WORDS: [(&str, Word); 4] = [
    ("none", Word::None),
    ("fixed", Word::Fixed),
    ("linear", Word::Linear),
    ("exponential", Word::Exponential),
];

fn backoff(fields: &Fields<'_>, mistakes: &mut Mistakes) -> Backoff {
    let first = time(fields, "initial_delay", "initial_delay_ms", mistakes).unwrap_or(Millis::from_secs(1));
    let percent =
        fields.read("growth_percent", mistakes, |at, m| at.whole(100, 10_000, m)).unwrap_or(200) as u32;
    let word = fields.read("backoff", mistakes, |at, m| at.one_of(&WORDS, m));
    let list = fields.get("delays").map(|at| (at, false)).or(fields.get("delays_ms").map(|at| (at, true)));
    if let Some((at, in_ms)) = list {
        let delays = at.list_or_one(DELAYS_MAX, mistakes);
        let delay =
            |delay: &At<'_>| if in_ms { milliseconds(delay, mistakes) } else { delay.duration(mistakes) };
        let delays: Vec<Millis> = delays.iter().filter_map(delay).collect();
        if delays.is_empty() {
            at.bad("name one delay at least", "", mistakes);
        }
        return Backoff::List(delays);
    }
    match word.unwrap_or(Word::Exponential) {
        Word::None => Backoff::None,
        Word::Fixed => Backoff::Fixed(first),
        Word::Linear => Backoff::Linear(first),
        Word::Exponential => Backoff::Exponential { first, percent },
    }
}

fn only(fields: &Fields<'_>, mistakes: &mut Mistakes) -> RetryOnly {
    let known = FailureClass::ALL.map(|class| (class.label(), class));
    let words = fields.get("retry_on").map(|at| at.list_or_one(DELAYS_MAX, mistakes)).unwrap_or_default();
    let codes =
        fields.get("retry_on_codes").map(|at| at.list_or_one(DELAYS_MAX, mistakes)).unwrap_or_default();
    RetryOnly {
        classes: words.iter().filter_map(|at| at.one_of(&known, mistakes)).collect(),
        codes: codes
            .iter()
            .filter_map(|at| at.whole(0, i32::MAX as u64, mistakes))
            .map(|code| code as i32)
            .collect(),
    }
}

/// A duration under its plain name, or a number under the name that carries the unit.
pub fn time(fields: &Fields<'_>, name: &str, name_ms: &str, mistakes: &mut Mistakes) -> Option<Millis> {
    let given = fields.read(name, mistakes, At::duration);
    let in_ms = fields.read(name_ms, mistakes, milliseconds);
    if let (Some(_), Some(_), Some(at)) = (given, in_ms, fields.get(name_ms)) {
        at.bad(format!("give `{name}` or `{name_ms}`, not both"), "", mistakes);
    }
    given.or(in_ms)
}

fn milliseconds(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Millis> {
    at.whole(0, crate::limits::DURATION_MAX_MS, mistakes).map(Millis::new)
}
