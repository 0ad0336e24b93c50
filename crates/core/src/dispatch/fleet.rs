//! What the dispatcher is told about workers, tenants and pools.
//! Entry: [`Dispatcher::worker_joined`] and its neighbours.

use super::workers::PoolWorker;
use super::{Dispatcher, PoolLimit, TenantShare};
use crate::values::{Name, WorkerIndex};
use crate::worker::WorkerOffer;

impl Dispatcher {
    /// A worker said hello; again, perhaps with another offer, keeps the room its attempts hold and
    /// whether it accepts work.
    pub fn worker_joined(&mut self, worker: WorkerIndex, offer: &WorkerOffer) {
        let before = self.workers.worker(worker).and_then(PoolWorker::pool);
        let pool = self.pool_for(&offer.pool);
        self.workers.join(worker, pool, offer);
        if let Some(before) = before
            && before != pool
        {
            self.drop_pool_if_unused(before);
        }
        self.room_gained(worker);
        // Backfills have a share of its slots, also while it takes nothing itself.
        self.ring(pool);
    }

    /// Its attempts stay counted for tenant and pool until they are released.
    pub fn worker_left(&mut self, worker: WorkerIndex) {
        let pool = self.workers.worker(worker).and_then(PoolWorker::pool);
        self.workers.leave(worker);
        if let Some(pool) = pool {
            self.drop_pool_if_unused(pool);
        }
    }

    /// Cordoned or cut off: keeps what it runs, gets nothing new.
    pub fn set_accepting(&mut self, worker: WorkerIndex, accepting: bool) {
        self.workers.set_accepting(worker, accepting);
        self.room_gained(worker);
    }

    pub fn set_tenant(&mut self, tenant: &Name, share: TenantShare) {
        let tenant = self.tenant_for(tenant);
        self.tenants[tenant].share = share;
        self.wake_tenant(tenant);
        self.drop_tenant_if_unused(tenant);
    }

    /// Per cent of every pool's slots that backfills may have.
    pub fn set_backfill_share(&mut self, percent: u32) {
        self.backfill_share = percent;
        let pools: Vec<_> = self.pools.ids().collect();
        for pool in pools {
            self.ring(pool);
        }
    }

    pub fn set_pool(&mut self, pool: &Name, limit: PoolLimit) {
        let pool = self.pool_for(pool);
        self.pools[pool].limit = limit;
        self.ring(pool);
        self.drop_pool_if_unused(pool);
    }
}
