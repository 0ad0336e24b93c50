//! The kinds of work this worker can do, one folder each.
//! Entry: [`Executors::find`].
//! - XE-1 an executor returns exactly one outcome for an attempt, also when it is told to stop
//! - XE-2 what an attempt is told about itself is the same by environment and by header
//!
//! Not here: when an attempt begins and what becomes of its outcome (`desk`).

mod clock;
pub mod http;
mod noop;
mod poll;
pub mod process;
mod sleep;

use std::io;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::attempt::{Attempt, Outcome};
use crate::cgroup::Cgroups;
use crate::config::AgentConfig;
use crate::guard::Guard;
use crate::home::Places;

pub trait Executor: Send + Sync {
    /// The outcome of work that takes no time; spares it a task and a slot of its own.
    fn at_once(&self) -> Option<Outcome> {
        None
    }

    /// Whether it runs a program: that writes a log and keeps a processor busy.
    fn runs_program(&self) -> bool {
        false
    }

    fn run(&self, attempt: Attempt) -> BoxFuture<'static, Outcome>;
}

/// All executors by the name that a task gives.
#[derive(Clone)]
pub struct Executors {
    process: Arc<process::Process>,
    known: Vec<(&'static str, Arc<dyn Executor>)>,
}

impl Executors {
    pub fn new(config: &AgentConfig, places: &Places, cgroups: Option<Arc<dyn Cgroups>>) -> io::Result<Self> {
        let guard = Guard::new(config.allow.clone());
        let process = Arc::new(process::Process::new(config, places.clone(), cgroups)?);
        let http = http::Http::new(config, guard);
        let known: Vec<(&'static str, Arc<dyn Executor>)> = vec![
            ("noop", Arc::new(noop::Noop)),
            ("clock", Arc::new(clock::Clock)),
            ("http", Arc::new(http.clone())),
            ("poll", Arc::new(poll::Poll::new(http))),
            ("process", process.clone()),
            ("sleep", Arc::new(sleep::Sleep)),
        ];
        Ok(Self { process, known })
    }

    /// Goes on with a process that an earlier agent began.
    pub fn adopt(&self, attempt: Attempt, survivor: process::Survivor) -> BoxFuture<'static, Outcome> {
        self.process.adopt(attempt, survivor)
    }

    pub fn names(&self) -> Vec<String> {
        self.known.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    pub fn find(&self, name: &str) -> Option<&Arc<dyn Executor>> {
        self.known.iter().find(|(known, _)| *known == name).map(|(_, executor)| executor)
    }
}
