//! The gRPC service: one task reads a worker's messages, its queue's stream answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mainspring_core::command::{Answer, Command, Hello, SessionCommand};
use mainspring_core::id::{Session, Slot, WorkerId};
use mainspring_core::question::Question;
use mainspring_proto::v1;
use mainspring_proto::v1::worker_service_server::WorkerService;
use mainspring_runtime::Envelope;
use mainspring_runtime::node::Reply;
use tokio::sync::Semaphore;
use tonic::{Request, Response, Status, Streaming};

use super::queue::{Ending, Outgoing, SessionQueue};
use super::{About, SessionRouter, decode};
use crate::config::ApiConfig;
use crate::gateway::Gateway;
use crate::logs::{KEPT_WAIT_MAX, Logs};

/// Messages of one worker that the shard has not answered; more are left in the stream.
const UNANSWERED_MAX: usize = 64;
/// A worker that was not heard for so many heartbeats does not keep another process from using its identity.
const SILENT_HEARTBEATS: u32 = 3;
/// A worker talks to the one shard of this node.
const SHARD: Slot = Slot::from_hash(0);

#[derive(Clone)]
pub(crate) struct WorkerSessions {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) router: Arc<SessionRouter>,
    pub(crate) logs: Arc<Logs>,
    pub(crate) config: ApiConfig,
}

#[tonic::async_trait]
impl WorkerService for WorkerSessions {
    type SessionStream = Outgoing;

    /// Answers at once, so that a worker may wait for the answer before it says hello.
    async fn session(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Outgoing>, Status> {
        let queue = Arc::new(SessionQueue::default());
        let reader = Reading {
            service: self.clone(),
            queue: Arc::clone(&queue),
            unanswered: unanswered(),
            brought_logs: AtomicBool::new(false),
        };
        tokio::spawn(reader.run(request.into_inner()));
        Ok(Response::new(Outgoing(queue)))
    }
}

fn unanswered() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(UNANSWERED_MAX))
}

/// One session, as its reading task sees it.
struct Reading {
    service: WorkerSessions,
    queue: Arc<SessionQueue>,
    unanswered: Arc<Semaphore>,
    /// Since its last heartbeat.
    brought_logs: AtomicBool,
}

impl Reading {
    async fn run(self, mut messages: Streaming<v1::WorkerMessage>) {
        let first = tokio::select! {
            first = messages.message() => first,
            () = self.queue.ended() => return,
        };
        let Ok(Some(first)) = first else {
            return self.queue.end(Ending::ByWorker);
        };
        match self.greet(first).await {
            Err(ending) => {
                tracing::warn!(why = ?ending, "a session was refused");
                self.queue.end(ending);
            }
            Ok((worker, session)) => {
                self.read(worker, session, &mut messages).await;
                self.part(worker, session).await;
            }
        }
    }

    /// The first message: it must be a hello, and its session the newest of the worker.
    async fn greet(&self, mut first: v1::WorkerMessage) -> Result<(WorkerId, Session), Ending> {
        let said = first.hello.take().ok_or_else(|| refused("the first message must be a hello"))?;
        let hello = decode::hello(&said).map_err(Ending::Refused)?;
        let (worker, session) = (hello.worker, hello.session);
        let (name, version) = (short(said.name), short(said.version));
        let about = About { name: name.clone(), version: version.clone() };
        let silence = SILENT_HEARTBEATS * self.service.config.heartbeat;
        self.service.router.enter(&hello, &self.queue, about, silence)?;
        let greeted = match self.introduce(hello).await {
            Ok(()) => self.take(first, worker, session).await.map_err(Ending::Refused),
            Err(ending) => Err(ending),
        };
        if greeted.is_err() {
            self.service.router.leave(worker, &self.queue);
        }
        if greeted.is_ok() {
            tracing::info!(
                %worker,
                session = session.get(),
                name,
                version,
                "a worker connected"
            );
        }
        greeted.map(|()| (worker, session))
    }

