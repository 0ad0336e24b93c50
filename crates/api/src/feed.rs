//! The feed: news of tasks and runs for callers that listen, as `CloudEvents`.
//! Entry: [`Feed::listen`]. The shard makes news only while somebody listens.
//! - FD-1 the shard's thread never waits for a listener: one that is too slow is told how much it has missed

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mainspring_core::command::{Command, Configure};
use mainspring_core::id::Slot;
use mainspring_core::news::{Happening, News, RunChange};
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{Moment, node_word, run_status_word, status_word};

/// News that a slow listener may be behind.
const BEHIND_MAX: usize = 16_384;
/// A line without anything, so that both sides notice a dead connection.
const QUIET_MAX: Duration = Duration::from_secs(15);

pub(crate) struct Feed {
    /// Emptied when the server stops.
    news: std::sync::Mutex<Option<broadcast::Sender<Arc<News>>>>,
    listeners: AtomicUsize,
    /// Held while the shard is told whether there are any: the last one to tell it has counted last.
    switching: tokio::sync::Mutex<()>,
}

/// What a listener wants to hear of; what is not set is all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Wanted {
    pub kind: Option<Kind>,
    pub tenant: Option<String>,
    pub job: Option<String>,
    pub run: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Task,
    Run,
}

impl Default for Feed {
    fn default() -> Self {
        let news = std::sync::Mutex::new(Some(broadcast::channel(BEHIND_MAX).0));
        Self { news, listeners: AtomicUsize::new(0), switching: tokio::sync::Mutex::default() }
    }
}

impl Feed {
    pub(crate) fn tell(&self, news: News) {
        if let Some(sender) = &*self.sender() {
            // Nobody may be listening any more.
            let _ = sender.send(Arc::new(news));
        }
    }

    /// Listeners hear that there is nothing more.
    pub(crate) fn close(&self) {
        self.sender().take();
    }

    fn sender(&self) -> std::sync::MutexGuard<'_, Option<broadcast::Sender<Arc<News>>>> {
        self.news.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Counts a listener for as long as it lives.
struct Seat(Arc<Edge>);

impl Drop for Seat {
    fn drop(&mut self) {
        let feed = self.0.sessions.feed();
        if feed.listeners.fetch_sub(1, Ordering::AcqRel) == 1 {
            let edge = Arc::clone(&self.0);
            tokio::spawn(async move { switch(&edge).await });
        }
    }
}

/// Tells the shard whether anybody listens. One at a time, or a listener that has gone could silence one that has come.
async fn switch(edge: &Edge) -> Result<(), Problem> {
    let feed = edge.sessions.feed();
    let _turn = feed.switching.lock().await;
    let on = feed.listeners.load(Ordering::Acquire) > 0;
    edge.gateway.ask(Slot::from_hash(0), Command::Configure(Configure::Listen { on })).await.map(drop)
}

pub(crate) struct Listening {
    wanted: Wanted,
    until: Option<Instant>,
    news: broadcast::Receiver<Arc<News>>,
    _seat: Seat,
}

/// `for_at_most`: without it until the caller goes or the server stops.
pub(crate) async fn listen(
    edge: &Arc<Edge>,
    wanted: Wanted,
    for_at_most: Option<Duration>,
) -> Result<Listening, Problem> {
    let (feed, max) = (edge.sessions.feed(), edge.config.log_followers_max);
    let Some(news) = feed.sender().as_ref().map(broadcast::Sender::subscribe) else {
        return Err(Problem::ServerBusy);
    };
    let before = feed.listeners.fetch_add(1, Ordering::AcqRel);
    let seat = Seat(Arc::clone(edge));
    if before >= max {
        return Err(Problem::TooManyFollowers { max });
    }
    switch(edge).await?;
    let until = for_at_most.map(|span| Instant::now() + span);
    Ok(Listening { wanted, until, news, _seat: seat })
}

impl Listening {
    /// The next line; `None` when there is nothing more.
    pub(crate) async fn next(&mut self) -> Option<String> {
        loop {
            let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
            let patience = left.map_or(QUIET_MAX, |left| left.min(QUIET_MAX));
            let heard = match tokio::time::timeout(patience, self.news.recv()).await {
                Err(_) if left.is_some_and(|left| left <= patience) => return None,
                Err(_) => return Some("\n".to_owned()),
                Ok(heard) => heard,
            };
            match heard {
                Ok(news) if self.wanted.has(&news.what) => return Some(line(&cloud_event(&news))),
                Ok(_) => {}
                Err(RecvError::Lagged(count)) => return Some(line(&lost(count))),
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

impl Wanted {
    fn has(&self, what: &Happening) -> bool {
        let (kind, tenant, job, run) = match what {
            Happening::Task { tenant, job, run, .. } => (Kind::Task, tenant, job, *run),
            Happening::Run { id, job, .. } => (Kind::Run, &job.tenant, &job.name, Some(*id)),
        };
        self.kind.is_none_or(|wanted| wanted == kind)
            && self.tenant.as_ref().is_none_or(|wanted| **wanted == **tenant)
            && self.job.as_ref().is_none_or(|wanted| **wanted == **job)
            && self.run.as_ref().is_none_or(|wanted| run.is_some_and(|run| run.to_string() == *wanted))
    }
}

fn line(event: &Value) -> String {
    format!("{event}\n")
}

fn cloud_event(news: &News) -> Value {
    let (kind, subject, data) = match &news.what {
        Happening::Task { id, tenant, job, run, attempts, to } => {
            let mut data = json!({
                "state": status_word(*to), "tenant": tenant.as_str(), "job": job.as_str(), "attempt_count": attempts,
            });
            if let Some(run) = run {
                data["run_id"] = json!(run.to_string());
            }
            ("task.changed", id.to_string(), data)
        }
        Happening::Run { id, job, change } => {
            let mut data = json!({ "tenant": job.tenant.as_str(), "job": job.name.as_str() });
            let kind = match change {
                RunChange::Created => "run.created",
                RunChange::Started => "run.started",
                RunChange::Paused => "run.paused",
                RunChange::Resumed => "run.resumed",
                RunChange::Stopping => "run.stopping",
                RunChange::Cleared => "run.cleared",
                RunChange::TaskEnded { name, status } => {
                    data["task"] = json!(name.as_str());
                    data["state"] = json!(node_word(*status));
                    "run.task_ended"
                }
                RunChange::Ended(status) => {
                    data["state"] = json!(run_status_word(*status));
                    "run.ended"
                }
            };
            (kind, id.to_string(), data)
        }
    };
    json!({
        "specversion": "1.0",
        "id": format!("{}-{}", news.epoch.get(), news.number),
        "source": "/mainspring",
        "type": format!("io.mainspring.{kind}"),
        "subject": subject,
        "time": Moment(news.at),
        "datacontenttype": "application/json",
        "data": data,
    })
}

/// The listener was too slow.
fn lost(count: u64) -> Value {
    json!({
        "specversion": "1.0",
        "id": format!("lost-{count}"),
        "source": "/mainspring",
        "type": "io.mainspring.events.lost",
        "time": Moment(crate::gateway::now()),
        "data": { "count": count },
    })
}
