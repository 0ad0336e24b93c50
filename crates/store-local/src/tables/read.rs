//! Reading: each answer from one short transaction of a connection that cannot write.

use std::path::{Path, PathBuf};

use mainspring_core::job::JobKey;
use mainspring_core::key::{KeyBinding, KeyScope};
use mainspring_core::schedule::WindowRow;
use mainspring_core::values::{EntityKind, RunId, ScheduleId, TaskId, Wall};
use mainspring_store::{
    CheckpointHead, EntityQuery, EntityRow, HistoryPage, HistoryQuery, LiveRow, LiveRun, OpenError,
    ParkedFrom, ReadError, ReadMany, ReadTables, RunPage, RunQuery, RunRow, StoredTask, VersionRow,
    WindowCursor,
};
use rusqlite::{Connection, OptionalExtension, params};

use super::rows::{self, time, wide};
use super::{days, entities, flows, history, runs, schedules, schema};

pub struct LocalReader {
    db: Connection,
    dir: PathBuf,
}

impl LocalReader {
    pub(crate) fn open(dir: &Path) -> Result<Self, OpenError> {
        let db = schema::reader(dir).map_err(schema::refused)?;
        Ok(Self { db, dir: dir.to_path_buf() })
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn head(&mut self) -> Result<CheckpointHead, OpenError> {
        schema::head(&self.db).map_err(schema::refused)
    }

    /// One scan over the whole table: at recovery nearly every row of it is wanted.
    pub(crate) fn live(&mut self, horizon: Wall, each: &mut dyn FnMut(LiveRow)) -> Result<(), OpenError> {
        let columns = rows::LIVE;
        let sql =
            format!("SELECT {columns} FROM live NOT INDEXED WHERE parked_due IS NULL OR parked_due <= ?1");
        let mut scan = || -> rusqlite::Result<()> {
            let mut select = self.db.prepare_cached(&sql)?;
            select.query_map([time(horizon)], rows::live)?.try_for_each(|row| row.map(&mut *each))
        };
        scan().map_err(schema::refused)
    }

    pub(crate) fn live_runs(
        &mut self,
        after: Option<RunId>,
        limit: usize,
    ) -> Result<Vec<LiveRun>, OpenError> {
        flows::live_runs(&self.db, after, limit).map_err(schema::refused)
    }

    pub(crate) fn live_entities(
        &mut self,
        kind: EntityKind,
        after: Option<u128>,
        limit: usize,
    ) -> Result<Vec<EntityRow>, OpenError> {
        entities::live(&self.db, kind, after, limit).map_err(schema::refused)
    }

    fn read<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, ReadError> {
        let failed = |error: rusqlite::Error| ReadError { what: error.to_string() };
        // Prepared once, like all that is done often.
        let run = |sql: &str| self.db.prepare_cached(sql)?.execute([]);
        run("BEGIN").map_err(failed)?;
        let found = work(&self.db);
        // Not rolled back where it can be helped: that makes SQLite forget its prepared statements, most of the cost
        // of a look-up.
        let ended = run(if found.is_ok() { "COMMIT" } else { "ROLLBACK" });
        if ended.is_err() && !self.db.is_autocommit() {
            let _ = self.db.execute_batch("ROLLBACK");
        }
        let found = found.map_err(failed)?;
        ended.map_err(failed)?;
        Ok(found)
    }
}

impl ReadMany for LocalReader {
    fn ended_tasks(&mut self, ids: &[TaskId], each: &mut dyn FnMut(TaskId, &[u8])) -> Result<(), ReadError> {
        self.read(|tx| history::by_ids(tx, ids, each))
    }

    fn stored_runs(&mut self, ids: &[RunId], each: &mut dyn FnMut(RunId, &[u8])) -> Result<(), ReadError> {
        self.read(|tx| flows::by_ids(tx, ids, each))
    }

    fn stored_versions(
        &mut self,
        wanted: &[(JobKey, u32)],
        each: &mut dyn FnMut(VersionRow),
    ) -> Result<(), ReadError> {
        self.read(|tx| {
            for (key, number) in wanted {
                flows::version(tx, key, *number)?.into_iter().for_each(&mut *each);
            }
            Ok(())
        })
    }
}

impl ReadTables for LocalReader {
    fn keys(&mut self, scopes: &[KeyScope]) -> Result<Vec<Option<KeyBinding>>, ReadError> {
        self.read(|tx| {
            let mut select = tx.prepare_cached("SELECT request, task, grp FROM keys WHERE scope = ?1")?;
            let mut bound = |scope: &KeyScope| {
                let binding = |row: &rusqlite::Row<'_>| {
                    let task = TaskId::from_bits(rows::bits(row, 1)?);
                    Ok(KeyBinding { request: rows::bits(row, 0)?, task, group: rows::group(row, 2)? })
                };
                select.query_row([wide(scope.0)], binding).optional()
            };
            scopes.iter().map(&mut bound).collect()
        })
    }

