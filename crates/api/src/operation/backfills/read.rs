//! One backfill, from memory or as the tables have it.

use std::sync::Arc;

use mainspring_core::backfill::decide::{BackfillAnswer, BackfillCommand};
use mainspring_core::backfill::{Backfill, BackfillRefusal};
use mainspring_core::decision::Rejection;
use mainspring_core::job::{Bounds, FailurePolicy, Plan};
use mainspring_core::values::{BackfillId, EntityKind};
use mainspring_store::format::{FormatError, read_backfill};
use mainspring_store::{EntityRow, ReadError};

use super::{ask, unexpected};
use crate::edge::Edge;
use crate::problem::Problem;

pub(crate) async fn backfill(edge: &Edge, id: BackfillId) -> Result<Box<Backfill>, Problem> {
    if let Some(found) = in_memory(edge, id).await? {
        return Ok(found);
    }
    let found = edge.readers.read(move |tables| {
        let row = tables.entity(EntityKind::Backfill, id.bits())?;
        row.map(|row| shown(&row)).transpose()
    });
    found.await?.ok_or_else(|| Rejection::from(BackfillRefusal::NotFound { id }).into())
}

pub(super) async fn in_memory(edge: &Edge, id: BackfillId) -> Result<Option<Box<Backfill>>, Problem> {
    match ask(edge, id.into(), BackfillCommand::Read { id }).await? {
        BackfillAnswer::Backfill(found) => Ok(found),
        _ => Err(unexpected()),
    }
}

/// For people: nobody asks for the plan of one that has ended.
pub(super) fn shown(row: &EntityRow) -> Result<Box<Backfill>, ReadError> {
    let no_plan = Plan::new(Vec::new(), FailurePolicy::default(), Bounds::default(), None);
    let spec = row.fixed.as_deref().unwrap_or_default();
    let read = read_backfill(spec, &row.bytes, |_| Ok::<_, FormatError>(Arc::new(no_plan)));
    let id = BackfillId::from_bits(row.id);
    read.map(Box::new).map_err(|error| ReadError { what: format!("row of {id}: {error}") })
}
