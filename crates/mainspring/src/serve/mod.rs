//! Wiring: a server and a worker made of their parts, and the signals that end them.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use mainspring_agent::{Agent, AgentConfig};
use mainspring_api::{LogStorage, Readers, Server, SessionRouter};
use mainspring_core::command::{Command, Configure};
use mainspring_core::id::Slot;
use mainspring_definition::Evaluator;
use mainspring_runtime::Envelope;
use mainspring_runtime::node::{Node, StopWatch};
use mainspring_store_local::{LocalLogs, LocalStore};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::config::ServerSetup;

/// Opens the data, listens, and serves until `stop`; then everything accepted is durable and in the tables.
pub(crate) async fn server(
    setup: &ServerSetup,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send,
) -> anyhow::Result<()> {
    let ServerSetup { data, listen, api: config, shard, store: options, logs, shares, webhooks } =
        setup.clone();
    tracing::info!(data = %data.display(), %listen, version = env!("CARGO_PKG_VERSION"), "starting");
    std::fs::create_dir_all(&data)
        .with_context(|| format!("cannot make the data directory `{}`", data.display()))?;
    let sessions = SessionRouter::new(config.session_queue_max);
    let logs = LocalLogs::new(&data, logs);
    let store = LocalStore::new(data, options);
    let (node, recovered, reader) =
        Node::open_with_reader(&store, shard, sessions.outlet(), Arc::new(Evaluator::default()))?;
    // After the store has locked the directory.
    let logs = LogStorage::new(logs.writer()?, logs.reader());
    tracing::info!(
        rows = recovered.rows,
        records = recovered.records,
        events = recovered.events,
        "recovered"
    );
    configure(&node, shares);
    let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    let address = listener.local_addr()?;
    let failure = Failure::of(node.stop_watch());
    let node = Arc::new(node);
    let server = Server::new(Arc::clone(&node), Readers::new(reader), logs, sessions, config);
    let server = server.with_webhooks(webhooks);
    ready(address);
    let stop_or_failure = async {
        tokio::select! {
            () = stop => {}
            () = failure.happened() => {}
        }
    };
    server.serve(listener, stop_or_failure).await?;
    if let Some(node) = Arc::into_inner(node) {
        tokio::task::spawn_blocking(move || node.stop()).await.context("could not close the store")?;
        tracing::info!("stopped: everything is durable and in the tables");
    } else {
        tracing::warn!("a request was still under way; the journal will be replayed at the next start");
    }
    match failure.cause() {
        Some(cause) => {
            Err(anyhow::anyhow!("{cause}")
                .context("the server cannot go on; everything acknowledged is kept"))
        }
        None => Ok(()),
    }
}

/// Before anybody can reach the server: no worker has come, so nothing was placed without them.
fn configure(node: &Node, shares: Vec<Configure>) {
    if !shares.is_empty() {
        let commands = shares.into_iter().map(Command::Configure).collect();
        node.send(Slot::from_hash(0), Envelope { commands, reply: Box::new(drop) });
    }
}

/// Whether the shard has stopped by itself. A server without one must end, so that whoever watches it can act.
struct Failure(watch::Receiver<Option<String>>);

impl Failure {
    fn of(stopped: StopWatch) -> Self {
        let (sender, receiver) = watch::channel(None);
        std::thread::spawn(move || {
            if let Some(cause) = stopped.wait() {
                let _ = sender.send(Some(cause.to_string()));
            }
        });
        Self(receiver)
    }

    async fn happened(&self) {
        // An error means that the shard was told to stop.
        if self.0.clone().wait_for(Option::is_some).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    fn cause(&self) -> Option<String> {
        self.0.borrow().clone()
    }
}

/// In a task of its own: on the main thread every message would cross from one thread to another.
pub(crate) async fn worker(
    config: AgentConfig,
    stop: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    tokio::spawn(Agent::run(config, stop)).await?.context("the worker could not start")
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
