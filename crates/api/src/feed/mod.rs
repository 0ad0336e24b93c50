//! The feed: news of tasks, runs, jobs, schedules and workers for callers that listen, as `CloudEvents`.
//! Entry: [`Feed::listen`]. The shard makes news only while somebody listens.
//! - FD-1 the shard's thread never waits for a listener: one that is too slow is told how much it has missed
//! - FD-2 a line is written once and shared by all listeners; what waits for one of them is in its connection's buffers,
//!   which are bounded (`server::watched`)
//! - FD-3 a listener that takes nothing for long is ended, with a last line that says why, and its place given away
//! - FD-4 the shard goes on making news for a minute after the last listener has gone, so that one whose connection was
//!   lost can go on behind the line that it had last

mod digest;
mod listening;
mod ring;
mod seat;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use mainspring_core::decision::{Happening, News, RunChange};
use mainspring_core::job::JobKey;
use mainspring_core::values::{Name, RunId, Seq};
use serde_json::{Value, json};
use tokio::sync::broadcast;

pub(crate) use self::digest::{EVERY_MAX as DIGEST_MAX, EVERY_MIN as DIGEST_MIN};
pub(crate) use self::listening::{Listening, Manner, listen};
use self::ring::{Replay, Ring};
use self::seat::Seat;
use crate::problem::{EventProblem, Problem};
use crate::wire::{Moment, OperationView};

/// News that a slow listener may be behind.
const BEHIND_MAX: usize = 16_384;

pub(crate) struct Feed {
    channel: Mutex<Channel>,
    listeners: AtomicUsize,
    /// Those that came, to take the places of silent ones away.
    seats: Mutex<Vec<Weak<Seat>>>,
    /// Held while the shard is told whether there are any: the last one to tell it has counted last.
    switching: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Channel {
    /// Emptied when the server stops.
    news: Option<broadcast::Sender<Arc<Line>>>,
    kept: Ring,
}

/// One piece of news, and its text once a listener wanted it.
struct Line {
    news: News,
    /// The news is in this record of the journal, or in an earlier one.
    record: Seq,
    text: OnceLock<Bytes>,
}

impl Line {
    /// Its epoch and number.
    fn place(&self) -> (u64, u64) {
        (self.news.epoch.get(), self.news.number)
    }

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
        let channel = Channel { news: Some(broadcast::channel(BEHIND_MAX).0), kept: Ring::default() };
        let (listeners, seats) = (AtomicUsize::new(0), Mutex::default());
        let (channel, switching) = (Mutex::new(channel), tokio::sync::Mutex::default());
        Self { channel, listeners, seats, switching }
    }
}

impl Feed {
    pub(crate) fn tell(&self, news: News, record: Seq) {
        let line = Arc::new(Line { news, record, text: OnceLock::new() });
        let mut channel = self.channel();
        channel.kept.push(&line);
        if let Some(sender) = &channel.news {
            // Nobody may be listening any more.
            let _ = sender.send(line);
        }
    }

    pub(crate) fn listeners(&self) -> usize {
        self.listeners.load(Ordering::Acquire)
    }

    /// Listeners hear that there is nothing more.
    pub(crate) fn close(&self) {
        self.channel().news.take();
    }

    fn channel(&self) -> MutexGuard<'_, Channel> {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What comes from now on, and what of it is kept since the line that the listener had last.
    fn subscribe(
        &self,
        after: Option<(u64, u64)>,
    ) -> Result<(broadcast::Receiver<Arc<Line>>, Option<Replay>), Problem> {
        let channel = self.channel();
        let news = channel.news.as_ref().ok_or(Problem::ServerBusy)?.subscribe();
        let replay = match after {
            Some((epoch, number)) => {
                let found = channel.kept.after((epoch, number));
                Some(found.ok_or_else(|| EventProblem::FeedGone { after: format!("{epoch}-{number}") })?)
            }
            None => None,
        };
        Ok((news, replay))
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
