//! Waits `{"ms": …}` and succeeds. For tests and demonstrations.
//! - SX-1 an order to stop ends it at once; there is nothing to be graceful about
//!
//! Not here: waiting for something (`http`, `process`).

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::Executor;
use crate::attempt::{Attempt, Outcome};

pub struct Sleep;

#[derive(Deserialize)]
struct Payload {
    /// Whole, but `100.0` is whole too.
    ms: f64,
}

impl Executor for Sleep {
    fn run(&self, attempt: Attempt) -> BoxFuture<'static, Outcome> {
        sleep(attempt).boxed()
    }
}

async fn sleep(mut attempt: Attempt) -> Outcome {
    let payload: Payload = match serde_json::from_slice(&attempt.payload) {
        Ok(payload) => payload,
        Err(error) => return Outcome::permanent(format!("the payload of `sleep` is {{\"ms\": …}}: {error}")),
    };
    tokio::select! {
        () = tokio::time::sleep(Duration::from_millis(payload.ms as u64)) => Outcome::Success { output: None },
        order = attempt.stop.ordered() => order.outcome(0),
    }
}
