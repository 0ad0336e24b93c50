//! A server on a store in a directory of its own, and a client.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use mainspring_api::catalog::Operation;
use mainspring_api::{Access, ApiConfig, EffectRouter, LogStorage, Readers, Server, Webhooks};
use mainspring_core::engine::{Command, Configure};
use mainspring_core::values::{Bucket, Group};
use mainspring_runtime::node::{Node, Outlet};
use mainspring_runtime::{Envelope, ShardConfig};
use mainspring_store_local::{LocalLogs, LocalOptions, LocalStore, LogOptions};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub struct Rig {
    pub address: SocketAddr,
    node: Option<Arc<Node>>,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<std::io::Result<()>>,
    dir: tempfile::TempDir,
}

pub struct Answered {
    pub status: u16,
    pub headers: http::HeaderMap,
    pub text: String,
}

impl Answered {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub fn code(&self) -> String {
        self.json()["error_code"].as_str().unwrap_or_default().to_owned()
    }

    /// An operation answers with a status that the table has for it, or refuses with a code that the table has for it.
    fn check(&self, operation: Option<&Operation>) {
        let Some(operation) = operation else { return };
        let refusal = serde_json::from_str::<Value>(&self.text).unwrap_or_default();
        match refusal["error_code"].as_str() {
            // Refused before an operation was found.
            Some("ROUTE_NOT_FOUND" | "METHOD_NOT_ALLOWED") => {}
            Some(code) => {
                assert!(
                    operation.error_codes().contains(&code),
                    "`{code}` is not a code of {}",
                    operation.id
                );
                assert_eq!(mainspring_api::catalog::status(code), Some(self.status), "{code}");
            }
            None => {
                let known = operation.answers.iter().any(|answer| answer.status == self.status);
                assert!(known, "{} answers {}: {}", operation.id, self.status, self.text);
            }
        }
    }

    pub fn task_id(&self) -> String {
        self.json()["task_id"].as_str().unwrap_or_default().to_owned()
    }
}

pub struct Streamed {
    pub headers: http::HeaderMap,
    /// What came so far.
    pub text: String,
    body: hyper::body::Incoming,
    _sender: hyper::client::conn::http1::SendRequest<Full<Bytes>>,
}

impl Streamed {
    /// False: that was all. An error: it was broken off.
    pub async fn more(&mut self) -> Result<bool, hyper::Error> {
        let next = tokio::time::timeout(Duration::from_secs(20), self.body.frame());
        let Some(frame) = next.await.expect("something in time") else { return Ok(false) };
        if let Some(bytes) = frame?.data_ref() {
            self.text.push_str(std::str::from_utf8(bytes).expect("text"));
        }
        Ok(true)
    }

    #[track_caller]
    pub fn until(&mut self, wanted: &str) -> impl Future<Output = ()> {
        let wanted = wanted.to_owned();
        async move {
            while !self.text.contains(&wanted) {
                assert!(self.more().await.expect("not broken off"), "it ended with {:?}", self.text);
            }
        }
    }

    pub async fn rest(mut self) -> String {
        while self.more().await.expect("not broken off") {}
        self.text
    }
}

impl Rig {
    pub async fn start() -> Self {
        Self::start_with(ApiConfig::default(), ShardConfig::default()).await
    }

    pub async fn start_with(config: ApiConfig, shard: ShardConfig) -> Self {
        Self::start_in(tempfile::tempdir().expect("a directory"), config, shard).await
    }

    pub async fn start_in(dir: tempfile::TempDir, config: ApiConfig, shard: ShardConfig) -> Self {
        let logs = LocalLogs::new(dir.path(), LogOptions::default());
        let logs = LogStorage::new(logs.writer().expect("a writer"), logs.reader());
        Self::start_on(dir, logs, config, shard).await
    }

    /// With inbound webhooks.
    pub async fn start_listening(
        dir: tempfile::TempDir,
        config: ApiConfig,
        shard: ShardConfig,
        webhooks: Webhooks,
    ) -> Self {
        let logs = LocalLogs::new(dir.path(), LogOptions::default());
        let logs = LogStorage::new(logs.writer().expect("a writer"), logs.reader());
        Self::start_whole(dir, logs, config, shard, webhooks, Access::default()).await
    }

    pub async fn start_on(
        dir: tempfile::TempDir,
        logs: LogStorage,
        config: ApiConfig,
        shard: ShardConfig,
    ) -> Self {
        Self::start_whole(dir, logs, config, shard, Webhooks::default(), Access::default()).await
    }

