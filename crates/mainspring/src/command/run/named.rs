//! A task that a run does not have: which one may have been meant.

use mainspring_client::{Client, ClientError};

use super::super::suggest;
use super::text;

/// Names that are listed if none is near.
const NAMES_MAX: usize = 10;

/// `None`: the run has all of these tasks, or cannot be asked.
pub(super) async fn advice(client: &Client, run: &str, named: &[String]) -> Option<String> {
    let found = client.get(&format!("/v1/runs/{run}")).await.ok()?;
    let tasks = found["tasks"].as_array().into_iter().flatten();
    let known: Vec<String> = tasks.map(|task| text(task, "name").to_owned()).collect();
    let unknown = named.iter().find(|name| !known.contains(name))?;
    let near = suggest::nearest(unknown, known.clone());
    let some: Vec<String> = known.into_iter().take(NAMES_MAX).collect();
    Some(match near.as_slice() {
        [] => format!("its tasks are {}", suggest::listed(&some).replace(" or ", " and ")),
        near => format!("did you mean {}?", suggest::listed(near)),
    })
}

/// The same refusal; if it was for an unknown task, with the names that may have been meant.
pub(super) async fn with_advice(
    client: &Client,
    run: &str,
    named: &[String],
    error: ClientError,
) -> ClientError {
    let ClientError::Refused { status, code, message, advice: said, path } = error else { return error };
    let meant = if code == "RUN_HAS_NO_SUCH_TASK" { advice(client, run, named).await } else { None };
    ClientError::Refused { status, code, message, advice: meant.unwrap_or(said), path }
}
