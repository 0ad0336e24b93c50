//! Makes the queues and starts the threads.

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::bounded;
use mainspring_store::{Journal, ReadTables, Tables};

use super::health::Health;
use super::queues::{Incoming, Outgoing};
use super::shard_thread::ShardThread;
use super::signs::Signs;
use super::{MAILBOX_MAX, Meters, Outlet, RawClock, Reply, ShardHandle, appender, loader, tabler};
use crate::config::ShardConfig;
use crate::shard::Shard;

/// Orders that the loader has not taken yet; the shard's thread keeps further ones.
const LOADS_MAX: usize = 256;
/// What the loader has read and the shard has not taken in.
const LOADED_MAX: usize = 1024;

pub(super) fn start<J, T, R>(
    shard: Shard<Reply>,
    (journal, tables, reader): (J, T, R),
    outlet: Outlet,
    clock: RawClock,
    (config, health): (&ShardConfig, Arc<Health>),
) -> ShardHandle
where
    J: Journal + Send + 'static,
    T: Tables + Send + 'static,
    R: ReadTables + Send + 'static,
{
    let (mailbox, inbox) = bounded(MAILBOX_MAX);
    let (keys, keyed) = bounded(MAILBOX_MAX);
    let (control, controls) = bounded(MAILBOX_MAX);
    let (loads, load_orders) = bounded(LOADS_MAX);
    let (loaded_in, loaded) = bounded(LOADED_MAX);
    let (appends, append_orders) = bounded(8);
    let (cuts, cut_orders) = bounded(4);
    let (returns_in, returns) = bounded(16);
    let (stopped_in, stopped) = bounded(1);
    let (alive, running) = bounded(0);
    let signs = Arc::new(Signs::default());
    let cut_returns = returns_in.clone();
    let thread = ShardThread {
        shard,
        inbox: Incoming::new(inbox),
        loaded: Incoming::new(loaded),
        control: Incoming::new(controls),
        returns: Incoming::new(returns),
        appends: Outgoing::new(appends),
        cuts: Outgoing::new(cuts),
        loads: Outgoing::new(loads),
        meters: Meters::default(),
        signs: Arc::clone(&signs),
        health: Arc::clone(&health),
        stopped: stopped_in,
        outlet,
        clock,
    };
    let (journal_health, tables_health, loader_health) =
        (Arc::clone(&health), Arc::clone(&health), Arc::clone(&health));
    let history_days = config.history_days;
    let spawn = |name, body| spawn(name, alive.clone(), body);
    let threads = vec![
        spawn(
            "journal",
            Box::new(move || appender::run(journal, &append_orders, &returns_in, &journal_health)),
        ),
        spawn(
            "tables",
            Box::new(move || tabler::run(tables, history_days, &cut_orders, &cut_returns, &tables_health)),
        ),
        spawn("loader", Box::new(move || loader::run(reader, load_orders, keyed, loaded_in, &loader_health))),
        spawn("shard", Box::new(move || thread.run())),
    ];
    ShardHandle { mailbox, keys, control, signs, health, stopped, running, threads }
}

/// `alive` is dropped when the thread ends, however it ends.
fn spawn(name: &str, alive: crossbeam_channel::Sender<()>, body: Box<dyn FnOnce() + Send>) -> JoinHandle<()> {
    let body = move || {
        let _alive = alive;
        body();
    };
    std::thread::Builder::new().name(name.to_owned()).spawn(body).expect("the system can start a thread")
}
