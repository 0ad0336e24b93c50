//! `mainspring cron explain`: an expression in plain words.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::policy::{Hash, expression};
use crate::command::output::{Output, Print, say};

/// Says what an expression means, and whether clock changes touch it. Exit: 0 it is right, 1 it is not.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mainspring cron explain '0 9 * * MON-FRI'\n  mainspring cron explain @daily -o json\n  \
                  mainspring cron explain 'H H(0-7) * * *' --hash acme/nightly/main"
)]
pub(super) struct Explain {
    /// The expression, in quotes, as '0 3 * * *'
    #[arg(value_name = "EXPR")]
    expression: String,
    #[command(flatten)]
    hash: Hash,
    /// How the answer is printed; `name` gives only names, one a line
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Output::Table)]
    output: Output,
}

const FIXED: &str = "fixed hours: a time that a clock change takes away or brings twice follows the policy";
const THROUGH: &str = "the hour runs through: it follows elapsed time over clock changes";

impl Explain {
    pub(super) fn run(self) -> ExitCode {
        let cron = match expression(&self.expression, self.hash.seed()) {
            Ok(cron) => cron,
            Err(refusal) => return refusal.tell(),
        };
        let (description, through) = (cron.describe(), cron.runs_through());
        let print = Print::new(self.output);
        if print.is_data() {
            print.object(
                &json!({ "expr": self.expression, "description": description, "runs_through": through }),
            );
        } else {
            say(&format!("{description}\n{}", if through { THROUGH } else { FIXED }));
        }
        ExitCode::SUCCESS
    }
}
