//! What an attempt wrote: read in pages, from the end or from a line, searched, or followed while it grows.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, stream};
use mainspring_core::task::Task;
use mainspring_core::values::TaskId;
use mainspring_proto::streams::{LogStream, PIECE_BYTES_MAX, STDERR_MARK, StreamFilter, begun_mark};
use mainspring_store::{LogFound, LogKey, LogPlace, LogPoint, LogSearch};

use super::read;
use crate::edge::Edge;
use crate::logs::{BrokenOff, Following, Piece, Stand};
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
    /// The last bytes, from the first line that begins there.
    pub tail: Option<u64>,
    /// From this line on, counted from 1; below 0: so many last lines.
    pub line: Option<i64>,
    pub follow: bool,
    pub stream: LogStream,
}

impl LogsBody {
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.attempt == Some(0) {
            return Err(Problem::query("attempt", "attempts count from 1"));
        }
        for (name, bytes) in [("limit", self.limit), ("tail", self.tail)] {
            if bytes.is_some_and(|bytes| !(1..=LIMIT_MAX).contains(&bytes)) {
                return Err(Problem::query(name, format!("it is a number of bytes from 1 to {LIMIT_MAX}")));
            }
        }
        if self.line == Some(0) {
            return Err(Problem::query("line", "lines count from 1; below 0 they count from the end"));
        }
        let name = if self.tail.is_some() { "tail" } else { "line" };
        if usize::from(self.offset > 0) + usize::from(self.tail.is_some()) + usize::from(self.line.is_some())
            > 1
        {
            return Err(Problem::query(name, "give one of `offset`, `tail` and `line`"));
        }
        if self.follow && self.point().is_some() {
            return Err(Problem::query(
                name,
                "it does not go with `follow`: read this first, then follow with `offset` from `Mainspring-Log-Next`",
            ));
        }
        Ok(())
    }

    fn point(&self) -> Option<LogPoint> {
        let line = self.line.map(|line| match u64::try_from(line) {
            Ok(line) => LogPoint::Line(line),
            Err(_) => LogPoint::LastLines(line.unsigned_abs()),
        });
        line.or(self.tail.map(LogPoint::LastBytes))
    }

    fn page_bytes(&self) -> u64 {
        self.limit.unwrap_or(LIMIT_DEFAULT.max(self.tail.unwrap_or(0)))
    }
}

pub(crate) struct LogRead {
    /// `None`: no attempt has a log.
    pub attempt: Option<u32>,
    pub piece: Piece,
    /// Number of the line in which the piece begins; 0 if there is no log.
    pub line: u64,
    /// Where the log ends by now and how many lines it has, if a point of it was asked for.
    pub extent: Option<(u64, u64)>,
    /// Nothing follows, and nothing ever will.
    pub complete: bool,
    /// It was cut by the limit: there is more.
    pub is_full: bool,
}

pub(crate) async fn read_log(edge: &Edge, id: TaskId, asked: &LogsBody) -> Result<LogRead, Problem> {
    asked.check()?;
    let limit = asked.page_bytes() as usize;
    let (task, attempt) = attempt(edge, id, asked.attempt).await?;
    let key = LogKey { task: id, attempt: attempt.unwrap_or(task.attempts) };
    let spot = match asked.point() {
        Some(point) => Some(edge.logs.locate(key, point).await?),
        None => None,
    };
    let place = spot.map_or(LogPlace::at(asked.offset), |spot| spot.place);
    let (offset, extent) = (place.offset, spot.map(|spot| (spot.bytes, spot.lines)));
    let mut filter = StreamFilter::new(asked.stream);
    if asked.stream.is_one() {
        look_back(edge, key, offset, &mut filter).await?;
    }
    let (page, place) = edge.logs.read(key, place, limit).await?;
    let is_late = Stand::of(&task, key.attempt).may_grow().is_some_and(|left| left.is_zero());
    let at_end = page.bytes.len() < limit;
    let complete = page.complete || at_end && (is_late || edge.logs.followers.was_silent(key));
    let line = page.line;
    let mut bytes = Bytes::from(page.bytes);
    // The next page begins with the mark that was cut.
    let is_short = bytes.len() <= STDERR_MARK.len();
    let cut = if at_end || is_short || asked.stream == LogStream::Marked { 0 } else { begun_mark(&bytes) };
    bytes.truncate(bytes.len() - cut);
    let next = place.offset - cut as u64;
    let piece = Piece { attempt: key.attempt, offset, bytes: filter.take(bytes), next };
    Ok(LogRead { attempt, piece, line, extent, complete, is_full: !at_end })
}

/// Finds out to which stream the bytes at an offset belong: every piece of stderr has a mark before it, not far.
async fn look_back(edge: &Edge, key: LogKey, offset: u64, filter: &mut StreamFilter) -> Result<(), Problem> {
    let from = offset.saturating_sub((PIECE_BYTES_MAX + STDERR_MARK.len()) as u64);
    if from < offset {
        let (page, _) = edge.logs.read(key, LogPlace::at(from), (offset - from) as usize).await?;
        filter.take(page.bytes.into());
    }
    Ok(())
}

