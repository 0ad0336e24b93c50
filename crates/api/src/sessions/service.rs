//! The gRPC service: one task reads a worker's messages, its queue's stream answers.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mainspring_core::engine::question::Question;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::values::{Session, WorkerId};
use mainspring_core::worker::decide::{Hello, SessionCommand};
use mainspring_proto::v1;
use mainspring_proto::v1::worker_service_server::WorkerService;
use prost::Message;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tonic::{Request, Response, Status, Streaming};

use super::queue::{Ending, Outgoing, SessionQueue};
use super::{About, SessionRouter, decode};
use crate::config::ApiConfig;
use crate::gateway::{Gateway, Route};
use crate::logs::{KEPT_WAIT_MAX, Logs};
use crate::metrics::Metrics;

/// Messages of one worker that the shard has not answered; more wait at the edge.
const UNANSWERED_MAX: usize = 64;
/// A worker that was not heard for so many heartbeats does not keep another process from using its identity.
const SILENT_HEARTBEATS: u32 = 3;
/// Messages of one worker that were read and wait for the shard, in number and in bytes; more are left in the stream.
const AHEAD_MAX: usize = 1_024;
const AHEAD_BYTES_MAX: usize = 4 << 20;
/// How long a session that has ended waits for the shard to take its last words.
const PART_MAX: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub(crate) struct WorkerSessions {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) router: Arc<SessionRouter>,
    pub(crate) logs: Arc<Logs>,
    pub(crate) metrics: Arc<Metrics>,
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
            unanswered: Arc::new(Semaphore::new(UNANSWERED_MAX)),
            room: Arc::new(Semaphore::new(AHEAD_BYTES_MAX)),
            brought_logs: AtomicBool::new(false),
        };
        tokio::spawn(reader.run(request.into_inner()));
        Ok(Response::new(Outgoing(queue)))
    }
}

/// One session, as its reading task sees it.
struct Reading {
    service: WorkerSessions,
    queue: Arc<SessionQueue>,
    unanswered: Arc<Semaphore>,
    /// Bytes that may still be read ahead.
    room: Arc<Semaphore>,
    /// Since its last heartbeat.
    brought_logs: AtomicBool,
}

