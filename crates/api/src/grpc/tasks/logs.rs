//! `TaskService.Logs`: a stream of pieces, each small enough for any client.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, StreamExt, stream};
use mainspring_core::values::TaskId;
use mainspring_proto::v1;
use tonic::Status;

use super::super::status::refuse;
use crate::edge::Edge;
use crate::logs::Piece;
use crate::operation::{self, LogsBody, task_id};
use crate::problem::Problem;
use crate::server::RequestId;

/// Of one message; most clients take 4 MiB.
const PIECE_BYTES: u64 = 256 << 10;

pub(super) type Pieces = Pin<Box<dyn Stream<Item = Result<v1::TaskLogsResponse, Status>> + Send>>;

pub(super) async fn logs(
    edge: &Arc<Edge>,
    request_id: RequestId,
    request: &v1::TaskLogsRequest,
) -> Result<Pieces, Problem> {
    let id = task_id(&request.task_id)?;
    let v1::TaskLogsRequest { attempt, offset, limit, follow, .. } = *request;
    let asked = LogsBody { attempt, offset, limit, follow };
    if follow {
        let (_, following) = operation::follow_log(edge, id, &asked).await?;
        let broken = |_| Status::unavailable("the server stops or cannot read the log; follow on from here");
        let pieces = following.stream();
        return Ok(Box::pin(
            pieces.map(move |piece| piece.map(|piece| message(piece, false)).map_err(broken)),
        ));
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
        let length = read.piece.bytes.len() as u64;
        self.asked.attempt = read.attempt;
        self.asked.offset = read.piece.next;
        self.left = self.left.saturating_sub(length);
        self.done = read.complete || length < limit || self.left == 0;
        let message = message(read.piece, read.complete);
        Ok(v1::TaskLogsResponse { attempt: read.attempt.unwrap_or(0), ..message })
    }
}

fn message(piece: Piece, complete: bool) -> v1::TaskLogsResponse {
    v1::TaskLogsResponse {
        attempt: piece.attempt,
        offset: piece.offset,
        content: piece.bytes.into(),
        next_offset: piece.next,
        complete,
    }
}
