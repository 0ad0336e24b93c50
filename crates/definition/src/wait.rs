//! What a task that only waits asks for: `{"for_ms": …}`, `{"until": …}`, `{"event": …}`, `{"run": …}` or
//! `{"approval": …}`, with `timeout_ms` and `on_timeout`.

use std::sync::Arc;

use mainspring_core::calendar::HORIZON;
use mainspring_core::values::{ATTRIBUTE_BYTES_MAX, Actor, Millis, Name, Pattern, RunId, Wall};
use mainspring_core::wait::{Approval, Awaited, EventMask, Late, TIMEOUT_DEFAULT, TIMEOUT_MAX, Wait};
use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json, json};

use crate::evaluator::instant as written_instant;
use crate::expression::Expression;
use crate::limits::{APPROVAL_MESSAGE_BYTES_MAX, APPROVERS_MAX};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default, deserialize_with = "given")]
    for_ms: Option<u64>,
    #[serde(default, deserialize_with = "given")]
    until: Option<Instant>,
    #[serde(default, deserialize_with = "given")]
    run: Option<String>,
    #[serde(default, deserialize_with = "given")]
    event: Option<AskedEvent>,
    #[serde(default, deserialize_with = "given")]
    approval: Option<AskedApproval>,
    #[serde(default, deserialize_with = "given")]
    timeout_ms: Option<u64>,
    #[serde(default)]
    on_timeout: OnTimeout,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedEvent {
    r#type: String,
    #[serde(default, deserialize_with = "given")]
    source: Option<String>,
    #[serde(default, deserialize_with = "given")]
    subject: Option<String>,
    #[serde(default, deserialize_with = "given")]
    r#if: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedApproval {
    #[serde(default)]
    by: Vec<String>,
    #[serde(default, deserialize_with = "given")]
    message: Option<String>,
}

/// A field that is there has a value; `null` is none.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(value: D) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

