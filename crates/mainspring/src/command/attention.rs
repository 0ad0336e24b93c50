//! `mainspring attention`: what needs a person.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::operations;
use serde_json::Value;

use super::connect::Print;
use super::list::Listing;
use super::output::{moment, plain, say};

/// What needs a person, the most harmful first, each with the command that helps. Exit: 0 nothing does, 3 something does,
/// 1 refused.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mainspring attention\n  mainspring attention --watch\n  mainspring attention -o json"
)]
pub(crate) struct Attention {
    #[command(flatten)]
    listing: Listing,
}

/// Something needs a person.
const EXIT_NEEDED: u8 = 3;
/// Columns before what is said of a finding.
const INDENT: usize = 8;
/// Words of a command that takes many ids; more help nobody.
const WORDS_MAX: usize = 12;

impl Attention {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.listing.show_one(operations::get_attention().path(), |print, found| {
            let findings = found["findings"].as_array().map_or(&[][..], Vec::as_slice);
            if print.is_data() {
                print.object(found);
            } else if findings.is_empty() {
                say(&format!("nothing needs you, as of record {}", found["record"]));
            } else {
                findings.iter().flat_map(|finding| described(print, finding)).for_each(|line| say(&line));
            }
            if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_NEEDED) }
        })
    }
}

fn described(print: Print, finding: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let harm = match finding["harm"].as_u64() {
        Some(3) => "urgent",
        Some(2) => "soon",
        _ => "to know",
    };
    let more = if finding["more"] == true { " (and more)" } else { "" };
    let mut said = Vec::new();
    if finding["since"].is_string() {
        said.push(format!("since {}", moment(&text(&finding["since"]))));
    }
    if finding["owner"].is_string() {
        said.push(format!("owner {}", text(&finding["owner"])));
    }
    if let Some(example) = finding.get("example") {
        said.push(format!("for example {}: {}", text(&example["id"]), text(&example["text"])));
    }
    said.push(text(&finding["advice"]));
    said.extend(look(finding));
    if let Some(words) = finding["action"]["command"].as_array() {
        let words: Vec<String> = words.iter().map(text).collect();
        let are_many = words.len() > WORDS_MAX && words[0] == "dead-letter";
        let shown = if are_many { "dead-letter requeue --all".to_owned() } else { words.join(" ") };
        said.push(format!("mainspring {shown}"));
    }
    let mut lines = print.folded(&format!("{harm:<INDENT$}{}{more}", text(&finding["message"])), INDENT);
    let below = said.iter().map(|what| plain(&what.lines().collect::<Vec<_>>().join(" · ")));
    lines.extend(below.flat_map(|what| print.folded(&format!("{:INDENT$}{what}", ""), INDENT + 2)));
    lines
}

/// The command that shows the example.
fn look(finding: &Value) -> Option<String> {
    let id = finding["example"]["id"].as_str()?;
    let command = match id.split_once('_')?.0 {
        "run" => "run diagnose",
        "task" => "task get",
        "worker" => "worker get",
        _ => return None,
    };
    Some(format!("mainspring {command} {id}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::output::Output;
    use super::{Print, described};

    #[test]
    fn a_finding_is_told_with_its_command() {
        let finding = json!({
            "harm": 3, "message": "1 run of `report` failed", "advice": "look at it", "since": "T0", "owner": "ops",
            "example": {"id": "run_1", "text": "`make` failed"}, "action": {"command": ["run", "clear", "run_1"]},
        });
        let lines = described(Print::new(Output::Table), &finding);
        let expected = [
            "urgent  1 run of `report` failed",
            "        since T0",
            "        owner ops",
            "        for example run_1: `make` failed",
            "        look at it",
            "        mainspring run diagnose run_1",
            "        mainspring run clear run_1",
        ];
        assert_eq!(lines, expected);
    }
}
