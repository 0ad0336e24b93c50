//! Backfills, newest first.

use mainspring_core::backfill::Backfill;
use mainspring_core::values::{BackfillId, EntityKind};
use mainspring_store::EntityQuery;

use super::read::{in_memory, shown};
use crate::edge::Edge;
use crate::operation::flows::page_length;
use crate::problem::Problem;
use crate::wire::name;

const STATES: [&str; 5] = ["running", "paused", "cancelling", "ended", "cancelled"];

/// Which are wanted; what is not set is all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BackfillFilter<'a> {
    pub tenant: Option<&'a str>,
    pub job: Option<&'a str>,
    pub state: Option<&'a str>,
}

/// With where the next page begins. With a state a page may be shorter than its limit.
pub(crate) async fn backfills(
    edge: &Edge,
    BackfillFilter { tenant, job, state }: BackfillFilter<'_>,
    cursor: Option<&str>,
    limit: Option<usize>,
) -> Result<(Vec<Box<Backfill>>, Option<BackfillId>), Problem> {
    let limit = page_length(limit)?;
    let named = |field, text: Option<&str>| text.map(|text| name(field, text)).transpose();
    if state.is_some_and(|state| !STATES.contains(&state)) {
        return Err(Problem::query("state", format!("one of {}", STATES.join(", "))));
    }
    let after = cursor.map(str::parse::<BackfillId>).transpose();
    let after = after.map_err(|_| Problem::query("cursor", "not one that an answer gave"))?;
    let query = EntityQuery {
        kind: EntityKind::Backfill,
        tenant: named("tenant", tenant)?,
        parent: named("job", job)?,
        after: after.map(BackfillId::bits),
        limit,
    };
    // So that one is in the list as soon as its caller knows of it.
    edge.gateway.tables_follow(false).await?;
    let rows = edge.readers.read(move |tables| tables.entities(&query)).await?;
    let next = rows.last().filter(|_| rows.len() == limit).map(|row| BackfillId::from_bits(row.id));
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        // What has not ended may have gone on since its row was written.
        let live =
            if row.ended.is_none() { in_memory(edge, BackfillId::from_bits(row.id)).await? } else { None };
        match live {
            Some(live) => found.push(live),
            None => found.push(edge.readers.read(move |_| shown(&row)).await?),
        }
    }
    found.retain(|backfill| state.is_none_or(|state| backfill.status().label() == state));
    Ok((found, next))
}
