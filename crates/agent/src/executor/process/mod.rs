//! Runs a program: `{"argv": […], "env": {…}, "cwd": …, "stdin": …, "shell": false, "user": …, "limits": {…},
//! "keep": …}`.
//! Entry: [`Process`].
//! - PX-1 arguments reach the program as they are; a shell sees them only with `"shell": true`
//! - PX-2 a program has its own process group, and nothing of that group outlives the attempt
//! - PX-3 what a program writes is on disk before it is shown, up to a cap; it never waits for a reader far away
//! - PX-4 a kept process survives the agent with its output and its exit code; others end with it
//! - PX-5 of the agent's environment a program sees only what the configuration passes on
//! - PX-6 what a program of another user can write to, the agent reads with care and never as a record of its own
//!
//! Not here: limits of the attempt as a whole (`cgroup`).

mod bound;
mod child;
mod confine;
mod control;
mod exit;
mod keep;
mod log;
mod output;
mod record;
mod run;
mod rusage;
mod spawn;
mod starters;
#[cfg(test)]
mod tests;
mod user;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use self::bound::Bound;
pub use self::record::{Survivor, sort_out};
use self::starters::Starters;
use super::Executor;
use crate::attempt::{Attempt, Outcome};
use crate::cgroup::Cgroups;
use crate::config::{self, AgentConfig};
use crate::home::Places;

/// One waits for its program or for the disk while another has something to do. Measured: one is less by a tenth, four are
/// not more.
const STARTERS_PER_CPU: usize = 2;

pub struct Process {
    settings: Arc<Settings>,
}

impl Process {
    /// Ends what an earlier agent left and nobody can adopt.
    pub fn new(config: &AgentConfig, places: Places, cgroups: Option<Arc<dyn Cgroups>>) -> io::Result<Self> {
        let bound = Arc::new(Bound::open(places.attempts())?);
        let env = config.env_passed.iter().filter_map(|name| Some((name.clone(), std::env::var(name).ok()?)));
        let settings = Settings {
            places,
            env: env.collect(),
            log_bytes_max: config.log_bytes_max,
            output_bytes_max: config.output_bytes_max,
            keep_longer_than: config.keep_longer_than,
            bound,
            nothing: File::open("/dev/null")?,
            cgroups,
            starters: Starters::new(STARTERS_PER_CPU * config::cpus() as usize),
        };
        Ok(Self { settings: Arc::new(settings) })
    }

    /// Goes on with what an earlier agent began.
    pub fn adopt(&self, attempt: Attempt, survivor: Survivor) -> BoxFuture<'static, Outcome> {
        run::adopt(self.settings.clone(), attempt, survivor).boxed()
    }
}

impl Executor for Process {
    fn runs_program(&self) -> bool {
        true
    }

    fn run(&self, attempt: Attempt) -> BoxFuture<'static, Outcome> {
        run::run(self.settings.clone(), attempt).boxed()
    }
}

struct Settings {
    places: Places,
    env: Vec<(String, String)>,
    log_bytes_max: u64,
    output_bytes_max: usize,
    keep_longer_than: Duration,
    bound: Arc<Bound>,
    /// What a program reads that has no input; opened once.
    nothing: File,
    cgroups: Option<Arc<dyn Cgroups>>,
    starters: Starters,
}

/// A task's payload.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    /// The program and its arguments; with `shell`, a script and its positional parameters.
    argv: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    stdin: Option<String>,
    #[serde(default)]
    shell: bool,
    #[serde(default)]
    limits: Limits,
    /// By name, `uid` or `uid:gid`; the agent's own if absent. Only root may choose.
    user: Option<String>,
    /// Whether it survives the agent; by its time limit if absent.
    keep: Option<bool>,
}

/// Limits that the kernel keeps for each process of the attempt; absent means the agent's own.
#[derive(Deserialize, Clone, Copy, Default)]
#[serde(deny_unknown_fields)]
struct Limits {
    cpu_seconds: Option<u64>,
    open_files: Option<u64>,
    file_bytes: Option<u64>,
    /// Address space, not resident memory: many runtimes reserve far more than they use.
    address_space_bytes: Option<u64>,
    core_bytes: Option<u64>,
    /// Of the attempt as a whole: processes and threads at once. Only with cgroups.
    processes: Option<u64>,
}

impl Payload {
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let payload: Self =
            serde_json::from_slice(bytes).map_err(|error| format!("not a payload of `process`: {error}"))?;
        if payload.limits.processes == Some(0) {
            return Err("`limits.processes` is 0; the program itself is one".to_owned());
        }
        match payload.argv.first() {
            Some(program) if !program.is_empty() => Ok(payload),
            _ => Err("`argv` names no program".to_owned()),
        }
    }
}
