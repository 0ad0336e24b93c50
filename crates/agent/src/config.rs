//! What an agent is told at its start.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use tonic::metadata::{Ascii, MetadataValue};

use crate::cgroup::CgroupUse;
use crate::executor::http::WebhookSecret;
use crate::guard::Allowed;

#[derive(Clone, Debug)]
pub struct AgentConfig {
    /// `http://host:port`; the agent connects out, nothing connects to it.
    pub server: String,
    /// What the server wants to see from everyone who calls.
    pub token: Option<SessionToken>,
    pub name: String,
    pub pool: String,
    /// How many attempts may run at once; no-ops take no slot here.
    pub slots: u32,
    pub labels: BTreeMap<String, String>,
    pub zone: String,
    pub capacity: Capacity,
    /// Worker id, session counter, spool, logs and running attempts; one agent at a time.
    pub state_dir: PathBuf,
    /// Control directories of running processes. None: in memory (`/dev/shm`, by the worker's id) where there is such
    /// a place, else in `state_dir`; a disk that is busy syncing would slow down every start of a process.
    pub attempts_dir: Option<PathBuf>,
    /// Addresses and hosts that webhook tasks may reach although the guard forbids them.
    pub allow: Vec<Allowed>,
    /// Output of one attempt beyond this is read and thrown away.
    pub log_bytes_max: u64,
    /// Largest `output` of a process; more fails the attempt.
    pub output_bytes_max: usize,
    /// Of a webhook's answer, this much becomes the task's output.
    pub response_bytes_max: usize,
    /// How long a log without a running attempt stays in `state_dir`.
    pub log_retention: Duration,
    /// At shutdown, running work gets this long to end by itself.
    pub drain_deadline: Duration,
    /// Processes that may run longer than this survive the agent, and its successor adopts them; 0 for all. They cost
    /// one more process each. A payload's `keep` decides otherwise.
    pub keep_longer_than: Duration,
    /// At shutdown, such processes are left to the successor, which must be back within the lease.
    pub leave_kept: bool,
    /// End when an operator has drained this worker and it runs nothing any more.
    pub exit_when_drained: bool,
    /// From SIGTERM to SIGKILL where the server names no grace.
    pub grace: Duration,
    /// Signs webhook calls (Standard Webhooks) when there is one.
    pub webhook_secret: Option<WebhookSecret>,
    /// Variables of the agent's own environment that processes see; all others are kept from them.
    pub env_passed: Vec<String>,
    /// Where limits of memory, processors and number of processes are enforced.
    pub cgroups: CgroupUse,
}

impl AgentConfig {
    /// Everything detected or by default.
    pub fn new(server: impl Into<String>, state_dir: impl Into<PathBuf>) -> Self {
        let cpus = cpus();
        Self {
            server: server.into(),
            token: None,
            name: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            pool: "default".into(),
            slots: cpus,
            labels: BTreeMap::new(),
            zone: String::new(),
            capacity: Capacity::detect(),
            state_dir: state_dir.into(),
            attempts_dir: None,
            allow: Vec::new(),
            log_bytes_max: 64 << 20,
            output_bytes_max: 256 << 10,
            response_bytes_max: 64 << 10,
            log_retention: Duration::from_hours(24),
            drain_deadline: Duration::from_secs(30),
            keep_longer_than: Duration::from_mins(10),
            leave_kept: false,
            exit_when_drained: false,
            grace: Duration::from_secs(10),
            webhook_secret: None,
            env_passed: ["PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR"].map(String::from).to_vec(),
            cgroups: CgroupUse::Auto,
        }
    }
}

/// The token of a server, as a session shows it. Its `Debug` does not show it.
#[derive(Clone, Debug)]
pub struct SessionToken(MetadataValue<Ascii>);

impl SessionToken {
    /// `None`: it has characters that no header may have.
    pub fn new(token: &str) -> Option<Self> {
        let mut value = MetadataValue::try_from(format!("Bearer {token}")).ok()?;
        value.set_sensitive(true);
        Some(Self(value))
    }

    pub(crate) fn value(&self) -> MetadataValue<Ascii> {
        self.0.clone()
    }
}

/// What this machine has to give.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Capacity {
    pub cpu_milli: u64,
    pub memory_bytes: u64,
    pub disk_bytes: u64,
    pub gpus: u64,
    pub custom: BTreeMap<String, u64>,
}

impl Capacity {
    /// Processors and memory as the kernel tells them; disks, GPUs and the rest are declared.
    pub fn detect() -> Self {
        let info = rustix::system::sysinfo();
        Self {
            cpu_milli: u64::from(cpus()) * 1000,
            memory_bytes: info.totalram * u64::from(info.mem_unit),
            ..Self::default()
        }
    }
}

pub(crate) fn cpus() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| count.get() as u32)
}