    /// For callers that have to show something.
    pub async fn start_guarded(access: Access, webhooks: Webhooks) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let logs = LocalLogs::new(dir.path(), LogOptions::default());
        let logs = LogStorage::new(logs.writer().expect("a writer"), logs.reader());
        Self::start_whole(dir, logs, ApiConfig::default(), ShardConfig::default(), webhooks, access).await
    }

    async fn start_whole(
        dir: tempfile::TempDir,
        logs: LogStorage,
        config: ApiConfig,
        shard: ShardConfig,
        webhooks: Webhooks,
        access: Access,
    ) -> Self {
        Self::start_around(dir, logs, config, shard, (webhooks, access), |outlet| outlet).await
    }

    /// The shard's thread is stuck from its first effects until the sender is dropped.
    pub async fn start_stuck(shard: ShardConfig) -> (Self, std::sync::mpsc::Sender<()>) {
        let dir = tempfile::tempdir().expect("a directory");
        let logs = LocalLogs::new(dir.path(), LogOptions::default());
        let logs = LogStorage::new(logs.writer().expect("a writer"), logs.reader());
        let (go_on, stuck) = std::sync::mpsc::channel::<()>();
        let around = |mut outlet: Outlet| -> Outlet {
            Box::new(move |effects| {
                let _ = stuck.recv();
                outlet(effects);
            })
        };
        let config = ApiConfig::default();
        (Self::start_around(dir, logs, config, shard, Default::default(), around).await, go_on)
    }

    /// With something around the way of effects out of the shard's thread.
    async fn start_around(
        dir: tempfile::TempDir,
        logs: LogStorage,
        config: ApiConfig,
        shard: ShardConfig,
        (webhooks, access): (Webhooks, Access),
        around: impl FnOnce(Outlet) -> Outlet,
    ) -> Self {
        let options =
            LocalOptions { segment_bytes: 4 << 20, reserve_bytes: 1 << 20, ..LocalOptions::default() };
        let store = LocalStore::new(dir.path(), options);
        let effects = EffectRouter::new(config.session_queue_max);
        let outlet = around(effects.outlet());
        let (node, _, reader) = Node::open_with_reader(
            &store,
            shard,
            outlet,
            Arc::new(mainspring_definition::Evaluator::default()),
        )
        .expect("a new store opens");
        let node = Arc::new(node);
        let server = Server::new(Arc::clone(&node), Readers::new(reader), logs, &effects, config);
        let server = server.with_webhooks(webhooks).with_access(access);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(server.serve(listener, async move { drop(stopped.await) }));
        Self { address, node: Some(node), stop: Some(stop), served, dir }
    }

    /// As a server does at its start with what its configuration says of pools and tenants.
    pub fn configure(&self, shares: Vec<Configure>) {
        self.tell(shares.into_iter().map(Command::Configure).collect());
    }

    /// Past the edge, for what it has no requests for.
    pub fn tell(&self, commands: Vec<Command>) {
        let node = self.node.as_ref().expect("not stopped");
        assert!(node.send(Bucket::home(Group::ZERO), Envelope { commands, reply: Box::new(drop) }));
    }

    /// Stops server and node; nothing may hold the node any more.
    pub async fn stop(mut self) -> tempfile::TempDir {
        drop(self.stop.take());
        (&mut self.served).await.expect("serving does not panic").expect("serving does not fail");
        let node = self.node.take().expect("stopped once");
        let node = Arc::try_unwrap(node).unwrap_or_else(|node| {
            panic!("the node is still held {} times", Arc::strong_count(&node));
        });
        tokio::task::spawn_blocking(move || node.stop()).await.expect("stops");
        self.dir
    }

    pub async fn call(&self, method: &str, path: &str, body: &str) -> Answered {
        self.call_with(method, path, body, &[]).await
    }

    pub async fn call_with(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Answered {
        let mut request = http::Request::builder().method(method).uri(path);
        let given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        if !given("host") {
            request = request.header("host", self.address.to_string());
        }
        if !body.is_empty() && !given("content-type") {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Full::new(Bytes::from(body.to_owned()))).expect("a request")).await
    }

    /// Without a content type.
    pub async fn call_untyped(&self, method: &str, path: &str, body: &str) -> Answered {
        let request = http::Request::builder().method(method).uri(path);
        let request = request.header("host", self.address.to_string());
        self.send(request.body(Full::new(Bytes::from(body.to_owned()))).expect("a request")).await
    }

    /// A body as it came.
    pub async fn bytes(&self, path: &str, headers: &[(&str, &str)]) -> (http::HeaderMap, Bytes) {
        let mut request = http::Request::builder().uri(path).header("host", self.address.to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, bytes) = self.exchange(request.body(Full::new(Bytes::new())).expect("a request")).await;
        (parts.headers, bytes)
    }

    async fn send(&self, request: http::Request<Full<Bytes>>) -> Answered {
        let operation = mainspring_api::catalog::find(request.method().as_str(), request.uri().path());
        let (parts, bytes) = self.exchange(request).await;
        let text = String::from_utf8(bytes.to_vec()).expect("text");
        let answered = Answered { status: parts.status.as_u16(), headers: parts.headers, text };
        answered.check(operation);
        answered
    }

    async fn exchange(&self, request: http::Request<Full<Bytes>>) -> (http::response::Parts, Bytes) {
        let stream = TcpStream::connect(self.address).await.expect("connects");
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("shakes hands");
        let running = tokio::spawn(connection);
        let response = sender.send_request(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a whole body").to_bytes();
        drop(sender);
        let _ = running.await;
        (parts, bytes)
    }

    /// A body that is read as it comes.
    pub async fn stream(&self, path: &str) -> Streamed {
        let stream = TcpStream::connect(self.address).await.expect("connects");
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("shakes hands");
        tokio::spawn(connection);
        let request = http::Request::builder().uri(path).header("host", self.address.to_string());
        let request = request.body(Full::new(Bytes::new())).expect("a request");
        let (parts, body) = sender.send_request(request).await.expect("an answer").into_parts();
        assert_eq!(parts.status, 200, "{path}");
        Streamed { headers: parts.headers, text: String::new(), body, _sender: sender }
    }

    pub async fn get(&self, path: &str) -> Answered {
        self.call("GET", path, "").await
    }

    pub async fn submit(&self, body: &str) -> Answered {
        self.call("POST", "/v1/tasks", body).await
    }

    pub async fn status(&self, id: &str) -> String {
        self.get(&format!("/v1/tasks/{id}")).await.json()["state"].as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the task has this status; says which it has otherwise.
    pub async fn until(&self, id: &str, wanted: &str) -> Value {
        let mut last = Value::Null;
        for _ in 0..500 {
            last = self.get(&format!("/v1/tasks/{id}")).await.json();
            if last["state"] == wanted {
                return last;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{id} never was {wanted}: {last}");
    }
}