    /// Tells the shard, and welcomes the worker if the shard took the session.
    async fn introduce(&self, hello: Hello) -> Result<(), Ending> {
        let (worker, session, process) = (hello.worker, hello.session, hello.incarnation);
        let mut commands = vec![Command::Session(SessionCommand::Hello(Box::new(hello)))];
        commands.push(Command::Ask(Question::Workers { only: Some(worker) }));
        let answers = self.service.gateway.ask_all(SHARD, commands).await;
        let (live, newest) = match answers.map_err(|_| Ending::ServerStops)?.pop() {
            Some(Ok(Answer::Workers(workers))) => {
                let live = workers.first().map(|known| (known.session, known.incarnation));
                (live, workers.first().map_or(session, |known| known.newest_session))
            }
            _ => (None, session),
        };
        // A session of another process with the same identity may have the same number.
        if live != Some((Some(session), process)) {
            return Err(Ending::NotNewer { session, newest });
        }
        let config = &self.service.config;
        self.queue.welcome(v1::Welcome {
            lease_ms: config.lease.as_millis() as u64,
            heartbeat_ms: config.heartbeat.as_millis() as u64,
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
        });
        Ok(())
    }

    async fn read(&self, worker: WorkerId, session: Session, messages: &mut Streaming<v1::WorkerMessage>) {
        loop {
            let message = tokio::select! {
                message = messages.message() => message,
                () = self.queue.ended() => return,
            };
            let ending = match message {
                Ok(Some(message)) if message.hello.is_some() => {
                    Ending::Refused("hello may only be the first message".into())
                }
                Ok(Some(message)) => match self.take(message, worker, session).await {
                    Ok(()) => continue,
                    Err(why) => Ending::Refused(why),
                },
                Ok(None) | Err(_) => Ending::ByWorker,
            };
            return self.queue.end(ending);
        }
    }

    /// One message becomes one envelope.
    async fn take(
        &self,
        message: v1::WorkerMessage,
        worker: WorkerId,
        session: Session,
    ) -> Result<(), String> {
        self.queue.hear();
        let metrics = self.service.router.metrics();
        let mut commands = Vec::with_capacity(message.reports.len() + 1);
        if message.draining {
            commands.push(Command::Session(SessionCommand::Leaving { worker, session }));
        }
        if message.heartbeat {
            metrics.heartbeats.inc();
            commands.push(Command::Session(SessionCommand::Heartbeat { worker, session }));
        }
        metrics.reports.inc_by(message.reports.len() as u64);
        for chunk in message.logs {
            self.brought_logs.store(true, Ordering::Relaxed);
            self.service.logs.offer(chunk);
        }
        for report in message.reports {
            commands.push(Command::Report(Box::new(decode::report(report, worker, session)?)));
        }
        if commands.is_empty() {
            return Ok(());
        }
        let permit = Arc::clone(&self.unanswered).acquire_owned().await.map_err(|_| "closed".to_owned())?;
        let heartbeat = message.heartbeat.then(|| self.heartbeat_answer());
        let reply: Reply = Box::new(move |_| {
            drop(permit);
            if let Some(answer) = heartbeat {
                answer();
            }
        });
        if self.service.gateway.deliver(SHARD, Envelope { commands, reply }).await {
            Ok(())
        } else {
            Err("the server takes no reports any more".into())
        }
    }

    /// The answer tells the worker that its logs up to here are kept; without logs it leaves at once.
    fn heartbeat_answer(&self) -> impl FnOnce() + Send + use<> {
        let queue = Arc::clone(&self.queue);
        let brought = self.brought_logs.swap(false, Ordering::Relaxed);
        let kept = brought.then(|| self.service.logs.kept()).flatten();
        let runtime = tokio::runtime::Handle::current();
        move || match kept {
            None => queue.answer_heartbeat(),
            Some(kept) => drop(runtime.spawn(async move {
                let _ = tokio::time::timeout(KEPT_WAIT_MAX, kept).await;
                queue.answer_heartbeat();
            })),
        }
    }

    async fn part(&self, worker: WorkerId, session: Session) {
        let why = self.queue.why();
        tracing::info!(%worker, session = session.get(), ?why, "a worker disconnected");
        self.service.router.leave(worker, &self.queue);
        let commands = vec![Command::Session(SessionCommand::Closed { worker, session })];
        self.service.gateway.deliver(SHARD, Envelope { commands, reply: Box::new(|_| {}) }).await;
    }
}

fn refused(why: impl Into<String>) -> Ending {
    Ending::Refused(why.into())
}

/// Names and versions are shown to people; longer ones are cut.
fn short(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(100));
    text.retain(|c| !c.is_control());
    text
}
