//! Whether a file is there, on the machine of the worker that polls.

use std::time::UNIX_EPOCH;

use serde::Deserialize;
use serde_json::json;

use super::Seen;
use crate::attempt::Outcome;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    path: String,
    /// A smaller one is still being written.
    #[serde(default)]
    min_bytes: u64,
}

pub(super) async fn poll(wanted: Wanted) -> Seen {
    if !wanted.path.starts_with('/') {
        return Seen::Over(Outcome::permanent(format!("`{}` is no absolute path", wanted.path)));
    }
    let path = wanted.path.clone();
    // A file system that does not answer must not hold up the others.
    let found = tokio::task::spawn_blocking(move || std::fs::metadata(path)).await;
    let Ok(Ok(found)) = found else { return Seen::NotYet };
    if found.len() < wanted.min_bytes {
        return Seen::NotYet;
    }
    let modified = found.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let modified_ms = modified.map(|at| at.as_millis() as u64);
    let output = json!({ "path": wanted.path, "bytes": found.len(), "modified_unix_ms": modified_ms });
    Seen::There(output.to_string().into_bytes())
}
