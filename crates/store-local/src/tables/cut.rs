//! Writing: one cut, one transaction, in an order that keeps the trees growing at their right edge.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mainspring_core::values::{TaskId, Wall};
use mainspring_store::{CheckpointHead, Cut, CutError, HistoryRow, LiveRow, OpenError, Tables};
use rusqlite::{Connection, ErrorCode, params};

use super::rows::{labels_text, time, wide};
use super::{days, entities, flows, kinds::Kinds, schedules, schema};
use crate::lock::DirLock;
use crate::reserve::Reserve;

/// Expired keys removed in one transaction, so that a cut never waits long behind it.
const KEYS_AT_ONCE: i64 = 20_000;

const DAY_MS: u64 = 86_400_000;

/// Failures in a row, each after a reopening, before the tables are given up. With the pauses of the caller that is two
/// to three minutes.
const TRIES_MAX: u32 = 20;

pub struct LocalTables {
    dir: PathBuf,
    /// `None` after a failure that only a new connection can tell the extent of.
    db: Option<Connection>,
    kinds: Kinds,
    /// Newest first.
    days: Vec<u32>,
    reserve: Arc<Reserve>,
    /// Failures in a row.
    failures: u32,
    _lock: Arc<DirLock>,
}

impl LocalTables {
    pub(crate) fn open(
        dir: &Path,
        reserve: Arc<Reserve>,
        lock: Arc<DirLock>,
    ) -> Result<(Self, CheckpointHead), OpenError> {
        let db = schema::writer(dir)?;
        let head = schema::head(&db).map_err(schema::refused)?;
        let days = days::list(&db).map_err(schema::refused)?;
        let (dir, db) = (dir.to_path_buf(), Some(db));
        let tables = Self { dir, db, kinds: Kinds::default(), days, reserve, failures: 0, _lock: lock };
        Ok((tables, head))
    }

    /// Runs `work` in a transaction that is on disk when this returns.
    fn commit(&mut self, work: &Work<'_>) -> Result<(), CutError> {
        let mut db = match self.db.take() {
            Some(db) => db,
            None => self.reopen().map_err(|what| self.failed(what))?,
        };
        let mut days = self.days.clone();
        let attempt = |db: &mut Connection, kinds: &mut Kinds, days: &mut Vec<u32>| {
            let tx = db.transaction().map_err(Trouble::Sql)?;
            work(&tx, kinds, days)?;
            tx.commit().map_err(Trouble::Sql)
        };
        match attempt(&mut db, &mut self.kinds, &mut days) {
            Ok(()) => {
                (self.db, self.days) = (Some(db), days);
                if self.failures > 0 {
                    tracing::warn!(after = self.failures, "the tables can be written again");
                    self.failures = 0;
                }
                Ok(())
            }
            Err(trouble) => {
                self.kinds.forget();
                Err(self.explain(trouble, db))
            }
        }
    }

    /// A new connection reads anew what is on the disk, the write-ahead log included (SL-3).
    fn reopen(&mut self) -> Result<Connection, String> {
        let db = schema::writer(&self.dir).map_err(|error| error.to_string())?;
        self.days = days::list(&db).map_err(|error| error.to_string())?;
        self.kinds.forget();
        Ok(db)
    }

    /// The tables cannot be used as they are.
    fn failed(&mut self, what: String) -> CutError {
        self.failures += 1;
        if self.failures < TRIES_MAX {
            return CutError::Failed { what };
        }
        let dir = self.dir.display();
        let what = format!("{what}; {TRIES_MAX} tries failed, check the disk of `{dir}` and start again");
        CutError::Broken { what }
    }

