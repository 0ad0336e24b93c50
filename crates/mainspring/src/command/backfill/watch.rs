//! Waiting for the end of a backfill, with a bar on a terminal. Whoever stops waiting does not stop the backfill.

use std::process::ExitCode;
use std::time::Duration;

use mainspring_client::{Client, ClientError};
use serde_json::Value;

use super::super::connect::Print;
use super::super::progress::Bar;

use crate::note::note;

/// Between two looks; longer while nothing changes.
const LOOK_MIN: Duration = Duration::from_millis(100);
const LOOK_MAX: Duration = Duration::from_secs(2);
/// As shells say of what was interrupted.
const INTERRUPTED: u8 = 130;

/// Until it has ended. Exit: 0 every window succeeded, 3 some did not.
pub(super) async fn watch(client: &Client, print: Print, id: &str) -> Result<ExitCode, ClientError> {
    let ended = tokio::select! {
        ended = until_ended(client, id) => ended?,
        _ = tokio::signal::ctrl_c() => {
            note!("\nthe backfill goes on: `mainspring backfill cancel {id}` ends it");
            return Ok(ExitCode::from(INTERRUPTED));
        }
    };
    print.object(&ended);
    let clean = ended["state"] == "ended" && ended["failed"] == 0;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::from(3) })
}

async fn until_ended(client: &Client, id: &str) -> Result<Value, ClientError> {
    let path = format!("/v1/backfills/{id}");
    let mut bar: Option<Bar> = None;
    let (mut done, mut wait) = (0, LOOK_MIN);
    loop {
        let backfill = client.get(&path).await?;
        let number = |field: &str| backfill.get(field).and_then(Value::as_u64).unwrap_or(0);
        let now = number("succeeded") + number("failed");
        let bar = bar.get_or_insert_with(|| Bar::new("windows", number("windows")));
        bar.advance(now.saturating_sub(done));
        let state = backfill.get("state").and_then(Value::as_str).unwrap_or_default();
        if matches!(state, "ended" | "cancelled") {
            return Ok(backfill);
        }
        wait = if now > done { LOOK_MIN } else { LOOK_MAX.min(wait * 3 / 2) };
        done = now;
        tokio::time::sleep(wait).await;
    }
}
