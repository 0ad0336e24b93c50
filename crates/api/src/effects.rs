//! Where the effects of the shard go: orders to the sessions of workers, news to listeners, changes of tasks to who follows
//! their logs, alerts to the metrics and the list of runs to look at.
//! Entry: [`EffectRouter`], the node's outlet.
//! - EF-1 the shard's thread never waits here

use std::sync::Arc;
use std::time::Instant;

use mainspring_core::decision::Effect;
use mainspring_core::values::Seq;
use mainspring_runtime::node::{Effects, Outlet};

use crate::feed::Feed;
use crate::logs::Followers;
use crate::metrics::Metrics;
use crate::sessions::SessionRouter;
use crate::watchlist::Watchlist;

/// The shard whose outlet this is, as sessions count shards; a node has one.
const ONLY_SHARD: usize = 0;

/// Made before the node; the server that is made after it shares its parts.
pub struct EffectRouter {
    pub(crate) sessions: Arc<SessionRouter>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) followers: Arc<Followers>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) watchlist: Arc<Watchlist>,
}

impl EffectRouter {
    /// `queue_max`: orders that may wait for one worker.
    pub fn new(queue_max: usize) -> Arc<Self> {
        let metrics = Arc::new(Metrics::new());
        Arc::new(Self {
            sessions: Arc::new(SessionRouter::new(queue_max)),
            feed: Arc::default(),
            followers: Followers::new(Arc::clone(&metrics)),
            metrics,
            watchlist: Arc::default(),
        })
    }

    /// For `Node::open`.
    pub fn outlet(self: &Arc<Self>) -> Outlet {
        let router = Arc::clone(self);
        Box::new(move |Effects { epoch, record, effects }| {
            let orders = effects.into_iter().filter_map(|effect| router.tell(record, effect));
            router.sessions.route(ONLY_SHARD, epoch, orders);
        })
    }

    /// Gives back what is for a session.
    fn tell(&self, record: Seq, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::News(news) => self.feed.tell(*news, record),
            Effect::Changed { task, .. } => self.followers.wake(task),
            Effect::RunAlert { run, .. } => {
                self.watchlist.note(run);
                self.metrics.note_alert(&effect);
            }
            Effect::Alert { .. } | Effect::ScheduleAlert { .. } => self.metrics.note_alert(&effect),
            Effect::RunEnded { job, status, ran, at } => self.metrics.jobs.run_ended(job, status, ran, at),
            Effect::JobDeleted { job } => self.metrics.jobs.job_deleted(&job, Instant::now()),
            Effect::Start(_)
            | Effect::Stop { .. }
            | Effect::Acknowledge { .. }
            | Effect::Drain { .. }
            | Effect::SessionLost { .. } => return Some(effect),
        }
        None
    }
}
