//! Whether an address answers as it should. Addresses that webhooks may not call are not polled at either.

use mainspring_core::values::FailureClass;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::Executor;
use super::super::http::Http;
use super::Seen;
use crate::attempt::{Attempt, Outcome};

/// What is ours of it; the rest is a payload of `http`.
#[derive(Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    status: Vec<u16>,
    contains: Option<String>,
    #[serde(flatten)]
    call: Map<String, Value>,
}

pub(super) async fn poll(http: &Http, mut wanted: Wanted, attempt: Attempt) -> Seen {
    wanted.call.entry("method").or_insert_with(|| "GET".into());
    let stop = attempt.stop.clone();
    let payload = Value::Object(std::mem::take(&mut wanted.call)).to_string().into_bytes();
    let outcome = http.run(Attempt { payload, ..attempt }).await;
    if stop.is_ordered() { Seen::Over(outcome) } else { wanted.judge(outcome) }
}

impl Wanted {
    fn judge(&self, outcome: Outcome) -> Seen {
        match outcome {
            Outcome::Success { output } => {
                let output = output.unwrap_or_default();
                let answer: Value = serde_json::from_slice(&output).unwrap_or_default();
                let status = answer["status"].as_u64().unwrap_or_default();
                let right =
                    self.status.is_empty() || self.status.iter().any(|want| u64::from(*want) == status);
                if right && self.is_in(&answer["body"]) { Seen::There(output) } else { Seen::NotYet }
            }
            Outcome::Failure { code, .. } if self.contains.is_none() && self.wants(code) => {
                Seen::There(json!({ "status": code }).to_string().into_bytes())
            }
            // No answer at all, for a reason that will stay.
            Outcome::Failure { code: 0, class: FailureClass::Permanent, .. } => Seen::Over(outcome),
            Outcome::Failure { .. } | Outcome::Deferred { .. } => Seen::NotYet,
        }
    }

    fn wants(&self, code: i32) -> bool {
        self.status.iter().any(|want| i32::from(*want) == code)
    }

    fn is_in(&self, body: &Value) -> bool {
        let Some(text) = &self.contains else { return true };
        match body {
            Value::String(body) => body.contains(text),
            other => other.to_string().contains(text),
        }
    }
}
