//! The way from an edge to the shard and back: mints ids, offers envelopes, waits for answers.
//! - GW-1 never blocks a thread of the runtime: a full mailbox is waited out with short sleeps, then reported
//! - GW-2 an answer that never came is an unknown outcome, not a failure

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::values::{Bucket, Session, TaskId, Wall, WorkerId};
use mainspring_runtime::node::{Busy, Health, Measured, Node, Reply};
use mainspring_runtime::shard::ShardFigures;
use mainspring_runtime::{Envelope, Replies};

use crate::problem::Problem;

/// Waits for room in the mailbox: in all 127 ms for a caller, who can come back.
const WAITS_FOR_CALLERS: u32 = 7;
const WAIT_MAX: Duration = Duration::from_millis(10);
/// Tables that are well follow within two cuts.
const FOLLOW_MAX: Duration = Duration::from_secs(2);

pub struct Gateway {
    node: Arc<Node>,
    keys: RandomState,
    minted: AtomicU64,
}

impl Gateway {
    pub fn new(node: Arc<Node>) -> Self {
        Self { node, keys: RandomState::new(), minted: AtomicU64::new(0) }
    }

    /// A new id; `bucket` for tasks whose place is given by a key, others are spread.
    pub fn mint(&self, bucket: Option<Bucket>) -> TaskId {
        let count = self.minted.fetch_add(1, Ordering::Relaxed);
        let random = self.keys.hash_one(count);
        let bucket = bucket.unwrap_or_else(|| Bucket::from_hash(self.keys.hash_one((count, random))));
        TaskId::new(now().millis(), bucket, random)
    }

    /// One command, one answer.
    pub async fn ask(&self, bucket: Bucket, command: Command) -> Result<Answer, Problem> {
        let mut replies = self.ask_all(bucket, vec![command]).await?;
        let answer = replies.pop().unwrap_or(Err(Rejection::Internal { what: "an answer is missing" }));
        Ok(answer?)
    }

    /// Answers in the order of the commands.
    pub async fn ask_all(&self, bucket: Bucket, commands: Vec<Command>) -> Result<Replies, Problem> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let reply: Reply = Box::new(move |replies| drop(sender.send(replies)));
        let sent = self.offer(bucket, Envelope { commands, reply }, Some(WAITS_FOR_CALLERS)).await;
        sent.map_err(|_| Problem::ServerBusy)?;
        receiver.await.map_err(|_| Problem::OutcomeUnknown { id: None })
    }

    /// For workers, whose words must not be lost for want of room: waits for as long as it takes. `None`: the shard
    /// takes nothing any more.
    pub async fn ask_patiently(&self, bucket: Bucket, commands: Vec<Command>) -> Option<Replies> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let reply: Reply = Box::new(move |replies| drop(sender.send(replies)));
        self.deliver(bucket, Envelope { commands, reply }).await.then_some(())?;
        receiver.await.ok()
    }

    /// As [`Gateway::ask_patiently`], without an answer. False: the shard takes nothing any more.
    pub async fn deliver(&self, bucket: Bucket, envelope: Envelope<Reply>) -> bool {
        self.offer(bucket, envelope, None).await.is_ok()
    }

    /// A worker has spoken; never waits.
    pub fn heard(&self, bucket: Bucket, worker: WorkerId, session: Session) {
        self.node.heard(bucket, worker, session);
    }

    /// `waits`: how often it waits for room; `None` for as long as it takes.
    async fn offer(
        &self,
        bucket: Bucket,
        mut envelope: Envelope<Reply>,
        waits: Option<u32>,
    ) -> Result<(), Busy> {
        let mut wait = Duration::from_millis(1);
        let mut waited = 0;
        while waits.is_none_or(|waits| waited < waits) {
            waited = waited.saturating_add(1);
            match self.node.offer(bucket, envelope) {
                Ok(()) => return Ok(()),
                Err(Busy { envelope: back, stopped: false }) => envelope = back,
                Err(stopped) => return Err(stopped),
            }
            tokio::time::sleep(wait).await;
            wait = WAIT_MAX.min(wait * 2);
        }
        self.node.offer(bucket, envelope)
    }

    /// Waits until the tables hold what anybody was told until now. A store in trouble is not waited for: lists then
    /// show what it holds.
    pub async fn tables_follow(&self) {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        if self.node.follow(Box::new(move || sender.send(()).unwrap_or_default())) {
            let _ = tokio::time::timeout(FOLLOW_MAX, receiver).await;
        }
    }

    /// `None`: the shard has stopped.
    pub async fn figures(&self) -> Option<ShardFigures> {
        self.measured().await.map(|measured| measured.figures)
    }

    /// Everything that the node measures. `None`: the shard has stopped.
    pub async fn measured(&self) -> Option<Box<Measured>> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        self.node.measure(Box::new(move |measured| drop(sender.send(measured)))).then_some(())?;
        receiver.await.ok()
    }

    /// How far the threads of the node have come.
    pub fn health(&self) -> Arc<Health> {
        self.node.health()
    }
}

/// The edge's own clock; the shard's is ahead of it at most by what it waited for.
pub fn now() -> Wall {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Wall::from_millis(wall.as_millis() as u64)
}
