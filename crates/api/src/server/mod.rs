//! The server: one port for REST, gRPC, docs and metrics.
//! Entry: [`Server::new`], [`Server::serve`].
//! - HS-1 every answer carries a request id; a problem is rendered here and nowhere else
//! - HS-2 stopping: refuse new connections, end sessions, let requests under way finish, then return

mod accept;
mod body;
mod compress;
mod finish;
mod request_id;
mod watched;

use std::future::Future;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use mainspring_proto::v1::worker_service_server::WorkerServiceServer;
use mainspring_runtime::node::Node;
use tokio::net::TcpListener;

pub(crate) use self::body::read_body;
pub(crate) use self::request_id::RequestId;
use self::request_id::RequestIds;
use crate::access::{Access, grpc_body, require_token, session_routes};
use crate::base_path::BasePath;
use crate::config::ApiConfig;
use crate::disk::DiskUse;
use crate::edge::Edge;
use crate::effects::EffectRouter;
use crate::gateway::Gateway;
use crate::grpc::{self, Health};
use crate::logs::{LogStorage, Logs};
use crate::operation::flows::Definitions;
use crate::profiles::Profiles;
use crate::rates::Rates;
use crate::readers::Readers;
use crate::rest;
use crate::series::Series;
use crate::sessions::WorkerSessions;
use crate::webhooks::Webhooks;

/// Largest message of a worker: a full spool of results after a long silence.
const WORKER_MESSAGE_BYTES_MAX: usize = 64 << 20;

pub struct Server {
    edge: Arc<Edge>,
    router: Router,
    health: Health,
}

impl Server {
    /// `effects` must be the outlet of `node`.
    pub fn new(
        node: Arc<Node>,
        readers: Readers,
        logs: LogStorage,
        effects: &EffectRouter,
        config: ApiConfig,
    ) -> Self {
        let node_health = node.health();
        let gateway = Arc::new(Gateway::new(node, config.groups));
        let (sessions, metrics) = (Arc::clone(&effects.sessions), Arc::clone(&effects.metrics));
        metrics.jobs.set_max(config.metrics_jobs_max);
        let told = (Arc::clone(&effects.followers), Arc::clone(&metrics));
        let logs = Arc::new(Logs::start(logs, config.log_days, told, node_health));
        let worker_sessions = WorkerSessions {
            gateway: Arc::clone(&gateway),
            router: Arc::clone(&sessions),
            logs: Arc::clone(&logs),
            metrics: Arc::clone(&metrics),
            config,
        };
        let stopping = AtomicBool::new(false);
        let (profiles, definitions) = (Profiles::default(), Definitions::default());
        let edge = Edge {
            gateway,
            sessions,
            feed: Arc::clone(&effects.feed),
            readers,
            logs,
            profiles,
            definitions,
            metrics,
            watchlist: Arc::clone(&effects.watchlist),
            series: Series::default(),
            rates: Rates::default(),
            disk: Arc::default(),
            config,
            started: Instant::now(),
            webhooks: OnceLock::new(),
            access: OnceLock::new(),
            base_path: OnceLock::new(),
            stopping,
        };
        let edge = Arc::new(edge);
        let health = Health::new();
        let session = WorkerServiceServer::new(worker_sessions)
            .max_decoding_message_size(WORKER_MESSAGE_BYTES_MAX)
            .max_encoding_message_size(WORKER_MESSAGE_BYTES_MAX);
        let grpc = grpc::routes(&edge, &health)
            .route_service("/mainspring.v1.WorkerService/{*method}", session)
            .route_layer(axum::middleware::from_fn(grpc_body));
        let guard = axum::middleware::from_fn_with_state(Arc::clone(&edge), require_token);
        let guarded = rest::routes(&edge).with_state(Arc::clone(&edge)).merge(grpc).layer(guard);
        let open = rest::open_routes(&edge).merge(session_routes());
        let router = guarded.merge(open.with_state(Arc::clone(&edge)));
        Self { edge, router, health }
    }

    /// Who may send events by signed calls; nobody unless this is said.
    #[must_use]
    pub fn with_webhooks(self, webhooks: Webhooks) -> Self {
        // It was empty: a server is told once.
        let _ = self.edge.webhooks.set(webhooks);
        self
    }

    /// Who may talk to the server; callers that name it by a loopback name unless this is said.
    #[must_use]
    pub fn with_access(self, access: Access) -> Self {
        // It was empty: a server is told once.
        let _ = self.edge.access.set(access);
        self
    }

    /// What measures the device of the data; `/v1/system` says nothing of it unless this is said.
    #[must_use]
    pub fn with_disk(self, measure: impl Fn() -> io::Result<DiskUse> + Send + Sync + 'static) -> Self {
        self.edge.disk.set(measure);
        self
    }

    /// The folder of a web site below which callers reach the server; the root unless this is said.
    #[must_use]
    pub fn with_base_path(self, base: BasePath) -> Self {
        // It was empty: a server is told once.
        let _ = self.edge.base_path.set(base);
        self
    }

    /// Pages for people, beside everything else. They are answered without a token: what they show, they ask for.
    #[must_use]
    pub fn with_pages(mut self, pages: Router) -> Self {
        self.router = self.router.merge(pages);
        self
    }

    /// Answers one request without a socket, as one that came over a socket is answered. For tests and fuzzing.
    pub async fn answer(&self, request: http::Request<Body>) -> http::Response<Body> {
        accept::respond(&self.edge, self.router.clone(), &RequestIds::new(), None, request).await
    }

    /// Serves until `shutdown` resolves, then drains. When it returns nothing of it holds the node any more,
    /// unless a worker's stream hung past the drain time.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        accept::run(self, listener, shutdown).await
    }
}
