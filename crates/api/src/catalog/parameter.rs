//! Parameters of queries, and headers.

/// A parameter and what may stand in it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub shape: Shape,
    pub what: &'static str,
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
    /// A whole number, below 0 too, but not 0.
    Integer,
    /// 1 to 1000 characters; it must be given.
    SearchText,
    Flag,
    Words(&'static [&'static str]),
    /// A regular expression.
    Pattern(&'static str),
    /// How long to wait, as `30s`; a minute at most.
    Wait,
    /// A name that a header can carry.
    HeaderName,
    /// The same, or nothing.
    HeaderText,
    Text,
}

impl Parameter {
    pub(super) const fn new(name: &'static str, shape: Shape, what: &'static str) -> Self {
        Self { name, shape, what }
    }
}

pub(super) const WAIT: &str = "Answer once it has ended, or after this long as it is then: `500ms`, `30s`; a minute \
    at most. Without it the answer comes at once";

/// On every operation that changes something. What a body says goes before.
pub const ACTOR: [Parameter; 2] = [
    Parameter::new("Mainspring-Actor", Shape::HeaderText, "Who does it; in the server's log"),
    Parameter::new("Mainspring-Reason", Shape::HeaderText, "Why; in the server's log"),
];
/// On edits of what has revisions.
pub const IF_MATCH: Parameter = Parameter::new(
    "If-Match",
    Shape::Pattern("^\"[0-9]{1,18}\"$"),
    "The `ETag` of what was read: with another revision it is refused with `REVISION_MISMATCH`; `\"0\"`: it must not be there",
);
/// Of lists over all tenants and jobs.
pub(super) const OF_TENANT: Parameter = Parameter::new("tenant", Shape::Name, "Only of this tenant");
pub(super) const OF_JOB: Parameter = Parameter::new("job", Shape::Name, "Only of this job");
/// Of one thing that is named: the tenant it belongs to.
pub(super) const TENANT: Parameter =
    Parameter::new("tenant", Shape::FilledName, "Whose it is; `default` unless said");
pub(super) const LIMIT: Parameter =
    Parameter::new("limit", Shape::Number { min: 1, max: 1000, default: Some(100) }, "Rows in a page");
const NEXT: &str = "`next_cursor` of the page before";

/// Where a page begins; how such a text looks.
pub(super) const fn cursor(pattern: &'static str) -> Parameter {
    Parameter::new("cursor", Shape::Pattern(pattern), NEXT)
}

/// Of lists by name.
pub(super) const CURSOR_BY_NAME: Parameter =
    cursor("^[^/\\u0000-\\u001f\\u007f-\\u009f]{1,200}/[^\\u0000-\\u001f\\u007f-\\u009f]{1,200}$");

/// When the tables are behind.
pub(super) const OLDER: Parameter = Parameter::new(
    "older",
    Shape::Flag,
    "Take a list that lacks the newest changes when the tables are behind, instead of `STORE_BEHIND`",
);

/// What narrows a list of tasks, dead letters among them.
pub(super) const OF_TASKS: [Parameter; 13] = [
    OF_TENANT,
    OF_JOB,
    Parameter::new("state", Shape::TaskStates, "One state or several with commas; both spellings are read"),
    Parameter::new("status", Shape::TaskStates, "The same as `state`"),
    Parameter::new(
        "worker",
        Shape::Pattern("^worker_[0-9a-f]{32}$"),
        "Only tasks whose newest attempt this worker has or had",
    ),
    Parameter::new("label", Shape::Label, "`key=value`"),
    Parameter::new("created_from", Shape::Instant, "Made at or after: RFC 3339 or epoch seconds"),
    Parameter::new("created_before", Shape::Instant, "Made before"),
    Parameter::new("ended_from", Shape::Instant, "Ended at or after: RFC 3339 or epoch seconds"),
    Parameter::new("ended_before", Shape::Instant, "Ended before"),
    LIMIT,
    OLDER,
    cursor(
        "^(m0\\.0\\.[0-9]{1,9}|p0\\.[0-9]{1,15}\\.[0-9a-f]{1,32}|h|h[0-9]{1,9}\\.[0-9a-f]{1,32}|[0-9]{1,9})$",
    ),
];

/// What narrows groups of dead letters.
pub(super) const OF_GROUPS: [Parameter; 5] = [
    OF_TENANT,
    OF_JOB,
    Parameter::new("label", Shape::Label, "`key=value`"),
    Parameter::new("ended_from", Shape::Instant, "Ended at or after: RFC 3339 or epoch seconds"),
    Parameter::new("ended_before", Shape::Instant, "Ended before"),
];

/// A list with one more parameter behind the others.
pub(super) const fn and<const N: usize, const M: usize>(
    list: [Parameter; N],
    more: Parameter,
) -> [Parameter; M] {
    let mut all = [more; M];
    let mut at = 0;
    while at < N {
        all[at] = list[at];
        at += 1;
    }
    all
}
