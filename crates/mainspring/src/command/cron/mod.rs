//! `mainspring cron`: what cron expressions mean, without a server.

mod batch;
mod explain;
mod next;
mod policy;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::note::note;

/// Exit: 0 done, 1 the expression, the zone or the time was refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring cron next '0 3 * * *' --tz Europe/Berlin\n  \
    mainspring cron explain '0 3 * * MON-FRI'")]
pub(crate) struct Cron {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Tell the next times at which an expression fires
    Next(next::Next),
    /// Say in plain words what an expression means
    Explain(explain::Explain),
}

impl Cron {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        Ok(match self.what {
            What::Next(next) => next.run()?,
            What::Explain(explain) => explain.run(),
        })
    }
}

/// What was refused, and what to do about it.
struct Refusal {
    wrong: String,
    hint: String,
}

impl Refusal {
    fn tell(&self) -> ExitCode {
        note!("error: {}\n\nhint: {}", self.wrong, self.hint);
        ExitCode::from(1)
    }
}
