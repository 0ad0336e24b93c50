//! A real server on a real store, made anew now and then so that a long run does not fill memory.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use http::{HeaderValue, Request, header};
use http_body_util::BodyExt;
use mainspring_api::{ApiConfig, EffectRouter, LogStorage, Readers, Server};
use mainspring_runtime::ShardConfig;
use mainspring_runtime::node::Node;
use mainspring_store_local::{LocalLogs, LocalOptions, LocalStore, LogOptions};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

pub struct World {
    pub runtime: Runtime,
    /// For requests without a socket.
    pub server: Server,
    node: Arc<Node>,
    /// For streams; serves the same node.
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    served: tokio::task::JoinHandle<std::io::Result<()>>,
    dir: tempfile::TempDir,
}

pub struct Answer {
    pub status: u16,
    pub json: Option<Value>,
}

impl World {
    pub fn new() -> Self {
        Self::open(tempfile::tempdir().expect("a directory"))
    }

    /// On the data that an earlier one left; what it took it must be able to take again.
    pub fn open(dir: tempfile::TempDir) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let options = LocalOptions { segment_bytes: 1 << 20, reserve_bytes: 4096, ..LocalOptions::default() };
        let store = LocalStore::new(dir.path(), options);
        let config = ApiConfig::default();
        let effects = EffectRouter::new(config.session_queue_max);
        let (node, _, reader) = Node::open_with_reader(
            &store,
            ShardConfig::default(),
            effects.outlet(),
            Arc::new(mainspring_core::run::NoTexts),
        )
        .expect("it opens");
        let (node, readers) = (Arc::new(node), Readers::new(reader));
        // Two servers of one node; a log has one writer, so each has logs of its own.
        let make = |logs: &str| {
            let logs = LocalLogs::new(dir.path().join(logs), LogOptions::default());
            let logs = LogStorage::new(logs.writer().expect("a writer"), logs.reader());
            Server::new(Arc::clone(&node), readers.clone(), logs, &effects, config)
        };
        let (server, streams) = (make("called"), make("streamed"));
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let served = runtime.spawn(streams.serve(listener, async move { drop(stopped.await) }));
        Self { runtime, server, node, address, stop: Some(stop), served, dir }
    }

    pub fn call(&self, mut request: Request<Body>) -> Answer {
        let headers = request.headers_mut();
        headers.entry(header::HOST).or_insert(HeaderValue::from_static("localhost"));
        headers.entry(header::CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        self.runtime.block_on(async {
            let response = self.server.answer(request).await;
            let status = response.status().as_u16();
            let bytes = response.into_body().collect().await.expect("an answer is whole").to_bytes();
            Answer { status, json: serde_json::from_slice(&bytes).ok() }
        })
    }

    pub fn get(&self, path: &str) -> Answer {
        self.call(Request::get(path).body(Body::empty()).expect("a request"))
    }

    /// As kill -9 would leave it; gives the data.
    pub fn close(mut self) -> tempfile::TempDir {
        drop(self.stop.take());
        self.runtime.block_on(&mut self.served).expect("no panic").expect("no failure");
        drop(self.server);
        self.runtime.shutdown_background();
        if let Some(node) = Arc::into_inner(self.node) {
            node.stop();
        }
        self.dir
    }
}
