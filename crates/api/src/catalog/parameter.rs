//! Parameters of queries, and headers.

/// A parameter and what may stand in it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub shape: Shape,
    pub what: &'static str,
    pub required: bool,
}

/// What a text may be.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A name, or nothing.
    Name,
    /// A name with a character at least.
    FilledName,
    /// States of tasks, with commas.
    TaskStates,
    /// States of runs, with commas.
    RunStates,
    /// What can start a run.
    StartedBy,
    /// `key=value`.
    Label,
    /// RFC 3339, or seconds since 1970.
    Instant,
    Number {
        min: u64,
        max: u64,
        default: Option<u64>,
    },
    Flag,
    Words(&'static [&'static str]),
    /// A regular expression.
    Pattern(&'static str),
    /// How long to wait, as `30s`; a minute at most.
    Wait,
    /// A name that a header can carry.
    HeaderName,
    Text,
}

impl Parameter {
    pub(super) const fn new(name: &'static str, shape: Shape, what: &'static str) -> Self {
        Self { name, shape, what, required: false }
    }

    pub(super) const fn required(self) -> Self {
        Self { required: true, ..self }
    }
}

pub(super) const WAIT: &str = "Answer once it has ended, or after this long as it is then: `500ms`, `30s`; a minute \
    at most. Without it the answer comes at once";
