//! `mainspring bench`: figures of this machine.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::output::say;
use crate::bench::product::{self, Part};
use crate::bench::{Figures, engine};

/// Measures with real files and a real fsync before every acknowledgement; all but `engine` start a server and a
/// worker process on loopback. Run it on a quiet machine. Figures go to stdout, what is going on to stderr.
/// Exit: 0 measured; figures are never compared with a limit here.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring bench engine\n  \
    mainspring bench submit")]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: What,
    /// Where the data goes; a new directory inside it is made and removed
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    dir: PathBuf,
    /// How many tasks, as a share of the full run
    #[arg(long, value_name = "PERCENT", default_value_t = 100, global = true,
        value_parser = clap::value_parser!(u64).range(1..=1000))]
    scale: u64,
    /// How the figures are printed
    #[arg(short, long, value_enum, default_value_t = Output::Table, global = true)]
    output: Output,
}

#[derive(Subcommand)]
enum What {
    /// The engine without network: throughput, memory, recovery, placement
    #[command(after_help = "Example:\n  mainspring bench engine --scale 10 --only throughput")]
    Engine {
        /// Only these parts
        #[arg(long, value_delimiter = ',', value_name = "PART")]
        only: Vec<engine::Part>,
    },
    /// A million schedules without network: memory, start, rest, and 100,000 of them due at once
    #[command(after_help = "Example:\n  mainspring bench schedules --scale 10")]
    Schedules,
    /// Batches of no-op tasks, run by a worker and recorded
    #[command(after_help = "Example:\n  mainspring bench throughput -o json")]
    Throughput,
    /// Single submissions over 64 connections
    #[command(after_help = "Example:\n  mainspring bench submit --scale 50")]
    Submit,
    /// At half load: status reads, submissions, and the start of P0 tasks
    #[command(after_help = "Example:\n  mainspring bench read")]
    Read,
    /// Webhook calls to a trivial local server
    #[command(after_help = "Example:\n  mainspring bench webhook")]
    Webhook,
    /// Idle system: from the submit call to the start of the task
    #[command(after_help = "Example:\n  mainspring bench latency")]
    Latency,
    /// Many tasks due at one instant: how late they begin
    #[command(after_help = "Example:\n  mainspring bench burst --scale 20")]
    Burst,
    /// OS processes, beside a bare loop of fork and exec
    #[command(after_help = "Example:\n  mainspring bench process")]
    Process,
    /// A workflow of no-ops in a row: time a step
    #[command(after_help = "Example:\n  mainspring bench chain")]
    Chain,
    /// Workflows 1 → 100 → 1 and 1 → 10,000 → 1 of no-ops
    #[command(after_help = "Example:\n  mainspring bench fanout")]
    Fanout,
    /// Many runs of a workflow of 20 tasks at once, and the cost of a task by the size of its workflow
    #[command(after_help = "Example:\n  mainspring bench dags --scale 20")]
    Dags,
    /// 50,000 tasks that only wait: memory and CPU, and a restart by SIGKILL
    #[command(after_help = "Example:\n  mainspring bench waits")]
    Waits,
    /// Lists of 1,000 rows beside a million ended tasks, and reads and lists right after a change
    #[command(after_help = "Example:\n  mainspring bench list --scale 10")]
    List,
    /// Start, memory, CPU and writes at rest
    #[command(after_help = "Example:\n  mainspring bench footprint")]
    Footprint,
    /// A steady load; memory and latency by quarter
    #[command(after_help = "Example:\n  mainspring bench soak --minutes 60")]
    Soak {
        /// How long
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=100_000))]
        minutes: u64,
    },
    /// Everything of the product but the soak
    #[command(after_help = "Example:\n  mainspring bench all -o json")]
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    Table,
    Json,
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut figures = Figures::default();
        let mut soak = Duration::ZERO;
        let parts = match self.what {
            What::Engine { only } => {
                let plan = engine::Plan { dir: self.dir, scale: self.scale, only };
                engine::run(&plan, &mut figures)?;
                return Ok(self.output.print(&figures));
            }
            What::Schedules => {
                let plan = engine::Plan { dir: self.dir, scale: self.scale, only: Vec::new() };
                engine::run_schedules(&plan, &mut figures)?;
                return Ok(self.output.print(&figures));
            }
            What::Throughput => vec![Part::Throughput],
            What::Submit => vec![Part::Submit],
            What::Read => vec![Part::Read],
            What::Webhook => vec![Part::Webhook],
            What::Latency => vec![Part::Latency],
            What::Burst => vec![Part::Burst],
            What::Process => vec![Part::Process],
            What::Chain => vec![Part::Chain],
            What::Fanout => vec![Part::Fanout],
            What::Dags => vec![Part::Dags],
            What::Waits => vec![Part::Waits],
            What::List => vec![Part::List],
            What::Footprint => vec![Part::Footprint],
            What::Soak { minutes } => {
                soak = Duration::from_secs(minutes * 60);
                vec![Part::Soak]
            }
            What::All => Part::ALL.to_vec(),
        };
        product::run(&product::Plan { dir: self.dir, scale: self.scale, soak }, &parts, &mut figures)?;
        Ok(self.output.print(&figures))
    }
}

impl Output {
    fn print(self, figures: &Figures) -> ExitCode {
        match self {
            Self::Table => say(&figures.to_string()),
            Self::Json => say(&figures.to_json().to_string()),
        }
        ExitCode::SUCCESS
    }
}
