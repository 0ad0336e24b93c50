//! `mainspring attention`: what needs a person.

use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

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
            let found = client.get("/v1/attention").await?;
            let findings = found["findings"].as_array().map_or(&[][..], Vec::as_slice);
            if print.is_data() {
                print.object(&found);
            } else if findings.is_empty() {
                say(&format!("nothing needs you, as of record {}", found["record"]));
            } else {
                for finding in findings {
                    say(&described(finding));
                }
            }
            Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_NEEDED) })
        })
    }
}

fn described(finding: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let harm = match finding["harm"].as_u64() {
        Some(3) => "urgent",
        Some(2) => "soon",
        _ => "to know",
    };
    let more = if finding["more"] == true { " (and more)" } else { "" };
    let mut lines = vec![format!("{harm:<8}{}{more}", text(&finding["message"]))];
    if finding["since"].is_string() {
        lines.push(format!("        since {}", text(&finding["since"])));
    }
    if let Some(example) = finding.get("example") {
        lines.push(format!("        for example {}: {}", text(&example["id"]), text(&example["text"])));
    }
    lines.push(format!("        {}", text(&finding["advice"])));
    if let Some(words) = finding["action"]["command"].as_array() {
        let words: Vec<String> = words.iter().map(text).collect();
        // Thousands of ids help nobody; the page of dead letters takes them all.
        let shown = if words.len() > 12 { format!("{} …", words[..3].join(" ")) } else { words.join(" ") };
        lines.push(format!("        mainspring {shown}"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::described;

    #[test]
    fn a_finding_is_told_with_its_command() {
        let finding = json!({
            "harm": 3, "message": "1 run of `report` failed", "advice": "look at it", "since": "2026-11-18T03:00:00Z",
            "example": {"id": "run_1", "text": "`make` failed"}, "action": {"command": ["run", "clear", "run_1"]},
        });
        let text = described(&finding);
        assert!(text.starts_with("urgent  1 run of `report` failed\n"), "{text}");
        assert!(text.ends_with("mainspring run clear run_1"), "{text}");
    }
}
