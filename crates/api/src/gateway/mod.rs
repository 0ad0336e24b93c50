//! The way from an edge to the shards and back: mints ids, routes, offers envelopes, waits for answers.
//! - GW-1 never blocks a thread of the runtime: a full mailbox is waited out with short sleeps, then reported
//! - GW-2 an answer that never came is an unknown outcome, not a failure

mod merge;
mod route;
#[cfg(test)]
mod tests;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::values::{Bucket, Groups, Millis, Name, Session, TaskId, Wall, WorkerId};
use mainspring_runtime::node::{Busy, Health, Measured, Reply};
use mainspring_runtime::shard::ShardFigures;
use mainspring_runtime::{Envelope, Replies};
use tokio::sync::oneshot;

use self::merge::merge;
pub use self::route::{Route, Shards};
use crate::problem::Problem;

/// Waits for room in the mailbox: in all 127 ms for a caller, who can come back.
const WAITS_FOR_CALLERS: u32 = 7;
const WAIT_MAX: Duration = Duration::from_millis(10);
/// Tables that are well follow within two cuts.
const FOLLOW_MAX: Duration = Duration::from_secs(2);
/// What a caller waits before it asks again, when they did not.
const FOLLOW_AGAIN: Millis = Millis::from_secs(1);

pub struct Gateway {
    shards: Arc<dyn Shards>,
    groups: Groups,
    keys: RandomState,
    minted: AtomicU64,
}

impl Gateway {
    pub fn new(shards: Arc<dyn Shards>, groups: Groups) -> Self {
        Self { shards, groups, keys: RandomState::new(), minted: AtomicU64::new(0) }
    }

    /// Where everything of a tenant lives that has a name or a key, and its runs.
    pub fn home(&self, tenant: &str) -> Bucket {
        Bucket::home(self.groups.of(tenant))
    }

    pub fn tenant(&self, tenant: &str) -> Route {
        Route::Tenant(self.groups.of(tenant))
    }

    /// A list of one tenant asks its shard; one of all tenants asks every shard.
    pub fn tenant_or_all(&self, tenant: Option<&Name>) -> Route {
        tenant.map_or(Route::All, |tenant| self.tenant(tenant))
    }

    /// A new id of something that is named, keyed or a run.
    pub fn mint(&self, tenant: &str) -> TaskId {
        self.mint_in(self.home(tenant))
    }

    /// A new id of a task that nobody names: it has no key, and a large tenant has many of them.
    pub fn mint_anonymous(&self, tenant: &str) -> TaskId {
        let count = self.minted.fetch_add(1, Ordering::Relaxed);
        let random = self.keys.hash_one(count);
        let bucket = Bucket::spread(self.groups.of(tenant), self.keys.hash_one((count, random)));
        TaskId::new(now().millis(), bucket, random)
    }

    /// A new id beside another one.
    pub fn mint_in(&self, bucket: Bucket) -> TaskId {
        let count = self.minted.fetch_add(1, Ordering::Relaxed);
        TaskId::new(now().millis(), bucket, self.keys.hash_one(count))
    }

    /// One command, one answer.
    pub async fn ask(&self, route: impl Into<Route>, command: Command) -> Result<Answer, Problem> {
        let mut replies = self.ask_all(route.into(), vec![command]).await?;
        Ok(replies.pop().unwrap_or(MISSING)?)
    }

    /// Answers in the order of the commands. [`Route::All`]: each is the merged answer of every shard.
    pub async fn ask_all(&self, route: Route, commands: Vec<Command>) -> Result<Replies, Problem> {
        let mut asked = Vec::new();
        for (shard, commands) in self.copies(route, commands) {
            asked.push(self.ask_one(shard, commands, Some(WAITS_FOR_CALLERS)).await?);
        }
        let mut answered = Vec::with_capacity(asked.len());
        for asked in asked {
            answered.push(asked.await.map_err(|_| Problem::OutcomeUnknown { id: None })?);
        }
        Ok(merge_each(answered))
    }

