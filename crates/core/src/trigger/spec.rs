//! What a trigger says: which events, under which condition, and what its runs are given.

use crate::task::Payload;
use crate::values::{Bucket, CloudEvent, Name, Pattern, Source};

/// Names a trigger for ever: what is stored again under it goes on where it stopped.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TriggerKey {
    pub tenant: Name,
    pub job: Name,
    pub name: Name,
}

/// Runs of one trigger that have not ended, unless it says otherwise.
pub const ACTIVE_MAX_DEFAULT: u32 = 16;
/// Jobs that one `after` may name.
pub const AFTER_MAX: usize = 32;
/// Before the name of a trigger: its schedule, which begins a run when no event came. No name begins with it.
pub const FALLBACK: char = '@';

#[derive(Clone, PartialEq, Debug)]
pub struct TriggerSpec {
    pub on: On,
    /// An expression over the event.
    pub condition: Option<Source>,
    /// A JSON object; its texts may be templates over the event.
    pub parameters: Payload,
    pub templated: bool,
    pub active_max: u32,
    /// That of its job, and so of its runs.
    pub bucket: Bucket,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum On {
    Event {
        kind: Pattern,
        source: Option<Pattern>,
    },
    /// Whatever came in by this webhook.
    Webhook(Name),
    /// The first job names the windows.
    After(Vec<Name>),
}

impl On {
    /// The source of what comes in by a webhook.
    pub fn webhook_source(name: &str) -> String {
        format!("/webhooks/{name}")
    }

    /// Whether an event found by its index is meant.
    pub(crate) fn takes(&self, notice: &CloudEvent) -> bool {
        match self {
            Self::Event { kind, source } => {
                // A pattern for everything does not mean what we tell of ourselves: its own runs would begin it again.
                let meant = !notice.is_own() || kind.text.starts_with(crate::values::OWN_PREFIX);
                meant
                    && kind.matches(&notice.kind)
                    && source.as_ref().is_none_or(|source| source.matches(&notice.source))
            }
            Self::Webhook(_) => true,
            Self::After(_) => false,
        }
    }
}
