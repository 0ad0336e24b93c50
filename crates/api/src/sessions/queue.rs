//! Orders that wait for one worker's stream. Many are taken at once, so that a busy stream sends few, big messages.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use mainspring_core::decision::Effect;
use mainspring_core::values::{Epoch, Session, WorkerId};
use mainspring_proto::NEWEST_SESSION;
use mainspring_proto::v1::{ServerMessage, Welcome};
use tokio::sync::Notify;
use tonic::Status;

use super::encode;
use crate::grpc::status;
use crate::problem::WorkerProblem;

/// Orders in one message; more follow in the next.
const ORDERS_MAX: usize = 2_000;
/// Payload bytes in one message, unless one order alone has more. Well below what a worker accepts.
const BYTES_MAX: usize = 1 << 20;

/// Why the server ended a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// A newer session of the same worker has begun.
    Replaced,
    /// Another process with the identity of this worker is connected and alive.
    IdentityInUse {
        worker: WorkerId,
        name: String,
    },
    /// The worker, or a copy of it, has used the number of this session before.
    NotNewer {
        session: Session,
        newest: Session,
    },
    /// The worker took its orders too slowly.
    Overflow,
    ServerStops,
    /// The shard has taken the worker for lost. It may connect again.
    Lost,
    /// The worker broke the protocol.
    Refused(String),
    /// The worker ended the stream.
    ByWorker,
}

#[derive(Default)]
pub(super) struct SessionQueue {
    state: Mutex<QueueState>,
    ended: Notify,
    /// When the newest message of the worker was read.
    heard: Mutex<Option<Instant>>,
}

#[derive(Default)]
struct QueueState {
    /// Nothing goes out before the welcome, though orders may come as soon as the shard has heard the hello.
    open: bool,
    welcome: Option<Welcome>,
    /// The newest one that was heard and not answered.
    heartbeat: u64,
    orders: VecDeque<(Epoch, Effect)>,
    ending: Option<Ending>,
    waker: Option<Waker>,
}

impl SessionQueue {
    /// A message of the worker was read.
    pub(super) fn hear(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// The connection is open, and the worker was heard within `silence`.
    pub(super) fn is_alive(&self, silence: Duration) -> bool {
        let heard = *self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        self.why().is_none() && heard.is_some_and(|at| at.elapsed() < silence)
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all of `run`; if too many wait, the session ends instead (SE-1).
    pub(super) fn push_all(&self, run: &mut Vec<Effect>, epoch: Epoch, max: usize) {
        let mut state = self.state();
        if state.ending.is_some() {
            run.clear();
            return;
        }
        if state.orders.len() + run.len() > max {
            run.clear();
            drop(state);
            self.end(Ending::Overflow);
            return;
        }
        state.orders.extend(run.drain(..).map(|order| (epoch, order)));
        wake(state);
    }

    pub(super) fn welcome(&self, welcome: Welcome) {
        let mut state = self.state();
        state.open = true;
        state.welcome = Some(welcome);
        wake(state);
    }

    /// The heartbeat of this number was heard, and what came before it is kept.
    pub(super) fn answer_heartbeat(&self, number: u64) {
        let mut state = self.state();
        state.heartbeat = number.max(state.heartbeat);
        wake(state);
    }

    /// The first ending counts.
    pub(super) fn end(&self, ending: Ending) {
        let mut state = self.state();
        state.ending.get_or_insert(ending);
        state.orders.clear();
        wake(state);
        self.ended.notify_one();
    }

    /// `None` while it lives.
    pub(super) fn why(&self) -> Option<Ending> {
        self.state().ending.clone()
    }

    /// Resolves once the session was ended from this side.
    pub(super) async fn ended(&self) {
        self.ended.notified().await;
    }
}

fn wake(mut state: MutexGuard<'_, QueueState>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// What one message holds: a welcome, the number of an answered heartbeat or 0, orders.
type Parts = (Option<Welcome>, u64, Vec<(Epoch, Effect)>);

impl QueueState {
    fn take_message(&mut self) -> Option<Parts> {
        if !self.open || self.welcome.is_none() && self.heartbeat == 0 && self.orders.is_empty() {
            return None;
        }
        let mut bytes = 0;
        let fits = |(_, order): &&(Epoch, Effect)| {
            bytes += match order {
                Effect::Start(start) => {
                    start.payload.len() + start.checkpoint.as_ref().map_or(0, |c| c.len())
                }
                _ => 0,
            };
            bytes <= BYTES_MAX
        };
        let first = usize::from(!self.orders.is_empty());
        let count = self.orders.iter().take(ORDERS_MAX).take_while(fits).count().max(first);
        let orders = self.orders.drain(..count).collect();
        Some((self.welcome.take(), std::mem::take(&mut self.heartbeat), orders))
    }
}

/// The stream's server side. Dropped when the connection is gone.
pub(crate) struct Outgoing(pub(super) Arc<SessionQueue>);

impl tokio_stream::Stream for Outgoing {
    type Item = Result<ServerMessage, Status>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let (welcome, heartbeat, orders) = {
            let mut state = self.0.state();
            if let Some(taken) = state.take_message() {
                taken
            } else if let Some(ending) = &state.ending {
                return Poll::Ready(status(ending).map(Err));
            } else {
                state.waker = Some(context.waker().clone());
                return Poll::Pending;
            }
        };
        // Encoded here, on the stream's own thread and without the lock.
        Poll::Ready(Some(Ok(encode::message(welcome, heartbeat, orders))))
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.0.end(Ending::ByWorker);
    }
}

fn status(ending: &Ending) -> Option<Status> {
    match ending {
        Ending::Replaced => Some(Status::aborted("a newer session of this worker has begun")),
        Ending::IdentityInUse { worker, name } => {
            let problem = WorkerProblem::IdentityInUse { worker: *worker, name: name.clone() };
            Some(status::of_session(&problem.into()))
        }
        Ending::NotNewer { session, newest } => {
            let what =
                format!("session {} is not greater than {}", session.connection(), newest.connection());
            let mut status = Status::failed_precondition(what);
            status.metadata_mut().insert(NEWEST_SESSION, newest.connection().into());
            Some(status)
        }
        Ending::Overflow => Some(Status::resource_exhausted("too many orders wait for this worker")),
        Ending::ServerStops => Some(Status::unavailable("the server stops: connect again later")),
        Ending::Lost => Some(Status::aborted("the worker was not heard of for a whole lease: connect again")),
        Ending::Refused(why) => Some(Status::failed_precondition(why.clone())),
        Ending::ByWorker => None,
    }
}