    fn tasks(&mut self, ids: &[TaskId]) -> Result<Vec<Option<StoredTask>>, ReadError> {
        self.read(|tx| {
            let days = days::list(tx)?;
            let find = |id: &TaskId| match live_row(tx, *id)? {
                Some(row) => Ok(Some(StoredTask::Live(row))),
                None => Ok(history::by_id(tx, *id, &days)?.map(StoredTask::Ended)),
            };
            ids.iter().map(find).collect()
        })
    }

    fn parked(&mut self, from: ParkedFrom, limit: usize) -> Result<Vec<LiveRow>, ReadError> {
        let columns = rows::LIVE;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|tx| match from {
            ParkedFrom::Due { after: (due, id), until } => tx
                .prepare_cached(&format!(
                    "SELECT {columns} FROM live WHERE parked_due IS NOT NULL
                     AND (parked_due, id) > (?1, ?2) AND parked_due <= ?3 ORDER BY parked_due, id LIMIT ?4"
                ))?
                .query_map(params![time(due), wide(id.bits()), time(until), limit], rows::live)?
                .collect(),
            ParkedFrom::Id { after } => tx
                .prepare_cached(&format!(
                    "SELECT {columns} FROM live NOT INDEXED WHERE parked_due IS NOT NULL
                     AND id > ?1 ORDER BY id LIMIT ?2"
                ))?
                .query_map(params![wide(after.bits()), limit], rows::live)?
                .collect(),
        })
    }

    fn ids(&mut self, from: TaskId, through: TaskId, limit: usize) -> Result<Vec<TaskId>, ReadError> {
        self.read(|tx| history::ids(tx, from, through, limit))
    }

    fn history(&mut self, query: &HistoryQuery) -> Result<HistoryPage, ReadError> {
        self.read(|tx| history::page(tx, query))
    }

    fn run(&mut self, id: RunId) -> Result<Option<RunRow>, ReadError> {
        self.read(|tx| flows::by_id(tx, id))
    }

    fn runs(&mut self, query: &RunQuery) -> Result<RunPage, ReadError> {
        self.read(|tx| runs::page(tx, query))
    }

    fn version(&mut self, key: &JobKey, version: u32) -> Result<Option<VersionRow>, ReadError> {
        self.read(|tx| flows::version(tx, key, version))
    }

    fn versions(&mut self, key: &JobKey, before: u32, limit: usize) -> Result<Vec<VersionRow>, ReadError> {
        self.read(|tx| flows::versions(tx, key, before, limit))
    }

    fn windows(
        &mut self,
        schedule: ScheduleId,
        before: Option<WindowCursor>,
        limit: usize,
    ) -> Result<Vec<WindowRow>, ReadError> {
        self.read(|tx| schedules::page(tx, schedule, before, limit))
    }

    fn entity(&mut self, kind: EntityKind, id: u128) -> Result<Option<EntityRow>, ReadError> {
        self.read(|tx| entities::by_id(tx, kind, id))
    }

    fn entities(&mut self, query: &EntityQuery) -> Result<Vec<EntityRow>, ReadError> {
        self.read(|tx| entities::page(tx, query))
    }

    fn another(&self) -> Result<Self, ReadError> {
        Self::open(&self.dir).map_err(|error| ReadError { what: error.to_string() })
    }
}

/// The columns are those of `rows::LIVE`; written out, because it is asked for every task that is looked up.
const LIVE_BY_ID: &str = "SELECT id, grp, touched, parked_due, bytes FROM live WHERE id = ?1";

fn live_row(tx: &Connection, id: TaskId) -> rusqlite::Result<Option<LiveRow>> {
    tx.prepare_cached(LIVE_BY_ID)?.query_row([wide(id.bits())], rows::live).optional()
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn look_ups_are_prepared_once_whatever_is_bound() {
        let dir = tempfile::tempdir().expect("a directory");
        let writer = schema::writer(dir.path()).expect("tables");
        days::create(&writer, 7).expect("a day");
        let mut reader = LocalReader::open(dir.path()).expect("a reader");
        for n in 0..20 {
            let ids = [TaskId::from_bits(n), TaskId::from_bits(n << 64)];
            assert_eq!(reader.tasks(&ids).expect("read").len(), 2);
            reader.keys(&[KeyScope(n)]).expect("read");
        }
        let statements = [
            LIVE_BY_ID,
            &history::sql_by_id(7),
            "SELECT request, task, grp FROM keys WHERE scope = ?1",
            "BEGIN",
        ];
        for sql in statements {
            let statement = reader.db.prepare_cached(sql).expect("a statement");
            assert!(statement.get_status(StatementStatus::Run) >= 20, "it was kept: {sql}");
            assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{sql}");
        }
    }
}
