//! Wiring: a server and a worker made of their parts, and the signals that end them.

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use mainspring_agent::{Agent, AgentConfig};
use mainspring_api::{ApiConfig, Readers, Server, SessionRouter};
use mainspring_runtime::ShardConfig;
use mainspring_runtime::node::Node;
use mainspring_store_local::{LocalOptions, LocalStore};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Opens the data, listens, and serves until `stop`; then everything accepted is durable and in the tables.
pub(crate) async fn server(
    data: &Path,
    listen: SocketAddr,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send,
) -> anyhow::Result<()> {
    tracing::info!(data = %data.display(), %listen, version = env!("CARGO_PKG_VERSION"), "starting");
    std::fs::create_dir_all(data)
        .with_context(|| format!("cannot make the data directory `{}`", data.display()))?;
    let config = ApiConfig::default();
    let sessions = SessionRouter::new(config.session_queue_max);
    let store = LocalStore::new(data, LocalOptions::default());
    let (node, recovered, reader) =
        Node::open_with_reader(&store, ShardConfig::default(), sessions.outlet())?;
    tracing::info!(
        rows = recovered.rows,
        records = recovered.records,
        events = recovered.events,
        "recovered"
    );
    let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    let address = listener.local_addr()?;
    let node = Arc::new(node);
    let server = Server::new(Arc::clone(&node), Readers::new(reader), sessions, config);
    ready(address);
    server.serve(listener, stop).await?;
    if let Some(node) = Arc::into_inner(node) {
        tokio::task::spawn_blocking(move || node.stop()).await.context("could not close the store")?;
        tracing::info!("stopped: everything is durable and in the tables");
    } else {
        tracing::warn!("a request was still under way; the journal will be replayed at the next start");
    }
    Ok(())
}

pub(crate) async fn worker(config: AgentConfig, stop: impl Future<Output = ()>) -> anyhow::Result<()> {
    Agent::run(config, stop).await.context("the worker could not start")
}

/// Resolves, for everyone who holds it, at the first SIGTERM or SIGINT.
#[derive(Clone)]
pub(crate) struct Stop(watch::Receiver<bool>);

impl Stop {
    pub(crate) fn on_signal() -> anyhow::Result<Self> {
        let (sender, receiver) = watch::channel(false);
        let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        tokio::spawn(async move {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
            let _ = sender.send(true);
        });
        Ok(Self(receiver))
    }

    pub(crate) async fn requested(mut self) {
        let _ = self.0.wait_for(|stop| *stop).await;
    }
}

/// A runtime for commands that talk to others.
pub(crate) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no threads")?.block_on(work)
}
