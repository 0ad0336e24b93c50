//! `mainspring attention`: what needs a person.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::operations;
use mainspring_client::types::Finding;

use super::connect::Connect;
use super::output::say;

/// What needs a person, the most harmful first, each with the command that helps. Exit: 0 nothing does, 3 something does,
/// 1 refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  mainspring attention\n  mainspring attention -o json")]
pub(crate) struct Attention {
    #[command(flatten)]
    connect: Connect,
}

/// Something needs a person.
const EXIT_NEEDED: u8 = 3;

impl Attention {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.connect.run(async |client, print| {
            let found = client.send(operations::get_attention()).await?;
            let findings = &found.findings;
            if print.is_data() {
                print.object(found.json());
            } else if findings.is_empty() {
                say(&format!("nothing needs you, as of record {}", found.record));
            } else {
                for finding in findings {
                    say(&described(finding));
                }
            }
            Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_NEEDED) })
        })
    }
}

fn described(finding: &Finding) -> String {
    let harm = match finding.harm {
        3 => "urgent",
        2 => "soon",
        _ => "to know",
    };
    let more = if finding.more == Some(true) { " (and more)" } else { "" };
    let mut lines = vec![format!("{harm:<8}{}{more}", finding.message)];
    if let Some(since) = &finding.since {
        lines.push(format!("        since {since}"));
    }
    if let Some(example) = &finding.example {
        lines.push(format!("        for example {}: {}", example.id, example.text));
    }
    lines.push(format!("        {}", finding.advice));
    if let Some(action) = &finding.action {
        let words = &action.command;
        // Thousands of ids help nobody; the page of dead letters takes them all.
        let shown = if words.len() > 12 { format!("{} …", words[..3].join(" ")) } else { words.join(" ") };
        lines.push(format!("        mainspring {shown}"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use mainspring_client::types::{AdvisedAction, Finding, FindingExample};

    use super::described;

    #[test]
    fn a_finding_is_told_with_its_command() {
        let finding = Finding {
            harm: 3,
            message: "1 run of `report` failed".to_owned(),
            advice: "look at it".to_owned(),
            since: Some("2026-11-18T03:00:00Z".to_owned()),
            example: Some(FindingExample { id: "run_1".to_owned(), text: "`make` failed".to_owned() }),
            action: Some(AdvisedAction {
                command: ["run", "clear", "run_1"].map(str::to_owned).to_vec(),
                ..AdvisedAction::default()
            }),
            ..Finding::default()
        };
        let text = described(&finding);
        assert!(text.starts_with("urgent  1 run of `report` failed\n"), "{text}");
        assert!(text.ends_with("mainspring run clear run_1"), "{text}");
    }
}