    /// Removes rows, at most `step` in one transaction, until fewer were left.
    fn drop_in_steps(
        &mut self,
        step: usize,
        remove: impl Fn(&Connection) -> rusqlite::Result<usize>,
    ) -> Result<(), CutError> {
        let removed = std::cell::Cell::new(step);
        while removed.get() == step {
            self.commit(&|db, _, _| {
                removed.set(remove(db)?);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Keeps the connection unless the failure leaves it open what is on the disk.
    fn explain(&mut self, trouble: Trouble, db: Connection) -> CutError {
        let error = match trouble {
            Trouble::Refused(refusal) => {
                self.db = Some(db);
                return refusal;
            }
            Trouble::Sql(error) => error,
        };
        match error.sqlite_error_code() {
            // Possibly a failed sync: what the log holds is unknown until it is opened anew (SL-3).
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::ReadOnly) => {
                drop(db);
                self.failed(error.to_string())
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                let file = schema::path(&self.dir).display().to_string();
                CutError::Broken { what: format!("{error}; `{file}` is damaged, restore a copy of the data") }
            }
            code => {
                self.db = Some(db);
                if code == Some(ErrorCode::DiskFull) {
                    CutError::Full
                } else {
                    CutError::Failed { what: error.to_string() }
                }
            }
        }
    }
}

/// What is done inside a transaction; kinds and days are those that will be if it commits.
type Work<'a> = dyn Fn(&Connection, &mut Kinds, &mut Vec<u32>) -> Result<(), Trouble> + 'a;

/// Why a transaction did not commit.
enum Trouble {
    Refused(CutError),
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl Tables for LocalTables {
    fn cut(&mut self, cut: &Cut) -> Result<(), CutError> {
        let work = |db: &Connection, kinds: &mut Kinds, days: &mut Vec<u32>| {
            guard(db, cut)?;
            write_rows(db, cut, kinds, days)?;
            Ok(())
        };
        match self.commit(&work) {
            Err(CutError::Full) if self.reserve.give_up() => self.commit(&work),
            outcome => outcome,
        }
    }

    fn drop_before(&mut self, day: u32, now: Wall) -> Result<(), CutError> {
        let old: Vec<u32> = self.days.iter().copied().filter(|have| *have < day).collect();
        for gone in old {
            self.commit(&|db, kinds, days| {
                kinds.forget();
                days.retain(|have| *have != gone);
                Ok(days::drop_day(db, gone)?)
            })?;
        }
        let before = Wall::from_millis(u64::from(day) * DAY_MS);
        self.drop_in_steps(flows::RUNS_AT_ONCE, |db| flows::drop_ended(db, before))?;
        self.drop_in_steps(schedules::OCCURRENCES_AT_ONCE, |db| schedules::drop_decided(db, before))?;
        self.drop_in_steps(entities::ENTITIES_AT_ONCE, |db| entities::drop_ended(db, before))?;
        self.drop_in_steps(KEYS_AT_ONCE as usize, |db| drop_keys(db, now))
    }

    fn idle(&mut self) {
        if let Some(Err(error)) = self.db.as_ref().map(|db| db.execute_batch("PRAGMA shrink_memory")) {
            tracing::debug!(%error, "the tables keep their cache");
        }
    }
}

/// Moves the head, unless a newer owner or a later cut has moved it already.
fn guard(db: &Connection, cut: &Cut) -> Result<(), Trouble> {
    let head = schema::head(db)?;
    if cut.epoch < head.epoch {
        return Err(Trouble::Refused(CutError::Refused { ours: cut.epoch, newest: head.epoch }));
    }
    if cut.through < head.seq {
        return Err(Trouble::Refused(CutError::OutOfOrder { last: head.seq, offered: cut.through }));
    }
    db.prepare_cached("UPDATE meta SET seq = ?1, epoch = ?2, elapsed = ?3, wall = ?4, meta = ?5")?.execute(
        params![
            cut.through.get().cast_signed(),
            cut.epoch.get().cast_signed(),
            cut.now.elapsed.millis().cast_signed(),
            cut.now.wall.millis().cast_signed(),
            cut.meta
        ],
    )?;
    Ok(())
}

fn write_rows(db: &Connection, cut: &Cut, kinds: &mut Kinds, days: &mut Vec<u32>) -> rusqlite::Result<()> {
    delete_live(db, &cut.gone)?;
    // Before the new ends: a task may have been revived and have ended again since the last cut.
    delete_history(db, &cut.revived, days)?;
    write_live(db, &cut.live)?;
    write_history(db, &cut.ended, kinds, days)?;
    flows::write(db, cut)?;
    schedules::write(db, cut)?;
    entities::write(db, &cut.entities)?;
    let mut keys: Vec<_> = cut.keys.iter().collect();
    keys.sort_unstable_by_key(|key| key.scope);
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO keys VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for key in keys {
        let (request, task) = (wide(key.binding.request), wide(key.binding.task.bits()));
        let group = key.binding.group.get();
        insert.execute(params![wide(key.scope.0), group, request, task, time(key.expires)])?;
    }
    Ok(())
}

fn delete_live(db: &Connection, gone: &[TaskId]) -> rusqlite::Result<()> {
    let mut delete = db.prepare_cached("DELETE FROM live WHERE id = ?1")?;
    let mut gone = gone.to_vec();
    gone.sort_unstable();
    gone.iter().try_for_each(|id| delete.execute([wide(id.bits())]).map(drop))
}

fn write_live(db: &Connection, rows: &[LiveRow]) -> rusqlite::Result<()> {
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO live VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_unstable_by_key(|row| row.id);
    for row in rows {
        let (group, touched) = (row.group.get(), row.touched.get().cast_signed());
        insert.execute(params![wide(row.id.bits()), group, touched, row.parked_due.map(time), row.bytes])?;
    }
    Ok(())
}

fn delete_history(db: &Connection, revived: &[TaskId], days: &[u32]) -> rusqlite::Result<()> {
    for id in revived {
        for day in days {
            db.prepare_cached(&format!("DELETE FROM history_{day} WHERE id = ?1"))?
                .execute([wide(id.bits())])?;
        }
    }
    Ok(())
}

/// By day, and by id within it: each table then grows at its right edge.
fn write_history(
    db: &Connection,
    rows: &[HistoryRow],
    kinds: &mut Kinds,
    days: &mut Vec<u32>,
) -> rusqlite::Result<()> {
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_unstable_by_key(|row| (row.ended.day(), row.id));
    for of_day in rows.chunk_by(|a, b| a.ended.day() == b.ended.day()) {
        let day = of_day[0].ended.day();
        if !days.contains(&day) {
            days::create(db, day)?;
            days.push(day);
            days.sort_unstable_by(|a, b| b.cmp(a));
        }
        let sql = format!("INSERT OR REPLACE INTO history_{day} VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
        let mut insert = db.prepare_cached(&sql)?;
        let sql = format!("INSERT OR IGNORE INTO labels_{day} VALUES (?1, ?2)");
        let mut labelled = db.prepare_cached(&sql)?;
        for row in of_day {
            for label in &row.labels {
                labelled.execute(params![labels_text(std::slice::from_ref(label)), wide(row.id.bits())])?;
            }
            insert.execute(params![
                wide(row.id.bits()),
                row.group.get(),
                kinds.of(db, day, &row.tenant, &row.job)?,
                row.status as u8,
                row.worker.map(|worker| wide(worker.bits())),
                labels_text(&row.labels),
                time(row.submitted),
                time(row.ended),
                row.bytes,
            ])?;
        }
    }
    Ok(())
}

fn drop_keys(db: &Connection, now: Wall) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM keys WHERE scope IN (
        SELECT scope FROM keys WHERE expires < ?1
        AND NOT EXISTS (SELECT 1 FROM live WHERE live.id = keys.task)
        AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = keys.task AND runs.ended IS NULL) LIMIT ?2)";
    db.prepare_cached(sql)?.execute(params![time(now), KEYS_AT_ONCE])
}

#[cfg(test)]
mod tests {
    use mainspring_core::schedule::{Reason, Unfired, WindowRow};
    use mainspring_core::values::{EntityKind, Epoch, Group, Name, ScheduleId, Seq};
    use mainspring_store::EntityRow;

    use super::*;

    /// The entities take the room, when everything else has been written.
    fn cut(rows: u32) -> Cut {
        let live = |n| LiveRow {
            id: TaskId::from_bits(u128::from(n)),
            group: Group::ZERO,
            touched: Seq::ZERO,
            parked_due: None,
            bytes: vec![7],
        };
        let entity = |n| EntityRow {
            kind: EntityKind::Schedule,
            id: u128::from(n),
            group: Group::ZERO,
            tenant: Name::default(),
            parent: Name::default(),
            ended: None,
            fixed: None,
            bytes: vec![7; 4000],
        };
        let window = |n| {
            let (schedule, at) = (ScheduleId::from_bits(u64::from(n)), Wall::ZERO);
            let what = Err(Unfired::Missed(Reason::Late));
            WindowRow { schedule, group: Group::ZERO, first: at, last: at, count: 1, what, at }
        };
        Cut {
            epoch: Epoch::new(1),
            live: (0..rows).map(live).collect(),
            entities: (0..rows).map(entity).collect(),
            windows: (0..rows).map(window).collect(),
            ..Cut::default()
        }
    }

    fn connection(tables: &LocalTables) -> &Connection {
        tables.db.as_ref().expect("a connection")
    }

    /// `SQLite` is told that it may not grow, which it reports as it does a full device.
    #[test]
    fn a_full_device_gives_up_the_reserve_and_leaves_the_tables_as_they_were() {
        let dir = tempfile::tempdir().expect("a directory");
        let reserve = Arc::new(Reserve::new(dir.path(), 4096));
        reserve.fill();
        std::fs::create_dir(crate::journal::journal_dir(dir.path())).expect("a directory");
        let lock = Arc::new(DirLock::take(dir.path()).expect("a lock"));
        let (mut tables, _) = LocalTables::open(dir.path(), reserve, lock).expect("tables");
        tables.cut(&cut(1)).expect("room for one");
        connection(&tables).execute_batch("PRAGMA max_page_count = 50").expect("a bound");
        let outcome = tables.cut(&cut(1000));
        assert!(matches!(outcome, Err(CutError::Full)), "{outcome:?}");
        assert!(!dir.path().join("reserve").exists(), "the reserve was tried");
        let counts = |tables: &LocalTables| -> [i64; 3] {
            ["live", "entities", "windows"].map(|table| {
                let sql = format!("SELECT count(*) FROM {table}");
                connection(tables).query_row(&sql, [], |row| row.get(0)).expect("a count")
            })
        };
        assert_eq!(counts(&tables), [1; 3]);
        connection(&tables).execute_batch("PRAGMA max_page_count = 100000").expect("room");
        tables.cut(&cut(1000)).expect("the same cut, now that there is room");
        assert_eq!(counts(&tables), [1000; 3]);
    }
}
