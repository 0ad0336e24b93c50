//! `mainspring cron next`: when an expression fires.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::policy::{self, Policy};
use super::{Refusal, batch};
use crate::command::output::{Output, Print};

/// Most times that are told at once.
pub(super) const COUNT_MAX: u32 = 1_000;

/// Tells the next times at which an expression fires, on the clock of its zone and in UTC. With --batch it reads lines like
/// {"expr":"0 9 * * *","tz":"Europe/Berlin","base":"2026-01-15T14:40:00Z","count":3} from stdin and answers each with a line
/// {"next":[…]} or {"error":"…"}; `base` may be seconds since 1970, and with "inclusive":true it may be the answer itself.
/// Exit: 0 done, with --batch also when lines were refused; 1 refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  mainspring cron next '0 9 * * MON-FRI' --tz America/New_York\n  \
                  mainspring cron next '30 2 * * *' --tz Europe/Berlin --from 2026-03-28T00:00:00Z --dst-missing after\n  \
                  mainspring cron next --batch < lines.ndjson")]
pub(super) struct Next {
    /// The expression, in quotes, as '0 3 * * *'
    #[arg(value_name = "EXPR", required_unless_present_any = ["batch", "expr"], conflicts_with_all = ["batch", "expr"])]
    expression: Option<String>,
    /// The same
    #[arg(long, value_name = "EXPR", hide = true)]
    expr: Option<String>,
    /// The IANA time zone
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    tz: String,
    /// Tell times after this one: RFC 3339, or seconds since 1970 [default: now]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: Option<String>,
    /// How many
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=i64::from(COUNT_MAX)))]
    count: u32,
    #[command(flatten)]
    policy: Policy,
    /// Read lines of JSON and answer each with one
    #[arg(long, conflicts_with_all = ["expr", "from", "count", "output"])]
    batch: bool,
    /// How the answer is printed; `name` gives only names, one a line
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Output::Table)]
    output: Output,
}

impl Next {
    pub(super) fn run(self) -> Result<ExitCode> {
        if self.batch {
            return batch::run(&self.policy, &self.tz);
        }
        Ok(match self.answer() {
            Ok(answer) => {
                Print::new(self.output).rows(&answer, "next", &["local", "at", "skipped"]);
                ExitCode::SUCCESS
            }
            Err(refusal) => refusal.tell(),
        })
    }

    fn answer(&self) -> Result<Value, Refusal> {
        let text = self.expression.as_deref().or(self.expr.as_deref()).unwrap_or_default();
        let cron = policy::expression(text, self.policy.seed())?;
        let zone = policy::zone(&self.tz)?;
        let from = self.from.as_deref().map_or_else(|| Ok(Timestamp::now()), policy::instant)?;
        let mut after = policy::second_before(from, false);
        let mut next = Vec::new();
        while next.len() < self.count as usize
            && let Some((at, skipped)) = cron.next_second(zone, self.policy.dst(), after)
        {
            let utc = Timestamp::from_second(at).map(|at| at.to_string()).unwrap_or_default();
            next.push(json!({ "at": utc, "local": zone.local(at).to_string(), "skipped": skipped }));
            after = at;
        }
        Ok(json!({ "expr": text, "timezone": zone.name(), "description": cron.describe(), "next": next }))
    }
}
