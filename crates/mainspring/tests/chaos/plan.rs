//! What is submitted: drawn from the seed, so that a run can be played again.

use std::path::Path;

use mainspring_core::values::Chance;
use serde_json::{Value, json};

use crate::history::{Ms, Promise};

/// How a planned task is cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cancelling {
    No,
    /// As soon as it is acknowledged; a running one is left alone.
    AtOnce,
    /// So long after it was acknowledged, running or not.
    After(Ms),
}

#[derive(Clone, Debug)]
pub struct Planned {
    pub key: String,
    pub body: Value,
    pub promise: Promise,
    pub cancelling: Cancelling,
}

/// One line with `O_APPEND` for every start; then it lives for `sleep` seconds.
const SCRIPT: &str = r#"echo "$MAINSPRING_TASK_ID $MAINSPRING_ATTEMPT $MAINSPRING_FENCE $MAINSPRING_IDEMPOTENCY_KEY $(date +%s%3N)" >> "$1"; exec sleep "$2""#;

/// A day; a task that waits so long only ends by being cancelled.
const FAR_MS: Ms = 86_400_000;

const JOBS: usize = 200;

const PLAIN: Promise =
    Promise { leaves_effects: true, at_most_once: false, cancelled: false, fails_first: false, delay_ms: 0 };

pub struct Planner<'a> {
    pub chance: Chance,
    /// Where the ledger listens.
    pub ledger: &'a str,
    /// Where processes leave their lines.
    pub file: &'a Path,
    pub run: u64,
}

impl Planner<'_> {
    pub fn tasks(&mut self, count: usize) -> Vec<Planned> {
        (0..count).map(|number| self.task(number)).collect()
    }

    fn task(&mut self, number: usize) -> Planned {
        let key = format!("chaos-{}-{number}", self.run);
        let (mut body, promise, cancelling) = self.kind();
        let fields = body.as_object_mut().expect("a body is an object");
        fields.insert("idempotency_key".into(), key.as_str().into());
        fields.insert("labels".into(), json!({ "key": key }));
        // Retries of one job are rationed; no job here has more failures than its ration.
        fields.insert("job".into(), format!("job-{}", number % JOBS).into());
        let quick = json!({ "backoff": "fixed", "initial_delay_ms": 100, "max_retries": 5 });
        fields.insert("retry_policy".into(), quick);
        if promise.at_most_once {
            fields.insert("delivery".into(), "at_most_once".into());
        }
        if promise.delay_ms > 0 {
            fields.insert("delay_ms".into(), promise.delay_ms.into());
        }
        Planned { key, body, promise, cancelling }
    }

    fn kind(&mut self) -> (Value, Promise, Cancelling) {
        let cancelled = Promise { cancelled: true, ..PLAIN };
        let once = Promise { at_most_once: true, ..PLAIN };
        let no = Cancelling::No;
        match self.chance.below(1000) {
            0..560 => (self.http("ok"), PLAIN, no),
            560..640 => (self.http("fail-first"), Promise { fails_first: true, ..PLAIN }, no),
            640..690 => (self.http("drop-first"), Promise { fails_first: true, ..PLAIN }, no),
            690..740 => (self.http("ok"), once, no),
            740..770 => (self.http("drop-first"), Promise { fails_first: true, ..once }, no),
            770..840 => (self.process(0), PLAIN, no),
            840..850 => (self.process(2_000), PLAIN, no),
            850..865 => (self.process(0), once, no),
            865..870 => (self.process(2_000), once, no),
            870..920 => (json!({ "task_type": "noop" }), Promise { leaves_effects: false, ..PLAIN }, no),
            920..970 => {
                let delay_ms = 500 + self.chance.below(5_000);
                (self.http("ok"), Promise { delay_ms, ..PLAIN }, no)
            }
            970..983 => (self.http("ok"), Promise { delay_ms: FAR_MS, ..cancelled }, self.later()),
            983..987 => (self.process(120_000), cancelled, self.later()),
            _ => (self.http("ok"), cancelled, Cancelling::AtOnce),
        }
    }

    fn later(&mut self) -> Cancelling {
        Cancelling::After(self.chance.below(3_000))
    }

    fn http(&self, path: &str) -> Value {
        json!({ "task_type": "http", "payload": { "url": format!("{}/{path}", self.ledger), "body": {} } })
    }

    /// Every second one survives its worker and is adopted by the next.
    fn process(&mut self, lives_ms: Ms) -> Value {
        let keep = self.chance.per_mille(500);
        let sleep = format!("{}.{:03}", lives_ms / 1000, lives_ms % 1000);
        let argv = json!(["sh", "-c", SCRIPT, "sh", self.file, sleep]);
        json!({ "task_type": "process", "payload": { "argv": argv, "keep": keep } })
    }
}
