//! A server double: the worker service over a real socket, played by the test.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::VecDeque;
use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use mainspring_agent::{Agent, AgentConfig, AgentError};
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use mainspring_proto::v1::worker_service_server::{WorkerService, WorkerServiceServer};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};

/// Nothing here takes so long unless it is broken.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    let in_time = tokio::time::timeout(PATIENCE, future).await;
    in_time.unwrap_or_else(|_| panic!("waited too long for {what}"))
}

type Answer = Result<v1::ServerMessage, Status>;

struct Service {
    sessions: mpsc::UnboundedSender<Talk>,
}

#[tonic::async_trait]
impl WorkerService for Service {
    type SessionStream = ReceiverStream<Answer>;

    async fn session(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        let mut inbound = request.into_inner();
        let first = inbound.message().await?.unwrap_or_default();
        let hello = first.hello.ok_or_else(|| Status::invalid_argument("hello first"))?;
        let (out, outbound) = mpsc::channel(64);
        let talk = Talk {
            hello,
            hellos: Vec::new(),
            heartbeats: Vec::new(),
            inbound,
            out,
            reports: VecDeque::new(),
            logs: Vec::new(),
            draining: false,
            messages: 0,
        };
        self.sessions.send(talk).map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(ReceiverStream::new(outbound)))
    }
}

pub struct Server {
    pub address: SocketAddr,
    sessions: mpsc::UnboundedReceiver<Talk>,
    serving: JoinHandle<()>,
}

impl Server {
    pub fn start() -> Self {
        Self::start_at("127.0.0.1:0".parse().expect("an address"))
    }

    /// A server that comes back at the same place.
    pub fn start_at(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("reuse");
        socket.bind(address).expect("an address");
        let listener: TcpListener = socket.listen(64).expect("listening");
        let address = listener.local_addr().expect("an address");
        let (sender, sessions) = mpsc::unbounded_channel();
        let service =
            WorkerServiceServer::new(Service { sessions: sender }).max_decoding_message_size(64 << 20);
        let serving = tokio::spawn(async move {
            let served = tonic::transport::Server::builder()
                .initial_stream_window_size(4 << 20)
                .initial_connection_window_size(8 << 20)
                .add_service(service)
                .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)))
                .await;
            served.expect("serving");
        });
        Self { address, sessions, serving }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next session, welcomed.
    pub async fn session(&mut self) -> Talk {
        self.session_with(15_000).await
    }

    pub async fn session_with(&mut self, lease_ms: u64) -> Talk {
        let talk = soon("a session", self.sessions.recv()).await.expect("the server runs");
        let welcome = v1::Welcome { lease_ms, heartbeat_ms: 200, server_version: "double".into() };
        talk.send(v1::ServerMessage { welcome: Some(welcome), ..Default::default() }).await;
        talk
    }

    /// Vanishes without a word. Connections die when their `Talk` is dropped too.
    pub async fn vanish(self) -> SocketAddr {
        self.serving.abort();
        // Only cancellation is expected here.
        let _ = self.serving.await;
        self.address
    }
}

/// One session, seen from the server.
pub struct Talk {
    pub hello: v1::Hello,
    /// Later ones, to other owners.
    pub hellos: Vec<v1::Hello>,
    /// Their numbers.
    pub heartbeats: Vec<u64>,
    inbound: Streaming<v1::WorkerMessage>,
    out: mpsc::Sender<Answer>,
    pub reports: VecDeque<v1::Report>,
    pub logs: Vec<v1::LogChunk>,
    pub draining: bool,
    pub messages: usize,
}

impl Talk {
    pub async fn send(&self, message: v1::ServerMessage) {
        self.out.send(Ok(message)).await.expect("the stream is open");
    }

    /// Ends the session as a server does that refuses it.
    pub async fn refuse(self, status: Status) {
        // The worker may be gone already.
        let _ = self.out.send(Err(status)).await;
    }

    pub async fn start(&self, start: v1::Start) {
        self.send(v1::ServerMessage { starts: vec![start], ..Default::default() }).await;
    }

    pub async fn stop(&self, start: &v1::Start, grace_ms: u64, reason: &str) {
        let stop = v1::Stop {
            task: start.task.clone(),
            fence: start.fence,
            grace_ms,
            reason: reason.into(),
            epoch: start.epoch,
        };
        self.send(v1::ServerMessage { stops: vec![stop], ..Default::default() }).await;
    }

    pub async fn acknowledge(&self, report: &v1::Report) {
        let acknowledgement = v1::Acknowledgement {
            task: report.task.clone(),
            fence: report.fence,
            ignored: false,
            epoch: u64::MAX,
        };
        self.send(v1::ServerMessage { acknowledgements: vec![acknowledgement], ..Default::default() }).await;
    }

    /// Takes in one message; false when the worker has closed the stream.
    pub async fn hear(&mut self) -> bool {
        let Ok(Some(message)) = soon("a message", self.inbound.message()).await else {
            return false;
        };
        self.messages += 1;
        self.reports.extend(message.reports);
        self.logs.extend(message.logs);
        self.draining |= message.draining;
        self.hellos.extend(message.hello);
        if message.heartbeat > 0 {
            let heartbeat = message.heartbeat;
            self.heartbeats.push(heartbeat);
            let answer = v1::ServerMessage { heartbeat, ..Default::default() };
            // The worker may have closed its side since.
            let _ = self.out.send(Ok(answer)).await;
        }
        true
    }