/// The task, and the attempt whose log is read: the one that is named, or the newest that has one.
async fn attempt(edge: &Edge, id: TaskId, named: Option<u32>) -> Result<(Box<Task>, Option<u32>), Problem> {
    let task = read(edge, id).await?;
    let attempt = match named {
        Some(attempt) => Some(attempt),
        None => edge.logs.newest(id, task.attempts).await?,
    };
    Ok((task, attempt))
}

/// The whole log of an attempt as it is now, piece by piece.
pub(crate) async fn download_log(
    edge: &Arc<Edge>,
    id: TaskId,
    asked: &LogsBody,
) -> Result<(u32, impl Stream<Item = Result<Bytes, BrokenOff>> + use<>), Problem> {
    asked.check()?;
    if asked.follow || asked.point().is_some() || asked.limit.is_some() {
        return Err(Problem::query("download", "it goes with `attempt` and `offset` only"));
    }
    let (task, attempt) = attempt(edge, id, asked.attempt).await?;
    let key = LogKey { task: id, attempt: attempt.unwrap_or(task.attempts.max(1)) };
    let mut filter = StreamFilter::new(asked.stream);
    if asked.stream.is_one() {
        look_back(edge, key, asked.offset, &mut filter).await?;
    }
    let start = (Arc::clone(edge), LogPlace::at(asked.offset), filter);
    let pieces = stream::try_unfold(start, move |(edge, place, mut filter)| async move {
        let read = edge.logs.read(key, place, LIMIT_DEFAULT as usize).await;
        let (page, place) = read.map_err(|_| BrokenOff)?;
        let is_end = page.bytes.is_empty();
        let bytes = filter.take(page.bytes.into());
        Ok((!is_end).then_some((bytes, (edge, place, filter))))
    });
    Ok((key.attempt, pieces))
}

/// What is searched for, as callers write it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LogSearchBody<'a> {
    pub attempt: Option<u32>,
    pub text: &'a str,
    pub from: u64,
    pub limit: Option<u64>,
    pub ignore_case: bool,
}

/// Characters of a text to search for.
const SEARCH_TEXT_MAX: usize = 1_000;
const HITS_DEFAULT: u64 = 100;
const HITS_MAX: u64 = 1_000;
/// Looked at for one answer. Measured: 256 MiB take about 0.2 s.
const SEARCH_BYTES_MAX: u64 = 256 << 20;

pub(crate) async fn search_log(
    edge: &Edge,
    id: TaskId,
    asked: &LogSearchBody<'_>,
) -> Result<(Option<u32>, LogFound), Problem> {
    if asked.attempt == Some(0) {
        return Err(Problem::query("attempt", "attempts count from 1"));
    }
    if asked.text.is_empty()
        || asked.text.chars().count() > SEARCH_TEXT_MAX
        || asked.text.contains(['\n', '\r'])
    {
        return Err(Problem::query(
            "q",
            format!("it is a text of one line, from 1 to {SEARCH_TEXT_MAX} characters"),
        ));
    }
    let limit = asked.limit.unwrap_or(HITS_DEFAULT);
    if !(1..=HITS_MAX).contains(&limit) {
        return Err(Problem::query("limit", format!("it is a number of lines from 1 to {HITS_MAX}")));
    }
    let (task, attempt) = attempt(edge, id, asked.attempt).await?;
    let key = LogKey { task: id, attempt: attempt.unwrap_or(task.attempts) };
    let search = LogSearch {
        text: asked.text.into(),
        ignore_case: asked.ignore_case,
        from: asked.from,
        hits_max: limit as usize,
        bytes_max: SEARCH_BYTES_MAX,
    };
    Ok((attempt, edge.logs.search(key, search).await?))
}

/// The attempt it begins with, and what comes.
pub(crate) async fn follow_log(
    edge: &Arc<Edge>,
    id: TaskId,
    asked: &LogsBody,
) -> Result<(u32, StreamFilter, Following), Problem> {
    asked.check()?;
    read(edge, id).await?;
    let max = edge.config.log_followers_max;
    let follower = edge.logs.followers.enter(id, max).ok_or(Problem::TooManyFollowers { max })?;
    let attempt = asked.attempt.unwrap_or(1);
    let named = (attempt, asked.attempt.is_some());
    let mut filter = StreamFilter::new(asked.stream);
    if asked.stream.is_one() {
        look_back(edge, LogKey { task: id, attempt }, asked.offset, &mut filter).await?;
    }
    let following = Following::new(Arc::clone(edge), id, named, (asked.offset, asked.limit), follower);
    Ok((attempt, filter, following))
}
