//! The feed: news of tasks, runs, jobs, schedules and workers for callers that listen, as `CloudEvents`.
//! Entry: [`Feed::listen`]. The shard makes news only while somebody listens.
//! - FD-1 the shard's thread never waits for a listener: one that is too slow is told how much it has missed
//! - FD-2 a line is written once and shared by all listeners; what waits for one of them is in its connection's buffers,
//!   which are bounded (`server::watched`)
//! - FD-3 a listener that takes nothing for long is ended, with a last line that says why, and its place given away

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use mainspring_core::decision::{Happening, News, RunChange};
use mainspring_core::engine::{Command, Configure};
use mainspring_core::job::JobKey;
use mainspring_core::values::{Name, RunId, Seq};
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::wire::{Moment, OperationView};

/// News that a slow listener may be behind.
const BEHIND_MAX: usize = 16_384;
/// A line without anything, so that both sides notice a dead connection.
const QUIET_MAX: Duration = Duration::from_secs(15);

pub(crate) struct Feed {
    /// Emptied when the server stops.
    news: Mutex<Option<broadcast::Sender<Arc<Line>>>>,
    listeners: AtomicUsize,
    /// Those that came, to take the places of silent ones away.
    seats: Mutex<Vec<Weak<Seat>>>,
    /// Held while the shard is told whether there are any: the last one to tell it has counted last.
    switching: tokio::sync::Mutex<()>,
}

/// One piece of news, and its text once a listener wanted it.
struct Line {
    news: News,
    /// The news is in this record of the journal, or in an earlier one.
    record: Seq,
    text: OnceLock<Bytes>,
}

impl Line {
    fn text(&self) -> Bytes {
        self.text.get_or_init(|| line(&cloud_event(&self.news, self.record))).clone()
    }
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
    /// Of runs only that they ended.
    RunEnd,
    Job,
    Schedule,
    Worker,
    Operation,
}

impl Default for Feed {
    fn default() -> Self {
        let news = Mutex::new(Some(broadcast::channel(BEHIND_MAX).0));
        let (listeners, seats) = (AtomicUsize::new(0), Mutex::default());
        Self { news, listeners, seats, switching: tokio::sync::Mutex::default() }
    }
}

impl Feed {
    pub(crate) fn tell(&self, news: News, record: Seq) {
        if let Some(sender) = &*self.sender() {
            // Nobody may be listening any more.
            let _ = sender.send(Arc::new(Line { news, record, text: OnceLock::new() }));
        }
    }

    pub(crate) fn listeners(&self) -> usize {
        self.listeners.load(Ordering::Acquire)
    }

    /// Listeners hear that there is nothing more.
    pub(crate) fn close(&self) {
        self.sender().take();
    }

    fn sender(&self) -> MutexGuard<'_, Option<broadcast::Sender<Arc<Line>>>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seat(&self, seat: &Arc<Seat>) {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if seats.len() == seats.capacity() {
            seats.retain(|seat| seat.strong_count() > 0);
        }
        seats.push(Arc::downgrade(seat));
    }

    /// Gives the places of listeners away that have taken nothing for so long.
    fn evict(&self, patience: Duration) {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.retain(|seat| {
            let Some(seat) = seat.upgrade() else { return false };
            let is_stuck = seat.is_stuck(patience);
            if is_stuck {
                seat.leave();
            }
            !is_stuck
        });
    }
}

/// Counts a listener until it ends or its place is given away.
struct Seat {
    edge: Arc<Edge>,
    place: Mutex<Place>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It waits for news.
    Waits,
    /// It has a line since then, and has not asked for the next one.
    Holds(Instant),
    Left,
}

impl Seat {
    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stuck(&self, patience: Duration) -> bool {
        matches!(*self.place(), Place::Holds(since) if since.elapsed() >= patience)
    }

