//! A server on a store in a directory of its own, and a client.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use mainspring_api::{ApiConfig, Readers, Server, SessionRouter};
use mainspring_runtime::ShardConfig;
use mainspring_runtime::node::Node;
use mainspring_store_local::{LocalOptions, LocalStore};
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

    pub fn task_id(&self) -> String {
        self.json()["task_id"].as_str().unwrap_or_default().to_owned()
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
        let options =
            LocalOptions { segment_bytes: 4 << 20, reserve_bytes: 1 << 20, ..LocalOptions::default() };
        let store = LocalStore::new(dir.path(), options);
        let sessions = SessionRouter::new(config.session_queue_max);
        let outlet = sessions.outlet();
        let (node, _, reader) = Node::open_with_reader(&store, shard, outlet).expect("a new store opens");
        let node = Arc::new(node);
        let server = Server::new(Arc::clone(&node), Readers::new(reader), sessions, config);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(server.serve(listener, async move { drop(stopped.await) }));
        Self { address, node: Some(node), stop: Some(stop), served, dir }
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
        let stream = TcpStream::connect(self.address).await.expect("connects");
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("shakes hands");
        let running = tokio::spawn(connection);
        let mut request = http::Request::builder().method(method).uri(path).header("host", "test");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).expect("a request");
        let response = sender.send_request(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a whole body").to_bytes();
        drop(sender);
        let _ = running.await;
        let text = String::from_utf8(bytes.to_vec()).expect("text");
        Answered { status: parts.status.as_u16(), headers: parts.headers, text }
    }

    pub async fn get(&self, path: &str) -> Answered {
        self.call("GET", path, "").await
    }

    pub async fn submit(&self, body: &str) -> Answered {
        self.call("POST", "/v1/tasks", body).await
    }

    pub async fn status(&self, id: &str) -> String {
        self.get(&format!("/v1/tasks/{id}")).await.json()["status"].as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the task has this status; says which it has otherwise.
    pub async fn until(&self, id: &str, wanted: &str) -> Value {
        let mut last = Value::Null;
        for _ in 0..500 {
            last = self.get(&format!("/v1/tasks/{id}")).await.json();
            if last["status"] == wanted {
                return last;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{id} never was {wanted}: {last}");
    }
}
