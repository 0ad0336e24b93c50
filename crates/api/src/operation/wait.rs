//! Long polls: read a task or a run once it has ended, or when the caller's time is over.
//! - OW-1 who waits is woken by the change; nothing is asked again and again

use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_core::task::Task;
use mainspring_core::values::{Millis, RunId, TaskId};

use super::{flows, read};
use crate::edge::Edge;
use crate::feed::{self, Kind, Manner, Wanted};
use crate::problem::Problem;
use crate::wire::SeenRun;

/// Longest wait. Proxies and clients close connections that are silent for longer.
const WAIT_MAX: Millis = Millis::from_secs(60);

/// `None`: answer at once.
pub(crate) fn checked_wait(wait: Option<Millis>) -> Result<Duration, Problem> {
    let wait = wait.unwrap_or(Millis::ZERO);
    if wait > WAIT_MAX {
        let what = format!("at most {} s; ask again for longer", WAIT_MAX.get() / 1000);
        return Err(Problem::query("wait", what));
    }
    Ok(Duration::from_millis(wait.get()))
}

/// The task when it has ended, or as it is after `wait`.
pub(crate) async fn read_ended(edge: &Edge, id: TaskId, wait: Duration) -> Result<Box<Task>, Problem> {
    let until = Instant::now() + wait;
    let task = read(edge, id).await?;
    if wait.is_zero() || task.status().is_ended() {
        return Ok(task);
    }
    let max = edge.config.log_followers_max;
    let entered = edge.logs.followers.enter(id, max);
    let mut follower = entered.ok_or(Problem::TooManyFollowers { max })?;
    loop {
        // Marked before the task is read: a change in between wakes at once.
        follower.look();
        let task = read(edge, id).await?;
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || task.status().is_ended() {
            return Ok(task);
        }
        if tokio::time::timeout(left, follower.news()).await == Ok(false) {
            // The server stops.
            return Ok(task);
        }
    }
}

/// The run when it has ended, or as it is after `wait`.
pub(crate) async fn run_ended(edge: &Arc<Edge>, id: RunId, wait: Duration) -> Result<SeenRun, Problem> {
    let seen = flows::seen_run(edge, id).await?;
    if wait.is_zero() || seen.run.status.is_ended() {
        return Ok(seen);
    }
    let wanted = Wanted { kind: Some(Kind::RunEnd), run: Some(id.to_string()), ..Wanted::default() };
    let manner = Manner { for_at_most: Some(wait), ..Manner::default() };
    let mut listening = feed::listen(edge, wanted, manner).await?;
    // It may have ended before the feed was on.
    let seen = flows::seen_run(edge, id).await?;
    if seen.run.status.is_ended() {
        return Ok(seen);
    }
    // Lines without anything keep other listeners' connections alive; here they say nothing.
    while let Some(line) = listening.next().await {
        if line.len() > 1 {
            break;
        }
    }
    flows::seen_run(edge, id).await
}
