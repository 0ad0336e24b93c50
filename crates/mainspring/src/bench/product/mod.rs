//! The product as its users have it: a server process and a worker process on loopback, durable, driven over HTTP
//! from this process. All of them share the machine's processors.
//! Entry: [`run`]. Not here: the engine alone (`engine`).

mod burst;
mod flows;
mod footprint;
mod latency;
mod list;
mod pace;
mod process;
mod read;
mod rig;
mod soak;
mod spread;
mod submit;
mod target;
mod throughput;
mod waits;
mod webhook;
mod wire;

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;

use super::{Figures, machine};

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Part {
    Throughput,
    Submit,
    Read,
    Webhook,
    Latency,
    Burst,
    Process,
    Footprint,
    Chain,
    Fanout,
    Dags,
    Soak,
    Waits,
    List,
}

impl Part {
    /// What `bench all` measures; a soak is asked for by its length.
    pub(crate) const ALL: [Self; 13] = [
        Self::Footprint,
        Self::Latency,
        Self::Submit,
        Self::Throughput,
        Self::Read,
        Self::Burst,
        Self::Webhook,
        Self::Process,
        Self::Chain,
        Self::Fanout,
        Self::Dags,
        Self::Waits,
        Self::List,
    ];
}

pub(crate) struct Plan {
    pub(crate) dir: PathBuf,
    /// Per cent of the full number of tasks, or of the full time.
    pub(crate) scale: u64,
    pub(crate) soak: Duration,
}

impl Plan {
    fn scaled(&self, tasks: u64) -> u64 {
        (tasks * self.scale / 100).max(100)
    }

    fn scaled_time(&self, time: Duration) -> Duration {
        (time * self.scale as u32 / 100).max(Duration::from_millis(500))
    }
}

/// One thread drives the load, so that most of the machine is left to what is measured.
pub(crate) fn run(plan: &Plan, parts: &[Part], figures: &mut Figures) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let scratch = machine::Scratch::new(&plan.dir)?;
    let fsync = machine::fsync_median(scratch.path())?;
    figures.add("fsync_ms", "fdatasync of this disk, median", fsync.as_secs_f64() * 1e3, "ms", ("–", "–"));
    for part in parts {
        let dir = scratch.path().join(format!("{part:?}").to_lowercase());
        std::fs::create_dir_all(&dir)?;
        runtime.block_on(async {
            match part {
                Part::Throughput => throughput::run(plan, &dir, figures).await,
                Part::Submit => submit::run(plan, &dir, figures).await,
                Part::Read => read::run(plan, &dir, figures).await,
                Part::Webhook => webhook::run(plan, &dir, figures).await,
                Part::Latency => latency::run(plan, &dir, fsync, figures).await,
                Part::Burst => burst::run(plan, &dir, figures).await,
                Part::Process => process::run(plan, &dir, figures).await,
                Part::Footprint => footprint::run(plan, &dir, figures).await,
                Part::Chain => flows::chain(plan, &dir, figures).await,
                Part::Fanout => flows::fanout(plan, &dir, figures).await,
                Part::Dags => flows::dags(plan, &dir, figures).await,
                Part::Waits => waits::run(plan, &dir, figures).await,
                Part::List => list::run(plan, &dir, figures).await,
                Part::Soak => soak::run(plan, &dir, figures).await,
            }
        })?;
        std::fs::remove_dir_all(&dir)?;
    }
    Ok(())
}
