//! Who waits for news of which task. The shard's thread and the log writer wake them; neither ever waits.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mainspring_core::values::TaskId;
use mainspring_store::LogKey;
use tokio::sync::watch;

use crate::metrics::Metrics;

/// Attempts that ended without a word are remembered this long: a follower that comes a moment too late need not wait
/// for a log that will not come.
const SILENT_FOR: Duration = Duration::from_secs(5);
const SILENT_MAX: usize = 65_536;

pub(crate) struct Followers {
    state: Mutex<State>,
    /// How many there are, to be read without the lock.
    count: AtomicUsize,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct State {
    tasks: HashMap<TaskId, Followed>,
    silent: HashSet<LogKey>,
    /// `silent` in the order in which it came.
    forget: VecDeque<(Instant, LogKey)>,
    closed: bool,
}

struct Followed {
    news: watch::Sender<()>,
    count: usize,
}

impl Followers {
    pub fn new(metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), count: AtomicUsize::new(0), metrics })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None`: there are `max` already.
    pub fn enter(self: &Arc<Self>, task: TaskId, max: usize) -> Option<Follower> {
        let mut state = self.state();
        if self.count.load(Ordering::Relaxed) >= max {
            return None;
        }
        let now = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        self.metrics.log_followers.set(now as i64);
        if state.closed {
            let news = watch::channel(()).1;
            return Some(Follower { followers: Arc::clone(self), task, news });
        }
        let followed =
            state.tasks.entry(task).or_insert_with(|| Followed { news: watch::channel(()).0, count: 0 });
        followed.count += 1;
        Some(Follower { followers: Arc::clone(self), task, news: followed.news.subscribe() })
    }

    /// There is news of this task.
    pub fn wake(&self, task: TaskId) {
        if self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        if let Some(followed) = self.state().tasks.get(&task) {
            followed.news.send_replace(());
        }
    }

    pub fn note_silent(&self, key: LogKey) {
        let mut state = self.state();
        let now = Instant::now();
        while let Some((at, old)) = state.forget.front().copied()
            && (state.forget.len() >= SILENT_MAX || now - at > SILENT_FOR)
        {
            state.forget.pop_front();
            state.silent.remove(&old);
        }
        if state.silent.insert(key) {
            state.forget.push_back((now, key));
        }
        if let Some(followed) = state.tasks.get(&key.task) {
            followed.news.send_replace(());
        }
    }

    pub fn was_silent(&self, key: LogKey) -> bool {
        self.state().silent.contains(&key)
    }

    /// The server stops: every follower is told, now and later.
    pub fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.tasks.clear();
    }
}

/// One that waits for news of one task, until it is dropped.
pub(crate) struct Follower {
    followers: Arc<Followers>,
    task: TaskId,
    news: watch::Receiver<()>,
}

impl Follower {
    /// What happens from now on is news.
    pub fn look(&mut self) {
        self.news.mark_unchanged();
    }

    /// Waits for news. False: the server stops.
    pub async fn news(&mut self) -> bool {
        self.news.changed().await.is_ok()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let mut state = self.followers.state();
        let now = self.followers.count.fetch_sub(1, Ordering::Relaxed) - 1;
        self.followers.metrics.log_followers.set(now as i64);
        if let Entry::Occupied(mut entry) = state.tasks.entry(self.task) {
            entry.get_mut().count -= 1;
            if entry.get().count == 0 {
                entry.remove();
            }
        }
    }
}
