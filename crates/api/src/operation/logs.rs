//! What an attempt wrote: read in pages, or followed while it grows.

use std::sync::Arc;

use mainspring_core::values::TaskId;
use mainspring_store::{LogKey, LogPlace};

use super::read;
use crate::edge::Edge;
use crate::logs::{Following, Piece, Stand};
use crate::problem::Problem;

const LIMIT_DEFAULT: u64 = 1 << 20;
const LIMIT_MAX: u64 = 8 << 20;

/// What is asked for, as callers write it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LogsBody {
    /// If none is named: the newest that has a log, or with `follow` the first and all after it.
    pub attempt: Option<u32>,
    pub offset: u64,
    /// In bytes.
    pub limit: Option<u64>,
    pub follow: bool,
}

impl LogsBody {
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.attempt == Some(0) {
            return Err(Problem::query("attempt", "attempts count from 1"));
        }
        match self.limit {
            Some(limit) if !(1..=LIMIT_MAX).contains(&limit) => {
                Err(Problem::query("limit", format!("it is a number of bytes from 1 to {LIMIT_MAX}")))
            }
            _ => Ok(()),
        }
    }
}

pub(crate) struct LogRead {
    /// `None`: no attempt has a log.
    pub attempt: Option<u32>,
    pub piece: Piece,
    /// Nothing follows, and nothing ever will.
    pub complete: bool,
}

pub(crate) async fn read_log(edge: &Edge, id: TaskId, asked: &LogsBody) -> Result<LogRead, Problem> {
    asked.check()?;
    let limit = asked.limit.unwrap_or(LIMIT_DEFAULT) as usize;
    let task = read(edge, id).await?;
    let attempt = match asked.attempt {
        Some(attempt) => Some(attempt),
        None => edge.logs.newest(id, task.attempts).await?,
    };
    let key = LogKey { task: id, attempt: attempt.unwrap_or(task.attempts) };
    let (page, place) = edge.logs.read(key, LogPlace::at(asked.offset), limit).await?;
    let is_late = Stand::of(&task, key.attempt).may_grow().is_some_and(|left| left.is_zero());
    let at_end = page.bytes.len() < limit;
    let complete = page.complete || at_end && (is_late || edge.logs.followers.was_silent(key));
    let piece =
        Piece { attempt: key.attempt, offset: asked.offset, bytes: page.bytes.into(), next: place.offset };
    Ok(LogRead { attempt, piece, complete })
}

/// The attempt it begins with, and what comes.
pub(crate) async fn follow_log(
    edge: &Arc<Edge>,
    id: TaskId,
    asked: &LogsBody,
) -> Result<(u32, Following), Problem> {
    asked.check()?;
    read(edge, id).await?;
    let max = edge.config.log_followers_max;
    let follower = edge.logs.followers.enter(id, max).ok_or(Problem::TooManyFollowers { max })?;
    let attempt = asked.attempt.unwrap_or(1);
    let named = (attempt, asked.attempt.is_some());
    Ok((attempt, Following::new(Arc::clone(edge), id, named, (asked.offset, asked.limit), follower)))
}
