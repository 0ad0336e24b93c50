//! The checker's own reading of trigger rules, straight from their descriptions and on what is known so far.

use mainspring_core::job::{FailurePolicy, TriggerRule};
use mainspring_core::run::NodeStatus;

/// How an upstream node ended; `None` while it has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Was {
    Good,
    Bad,
    GivenUp,
    Skipped,
}

pub(super) fn was(status: NodeStatus) -> Option<Was> {
    match status {
        NodeStatus::Waiting | NodeStatus::Out | NodeStatus::Judged => None,
        NodeStatus::Succeeded => Some(Was::Good),
        NodeStatus::Failed | NodeStatus::Cancelled => Some(Was::Bad),
        NodeStatus::UpstreamFailed => Some(Was::GivenUp),
        NodeStatus::Skipped => Some(Was::Skipped),
    }
}

/// The first failure ends the run.
pub(super) fn stops_at_failure(policy: FailurePolicy) -> bool {
    match policy {
        FailurePolicy::FailFast => true,
        FailurePolicy::FailAfterAll | FailurePolicy::SkipFailed => false,
    }
}

/// What needs a failed node may run.
pub(super) fn lets_downstream_run(policy: FailurePolicy) -> bool {
    match policy {
        FailurePolicy::SkipFailed => true,
        FailurePolicy::FailFast | FailurePolicy::FailAfterAll => false,
    }
}

/// A failed node makes the run a failed one.
pub(super) fn fails_run(policy: FailurePolicy) -> bool {
    match policy {
        FailurePolicy::FailFast | FailurePolicy::FailAfterAll => true,
        FailurePolicy::SkipFailed => false,
    }
}

/// What the upstream nodes of one node have come to.
pub(super) struct Upstream(pub(super) Vec<Option<Was>>);

impl Upstream {
    fn all(&self, of: &[Was]) -> bool {
        self.0.iter().all(|end| end.is_some_and(|end| of.contains(&end)))
    }

    fn any(&self, of: &[Was]) -> bool {
        self.0.iter().any(|end| end.is_some_and(|end| of.contains(&end)))
    }

    /// As if what failed had gone well.
    fn forgiven(&self) -> Self {
        let forgive = |end: &Option<Was>| match end {
            Some(Was::Bad | Was::GivenUp) => Some(Was::Good),
            other => *other,
        };
        Self(self.0.iter().map(forgive).collect())
    }

    pub(super) fn runs(&self, rule: TriggerRule, forgiving: bool) -> bool {
        self.meets(rule) || forgiving && self.gives_up(rule) && self.forgiven().meets(rule)
    }

    fn meets(&self, rule: TriggerRule) -> bool {
        use Was::{Bad, GivenUp, Good, Skipped};
        const ANY: &[Was] = &[Good, Bad, GivenUp, Skipped];
        if self.0.is_empty() {
            return true;
        }
        match rule {
            TriggerRule::Always => true,
            TriggerRule::AllSuccess => self.all(&[Good]),
            TriggerRule::AllFailed => self.all(&[Bad, GivenUp]),
            TriggerRule::AllDone => self.all(ANY),
            TriggerRule::AllDoneMinOneSuccess => self.all(&[Good, Bad, GivenUp]) && self.any(&[Good]),
            TriggerRule::OneSuccess => self.any(&[Good]),
            TriggerRule::OneFailed => self.any(&[Bad, GivenUp]),
            TriggerRule::OneDone => self.any(&[Good, Bad]),
            TriggerRule::NoneFailed => self.all(&[Good, Skipped]),
            TriggerRule::NoneFailedMinOneSuccess => self.all(&[Good, Skipped]) && self.any(&[Good]),
            TriggerRule::NoneSkipped => self.all(&[Good, Bad, GivenUp]),
            TriggerRule::AllSkipped => self.all(&[Skipped]),
        }
    }

    /// It will not run because something before it failed.
    pub(super) fn gives_up(&self, rule: TriggerRule) -> bool {
        use Was::{Bad, GivenUp, Skipped};
        let failed = self.any(&[Bad, GivenUp]);
        match rule {
            TriggerRule::AllSuccess | TriggerRule::NoneFailed | TriggerRule::NoneFailedMinOneSuccess => {
                failed
            }
            TriggerRule::OneSuccess => failed && self.all(&[Bad, GivenUp, Skipped]),
            TriggerRule::AllDoneMinOneSuccess => self.all(&[Bad, GivenUp]),
            _ => false,
        }
    }

    /// It will not run, and nobody is to blame.
    pub(super) fn skips(&self, rule: TriggerRule, forgiving: bool) -> bool {
        use Was::{Bad, GivenUp, Good, Skipped};
        let plain = |ends: &Self| match rule {
            TriggerRule::AllSuccess => ends.any(&[Skipped]) && !ends.any(&[Bad, GivenUp]),
            TriggerRule::AllFailed => ends.any(&[Good, Skipped]),
            TriggerRule::AllSkipped => ends.any(&[Good, Bad, GivenUp]),
            TriggerRule::NoneSkipped | TriggerRule::AllDoneMinOneSuccess => ends.any(&[Skipped]),
            TriggerRule::OneSuccess | TriggerRule::NoneFailedMinOneSuccess => ends.all(&[Skipped]),
            TriggerRule::OneFailed => ends.all(&[Good, Skipped]),
            TriggerRule::OneDone => ends.all(&[GivenUp, Skipped]),
            TriggerRule::AllDone | TriggerRule::NoneFailed | TriggerRule::Always => false,
        };
        !self.0.is_empty() && (plain(self) || forgiving && self.gives_up(rule) && plain(&self.forgiven()))
    }
}

/// Rules under which a failure upstream is no reason not to run; they count in a run that has failed.
pub(super) fn answers_failure(rule: TriggerRule) -> bool {
    matches!(
        rule,
        TriggerRule::AllFailed
            | TriggerRule::AllDone
            | TriggerRule::AllDoneMinOneSuccess
            | TriggerRule::OneFailed
            | TriggerRule::OneDone
            | TriggerRule::NoneSkipped
            | TriggerRule::Always
    )
}
