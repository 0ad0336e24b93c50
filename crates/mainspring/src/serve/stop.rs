//! How a process ends: the first SIGTERM or SIGINT asks for it, and a server that cannot stop exits all the same.

use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context;
use mainspring_runtime::node::Health;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, oneshot, watch};

use crate::log;
use crate::note::note;

/// Resolves, for everyone who holds it, at the first SIGTERM or SIGINT.
#[derive(Clone)]
pub(crate) struct Stop(watch::Receiver<bool>);

impl Stop {
    /// On a thread of its own: a signal is heard even if every other thread is busy.
    pub(crate) fn on_signal() -> anyhow::Result<Self> {
        let (sender, receiver) = watch::channel(false);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_io().build().context("no threads")?;
        let (mut term, mut int) = {
            let _inside = runtime.enter();
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?)
        };
        spawn("signals", move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = term.recv() => {}
                    _ = int.recv() => {}
                }
            });
            let _ = sender.send(true);
        })?;
        Ok(Self(receiver))
    }

    pub(crate) fn requested(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut receiver = self.0.clone();
        async move {
            let _ = receiver.wait_for(|stop| *stop).await;
        }
    }
}

/// Ends the process if a server takes longer than `limit` to stop: one of its threads is stuck, or waits for a disk that
/// does not answer. Dropped when the server has stopped.
pub(super) struct LastResort {
    begin: Arc<Notify>,
    health: Arc<OnceLock<Arc<Health>>>,
    /// Closed when this is dropped.
    _running: oneshot::Sender<()>,
}

impl LastResort {
    pub(super) fn new(stop: &Stop, limit: Duration) -> anyhow::Result<Self> {
        let (begin, health) = (Arc::new(Notify::new()), Arc::new(OnceLock::<Arc<Health>>::new()));
        let (running, mut stopped) = oneshot::channel::<()>();
        let (requested, begun, known) = (stop.requested(), Arc::clone(&begin), Arc::clone(&health));
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().build().context("no threads")?;
        spawn("last-resort", move || {
            let late = runtime.block_on(async {
                tokio::select! {
                    _ = &mut stopped => return false,
                    () = requested => {}
                    () = begun.notified() => {}
                }
                tokio::time::timeout(limit, stopped).await.is_err()
            });
            if late {
                exit(limit, known.get().map(|health| &**health));
            }
        })?;
        Ok(Self { begin, health, _running: running })
    }

    /// The store is open: from now on it can be said what a stop waits for.
    pub(super) fn watch(&self, health: Arc<Health>) {
        let _ = self.health.set(health);
    }

    /// The server begins to stop without a signal.
    pub(super) fn begin(&self) {
        self.begin.notify_one();
    }
}

fn exit(limit: Duration, health: Option<&Health>) {
    let why = match health.map(Health::troubles) {
        None => "the store is still being opened".to_owned(),
        Some(troubles) if troubles.is_empty() => "a request or a write is still under way".to_owned(),
        Some(troubles) => troubles.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    };
    note!(
        "error: the server did not stop within {} s and exits now: {why}\n\n\
         hint: everything acknowledged is in the journal, and the next start reads it from there; \
         `server.stop_max` sets how long a stop may take",
        limit.as_secs_f32()
    );
    log::exit(1);
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).context("no threads")?;
    Ok(())
}
