//! A way through a table, on which each row is checked against a filter, and how far it was gone.

use mainspring_core::values::Wall;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

/// Conditions that a row is checked against: text and what is bound in it.
pub struct Conditions {
    pub sql: String,
    pub values: Vec<Value>,
}

impl Conditions {
    pub fn none() -> Self {
        Self { sql: "1".to_owned(), values: vec![] }
    }

    /// Nothing is added for what was not asked for.
    pub fn also(&mut self, condition: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.sql.extend([" AND ", condition]);
            self.values.push(value);
        }
    }
}

/// What was found on the way, the newest first.
pub struct Looked<Id, Found> {
    pub rows: Vec<Found>,
    /// Rows that were looked at.
    pub count: usize,
    /// The last row that was looked at, where the way was left before its end.
    pub left_at: Option<(Id, Wall)>,
}

impl<Id, Found> Default for Looked<Id, Found> {
    fn default() -> Self {
        Self { rows: vec![], count: 0, left_at: None }
    }
}

/// How the rows of a statement are read.
pub struct Columns<Id, Found> {
    /// Whether the row fits.
    pub fits: usize,
    pub place: fn(&Row<'_>) -> rusqlite::Result<(Id, Wall)>,
    pub row: fn(&Row<'_>) -> rusqlite::Result<Found>,
}

/// Until so many rows are found, `most` were looked at, or there are no more.
pub fn read<Id, Found>(
    db: &Connection,
    (sql, values): (String, Vec<Value>),
    columns: &Columns<Id, Found>,
    want: usize,
    most: usize,
) -> rusqlite::Result<Looked<Id, Found>> {
    let mut select = db.prepare_cached(&sql)?;
    let mut rows = select.query(params_from_iter(values))?;
    let mut looked = Looked::default();
    while looked.rows.len() < want
        && let Some(row) = rows.next()?
    {
        looked.count += 1;
        if row.get(columns.fits)? {
            looked.rows.push((columns.row)(row)?);
        }
        if looked.count == most {
            looked.left_at = Some((columns.place)(row)?);
            break;
        }
    }
    Ok(looked)
}
