//! Damaged rows: each is named, kept apart and listed, and everything else goes on.
//! - QT-1 a row stays in the tables as it is; releasing it means that it is read again

use std::collections::BTreeMap;
use std::fmt::Display;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command, QuarantineCommand, QuarantinedRow};
use mainspring_core::values::{Name, Wall};

use super::Shard;

/// Rows that are listed; those beyond are only told to who asks for them and to the log.
const ROWS_MAX: usize = 1_000;
/// Of a reason.
const WHY_CHARS_MAX: usize = 300;

#[derive(Debug, Default)]
pub(super) struct Quarantine {
    rows: BTreeMap<Name, QuarantinedRow>,
    /// Not yet in the log.
    news: Vec<QuarantinedRow>,
}

impl Quarantine {
    /// Notes a damaged row and gives its name.
    pub(super) fn add(&mut self, row: impl Display, why: impl Display, now: Wall) -> Name {
        let row = Name::new(&row.to_string()).unwrap_or_default();
        let why = why.to_string().chars().take(WHY_CHARS_MAX).collect::<String>().into();
        let found = QuarantinedRow { row: row.clone(), why, since: now };
        if self.news.len() < ROWS_MAX {
            self.news.push(found.clone());
        }
        if self.rows.len() < ROWS_MAX {
            self.rows.entry(row.clone()).or_insert(found);
        }
        row
    }

    pub(super) fn release(&mut self, row: &Name) -> bool {
        self.rows.remove(row).is_some()
    }
}

impl<R> Shard<R> {
    /// A row could not be read, here or by whoever reads for the shard.
    pub fn quarantine(&mut self, row: impl Display, why: impl Display) -> Rejection {
        let now = self.engine.state().now.wall;
        Rejection::RowDamaged { row: self.quarantine.add(row, why, now) }
    }

    /// Damaged rows that were found since this was last asked, for the log.
    pub fn take_quarantined(&mut self) -> Vec<QuarantinedRow> {
        std::mem::take(&mut self.quarantine.news)
    }

    /// The row that a command wants to have read again.
    pub(super) fn to_release(command: &Command) -> Option<&Name> {
        match command {
            Command::Quarantine(QuarantineCommand::Release { row }) => Some(row),
            _ => None,
        }
    }

    pub(super) fn on_quarantine(&mut self, command: &QuarantineCommand) -> Result<Answer, Rejection> {
        match command {
            QuarantineCommand::List => {
                Ok(Answer::Quarantine(self.quarantine.rows.values().cloned().collect()))
            }
            QuarantineCommand::Release { row } if self.quarantine.release(row) => Ok(Answer::Done),
            QuarantineCommand::Release { row } => Err(Rejection::RowNotQuarantined { row: row.clone() }),
        }
    }

    /// Whether a release needs the row to be read first.
    pub(super) fn is_quarantined(&self, row: &Name) -> bool {
        self.quarantine.rows.contains_key(row)
    }
}
