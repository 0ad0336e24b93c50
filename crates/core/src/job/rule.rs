//! Trigger rules: what the ends of its upstream nodes mean for a node.
//! - JR-1 a verdict other than [`RuleVerdict::Wait`] stays right whatever upstream nodes still do: it may come early

/// When a node runs, seen from its upstream nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum TriggerRule {
    #[default]
    AllSuccess = 0,
    AllFailed = 1,
    AllDone = 2,
    AllDoneMinOneSuccess = 3,
    OneSuccess = 4,
    OneFailed = 5,
    OneDone = 6,
    NoneFailed = 7,
    NoneFailedMinOneSuccess = 8,
    NoneSkipped = 9,
    AllSkipped = 10,
    Always = 11,
}

/// How an upstream node ended, as far as rules care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum NodeEnd {
    Success = 0,
    Failed = 1,
    UpstreamFailed = 2,
    Skipped = 3,
}

/// Upstream nodes by how they ended; those still at work are in none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UpstreamEnds([u32; 4]);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleVerdict {
    Wait,
    Run,
    Skip,
    UpstreamFailed,
}

impl UpstreamEnds {
    pub fn add(&mut self, end: NodeEnd) {
        self.0[end as usize] += 1;
    }

    /// An upstream node was cleared and will end again.
    pub fn take_back(&mut self, end: NodeEnd) {
        self.0[end as usize] -= 1;
    }

    pub fn count(&self, end: NodeEnd) -> u32 {
        self.0[end as usize]
    }

    /// As if what failed had succeeded.
    pub fn forgiven(&self) -> Self {
        let [success, failed, upstream_failed, skipped] = self.0;
        Self([success + failed + upstream_failed, 0, 0, skipped])
    }

    pub fn done(&self) -> u32 {
        self.0.iter().sum()
    }
}

impl TriggerRule {
    pub const ALL: [Self; 12] = [
        Self::AllSuccess,
        Self::AllFailed,
        Self::AllDone,
        Self::AllDoneMinOneSuccess,
        Self::OneSuccess,
        Self::OneFailed,
        Self::OneDone,
        Self::NoneFailed,
        Self::NoneFailedMinOneSuccess,
        Self::NoneSkipped,
        Self::AllSkipped,
        Self::Always,
    ];

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::AllSuccess => "all_success",
            Self::AllFailed => "all_failed",
            Self::AllDone => "all_done",
            Self::AllDoneMinOneSuccess => "all_done_min_one_success",
            Self::OneSuccess => "one_success",
            Self::OneFailed => "one_failed",
            Self::OneDone => "one_done",
            Self::NoneFailed => "none_failed",
            Self::NoneFailedMinOneSuccess => "none_failed_min_one_success",
            Self::NoneSkipped => "none_skipped",
            Self::AllSkipped => "all_skipped",
            Self::Always => "always",
        }
    }

    /// Whether a failure upstream can be what the node waits for: it runs even in a run that has failed.
    pub const fn answers_failure(self) -> bool {
        match self {
            Self::AllFailed
            | Self::AllDone
            | Self::AllDoneMinOneSuccess
            | Self::OneFailed
            | Self::OneDone
            | Self::NoneSkipped
            | Self::Always => true,
            Self::AllSuccess
            | Self::OneSuccess
            | Self::NoneFailed
            | Self::NoneFailedMinOneSuccess
            | Self::AllSkipped => false,
        }
    }

    /// `total`: how many upstream nodes there are. A node without any runs, whatever its rule.
    pub fn verdict(self, total: u32, ends: &UpstreamEnds) -> RuleVerdict {
        if total == 0 {
            return RuleVerdict::Run;
        }
        let success = ends.count(NodeEnd::Success);
        let skipped = ends.count(NodeEnd::Skipped);
        let failed = ends.count(NodeEnd::Failed) + ends.count(NodeEnd::UpstreamFailed);
        let done = ends.done() == total;
        let when = |met: bool| if met { RuleVerdict::Run } else { RuleVerdict::Wait };
        match self {
            Self::Always => RuleVerdict::Run,
            Self::AllDone => when(done),
            Self::AllSuccess if failed > 0 => RuleVerdict::UpstreamFailed,
            Self::AllSuccess if skipped > 0 => RuleVerdict::Skip,
            Self::AllFailed if success + skipped > 0 => RuleVerdict::Skip,
            Self::AllSkipped if success + failed > 0 => RuleVerdict::Skip,
            Self::NoneSkipped if skipped > 0 => RuleVerdict::Skip,
            Self::NoneFailed | Self::NoneFailedMinOneSuccess if failed > 0 => RuleVerdict::UpstreamFailed,
            Self::NoneFailedMinOneSuccess if skipped == total => RuleVerdict::Skip,
            Self::AllSuccess
            | Self::AllFailed
            | Self::AllSkipped
            | Self::NoneSkipped
            | Self::NoneFailed
            | Self::NoneFailedMinOneSuccess => when(done),
            Self::OneSuccess if skipped == total => RuleVerdict::Skip,
            Self::AllDoneMinOneSuccess if skipped > 0 => RuleVerdict::Skip,
            Self::OneSuccess | Self::AllDoneMinOneSuccess if done && success == 0 => {
                RuleVerdict::UpstreamFailed
            }
            Self::OneSuccess => when(success > 0),
            Self::AllDoneMinOneSuccess => when(done),
            Self::OneFailed if failed > 0 => RuleVerdict::Run,
            Self::OneFailed if done => RuleVerdict::Skip,
            Self::OneFailed => RuleVerdict::Wait,
            Self::OneDone if success + ends.count(NodeEnd::Failed) > 0 => RuleVerdict::Run,
            Self::OneDone if done => RuleVerdict::Skip,
            Self::OneDone => RuleVerdict::Wait,
        }
    }
}
