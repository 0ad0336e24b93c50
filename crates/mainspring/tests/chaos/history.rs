//! What happened, as three parties saw it: those who submitted, the server at the end, and the world outside.

use std::collections::BTreeMap;

/// Milliseconds since 1970; all parties are on one machine.
pub type Ms = u64;

#[derive(Clone, Debug, Default)]
pub struct History {
    pub submissions: Vec<Submission>,
    /// By task id, as the server tells them at the end.
    pub tasks: BTreeMap<String, TaskRecord>,
    /// (task id, key) of every task that the server's lists name at the end.
    pub listed: Vec<(String, String)>,
    /// In the order in which they came.
    pub effects: Vec<Effect>,
}

/// What may be expected of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Promise {
    /// It touches the world; a no-op does not.
    pub leaves_effects: bool,
    pub at_most_once: bool,
    /// Someone cancels it at some point.
    pub cancelled: bool,
    /// Its first attempt fails by design.
    pub fails_first: bool,
    pub delay_ms: Ms,
}

#[derive(Clone, Debug)]
pub struct Submission {
    pub key: String,
    pub promise: Promise,
    /// When the first request with this key left.
    pub sent: Ms,
    /// The ids that acknowledgements named, one for each acknowledgement.
    pub acknowledged: Vec<String>,
    pub cancel: Option<CancelAnswer>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CancelAnswer {
    /// "It will not run."
    WillNotRun { at: Ms },
    /// The worker was asked to stop it.
    Stopping,
    /// It had begun or ended, and was left alone.
    TooLate,
}

#[derive(Clone, Debug)]
pub struct TaskRecord {
    pub state: String,
    pub attempt_count: u64,
    pub attempts_dropped: u64,
    pub cancel_requested: bool,
    pub attempts: Vec<AttemptRecord>,
}

impl TaskRecord {
    pub fn is_ended(&self) -> bool {
        ["succeeded", "failed", "cancelled", "skipped", "quarantined"].contains(&self.state.as_str())
    }
}

#[derive(Clone, Debug)]
pub struct AttemptRecord {
    pub number: u64,
    pub fence: u64,
    pub assigned: Ms,
    /// The class of its failure.
    pub failed: Option<String>,
}

/// One line of a ledger.
#[derive(Clone, Debug)]
pub struct Effect {
    pub task: String,
    pub attempt: u64,
    pub fence: u64,
    /// The idempotency key that the effect was told; the same for all attempts of a task.
    pub key: String,
    pub at: Ms,
}
