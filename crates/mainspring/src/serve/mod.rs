//! Wiring: a server and a worker made of their parts, and the signals that end them.

mod stop;

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use mainspring_agent::{Agent, AgentConfig};
use mainspring_api::{Access, DiskUse, EffectRouter, LogStorage, Readers, Server};
use mainspring_core::engine::{Command, Configure};
use mainspring_definition::Evaluator;
use mainspring_runtime::Envelope;
use mainspring_runtime::node::{Node, StopWatch};
use mainspring_store_local::{LocalLogs, LocalStore, Usage, usage};
use tokio::net::TcpListener;
use tokio::sync::watch;

use self::stop::LastResort;
pub(crate) use self::stop::Stop;
use crate::config::ServerSetup;
use crate::memory;
use crate::note::note;

/// How long a process that is done waits for threads that are blocked.
const BLOCKED_MAX: Duration = Duration::from_secs(2);

/// Opens the data, listens, and serves until `stop`; then everything accepted is durable and in the tables. A stop that
/// takes longer than `stop_max` ends the process.
pub(crate) async fn server(
    setup: &ServerSetup,
    ready: impl FnOnce(SocketAddr),
    stop: Stop,
) -> anyhow::Result<()> {
    let ServerSetup {
        data,
        listen,
        api: config,
        shard,
        store: options,
        logs,
        shares,
        webhooks,
        stop_max,
        access,
        base,
    } = setup.clone();
    let access = guarded(listen, access)?;
    tracing::info!(data = %data.display(), %listen, version = env!("CARGO_PKG_VERSION"), "starting");
    // Before the store is opened: that may take long, and a stop must end it too.
    let last_resort = LastResort::new(&stop, stop_max)?;
    std::fs::create_dir_all(&data)
        .with_context(|| format!("cannot make the data directory `{}`", data.display()))?;
    let effects = EffectRouter::new(config.session_queue_max);
    let logs = LocalLogs::new(&data, logs);
    let measured = data.clone();
    let store = LocalStore::new(data, options);
    let (node, recovered, reader) =
        Node::open_with_reader(&store, shard, effects.outlet(), Arc::new(Evaluator::default()))?;
    // After the store has locked the directory.
    let logs = LogStorage::new(logs.writer()?, logs.reader());
    tracing::info!(
        rows = recovered.rows,
        records = recovered.records,
        events = recovered.events,
        "recovered"
    );
    // Recovery needed more than what it left behind.
    memory::return_freed();
    configure(&node, shares);
    let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    let address = listener.local_addr()?;
    let failure = Failure::of(node.stop_watch());
    last_resort.watch(node.health());
    let node = Arc::new(node);
    let server = Server::new(Arc::clone(&node), Readers::new(reader), logs, &effects, config);
    let is_insecure = access.insecure;
    let server = server.with_disk(move || disk_use(&measured));
    let pages = mainspring_console::routes(base.as_str());
    let server = server.with_webhooks(webhooks).with_access(access).with_base_path(base).with_pages(pages);
    ready(address);
    warn_if(is_insecure, address);
    let stop_or_failure = async {
        tokio::select! {
            () = stop.requested() => {}
            () = failure.happened() => last_resort.begin(),
        }
    };
    server.serve(listener, stop_or_failure).await?;
    if let Some(node) = Arc::into_inner(node) {
        // For as long as it takes: the last resort watches over it.
        tokio::task::spawn_blocking(move || node.stop()).await.context("could not close the store")?;
        tracing::info!("stopped: everything is durable and in the tables");
    } else {
        tracing::warn!("a request was still under way; the journal will be replayed at the next start");
    }
    drop(last_resort);
    failure.result()
}

fn disk_use(data: &Path) -> std::io::Result<DiskUse> {
    let Usage { journal, tables, logs, logs_more, free, size } = usage(data)?;
    Ok(DiskUse { journal, tables, logs, logs_more, free, size })
}

/// A server that others can reach needs a token, or somebody who says that it does not.
fn guarded(listen: SocketAddr, mut access: Access) -> anyhow::Result<Access> {
    let is_exposed = !listen.ip().to_canonical().is_loopback() && access.token.is_none();
    if is_exposed && !access.insecure {
        bail!(
            "refusing to listen on {listen} without a token: whoever reaches it could run programs on the workers\n\n\
             hint: give `--token-file FILE` (`openssl rand -hex 32` makes a token), or `--insecure` if everybody \
             who reaches it may do that"
        );
    }
    access.insecure = is_exposed;
    Ok(access)
}

/// On a line of its own, whatever is logged.
fn warn_if(is_insecure: bool, address: SocketAddr) {
    if is_insecure {
        note!("warning: --insecure: whoever reaches {address} can run programs on the workers");
    }
}

/// Before anybody can reach the server: no worker has come, so nothing was placed without them.
fn configure(node: &Node, shares: Vec<Configure>) {
    if !shares.is_empty() {
        let commands: Vec<Command> = shares.into_iter().map(Command::Configure).collect();
        for shard in 0..node.shards() {
            node.send_to(shard, Envelope { commands: commands.clone(), reply: Box::new(drop) });
        }
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

    fn result(&self) -> anyhow::Result<()> {
        self.0.borrow().clone().map_or(Ok(()), |cause| {
            Err(anyhow::anyhow!(cause).context("the server cannot go on; everything acknowledged is kept"))
        })
    }
}

/// In a task of its own: on the main thread every message would cross from one thread to another.
pub(crate) async fn worker(
    config: AgentConfig,
    stop: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    tokio::spawn(Agent::run(config, stop)).await?.context("the worker could not start")
}

/// Runs a server or a worker to its end.
pub(crate) fn run_service<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    block_on(async {
        memory::return_when_idle();
        work.await
    })
}

/// A runtime for commands that talk to others. A thread of it that waits for a disk does not keep the process alive.
pub(crate) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no threads")?;
    let outcome = runtime.block_on(work);
    runtime.shutdown_timeout(BLOCKED_MAX);
    outcome
}
