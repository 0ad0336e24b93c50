//! Where a call goes. With one shard every route ends at the same place; the type says where it would go with more.

use std::sync::Arc;

use mainspring_core::values::{BackfillId, Bucket, Group, RunId, ScheduleId, Session, TaskId, WorkerId};
use mainspring_runtime::Envelope;
use mainspring_runtime::node::{Busy, Followed, Health, Node, Reply, Told};

/// Each call of the gateway says one of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Route {
    /// To the shard of an id, by the bucket in it.
    Id(Bucket),
    /// To the shard of a tenant: everything that has a name or a key.
    Tenant(Group),
    /// To every shard; their answers are merged.
    All,
}

impl Route {
    /// `None`: it goes to every group.
    pub fn group(self) -> Option<Group> {
        match self {
            Self::Id(bucket) => Some(bucket.group()),
            Self::Tenant(group) => Some(group),
            Self::All => None,
        }
    }
}

impl From<TaskId> for Route {
    fn from(id: TaskId) -> Self {
        Self::Id(id.bucket())
    }
}

impl From<RunId> for Route {
    fn from(id: RunId) -> Self {
        Self::Id(id.bucket())
    }
}

impl From<ScheduleId> for Route {
    fn from(id: ScheduleId) -> Self {
        Self::Id(id.bucket())
    }
}

impl From<BackfillId> for Route {
    fn from(id: BackfillId) -> Self {
        Self::Id(id.bucket())
    }
}

/// The shards that a gateway reaches, counted from 0.
pub trait Shards: Send + Sync {
    fn count(&self) -> usize;
    fn of(&self, bucket: Bucket) -> usize;
    fn offer(&self, shard: usize, envelope: Envelope<Reply>) -> Result<(), Busy>;
    fn heard(&self, shard: usize, worker: WorkerId, session: Session);
    /// See [`Node::follow`].
    fn follow(&self, shard: usize, followed: Followed) -> bool;
    /// See [`Node::measure`].
    fn measure(&self, shard: usize, told: Told) -> bool;
    /// How far the threads of the node have come.
    fn health(&self) -> Arc<Health>;
}

impl Shards for Node {
    fn count(&self) -> usize {
        self.shards()
    }

    fn of(&self, bucket: Bucket) -> usize {
        self.shard_of(bucket)
    }

    fn offer(&self, shard: usize, envelope: Envelope<Reply>) -> Result<(), Busy> {
        self.offer_to(shard, envelope)
    }

    fn heard(&self, shard: usize, worker: WorkerId, session: Session) {
        self.heard_by(shard, worker, session);
    }

    fn follow(&self, shard: usize, followed: Followed) -> bool {
        Self::follow(self, shard, followed)
    }

    fn measure(&self, shard: usize, told: Told) -> bool {
        Self::measure(self, shard, told)
    }

    fn health(&self) -> Arc<Health> {
        Self::health(self)
    }
}
