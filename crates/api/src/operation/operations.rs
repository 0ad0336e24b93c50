//! Bulk work that was begun: how far it has come, and its end before it is through.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::Question;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::operation::Operation;
use mainspring_core::values::{EntityKind, OperationId};
use mainspring_store::format::read_operation;
use mainspring_store::{EntityQuery, EntityRow, ReadError};

use super::flows::page_length;
use super::{Caller, Change};
use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::wire::{OperationView, OverrideBody};

/// Rows of the tables looked at for one page: the server's own work lies between what callers asked for.
const PAGES_MAX: usize = 20;

fn unknown(id: &(impl ToString + ?Sized)) -> Problem {
    Problem::OperationNotFound { id: id.to_string().chars().take(50).collect() }
}

/// What is no number names no operation.
fn parse(text: &str) -> Result<OperationId, Problem> {
    text.parse().map(OperationId::new).map_err(|_| unknown(text))
}

pub(crate) async fn operation(edge: &Edge, text: &str) -> Result<OperationView, Problem> {
    shown(edge, parse(text)?).await
}

/// From memory, or as the tables have it.
pub(super) async fn shown(edge: &Edge, id: OperationId) -> Result<OperationView, Problem> {
    if let Some(operation) = in_memory(edge, Some(id)).await?.first() {
        return OperationView::of(operation).ok_or_else(|| unknown(&id.get()));
    }
    // Once it has left memory the tables have it.
    let found = edge.readers.read(move |tables| {
        let row = tables.entity(EntityKind::Operation, u128::from(id.get()))?;
        row.map(|row| decoded(&row)).transpose()
    });
    let found = found.await?;
    found.as_ref().and_then(OperationView::of).ok_or_else(|| unknown(&id.get()))
}

/// Newest first, with where the next page begins.
pub(crate) async fn operations(
    edge: &Edge,
    cursor: Option<&str>,
    limit: Option<usize>,
) -> Result<(Vec<OperationView>, Option<String>), Problem> {
    let limit = page_length(limit)?;
    let after = cursor.map(str::parse::<u64>).transpose();
    let mut after =
        after.map_err(|_| Problem::query("cursor", "not one that an answer gave"))?.map(u128::from);
    // So that one is in the list as soon as its caller knows of it.
    edge.gateway.tables_follow(false).await?;
    let live = in_memory(edge, None).await?;
    let mut views = Vec::new();
    for _ in 0..PAGES_MAX {
        let query = EntityQuery { kind: EntityKind::Operation, tenant: None, parent: None, after, limit };
        let rows = edge
            .readers
            .read(move |tables| tables.entities(&query)?.iter().map(decoded).collect::<Result<Vec<_>, _>>())
            .await?;
        let is_last = rows.len() < limit;
        for row in &rows {
            after = Some(row.id.get().into());
            // What has not ended may have gone on since its row was written.
            let newest = live.iter().find(|operation| operation.id == row.id).unwrap_or(row);
            views.extend(OperationView::of(newest));
            if views.len() >= limit {
                return Ok((views, after.map(|after| after.to_string())));
            }
        }
        if is_last {
            return Ok((views, None));
        }
    }
    Ok((views, after.map(|after| after.to_string())))
}

/// What it has not come to stays as it is.
pub(crate) async fn cancel_operation(
    edge: &Edge,
    text: &str,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<OperationView, Problem> {
    let id = parse(text)?;
    let by = Change::by("bulk work was cancelled", over, caller)?;
    let entity = id.get().to_string();
    let command = Command::CancelOperation { id, over: by.actor() };
    if caller.first_answer(edge, Route::All, ("cancel operation", &entity)).await?.is_none() {
        shown(edge, id).await?;
        let command = caller.keyed(edge, Route::All, ("cancel operation", &entity), command)?;
        edge.gateway.ask(Route::All, command).await?;
        by.done(format_args!("operation {}", id.get()));
    }
    shown(edge, id).await
}

fn decoded(row: &EntityRow) -> Result<Operation, ReadError> {
    let fixed = row.fixed.as_deref().unwrap_or_default();
    read_operation(fixed, &row.bytes)
        .map_err(|error| ReadError { what: format!("row of operation {}: {error}", row.id) })
}

async fn in_memory(edge: &Edge, only: Option<OperationId>) -> Result<Vec<Operation>, Problem> {
    match edge.gateway.ask(Route::All, Command::Ask(Question::Operations { only })).await? {
        Answer::Operations(found) => Ok(found),
        _ => Err(Rejection::Internal { what: "operations were answered with something else" }.into()),
    }
}
