//! A retry policy's bytes; part of a profile and versioned with it.

use mainspring_core::retry::{Backoff, BudgetKind, ClassRule, Jitter, RetryOnly, RetryPolicy};
use mainspring_core::values::FailureClass;

use super::{FormatError, Reader, Writer};

pub(super) fn write(w: &mut Writer<'_>, policy: &RetryPolicy) {
    w.varint(u64::from(policy.attempts_max));
    write_backoff(w, &policy.backoff);
    w.millis(policy.cap);
    match policy.jitter {
        Jitter::None => w.byte(0),
        Jitter::Full => w.byte(1),
        Jitter::Percent(share) => {
            w.byte(2);
            w.byte(share);
        }
    }
    w.list(&policy.only.classes, |w, class| w.byte(*class as u8));
    w.list(&policy.only.codes, |w, code| w.signed(*code));
    for rule in policy.rules {
        w.byte(rule as u8);
    }
    w.bool(policy.prefer_other_worker);
    w.varint(u64::from(policy.memory_growth_percent));
}

fn write_backoff(w: &mut Writer<'_>, backoff: &Backoff) {
    match backoff {
        Backoff::None => w.byte(0),
        Backoff::Fixed(span) => {
            w.byte(1);
            w.millis(*span);
        }
        Backoff::Linear(step) => {
            w.byte(2);
            w.millis(*step);
        }
        Backoff::Exponential { first, percent } => {
            w.byte(3);
            w.millis(*first);
            w.varint(u64::from(*percent));
        }
        Backoff::List(spans) => {
            w.byte(4);
            w.list(spans, |w, span| w.millis(*span));
        }
    }
}

pub(super) fn read(r: &mut Reader<'_>) -> Result<RetryPolicy, FormatError> {
    Ok(RetryPolicy {
        attempts_max: r.varint32("attempts_max")?,
        backoff: read_backoff(r)?,
        cap: r.millis("backoff cap")?,
        jitter: read_jitter(r)?,
        only: RetryOnly {
            classes: r.list("retried classes", |r| r.choice("retried class", FailureClass::from_index))?,
            codes: r.list("retried codes", |r| r.signed("retried code"))?,
        },
        rules: read_rules(r)?,
        prefer_other_worker: r.bool("prefer_other_worker")?,
        memory_growth_percent: read_growth(r)?,
    })
}

fn read_backoff(r: &mut Reader<'_>) -> Result<Backoff, FormatError> {
    let at = r.at();
    Ok(match r.byte("backoff")? {
        0 => Backoff::None,
        1 => Backoff::Fixed(r.millis("fixed delay")?),
        2 => Backoff::Linear(r.millis("linear step")?),
        3 => Backoff::Exponential { first: r.millis("first delay")?, percent: r.varint32("growth percent")? },
        4 => Backoff::List(r.list("delays", |r| r.millis("delay"))?),
        _ => return Err(FormatError::bad("backoff", at, "has no such value")),
    })
}

fn read_jitter(r: &mut Reader<'_>) -> Result<Jitter, FormatError> {
    let at = r.at();
    Ok(match r.byte("jitter")? {
        0 => Jitter::None,
        1 => Jitter::Full,
        2 => Jitter::Percent(r.byte("jitter percent")?),
        _ => return Err(FormatError::bad("jitter", at, "has no such value")),
    })
}

fn read_rules(r: &mut Reader<'_>) -> Result<[ClassRule; 7], FormatError> {
    let mut rules = [ClassRule::Spend; 7];
    for rule in &mut rules {
        *rule = r.choice("class rule", |byte| match byte {
            0 => Some(ClassRule::Spend),
            1 => Some(ClassRule::Free),
            2 => Some(ClassRule::Fail),
            _ => None,
        })?;
    }
    Ok(rules)
}

fn read_growth(r: &mut Reader<'_>) -> Result<u16, FormatError> {
    let at = r.at();
    let percent = r.varint("memory growth")?;
    u16::try_from(percent).map_err(|_| FormatError::bad("memory growth", at, "does not fit into 16 bits"))
}

/// Which retry budget made a wait longer; 0 if none did.
pub(super) fn write_delayed_by(w: &mut Writer<'_>, kind: Option<BudgetKind>) {
    w.byte(kind.map_or(0, |kind| kind as u8 + 1));
}

pub(super) fn read_delayed_by(r: &mut Reader<'_>) -> Result<Option<BudgetKind>, FormatError> {
    r.choice("retry budget", |byte| match byte {
        0 => Some(None),
        1 => Some(Some(BudgetKind::Job)),
        2 => Some(Some(BudgetKind::Target)),
        3 => Some(Some(BudgetKind::Overall)),
        _ => None,
    })
}
