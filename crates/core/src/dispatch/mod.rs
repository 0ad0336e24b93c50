//! Dispatch: which waiting task runs next, and on which worker.

/// How a tenant shares the workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TenantShare {
    /// Turns relative to other tenants of the same band; at least 1.
    pub weight: u32,
    /// Most attempts at once over all pools.
    pub running_max: u32,
}

/// Bounds of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolLimit {
    /// Most attempts at once over all its workers.
    pub running_max: u32,
    /// Most waiting tasks.
    pub queued_max: u64,
}
