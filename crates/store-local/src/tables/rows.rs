//! Values as columns, and columns as values.

use mainspring_core::task::Status;
use mainspring_core::values::{Group, Name, Seq, TaskId, Wall, WorkerId};
use mainspring_store::{HistoryRow, LiveRow};
use rusqlite::Row;
use rusqlite::types::{FromSqlError, Type};

/// Columns of a live row, in the order that [`live`] reads.
pub const LIVE: &str = "id, grp, touched, parked_due, bytes";
/// Columns of a history row with its kind, in the order that [`history`] reads.
pub const HISTORY: &str =
    "h.id, h.grp, k.tenant, k.job, h.status, h.worker, h.labels, h.submitted, h.ended, h.bytes";
/// How many these are.
pub const HISTORY_COLUMNS: usize = 10;

/// Sorts as the number does.
pub fn wide(bits: u128) -> [u8; 16] {
    bits.to_be_bytes()
}

/// Cut to 63 bits: what lies beyond is as far as a signed column can say.
pub fn time(wall: Wall) -> i64 {
    i64::try_from(wall.millis()).unwrap_or(i64::MAX)
}

pub fn live(row: &Row<'_>) -> rusqlite::Result<LiveRow> {
    let due: Option<i64> = row.get(3)?;
    Ok(LiveRow {
        id: TaskId::from_bits(bits(row, 0)?),
        group: group(row, 1)?,
        touched: Seq::new(row.get::<_, i64>(2)?.cast_unsigned()),
        parked_due: due.map(|due| Wall::from_millis(due.cast_unsigned())),
        bytes: row.get(4)?,
    })
}

pub fn history(row: &Row<'_>) -> rusqlite::Result<HistoryRow> {
    let status: u8 = row.get(4)?;
    let worker: Option<[u8; 16]> = row.get(5)?;
    Ok(HistoryRow {
        id: TaskId::from_bits(bits(row, 0)?),
        group: group(row, 1)?,
        tenant: name(row, 2)?,
        job: name(row, 3)?,
        status: Status::from_index(status)
            .ok_or(rusqlite::Error::IntegralValueOutOfRange(4, i64::from(status)))?,
        worker: worker.map(|bytes| WorkerId::from_bits(u128::from_be_bytes(bytes))),
        labels: labels(row, 6)?,
        submitted: wall(row, 7)?,
        ended: wall(row, 8)?,
        bytes: row.get(9)?,
    })
}

pub fn group(row: &Row<'_>, at: usize) -> rusqlite::Result<Group> {
    row.get(at).map(Group::new)
}

pub fn bits(row: &Row<'_>, at: usize) -> rusqlite::Result<u128> {
    row.get(at).map(u128::from_be_bytes)
}

pub fn wall(row: &Row<'_>, at: usize) -> rusqlite::Result<Wall> {
    row.get::<_, i64>(at).map(|ms| Wall::from_millis(ms.cast_unsigned()))
}

pub fn name(row: &Row<'_>, at: usize) -> rusqlite::Result<Name> {
    checked(at, row.get_ref(at)?.as_str()?)
}

pub fn checked(at: usize, text: &str) -> rusqlite::Result<Name> {
    let bad = |error| FromSqlError::Other(format!("a stored name is bad: {error}").into());
    Name::new(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, bad(error).into()))
}

/// Names hold no control characters, so these can stand between them and be searched for.
const BEFORE_LABEL: char = '\u{1}';
const BEFORE_VALUE: char = '\u{2}';

/// `None` for no labels: most tasks have none.
pub fn labels_text(labels: &[(Name, Name)]) -> Option<String> {
    if labels.is_empty() {
        return None;
    }
    let mut text = String::from(BEFORE_LABEL);
    for (key, value) in labels {
        text.extend([key.as_str(), "\u{2}", value.as_str(), "\u{1}"]);
    }
    Some(text)
}

pub fn labels(row: &Row<'_>, at: usize) -> rusqlite::Result<Vec<(Name, Name)>> {
    let Some(text) = row.get_ref(at)?.as_str_or_null()? else { return Ok(vec![]) };
    text.split(BEFORE_LABEL)
        .filter_map(|label| label.split_once(BEFORE_VALUE))
        .map(|(key, value)| Ok((checked(at, key)?, checked(at, value)?)))
        .collect()
}
