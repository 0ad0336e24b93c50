//! The number that stands for a tenant and job in the rows of one day. Short numbers keep the index small,
//! and they go with their day, so that names nobody uses any more do not pile up.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use mainspring_core::values::Name;
use rusqlite::{Connection, OptionalExtension};

/// Kinds remembered; beyond it all are forgotten and looked up again.
const KINDS_MAX: usize = 100_000;

#[derive(Default)]
pub struct Kinds {
    known: HashMap<(u32, Name, Name), i64, FixedState>,
    /// The kind of the row before: rows of a batch are mostly alike.
    last: Option<(u32, Name, Name, i64)>,
}

impl Kinds {
    /// Remembers numbers that the running transaction gives; forget them if it fails.
    pub fn of(&mut self, db: &Connection, day: u32, tenant: &Name, job: &Name) -> rusqlite::Result<i64> {
        if let Some((at, t, j, kind)) = &self.last
            && (*at, t, j) == (day, tenant, job)
        {
            return Ok(*kind);
        }
        let key = (day, tenant.clone(), job.clone());
        let kind = match self.known.get(&key) {
            Some(kind) => *kind,
            None => self.look_up(db, &key)?,
        };
        self.last = Some((day, key.1, key.2, kind));
        Ok(kind)
    }

    pub fn forget(&mut self) {
        *self = Self::default();
    }

    fn look_up(&mut self, db: &Connection, key: &(u32, Name, Name)) -> rusqlite::Result<i64> {
        let (day, tenant, job) = key;
        let names = (tenant.as_str(), job.as_str());
        let found = db
            .prepare_cached(&format!("SELECT kind FROM kinds_{day} WHERE tenant = ?1 AND job = ?2"))?
            .query_row(names, |row| row.get(0))
            .optional()?;
        let kind = match found {
            Some(kind) => kind,
            None => db
                .prepare_cached(&format!("INSERT INTO kinds_{day} (tenant, job) VALUES (?1, ?2)"))?
                .insert(names)?,
        };
        if self.known.len() >= KINDS_MAX {
            self.known.clear();
        }
        self.known.insert(key.clone(), kind);
        Ok(kind)
    }
}