    fn leave(&self) {
        let before = std::mem::replace(&mut *self.place(), Place::Left);
        let feed = &self.edge.feed;
        if before != Place::Left && feed.listeners.fetch_sub(1, Ordering::AcqRel) == 1 {
            let edge = Arc::clone(&self.edge);
            tokio::spawn(async move { switch(&edge).await });
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Tells the shard whether anybody listens. One at a time, or a listener that has gone could silence one that has come.
async fn switch(edge: &Edge) -> Result<(), Problem> {
    let feed = &edge.feed;
    let _turn = feed.switching.lock().await;
    let on = feed.listeners.load(Ordering::Acquire) > 0;
    edge.gateway.ask(Route::All, Command::Configure(Configure::Listen { on })).await.map(drop)
}

pub(crate) struct Listening {
    wanted: Wanted,
    until: Option<Instant>,
    news: broadcast::Receiver<Arc<Line>>,
    seat: Arc<Seat>,
    patience: Duration,
    /// Its last line was given.
    is_over: bool,
}

/// `for_at_most`: without it until the caller goes or the server stops.
pub(crate) async fn listen(
    edge: &Arc<Edge>,
    wanted: Wanted,
    for_at_most: Option<Duration>,
) -> Result<Listening, Problem> {
    let (feed, max) = (&edge.feed, edge.config.log_followers_max);
    let patience = edge.config.listener_patience;
    if feed.listeners.load(Ordering::Acquire) >= max {
        feed.evict(patience);
    }
    let Some(news) = feed.sender().as_ref().map(broadcast::Sender::subscribe) else {
        return Err(Problem::ServerBusy);
    };
    let before = feed.listeners.fetch_add(1, Ordering::AcqRel);
    let seat = Arc::new(Seat { edge: Arc::clone(edge), place: Mutex::new(Place::Waits) });
    if before >= max {
        return Err(Problem::TooManyFollowers { max });
    }
    feed.seat(&seat);
    switch(edge).await?;
    let until = for_at_most.map(|span| Instant::now() + span);
    Ok(Listening { wanted, until, news, seat, patience, is_over: false })
}

impl Listening {
    /// The next line; `None` when there is nothing more.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        // Asked for the next line only now: the connection took nothing in between.
        let is_late = self.seat.is_stuck(self.patience);
        if is_late || *self.seat.place() == Place::Left {
            self.is_over = true;
            self.seat.leave();
            return Some(line(&closed(self.patience)));
        }
        *self.seat.place() = Place::Waits;
        let line = self.heard().await;
        let mut place = self.seat.place();
        if *place == Place::Waits {
            *place = Place::Holds(Instant::now());
        }
        line
    }

    async fn heard(&mut self) -> Option<Bytes> {
        loop {
            let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
            let patience = left.map_or(QUIET_MAX, |left| left.min(QUIET_MAX));
            let heard = match tokio::time::timeout(patience, self.news.recv()).await {
                Err(_) if left.is_some_and(|left| left <= patience) => return None,
                Err(_) => return Some(Bytes::from_static(b"\n")),
                Ok(heard) => heard,
            };
            match heard {
                Ok(told) if self.wanted.has(&told.news.what) => return Some(told.text()),
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
            Happening::Task { tenant, job, run, .. } => (Kind::Task, Some(tenant), Some(job), *run),
            Happening::Run { id, job, .. } => (Kind::Run, Some(&job.tenant), Some(&job.name), Some(*id)),
            Happening::Job { key, .. } => (Kind::Job, Some(&key.tenant), Some(&key.name), None),
            Happening::Schedule { key, .. } => (Kind::Schedule, Some(&key.tenant), Some(&key.job), None),
            // Workers belong to no tenant.
            Happening::Worker { .. } => (Kind::Worker, None, None, None),
            // It may be about any.
            Happening::Operation { .. } => (Kind::Operation, None, None, None),
        };
        let ended = matches!(what, Happening::Run { change: RunChange::Ended(_), .. });
        self.kind.is_none_or(|wanted| wanted == kind || wanted == Kind::RunEnd && ended)
            && self.tenant.as_ref().is_none_or(|wanted| tenant.is_some_and(|tenant| **wanted == **tenant))
            && self.job.as_ref().is_none_or(|wanted| job.is_some_and(|job| **wanted == **job))
            && self.run.as_ref().is_none_or(|wanted| run.is_some_and(|run| run.to_string() == *wanted))
    }
}

fn line(event: &Value) -> Bytes {
    format!("{event}\n").into()
}

fn cloud_event(news: &News, record: Seq) -> Value {
    let (kind, subject, mut data) = match &news.what {
        Happening::Task { id, tenant, job, run, task, item, attempts, to } => {
            let mut data = json!({
                "state": to.label(), "tenant": tenant.as_str(), "job": job.as_str(), "attempt_count": attempts,
            });
            if let Some(run) = run {
                data["run_id"] = json!(run.to_string());
            }
            if let Some(task) = task {
                data["task"] = json!(task.as_str());
            }
            if let Some(item) = item {
                data["item"] = json!(item);
            }
            (format!("task.{}", to.label()), id.to_string(), data)
        }
        Happening::Run { id, job, change } => run_event(*id, job, change),
        Happening::Job { key, change } => {
            let data = json!({ "tenant": key.tenant.as_str(), "job": key.name.as_str() });
            (format!("job.{}", change.label()), key.name.to_string(), data)
        }
        Happening::Schedule { key, change } => {
            let (job, name) = (key.job.as_str(), key.name.as_str());
            let data = json!({ "tenant": key.tenant.as_str(), "job": job, "schedule": name });
            (format!("schedule.{}", change.label()), format!("{job}/{name}"), data)
        }
        Happening::Worker { id, change } => {
            (format!("worker.{}", change.label()), id.to_string(), json!({ "worker_id": id.to_string() }))
        }
        Happening::Operation { operation, change } => {
            let view = OperationView::of(operation).map(|view| json!(view));
            let id = operation.id.get().to_string();
            (format!("operation.{}", change.label()), id, view.unwrap_or_else(|| json!({})))
        }
    };
    data["record"] = json!(record.get());
    event(news, &kind, &subject, &data)
}

fn run_event(id: RunId, job: &JobKey, change: &RunChange) -> (String, String, Value) {
    let mut data = json!({ "tenant": job.tenant.as_str(), "job": job.name.as_str() });
    let kind = match change {
        RunChange::Created => "run.created".to_owned(),
        RunChange::Started => "run.started".to_owned(),
        RunChange::Paused => "run.paused".to_owned(),
        RunChange::Resumed => "run.resumed".to_owned(),
        RunChange::Stopping => "run.stopping".to_owned(),
        RunChange::Cleared => "run.cleared".to_owned(),
        RunChange::TaskEnded { name, status } => {
            let state = status.state(None).label();
            data["task"] = json!(name.as_str());
            data["state"] = json!(state);
            format!("run.task.{state}")
        }
        RunChange::ApprovalWanted { name, item } => {
            of_task(&mut data, name, *item);
            "run.approval.wanted".to_owned()
        }
        RunChange::ApprovalDecided { name, item, approved } => {
            of_task(&mut data, name, *item);
            data["approved"] = json!(approved);
            "run.approval.decided".to_owned()
        }
        RunChange::Ended(status) => {
            data["state"] = json!(status.label());
            format!("run.{}", status.label())
        }
    };
    (kind, id.to_string(), data)
}

fn of_task(data: &mut Value, name: &Name, item: Option<u32>) {
    data["task"] = json!(name.as_str());
    if let Some(item) = item {
        data["item"] = json!(item);
    }
}

fn event(news: &News, kind: &str, subject: &str, data: &Value) -> Value {
    json!({
        "specversion": "1.0",
        "id": format!("{}-{}", news.epoch.get(), news.number),
        "source": "/mainspring",
        "type": format!("mainspring.{kind}"),
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
        "type": "mainspring.events.lost",
        "time": Moment(crate::gateway::now()),
        "data": { "count": count },
    })
}

/// The listener did not read for so long.
fn closed(patience: Duration) -> Value {
    json!({
        "specversion": "1.0",
        "id": "closed",
        "source": "/mainspring",
        "type": "mainspring.events.closed",
        "time": Moment(crate::gateway::now()),
        "data": { "reason": format!("nothing was read for {} s", patience.as_secs()) },
    })
}
