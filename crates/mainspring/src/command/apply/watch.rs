//! `apply --watch`: the server follows the files.

use std::process::ExitCode;
use std::time::Duration;

use mainspring_client::{Client, ClientError};

use super::super::connect::Print;
use super::super::validate::Findings;
use super::{Files, Plan};
use crate::note::note;

/// How often the files are read. Reading all of a folder is cheap, and works on every file system.
const READ_EVERY: Duration = Duration::from_secs(1);

/// Until Ctrl-C. Mistakes and refusals are told, and the next change of a file is waited for.
pub(super) async fn watch(
    client: &Client,
    print: Print,
    files: &Files,
    plan: &Plan<'_>,
) -> Result<ExitCode, ClientError> {
    // Nobody sits there to be asked.
    let plan = Plan { yes: true, ..*plan };
    let mut seen: Option<Result<Vec<String>, String>> = None;
    note!("the server follows the files; Ctrl-C ends it");
    loop {
        let found = Findings::of(&files.paths.all(), plan.tenant, files.max_tasks);
        let found = found.map_err(|error| format!("{error:#}"));
        let content = found.as_ref().map(Findings::fingerprint).map_err(Clone::clone);
        if seen.as_ref() != Some(&content) {
            match &found {
                Ok(findings) if findings.has_mistakes() => findings.print(),
                Ok(findings) => apply(client, print, &plan, findings).await?,
                Err(error) => note!("error: {error}"),
            }
            seen = Some(content);
        }
        tokio::time::sleep(READ_EVERY).await;
    }
}

async fn apply(
    client: &Client,
    print: Print,
    plan: &Plan<'_>,
    findings: &Findings,
) -> Result<(), ClientError> {
    match plan.carry_out(client, print, findings).await {
        Ok(_) => Ok(()),
        Err(error @ ClientError::Refused { .. }) => {
            note!("error: {error}");
            if let Some(advice) = error.advice() {
                note!("\nhint: {advice}");
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}