    pub async fn report(&mut self) -> v1::Report {
        loop {
            if let Some(report) = self.reports.pop_front() {
                return report;
            }
            assert!(soon("a report", self.hear()).await, "the worker closed the stream");
        }
    }

    /// The next report of this kind; others are passed over.
    pub async fn report_where(&mut self, wanted: impl Fn(&What) -> bool) -> v1::Report {
        loop {
            let report = soon("a certain report", self.report()).await;
            if report.what.as_ref().is_some_and(&wanted) {
                return report;
            }
        }
    }

    /// The next result, acknowledged.
    pub async fn result(&mut self) -> v1::Report {
        let report = self.report_where(is_result).await;
        self.acknowledge(&report).await;
        report
    }

    /// The attempt's whole log, once its last piece has come.
    pub async fn log(&mut self) -> Vec<u8> {
        while !self.logs.iter().any(|chunk| chunk.last) {
            assert!(soon("the log's end", self.hear()).await, "the worker closed the stream");
        }
        let mut whole = Vec::new();
        for chunk in &self.logs {
            assert_eq!(chunk.offset, whole.len() as u64, "in order, without gaps");
            whole.extend_from_slice(&chunk.bytes);
        }
        whole
    }
}

pub fn is_result(what: &What) -> bool {
    matches!(what, What::Success(_) | What::Failure(_))
}

pub fn success(report: &v1::Report) -> Option<Vec<u8>> {
    match report.what.as_ref().expect("a report says something") {
        What::Success(success) => success.output.clone(),
        other => panic!("not a success: {other:?}"),
    }
}

pub fn failure(report: &v1::Report) -> (&str, i32, &str) {
    match report.what.as_ref().expect("a report says something") {
        What::Failure(failure) => (&failure.class, failure.code, &failure.message),
        other => panic!("not a failure: {other:?}"),
    }
}

pub fn start(number: u128, executor: &str, payload: &str) -> v1::Start {
    v1::Start {
        task: number.to_be_bytes().to_vec(),
        fence: 1 << 32 | 1,
        attempt: 1,
        tenant: "acme".into(),
        job: "nightly".into(),
        executor: executor.into(),
        payload: payload.into(),
        hard_timeout_ms: 60_000,
        grace_ms: 5_000,
        ..Default::default()
    }
}

/// An agent in this process, with a shutdown of its own.
pub struct Worker {
    shutdown: Option<oneshot::Sender<()>>,
    running: Pin<Box<JoinHandle<Result<(), AgentError>>>>,
}

impl Worker {
    pub fn spawn(config: AgentConfig) -> Self {
        let (shutdown, ordered) = oneshot::channel::<()>();
        let running = tokio::spawn(Agent::run(config, async move {
            let _ = ordered.await;
        }));
        Self { shutdown: Some(shutdown), running: Box::pin(running) }
    }

    /// As SIGTERM would.
    pub fn shut_down(&mut self) {
        drop(self.shutdown.take());
    }

    pub async fn ended(mut self) {
        self.shut_down();
        soon("the agent's end", self.running.as_mut()).await.expect("no panic").expect("no error");
    }

    /// As kill -9 would, as far as that is possible within one process.
    pub async fn kill(self) {
        self.running.abort();
        // Only cancellation is expected here.
        let _ = self.running.await;
    }
}

pub fn config(server: &str, dir: &Path) -> AgentConfig {
    AgentConfig {
        name: "double's worker".into(),
        slots: 4,
        drain_deadline: Duration::from_secs(10),
        attempts_dir: Some(dir.join("attempts")),
        ..AgentConfig::new(server, dir)
    }
}

/// The double and one worker that it has welcomed.
pub struct Connected {
    pub dir: TempDir,
    pub server: Server,
    pub worker: Worker,
    pub talk: Talk,
}

/// Starts both, in a directory of their own; `change` is applied to the worker's settings.
pub async fn connected(change: impl FnOnce(&mut AgentConfig)) -> Connected {
    let dir = tempfile::tempdir().expect("a directory");
    let mut server = Server::start();
    let mut settings = config(&server.url(), dir.path());
    change(&mut settings);
    let worker = Worker::spawn(settings);
    let talk = server.session().await;
    Connected { dir, server, worker, talk }
}

pub fn process(number: u128, payload: &Value) -> v1::Start {
    start(number, "process", &payload.to_string())
}

pub fn script(number: u128, text: &str) -> v1::Start {
    process(number, &json!({"argv": [text], "shell": true}))
}

/// Waits without a clock of its own: the file is written by a process under test.
pub async fn written(path: &Path) -> String {
    soon("a file", async {
        loop {
            match std::fs::read_to_string(path) {
                Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
                _ => tokio::task::yield_now().await,
            }
        }
    })
    .await
}

pub fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}
