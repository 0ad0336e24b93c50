//! `TaskService.Logs`: a stream of pieces, each small enough for any client.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, StreamExt, stream};
use mainspring_core::values::TaskId;
use mainspring_proto::streams::LogStream;
use mainspring_proto::v1;
use tonic::Status;

use super::super::status::refuse;
use crate::edge::Edge;
use crate::logs::Piece;
use crate::operation::{self, LogSearchBody, LogsBody, task_id};
use crate::problem::Problem;
use crate::server::RequestId;
use crate::wire::{LogHitView, LogHits};

/// Of one message; most clients take 4 MiB.
const PIECE_BYTES: u64 = 256 << 10;

pub(super) type Pieces = Pin<Box<dyn Stream<Item = Result<v1::TaskLogsResponse, Status>> + Send>>;

pub(super) async fn logs(
    edge: &Arc<Edge>,
    request_id: RequestId,
    request: &v1::TaskLogsRequest,
) -> Result<Pieces, Problem> {
    let id = task_id(&request.task_id)?;
    let v1::TaskLogsRequest { attempt, offset, limit, follow, tail, line, .. } = *request;
    let stream = request.stream.as_deref().map_or(Some(LogStream::All), LogStream::parse);
    let stream =
        stream.ok_or_else(|| Problem::query("stream", "it is `all`, `stdout`, `stderr` or `marked`"))?;
    let asked = LogsBody { attempt, offset, limit, tail, line, follow, stream };
    if follow {
        let (_, mut filter, following) = operation::follow_log(edge, id, &asked).await?;
        let broken = |_| Status::unavailable("the server stops or cannot read the log; follow on from here");
        let pieces = following.stream();
        return Ok(Box::pin(pieces.map(move |piece| {
            let told = |piece: Piece| Piece { bytes: filter.take(piece.bytes.clone()), ..piece };
            piece.map(told).map(|piece| message(piece, false)).map_err(broken)
        })));
    }
    asked.check()?;
    let left = limit.unwrap_or(u64::MAX);
    let mut reading = Reading { edge: Arc::clone(edge), id, asked, left, done: false };
    // The first is read at once, so that what is wrong with a request is told before anything else.
    let first = reading.piece().await?;
    let rest = stream::try_unfold(reading, move |mut reading| {
        let request_id = request_id.clone();
        async move {
            if reading.done {
                return Ok(None);
            }
            let piece = reading.piece().await;
            let piece = piece.map_err(|problem| refuse(&reading.edge, &request_id, &problem))?;
            Ok(Some((piece, reading)))
        }
    });
    Ok(Box::pin(stream::once(async { Ok(first) }).chain(rest)))
}

/// From one page to the next, until what there is now has been read.
struct Reading {
    edge: Arc<Edge>,
    id: TaskId,
    asked: LogsBody,
    left: u64,
    done: bool,
}

impl Reading {
    async fn piece(&mut self) -> Result<v1::TaskLogsResponse, Problem> {
        let limit = self.left.min(PIECE_BYTES);
        let asked = LogsBody { limit: Some(limit), ..self.asked };
        let read = operation::read_log(&self.edge, self.id, &asked).await?;
        let stream = self.asked.stream;
        self.asked =
            LogsBody { attempt: read.attempt, offset: read.piece.next, stream, ..LogsBody::default() };
        self.left = self.left.saturating_sub(read.piece.next.saturating_sub(read.piece.offset));
        self.done = read.complete || !read.is_full || self.left == 0;
        let (size, lines) = read.extent.unzip();
        let message = message(read.piece, read.complete);
        let line = (read.line > 0).then_some(read.line);
        Ok(v1::TaskLogsResponse { attempt: read.attempt.unwrap_or(0), line, size, lines, ..message })
    }
}

fn message(piece: Piece, complete: bool) -> v1::TaskLogsResponse {
    v1::TaskLogsResponse {
        attempt: piece.attempt,
        offset: piece.offset,
        content: piece.bytes.into(),
        next_offset: piece.next,
        complete,
        ..v1::TaskLogsResponse::default()
    }
}

pub(super) async fn search(
    edge: &Edge,
    request: &v1::SearchTaskLogsRequest,
) -> Result<v1::TaskLogHits, Problem> {
    let v1::SearchTaskLogsRequest { attempt, from, limit, ignore_case, .. } = *request;
    let asked = LogSearchBody { attempt, text: &request.text, from, limit, ignore_case };
    let (attempt, found) = operation::search_log(edge, task_id(&request.task_id)?, &asked).await?;
    let found = LogHits::of(attempt, from, &found);
    let hit = |hit: LogHitView| v1::TaskLogHit {
        line: hit.line,
        offset: hit.offset,
        before: hit.before,
        r#match: hit.matched,
        after: hit.after,
        cut: hit.cut,
    };
    Ok(v1::TaskLogHits {
        attempt: found.attempt.unwrap_or(0),
        hits: found.hits.into_iter().map(hit).collect(),
        next_offset: found.next_offset,
        looked_at: found.looked_at,
        complete: found.complete,
    })
}
