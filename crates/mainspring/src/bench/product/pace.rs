//! A steady load: batches of no-ops at an even pace.

use std::time::Duration;

use anyhow::bail;

use super::throughput::{batch_request, noop};
use super::wire::Wire;

/// Submits `per_s` tasks a second in batches until `over`; how many were accepted. What is refused for want of room is
/// not made up for.
pub(super) async fn pace(
    mut wire: Wire,
    per_s: u64,
    batch: u64,
    over: impl Fn() -> bool,
) -> anyhow::Result<u64> {
    let request = batch_request(&noop(200), batch);
    let mut tick = tokio::time::interval(Duration::from_micros(1_000_000 * batch / per_s));
    let mut accepted = 0;
    while !over() {
        tick.tick().await;
        match wire.call(&request).await?.status {
            202 => accepted += batch,
            207 | 429 | 503 => tokio::time::sleep(Duration::from_millis(20)).await,
            other => bail!("a batch was answered with {other}"),
        }
    }
    Ok(accepted)
}
