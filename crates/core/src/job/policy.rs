//! Failure policies: what a run does when a task of it has failed for good. Everything that a policy decides is a method
//! here, so that a new one has to answer every question.
//!
//! Not here: when a task has failed for good (`retry`), and which node runs after which end (`rule`).

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum FailurePolicy {
    /// Stop what runs, start nothing more; the run fails.
    #[default]
    FailFast = 0,
    /// Go on with what does not depend on it; the run fails at the end.
    FailAfterAll = 1,
    /// Go on as if it had succeeded: what needs it runs when the rest has ended, and is told which upstream task failed.
    SkipFailed = 2,
}

impl FailurePolicy {
    pub const ALL: [Self; 3] = [Self::FailFast, Self::FailAfterAll, Self::SkipFailed];

    /// As stored.
    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    /// As job files write it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::FailFast => "fail_fast",
            Self::FailAfterAll => "fail_after_all",
            Self::SkipFailed => "skip_failed",
        }
    }

    /// The first failure stops the run.
    pub const fn stops_run(self) -> bool {
        match self {
            Self::FailFast => true,
            Self::FailAfterAll | Self::SkipFailed => false,
        }
    }

    /// A failed task does not keep from running what needs it.
    pub const fn lets_downstream_run(self) -> bool {
        match self {
            Self::SkipFailed => true,
            Self::FailFast | Self::FailAfterAll => false,
        }
    }

    /// A run with a failed task has failed.
    pub const fn fails_run(self) -> bool {
        match self {
            Self::FailFast | Self::FailAfterAll => true,
            Self::SkipFailed => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FailurePolicy;

    #[test]
    fn the_stored_number_is_the_place_in_the_list() {
        for policy in FailurePolicy::ALL {
            assert_eq!(FailurePolicy::from_index(policy as u8), Some(policy), "{}", policy.label());
        }
        assert_eq!(FailurePolicy::from_index(FailurePolicy::ALL.len() as u8), None);
    }
}
