//! The worker: takes attempts from a server, does them, and sees their results through.
//! Entry: [`Agent::run`].
//! - AG-1 every attempt that was taken is reported until the report is acknowledged
//! - AG-2 work does not depend on the session: it goes on, and is told about later
//! - AG-3 the server names what to stop; the agent itself stops work that reaches its hard limit, work whose lease runs
//!   out if nobody else may do it meanwhile, and the rest only when it leaves
//!
//! Not here: deciding what runs where (`mainspring-core`), measuring soft and progress limits (the server does).

mod attempt;
mod cgroup;
mod config;
mod desk;
mod devices;
mod error;
pub mod executor;
pub mod guard;
mod home;
mod mask;
mod random;
mod readable;
mod session;
mod spool;

use std::future::Future;
use std::time::Duration;

use mainspring_proto::v1;
use tokio::sync::mpsc;
use tonic::transport::Endpoint;
use tracing::{info, warn};

pub use self::attempt::{Attempt, Key, Outcome, Reporter, StopOrder, StopSignal};
pub use self::cgroup::CgroupUse;
pub use self::config::{AgentConfig, Capacity, SessionToken};
use self::desk::Desk;
pub use self::error::AgentError;
pub use self::executor::http::{BadSecret, WebhookSecret};
use self::executor::{Executors, process};
pub use self::guard::{AddressRange, Allowed, BadAllowed};
use self::home::{Home, Places};
use self::session::{Server, Session};
use self::spool::Spool;

/// Log streaming stalls with the 64 KiB that HTTP/2 allows by default.
const WINDOW_BYTES: u32 = 4 << 20;
/// Messages of many starts travel in fewer pieces than the 16 KiB that HTTP/2 allows by default.
const FRAME_BYTES: u32 = 256 << 10;
const KEEP_ALIVE: Duration = Duration::from_secs(10);
const TIDY_EVERY: Duration = Duration::from_hours(1);
const CONNECT_MAX: Duration = Duration::from_secs(5);

pub struct Agent;

impl Agent {
    /// Works until `shutdown` is ready, then leaves in good order. Fails only at the start.
    pub async fn run(config: AgentConfig, shutdown: impl Future<Output = ()>) -> Result<(), AgentError> {
        let endpoint = endpoint(&config.server)?;
        let home = Home::open(&config.state_dir, config.attempts_dir.as_deref())?;
        let places = home.places();
        let survivors = process::sort_out(&places).map_err(AgentError::state(places.attempts()))?;
        let spool = Spool::open(&places.spool())?;
        info!(worker = %home.worker(), name = config.name, pool = config.pool, slots = config.slots, "working");

        let (reporter, events) = mpsc::unbounded_channel();
        let settings = desk::Settings {
            slots: config.slots as usize,
            capacity: config.capacity.clone(),
            grace: config.grace,
            leave_kept: config.leave_kept,
            busy_from: 2 * config::cpus() as usize,
        };
        let cgroups = cgroup::open(&config.cgroups, home.worker());
        if let Some(cgroups) = &cgroups {
            cgroups.clear(&survivors.iter().map(|survivor| survivor.key).collect::<Vec<_>>());
        }
        let executors =
            Executors::new(&config, &places, cgroups).map_err(AgentError::state(places.attempts()))?;
        let hello = hello(&config, &home, executors.names());
        let keep_tidy = keep_tidy(places.clone(), config.log_retention);
        let mut desk = Desk::new(settings, executors, reporter, places, spool);
        for survivor in survivors {
            desk.adopt(survivor);
        }
        let drain = (config.drain_deadline, config.exit_when_drained);
        let server = Server { endpoint, token: config.token.clone() };
        let session = Session::new(home, desk, events, server, hello, drain);
        tokio::select! {
            () = session.run(shutdown) => {}
            () = keep_tidy => {}
        }
        Ok(())
    }
}

/// For ever: old logs go.
async fn keep_tidy(places: Places, log_retention: Duration) {
    loop {
        let places = places.clone();
        // Beside the session: there may be many of them.
        match tokio::task::spawn_blocking(move || places.drop_old_logs(log_retention)).await {
            Ok(0) => {}
            Ok(dropped) => info!(dropped, "old logs are gone"),
            Err(error) => warn!(%error, "cannot look for old logs"),
        }
        tokio::time::sleep(TIDY_EVERY).await;
    }
}

fn endpoint(server: &str) -> Result<Endpoint, AgentError> {
    let bad = || AgentError::BadServer { server: server.to_owned() };
    let endpoint = Endpoint::from_shared(server.to_owned()).map_err(|_| bad())?;
    if endpoint.uri().scheme_str() != Some("http") {
        return Err(bad());
    }
    Ok(endpoint
        .connect_timeout(CONNECT_MAX)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .keep_alive_while_idle(true)
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(2 * WINDOW_BYTES)
        .max_frame_size(FRAME_BYTES)
        .tcp_nodelay(true))
}

fn hello(config: &AgentConfig, home: &Home, executors: Vec<String>) -> v1::Hello {
    let capacity = config.capacity.clone();
    v1::Hello {
        worker: home.worker().bits().to_be_bytes().to_vec(),
        session: 0,
        incarnation: home.incarnation(),
        offer: Some(v1::Offer {
            pool: config.pool.clone(),
            slots: config.slots,
            capacity: Some(v1::Resources {
                cpu_milli: capacity.cpu_milli,
                memory_bytes: capacity.memory_bytes,
                disk_bytes: capacity.disk_bytes,
                gpus: capacity.gpus,
                custom: capacity.custom.into_iter().collect(),
            }),
            labels: config.labels.clone().into_iter().collect(),
            zone: config.zone.clone(),
            executors,
        }),
        holding: Vec::new(),
        name: config.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        epoch: 0,
        link: 1,
    }
}