/// RFC 3339, or seconds since 1970.
#[derive(Deserialize)]
#[serde(untagged)]
enum Instant {
    Seconds(u64),
    Text(String),
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum OnTimeout {
    #[default]
    Fail,
    Skip,
    Approve,
    Reject,
}

/// `now`: when the wait begins. The reason why not is for people.
pub fn read(payload: &[u8], now: Wall) -> Result<Wait, String> {
    let asked: Asked =
        serde_json::from_slice(payload).map_err(|error| format!("not a payload of `wait`: {error}"))?;
    let what = match (asked.for_ms, asked.until, asked.run, asked.event, asked.approval) {
        (None, None, None, None, Some(approval)) => Awaited::Approval(Arc::new(approvers(approval)?)),
        (Some(ms), None, None, None, None) => Awaited::Until(now + bounded("for_ms", ms)?),
        (None, Some(until), None, None, None) => Awaited::Until(instant(&until)?),
        (None, None, None, Some(event), None) => Awaited::Event(Arc::new(mask(event)?)),
        (None, None, Some(run), None, None) => {
            let id = run.parse::<RunId>().map_err(|_| format!("`{}` is no id of a run", shown(&run)))?;
            Awaited::Run(id)
        }
        _ => return Err("`wait` needs one of `for_ms`, `until`, `run`, `event` and `approval`".to_owned()),
    };
    let timeout = asked.timeout_ms.map(|ms| bounded("timeout_ms", ms)).transpose()?;
    let deadline = match (&what, timeout) {
        (_, Some(timeout)) => now + timeout,
        (Awaited::Until(at), None) => *at,
        (Awaited::Run(_) | Awaited::Event(_) | Awaited::Approval(_), None) => now + TIMEOUT_DEFAULT,
    };
    let late = match asked.on_timeout {
        OnTimeout::Fail => Late::Fail,
        OnTimeout::Skip => Late::Skip,
        OnTimeout::Approve => Late::Approve,
        OnTimeout::Reject => Late::Reject,
    };
    if matches!(late, Late::Approve | Late::Reject) && !matches!(what, Awaited::Approval(_)) {
        return Err(format!("`on_timeout: {}` belongs to `approval`: say `fail` or `skip`", late.label()));
    }
    Ok(Wait { what, since: now, deadline, late })
}

#[derive(Deserialize)]
struct Poll {
    timeout_ms: Option<u64>,
}

/// Of a payload of `poll`. One that cannot be read has the default: its first poll fails it.
pub fn poll_deadline(payload: &[u8], now: Wall) -> Wall {
    let timeout = serde_json::from_slice(payload).ok().and_then(|Poll { timeout_ms }| timeout_ms);
    now + timeout.map_or(TIMEOUT_DEFAULT, Millis::new).min(TIMEOUT_MAX)
}

fn mask(event: AskedEvent) -> Result<EventMask, String> {
    let pattern = |text: String| {
        let read =
            if text.is_empty() || text.len() > ATTRIBUTE_BYTES_MAX { None } else { Pattern::parse(&text) };
        read.ok_or_else(|| format!("`{}` is no type or source: a `*` may stand at the end", shown(&text)))
    };
    if event.subject.as_ref().is_some_and(|subject| subject.len() > ATTRIBUTE_BYTES_MAX) {
        return Err(format!("`subject` has more than {ATTRIBUTE_BYTES_MAX} bytes"));
    }
    if let Some(condition) = &event.r#if {
        Expression::parse(condition).map_err(|bad| format!("`if`: {}", bad.what))?;
    }
    Ok(EventMask {
        kind: pattern(event.r#type)?,
        source: event.source.map(pattern).transpose()?,
        subject: event.subject.map(Into::into),
        condition: event.r#if.map(Into::into),
    })
}

fn approvers(asked: AskedApproval) -> Result<Approval, String> {
    if asked.by.len() > APPROVERS_MAX {
        return Err(format!("`by` has {} names, more than {APPROVERS_MAX}", asked.by.len()));
    }
    let name = |text: &String| match Name::new(text) {
        Ok(name) if !name.is_empty() => Ok(name),
        _ => Err(format!("`{}` in `by` is no name", shown(text))),
    };
    let message = asked.message.filter(|message| !message.is_empty());
    if message.as_ref().is_some_and(|message| message.len() > APPROVAL_MESSAGE_BYTES_MAX) {
        return Err(format!("`message` has more than {APPROVAL_MESSAGE_BYTES_MAX} bytes"));
    }
    let by = asked.by.iter().map(name).collect::<Result<_, _>>()?;
    Ok(Approval { by, message: message.map(Into::into) })
}

/// The output of a task that waited for approval.
pub fn approved(over: Option<&Actor>, at: Wall) -> Arc<[u8]> {
    let (by, reason) = match over {
        Some(over) => (Json::from(over.actor.as_str()), Json::from(over.reason.as_str())),
        None => (Json::Null, Json::from("nobody decided in time")),
    };
    let output = json!({ "approved": true, "by": by, "reason": reason, "at": written_instant(at) });
    output.to_string().into_bytes().into()
}

fn bounded(name: &str, ms: u64) -> Result<Millis, String> {
    let span = Millis::new(ms);
    if span > TIMEOUT_MAX { Err(format!("`{name}` is more than {TIMEOUT_MAX}")) } else { Ok(span) }
}

fn instant(until: &Instant) -> Result<Wall, String> {
    match until {
        Instant::Seconds(seconds) => {
            let wall = seconds.checked_mul(1_000).map(Wall::from_millis);
            wall.filter(|wall| *wall < HORIZON).ok_or_else(|| format!("`{seconds}` is after 9999"))
        }
        Instant::Text(text) => {
            let read = text.parse::<jiff::Timestamp>().ok();
            let wall = read.and_then(|read| u64::try_from(read.as_millisecond()).ok()).map(Wall::from_millis);
            let wall = wall.filter(|wall| *wall < HORIZON);
            wall.ok_or_else(|| format!("`{}` is no instant: write it as `2026-01-31T09:00:00Z`", shown(text)))
        }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Wall = Wall::from_millis(1_700_000_000_000);

    fn asked(payload: &str) -> Result<Wait, String> {
        read(payload.as_bytes(), NOW)
    }

    #[test]
    fn each_kind_has_its_instant_and_its_deadline() {
        let wait = asked(r#"{"for_ms":1000}"#).expect("a pause");
        assert_eq!(
            (wait.what, wait.deadline),
            (Awaited::Until(NOW + Millis::new(1000)), NOW + Millis::new(1000))
        );
        for text in [r#"{"until":1700000060}"#, r#"{"until":"2023-11-14T22:14:20Z"}"#] {
            assert_eq!(
                asked(text).expect("an instant").what,
                Awaited::Until(NOW + Millis::from_secs(60)),
                "{text}"
            );
        }
        let wait =
            asked(r#"{"event":{"type":"order.*","source":"/shop","subject":"7","if":"event.data.n > 1"}}"#);
        let Awaited::Event(mask) = wait.expect("an event").what else { panic!("an event") };
        assert!(mask.kind.prefix && mask.source.is_some() && mask.condition.is_some());
        assert_eq!(mask.subject.as_deref(), Some("7"));
        let id = RunId::from_bits(0x0190_0000_0000_7000_8000_0000_0000_0042);
        let wait = asked(&format!(r#"{{"run":"{id}","timeout_ms":5,"on_timeout":"skip"}}"#)).expect("a run");
        assert_eq!(
            (wait.what, wait.deadline, wait.late),
            (Awaited::Run(id), NOW + Millis::new(5), Late::Skip)
        );
        let wait = asked(&format!(r#"{{"run":"{id}"}}"#)).expect("a run");
        assert_eq!((wait.deadline, wait.late), (NOW + TIMEOUT_DEFAULT, Late::Fail));
    }

    #[test]
    fn approval_is_by_names_or_by_anybody() {
        let wait = asked(
            r#"{"approval":{"by":["anna","release"],"message":"go?"},"timeout_ms":9,"on_timeout":"reject"}"#,
        );
        let wait = wait.expect("an approval");
        let Awaited::Approval(approval) = &wait.what else { panic!("{wait:?}") };
        assert_eq!((wait.deadline, wait.late), (NOW + Millis::new(9), Late::Reject));
        assert_eq!(
            (approval.to_string().as_str(), approval.message.as_deref()),
            ("`anna` or `release`", Some("go?"))
        );
        let wait = asked(r#"{"approval":{}}"#).expect("an approval");
        let Awaited::Approval(approval) = &wait.what else { panic!("{wait:?}") };
        assert_eq!((approval.to_string().as_str(), wait.deadline), ("anybody", NOW + TIMEOUT_DEFAULT));
        let over = Actor { actor: Name::fixed("anna \"a\""), reason: Name::default() };
        let output: Json = serde_json::from_slice(&approved(Some(&over), NOW)).expect("JSON");
        assert_eq!(
            output,
            json!({"approved": true, "by": "anna \"a\"", "reason": "", "at": "2023-11-14T22:13:20Z"})
        );
    }

    #[test]
    fn what_cannot_be_waited_for_is_refused_with_a_reason() {
        let rows = [
            ("{}", "needs one of"),
            (r#"{"for_ms":1,"until":2}"#, "needs one of"),
            (r#"{"for_ms":-1}"#, "not a payload"),
            (r#"{"for_ms":99999999999999}"#, "`for_ms` is more than"),
            (r#"{"until":"tomorrow"}"#, "`tomorrow` is no instant"),
            (r#"{"until":999999999999}"#, "is after 9999"),
            (r#"{"run":"x"}"#, "`x` is no id of a run"),
            (r#"{"for_ms":1,"on_timeout":"shout"}"#, "not a payload"),
            (r#"{"for_ms":1,"else":1}"#, "not a payload"),
            (r#"{"for_ms":1,"timeout_ms":null}"#, "not a payload"),
            (r#"{"event":{"source":"/x"}}"#, "not a payload"),
            (r#"{"event":{"type":"a*b"}}"#, "`a*b` is no type or source"),
            (r#"{"event":{"type":"a","if":"1 +"}}"#, "`if`: "),
            (r#"{"approval":{},"for_ms":1}"#, "needs one of"),
            (r#"{"approval":{"by":[""]}}"#, "in `by` is no name"),
            (r#"{"for_ms":1,"on_timeout":"approve"}"#, "`on_timeout: approve` belongs to `approval`"),
        ];
        for (payload, why) in rows {
            let refusal = asked(payload).expect_err(payload);
            assert!(refusal.contains(why), "{payload}: {refusal}");
        }
    }
}