    /// Commands about many ids: one envelope for each shard that is meant, answers in the order of the commands. An
    /// error: no shard took anything, or the only one did not answer.
    pub async fn ask_split(
        &self,
        commands: Vec<(Bucket, Command)>,
    ) -> Result<Vec<Result<Answer, Problem>>, Problem> {
        let (places, parts) = self.split(commands);
        let mut asked = Vec::with_capacity(parts.len());
        for (shard, commands) in parts.into_iter().enumerate() {
            let count = commands.len();
            let sent = match count {
                0 => None,
                _ => Some(self.ask_one(shard, commands, Some(WAITS_FOR_CALLERS)).await),
            };
            asked.push((count, sent));
        }
        let mut answers = Vec::with_capacity(asked.len());
        for (count, sent) in asked {
            answers.push(match sent {
                None => Vec::new().into_iter(),
                Some(sent) => part_of(count, sent).await.into_iter(),
            });
        }
        let of = |shard: usize| answers[shard].next().unwrap_or_else(|| Err(missing().into()));
        let mut all: Vec<_> = places.into_iter().map(of).collect();
        let unanswered = |answer: &Result<Answer, Problem>| {
            matches!(answer, Err(Problem::ServerBusy | Problem::OutcomeUnknown { .. }))
        };
        if all.iter().all(unanswered)
            && let Some(Err(problem)) = all.pop()
        {
            return Err(problem);
        }
        Ok(all)
    }

    /// For workers, whose words must not be lost for want of room: waits for as long as it takes. `None`: the shard
    /// takes nothing any more.
    pub async fn ask_patiently(&self, shard: usize, commands: Vec<Command>) -> Option<Replies> {
        self.ask_one(shard, commands, None).await.ok()?.await.ok()
    }

    /// Waits for as long as it takes, and drops `done` when every shard has answered. False: a shard takes nothing any
    /// more.
    pub async fn deliver<T: Send + Sync + 'static>(&self, commands: Vec<(Route, Command)>, done: T) -> bool {
        let done = Arc::new(done);
        for (shard, commands) in self.parts(commands).into_iter().enumerate() {
            if commands.is_empty() {
                continue;
            }
            let done = Arc::clone(&done);
            let reply: Reply = Box::new(move |_| drop(done));
            if self.offer(shard, Envelope { commands, reply }, None).await.is_err() {
                return false;
            }
        }
        true
    }

    /// The shards that a route means.
    pub fn shards_of(&self, route: Route) -> std::ops::Range<usize> {
        let one = |bucket| {
            let shard = self.shards.of(bucket);
            shard..shard + 1
        };
        match route {
            Route::Id(bucket) => one(bucket),
            Route::Tenant(group) => one(Bucket::home(group)),
            Route::All => 0..self.shards.count(),
        }
    }

    /// One command for one shard of [`Gateway::shards_of`].
    pub async fn ask_shard(&self, shard: usize, command: Command) -> Result<Answer, Problem> {
        let asked = self.ask_one(shard, vec![command], Some(WAITS_FOR_CALLERS)).await?;
        let mut replies = asked.await.map_err(|_| Problem::OutcomeUnknown { id: None })?;
        Ok(replies.pop().unwrap_or(MISSING)?)
    }

    /// A worker has spoken; never waits. Every shard may have work on it.
    pub fn heard(&self, worker: WorkerId, session: Session) {
        for shard in 0..self.shards.count() {
            self.shards.heard(shard, worker, session);
        }
    }

    async fn ask_one(
        &self,
        shard: usize,
        commands: Vec<Command>,
        waits: Option<u32>,
    ) -> Result<oneshot::Receiver<Replies>, Problem> {
        let (sender, receiver) = oneshot::channel();
        let reply: Reply = Box::new(move |replies| drop(sender.send(replies)));
        let sent = self.offer(shard, Envelope { commands, reply }, waits).await;
        sent.map(|()| receiver).map_err(|_| Problem::ServerBusy)
    }

    /// The same commands for each shard of the route.
    fn copies(&self, route: Route, commands: Vec<Command>) -> Vec<(usize, Vec<Command>)> {
        let mut shards = self.shards_of(route);
        let last = shards.next_back();
        let mut all: Vec<_> = shards.map(|shard| (shard, commands.clone())).collect();
        all.extend(last.map(|shard| (shard, commands)));
        all
    }

    /// For each command its shard, and for each shard its commands.
    fn split(&self, commands: Vec<(Bucket, Command)>) -> (Vec<usize>, Vec<Vec<Command>>) {
        let places = commands.iter().map(|(bucket, _)| self.shards.of(*bucket)).collect();
        (
            places,
            self.parts(commands.into_iter().map(|(bucket, command)| (Route::Id(bucket), command)).collect()),
        )
    }

    /// By shard, in the order in which they came.
    fn parts(&self, commands: Vec<(Route, Command)>) -> Vec<Vec<Command>> {
        let count = self.shards.count();
        if count == 1 {
            return vec![commands.into_iter().map(|(_, command)| command).collect()];
        }
        let mut parts = vec![Vec::new(); count];
        for (route, command) in commands {
            for (shard, command) in self.copies(route, vec![command]) {
                parts[shard].extend(command);
            }
        }
        parts
    }

    /// `waits`: how often it waits for room; `None` for as long as it takes.
    async fn offer(
        &self,
        shard: usize,
        mut envelope: Envelope<Reply>,
        waits: Option<u32>,
    ) -> Result<(), Busy> {
        let mut wait = Duration::from_millis(1);
        let mut waited = 0;
        while waits.is_none_or(|waits| waited < waits) {
            waited = waited.saturating_add(1);
            match self.shards.offer(shard, envelope) {
                Ok(()) => return Ok(()),
                Err(Busy { envelope: back, stopped: false }) => envelope = back,
                Err(stopped) => return Err(stopped),
            }
            tokio::time::sleep(wait).await;
            wait = WAIT_MAX.min(wait * 2);
        }
        self.shards.offer(shard, envelope)
    }

    /// Waits until the tables hold what anybody was told until now, or is refused as `STORE_BEHIND`. `older`: the caller
    /// takes what the tables hold by then.
    pub async fn tables_follow(&self, older: bool) -> Result<(), Problem> {
        let follow = |shard| {
            let (sender, receiver) = oneshot::channel();
            let followed = Box::new(move || sender.send(()).unwrap_or_default());
            self.shards.follow(shard, followed).then_some(receiver)
        };
        let waits: Vec<_> = (0..self.shards.count()).map(follow).collect();
        let all = async {
            let mut followed = true;
            for wait in waits {
                followed &= match wait {
                    Some(wait) => wait.await.is_ok(),
                    None => false,
                };
            }
            followed
        };
        let followed = tokio::time::timeout(FOLLOW_MAX, all).await.unwrap_or(false);
        if followed || older {
            Ok(())
        } else {
            Err(Rejection::StoreBehind { retry_after: FOLLOW_AGAIN }.into())
        }
    }

    /// Number of the newest record that is durable. Everything that anybody was told is in it or in one before.
    pub fn record(&self) -> u64 {
        self.shards.health().record()
    }

    /// Waits until this record is durable here, or is refused as `STORE_BEHIND`. What a caller of this server was told is
    /// durable, so it waits only for what another owner of the journal told.
    pub async fn reach(&self, record: u64) -> Result<(), Problem> {
        let mut waited = Duration::ZERO;
        while self.record() < record {
            if waited >= FOLLOW_MAX {
                return Err(Rejection::StoreBehind { retry_after: FOLLOW_AGAIN }.into());
            }
            tokio::time::sleep(WAIT_MAX).await;
            waited += WAIT_MAX;
        }
        Ok(())
    }

    /// `None`: the shard has stopped.
    pub async fn figures(&self, shard: usize) -> Option<ShardFigures> {
        self.measured(shard).await.map(|measured| measured.figures)
    }

    /// Everything that a shard measures. `None`: it has stopped.
    pub async fn measured(&self, shard: usize) -> Option<Box<Measured>> {
        let (sender, receiver) = oneshot::channel();
        let told = Box::new(move |measured| drop(sender.send(measured)));
        self.shards.measure(shard, told).then_some(())?;
        receiver.await.ok()
    }

    /// How far the threads of the node have come.
    pub fn health(&self) -> Arc<Health> {
        self.shards.health()
    }
}

