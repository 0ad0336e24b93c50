//! Waiting for the end of a backfill, with a bar on a terminal. Whoever stops waiting does not stop the backfill.

use std::process::ExitCode;
use std::time::Duration;

use mainspring_client::operations;
use mainspring_client::types::Backfill;
use mainspring_client::{Answer, Client, ClientError};

use super::super::connect::Print;
use super::super::progress::Bar;
use super::super::submit::INTERRUPTED;

use crate::note::note;

/// Between two looks; longer while nothing changes.
const LOOK_MIN: Duration = Duration::from_millis(100);
const LOOK_MAX: Duration = Duration::from_secs(2);

/// Until it has ended. Exit: 0 every window succeeded, 3 some did not.
pub(super) async fn watch(client: &Client, print: Print, id: &str) -> Result<ExitCode, ClientError> {
    let ended = tokio::select! {
        ended = until_ended(client, id) => ended?,
        _ = tokio::signal::ctrl_c() => {
            note!("\nthe backfill goes on: `mainspring backfill cancel {id}` ends it");
            return Ok(ExitCode::from(INTERRUPTED));
        }
    };
    print.object(ended.json());
    if !print.is_data() && ended.failed > 0 {
        let job = &ended.job;
        note!("\nhint: mainspring run list --job {job} --trigger backfill --state failed");
        note!("      mainspring backfill {job} --from {} --to {} --only failed", ended.from, ended.to);
    }
    let clean = ended.state == "ended" && ended.failed == 0;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::from(3) })
}

async fn until_ended(client: &Client, id: &str) -> Result<Answer<Backfill>, ClientError> {
    let mut bar: Option<Bar> = None;
    let (mut done, mut wait) = (0, LOOK_MIN);
    loop {
        let backfill = client.send(operations::get_backfill(id)).await?;
        let now = backfill.succeeded + backfill.failed;
        let bar = bar.get_or_insert_with(|| Bar::new("windows", backfill.windows));
        bar.advance(now.saturating_sub(done));
        if matches!(backfill.state.as_str(), "ended" | "cancelled") {
            return Ok(backfill);
        }
        wait = if now > done { LOOK_MIN } else { LOOK_MAX.min(wait * 3 / 2) };
        done = now;
        tokio::time::sleep(wait).await;
    }
}
