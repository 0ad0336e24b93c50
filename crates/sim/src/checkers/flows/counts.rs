//! What has happened in runs, counted.

/// For the report.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowCounts {
    pub runs: u64,
    pub children: u64,
    pub spawned: u64,
    pub joins: u64,
    pub rounds: u64,
    pub undone: u64,
    pub clears: u64,
    /// Items of mapped nodes that were cleared one by one.
    pub items_cleared: u64,
    pub added: u64,
    pub awaited: u64,
    pub noted: u64,
    pub approvals: u64,
    /// Jobs applied beside others.
    pub together: u64,
}

impl FlowCounts {
    pub fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.children += other.children;
        self.spawned += other.spawned;
        self.joins += other.joins;
        self.rounds += other.rounds;
        self.undone += other.undone;
        self.clears += other.clears;
        self.items_cleared += other.items_cleared;
        self.added += other.added;
        self.awaited += other.awaited;
        self.noted += other.noted;
        self.approvals += other.approvals;
        self.together += other.together;
    }
}