/// What one message asks of the shard, read and not yet delivered.
struct Waiting {
    commands: Vec<(Route, Command)>,
    _room: OwnedSemaphorePermit,
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
            Ok((worker, session, rest)) => {
                self.converse(worker, session, rest, &mut messages).await;
                self.part(worker, session).await;
            }
        }
    }

    /// Reading runs ahead of delivering, so that a heartbeat behind reports is heard although the shard takes none.
    async fn converse(
        &self,
        worker: WorkerId,
        session: Session,
        first: v1::WorkerMessage,
        messages: &mut Streaming<v1::WorkerMessage>,
    ) {
        let (ahead, waiting) = mpsc::channel(AHEAD_MAX);
        let mut reading = pin!(self.read(worker, session, first, messages, ahead));
        let mut delivering = pin!(self.deliver(waiting));
        tokio::select! {
            () = &mut reading => {}
            () = &mut delivering => return,
        }
        // What a worker said before it left still counts.
        if self.queue.why() == Some(Ending::ByWorker) {
            let _ = tokio::time::timeout(PART_MAX, delivering).await;
        }
    }

    /// The first message: it must be a hello, and its session the newest of the worker.
    async fn greet(
        &self,
        mut first: v1::WorkerMessage,
    ) -> Result<(WorkerId, Session, v1::WorkerMessage), Ending> {
        let said = first.hello.take().ok_or_else(|| refused("the first message must be a hello"))?;
        let hello = decode::hello(&said).map_err(Ending::Refused)?;
        let (worker, session) = (hello.worker, hello.session);
        let (name, version) = (short(said.name), short(said.version));
        let about = About { name: name.clone(), version: version.clone() };
        let silence = SILENT_HEARTBEATS * self.service.config.heartbeat;
        self.service.router.enter(&hello, &self.queue, about, silence)?;
        let greeted = tokio::select! {
            greeted = self.introduce(hello) => greeted,
            () = self.queue.ended() => {
                // The shard may have taken the hello.
                self.part(worker, session).await;
                return Err(self.queue.why().unwrap_or(Ending::ByWorker));
            }
        };
        if greeted.is_err() {
            self.service.router.leave(worker, &self.queue);
        } else {
            tracing::info!(
                %worker,
                session = session.get(),
                name,
                version,
                "a worker connected"
            );
        }
        greeted.map(|()| (worker, session, first))
    }

    /// Tells every shard, each with the attempts that are its own, and welcomes the worker if all took the session.
    async fn introduce(&self, hello: Hello) -> Result<(), Ending> {
        let gateway = &self.service.gateway;
        for shard in gateway.shards_of(Route::All) {
            let mut part = hello.clone();
            part.holding.retain(|held| gateway.shards_of(held.task.into()).contains(&shard));
            self.introduce_to(shard, part).await?;
        }
        let config = &self.service.config;
        self.queue.welcome(v1::Welcome {
            lease_ms: config.lease.as_millis() as u64,
            heartbeat_ms: config.heartbeat.as_millis() as u64,
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
        });
        Ok(())
    }

    async fn introduce_to(&self, shard: usize, hello: Hello) -> Result<(), Ending> {
        let (worker, session, process) = (hello.worker, hello.session, hello.incarnation);
        let mut commands = vec![Command::Session(SessionCommand::Hello(Box::new(hello)))];
        commands.push(Command::Ask(Question::Workers { only: Some(worker) }));
        let answers = self.service.gateway.ask_patiently(shard, commands).await;
        let (live, newest) = match answers.ok_or(Ending::ServerStops)?.pop() {
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
        Ok(())
    }

    async fn read(
        &self,
        worker: WorkerId,
        session: Session,
        first: v1::WorkerMessage,
        messages: &mut Streaming<v1::WorkerMessage>,
        ahead: mpsc::Sender<Waiting>,
    ) {
        let mut message = first;
        loop {
            let (commands, bytes) = match self.hear(message, worker, session) {
                Ok(heard) => heard,
                Err(why) => return self.queue.end(Ending::Refused(why)),
            };
            tokio::select! {
                () = self.put(&ahead, commands, bytes) => {}
                () = self.queue.ended() => return,
            }
            let next = tokio::select! {
                next = messages.message() => next,
                () = self.queue.ended() => return,
            };
            message = match next {
                Ok(Some(next)) => next,
                Ok(None) | Err(_) => return self.queue.end(Ending::ByWorker),
            };
        }
    }

    /// Takes in what needs no shard: the sign of life, logs, a heartbeat. Gives back what does, and its size.
    fn hear(
        &self,
        message: v1::WorkerMessage,
        worker: WorkerId,
        session: Session,
    ) -> Result<(Vec<(Route, Command)>, usize), String> {
        if message.hello.is_some() {
            return Err("hello may only be the first message".into());
        }
        self.queue.hear();
        self.service.gateway.heard(worker, session);
        let metrics = &self.service.metrics;
        let mut commands = Vec::with_capacity(message.reports.len() + 1);
        if message.draining {
            commands.push((Route::All, Command::Session(SessionCommand::Leaving { worker, session })));
        }
        for chunk in message.logs {
            self.brought_logs.store(true, Ordering::Relaxed);
            self.service.logs.offer(chunk);
        }
        if message.heartbeat > 0 {
            metrics.heartbeats.inc();
            self.answer_heartbeat(message.heartbeat);
        }
        metrics.reports.inc_by(message.reports.len() as u64);
        let bytes = message.reports.iter().map(Message::encoded_len).sum();
        for report in message.reports {
            let report = decode::report(report, worker, session)?;
            commands.push((report.task.into(), Command::Report(Box::new(report))));
        }
        Ok((commands, bytes))
    }

    /// Waits for room. One message becomes one envelope.
    async fn put(&self, ahead: &mpsc::Sender<Waiting>, commands: Vec<(Route, Command)>, bytes: usize) {
        if commands.is_empty() {
            return;
        }
        let bytes = bytes.min(AHEAD_BYTES_MAX) as u32;
        if let Ok(room) = Arc::clone(&self.room).acquire_many_owned(bytes).await {
            let _ = ahead.send(Waiting { commands, _room: room }).await;
        }
    }

    async fn deliver(&self, mut waiting: mpsc::Receiver<Waiting>) {
        while let Some(Waiting { commands, .. }) = waiting.recv().await {
            let Ok(permit) = Arc::clone(&self.unanswered).acquire_owned().await else { return };
            if !self.service.gateway.deliver(commands, permit).await {
                return self.queue.end(refused("the server takes no reports any more"));
            }
        }
    }

    /// The answer tells the worker that its logs up to here are kept; without logs it leaves at once.
    fn answer_heartbeat(&self, number: u64) {
        let brought = self.brought_logs.swap(false, Ordering::Relaxed);
        match brought.then(|| self.service.logs.kept()).flatten() {
            None => self.queue.answer_heartbeat(number),
            Some(kept) => {
                let queue = Arc::clone(&self.queue);
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(KEPT_WAIT_MAX, kept).await;
                    queue.answer_heartbeat(number);
                });
            }
        }
    }

    async fn part(&self, worker: WorkerId, session: Session) {
        let why = self.queue.why();
        tracing::info!(%worker, session = session.get(), ?why, "a worker disconnected");
        self.service.router.leave(worker, &self.queue);
        let closed = Command::Session(SessionCommand::Closed { worker, session });
        let told = self.service.gateway.deliver(vec![(Route::All, closed)], ());
        // A worker that the shard does not know to be gone is lost after a lease.
        let _ = tokio::time::timeout(PART_MAX, told).await;
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