const MISSING: Result<Answer, Rejection> = Err(missing());

const fn missing() -> Rejection {
    Rejection::Internal { what: "an answer is missing" }
}

/// Answers in the order of the commands, from those of each shard.
fn merge_each(mut answered: Vec<Replies>) -> Replies {
    if answered.len() == 1 {
        return answered.pop().unwrap_or_default();
    }
    let count = answered.iter().map(Vec::len).max().unwrap_or(0);
    let mut each: Vec<_> = answered.into_iter().map(Vec::into_iter).collect();
    (0..count).map(|_| merge(each.iter_mut().map(|answers| answers.next().unwrap_or(MISSING)))).collect()
}

/// What became of the commands that one shard was sent.
async fn part_of(
    count: usize,
    sent: Result<oneshot::Receiver<Replies>, Problem>,
) -> Vec<Result<Answer, Problem>> {
    let busy = sent.is_err();
    let answered = match sent {
        Ok(asked) => asked.await.ok(),
        Err(_) => None,
    };
    match answered {
        Some(replies) => replies.into_iter().map(|reply| reply.map_err(Problem::from)).collect(),
        None if busy => (0..count).map(|_| Err(Problem::ServerBusy)).collect(),
        None => (0..count).map(|_| Err(Problem::OutcomeUnknown { id: None })).collect(),
    }
}

/// The edge's own clock; the shard's is ahead of it at most by what it waited for.
pub fn now() -> Wall {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Wall::from_millis(wall.as_millis() as u64)
}
