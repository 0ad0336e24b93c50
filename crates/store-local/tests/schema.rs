//! Tables of an earlier version are brought up to date when they are opened, with everything in them.

use mainspring_core::job::JobKey;
use mainspring_core::run::StartedBy;
use mainspring_core::schedule::{Reason, Unfired, WindowRow};
use mainspring_core::values::{BackfillId, Name, Now, RunId, RunStatus, ScheduleId, Seq, TaskId, Wall};
use mainspring_store::{
    BackfillRow, Cut, LiveRun, ReadTables, Recovery, RunRow, ScheduleRow, Store, StoredTask, Tables,
};
use mainspring_store_local::{LocalOptions, LocalStore};
use rusqlite::Connection;

/// As version 1 made and filled them.
const VERSION_1: &str = "
    CREATE TABLE meta (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        seq INTEGER NOT NULL, epoch INTEGER NOT NULL,
        elapsed INTEGER NOT NULL, wall INTEGER NOT NULL,
        meta BLOB NOT NULL
    );
    INSERT INTO meta VALUES (1, 0, 3, 70, 80, x'0102');
    CREATE TABLE live (
        id BLOB PRIMARY KEY, touched INTEGER NOT NULL, parked_due INTEGER, bytes BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX live_parked ON live (parked_due) WHERE parked_due IS NOT NULL;
    INSERT INTO live VALUES (x'00000000000000000000000000000007', 5, NULL, x'aabb');
    CREATE TABLE keys (
        scope BLOB PRIMARY KEY, request BLOB NOT NULL, task BLOB NOT NULL, expires INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX keys_expires ON keys (expires);
    CREATE TABLE days (day INTEGER PRIMARY KEY);
    PRAGMA user_version = 1;
";

fn store(dir: &std::path::Path) -> LocalStore {
    LocalStore::new(dir.to_path_buf(), LocalOptions { reserve_bytes: 4096, ..LocalOptions::default() })
}

fn version_of(dir: &std::path::Path) -> u32 {
    let db = Connection::open(dir.join("tables.db")).expect("the tables");
    db.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a version")
}

fn run() -> RunRow {
    RunRow {
        id: RunId::from_bits(9),
        job: JobKey { tenant: Name::fixed("acme"), name: Name::fixed("etl") },
        version: 1,
        status: RunStatus::Running,
        trigger: StartedBy::Manual,
        labels: vec![],
        created: Wall::from_millis(90),
        ended: None,
        bytes: vec![1, 2, 3],
    }
}

/// As recovery gives it.
fn live() -> LiveRun {
    LiveRun { id: run().id, bytes: run().bytes }
}

#[test]
fn tables_of_version_1_are_upgraded_and_keep_their_rows() {
    let dir = tempfile::tempdir().expect("a directory");
    let db = Connection::open(dir.path().join("tables.db")).expect("a file");
    db.execute_batch(VERSION_1).expect("tables of version 1");
    drop(db);
    for life in 0..2 {
        let mut opened = store(dir.path()).open().expect("opens");
        let head = opened.recovery.head().expect("head");
        if life == 0 {
            assert_eq!(
                (head.seq, head.now, head.meta.as_slice()),
                (Seq::ZERO, Now::new(70, 80), &[1, 2][..])
            );
        }
        let found = opened.reader.tasks(&[TaskId::from_bits(7)]).expect("tasks").remove(0);
        assert!(matches!(found, Some(StoredTask::Live(row)) if row.bytes == [0xaa, 0xbb]));
        let runs = opened.recovery.live_runs(None, 10).expect("runs");
        assert_eq!(runs, if life == 0 { vec![] } else { vec![live()] });
        let cut = Cut { epoch: opened.epoch, now: Now::new(71, 81), runs: vec![run()], ..Cut::default() };
        opened.tables.cut(&cut).expect("a cut with a run");
        drop(opened);
        assert_eq!(version_of(dir.path()), 5);
    }
}

/// What version 2 added to version 1, with a row in it.
const VERSION_2: &str = "
    CREATE TABLE jobs (
        tenant TEXT NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (tenant, name)
    ) WITHOUT ROWID;
    CREATE TABLE versions (
        tenant TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL,
        hash BLOB NOT NULL, plan BLOB NOT NULL, source BLOB NOT NULL, PRIMARY KEY (tenant, name, version)
    ) WITHOUT ROWID;
    CREATE TABLE runs (
        id BLOB PRIMARY KEY, tenant TEXT NOT NULL, job TEXT NOT NULL, version INTEGER NOT NULL,
        status INTEGER NOT NULL, trigger INTEGER NOT NULL, labels TEXT, created INTEGER NOT NULL, ended INTEGER,
        bytes BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX runs_job ON runs (tenant, job, id);
    CREATE INDEX runs_live ON runs (id) WHERE ended IS NULL;
    CREATE INDEX runs_ended ON runs (ended) WHERE ended IS NOT NULL;
    INSERT INTO runs VALUES (
        x'00000000000000000000000000000009', 'acme', 'etl', 1, 1, 0, NULL, 90, NULL, x'010203'
    );
    PRAGMA user_version = 2;
";

#[test]
fn tables_of_version_2_are_upgraded_and_keep_their_rows() {
    let dir = tempfile::tempdir().expect("a directory");
    let db = Connection::open(dir.path().join("tables.db")).expect("a file");
    db.execute_batch(VERSION_1).expect("tables of version 1");
    db.execute_batch(VERSION_2).expect("tables of version 2");
    drop(db);
    let (id, at) = (ScheduleId::new(0), Wall::from_millis(95));
    let row = ScheduleRow { id, bytes: vec![4, 5] };
    let what = Err(Unfired::Missed(Reason::Late));
    let window = WindowRow { schedule: id, first: at, last: at, count: 1, what, at };
    for life in 0..2 {
        let mut opened = store(dir.path()).open().expect("opens");
        let runs = opened.recovery.live_runs(None, 10).expect("runs");
        assert_eq!(runs, [live()]);
        let mut schedules = vec![];
        opened.recovery.schedules(&mut |row| schedules.push(row)).expect("schedules");
        let windows = opened.reader.occurrences(id, None, 10).expect("windows");
        let expected = if life == 0 { (vec![], vec![]) } else { (vec![row.clone()], vec![window]) };
        assert_eq!((schedules, windows), expected);
        let (schedules, occurrences) = (vec![row.clone()], vec![window]);
        let now = Now::new(71, 81);
        let cut = Cut { epoch: opened.epoch, now, schedules, occurrences, ..Cut::default() };
        opened.tables.cut(&cut).expect("a cut with a schedule");
        drop(opened);
        assert_eq!(version_of(dir.path()), 5);
    }
}

/// What version 3 added to version 2, with a row in it.
const VERSION_3: &str = "
    CREATE TABLE schedules (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE occurrences (
        schedule INTEGER NOT NULL, first INTEGER NOT NULL, kind INTEGER NOT NULL, last INTEGER NOT NULL,
        count INTEGER NOT NULL, made BLOB, at INTEGER NOT NULL, PRIMARY KEY (schedule, first, kind)
    ) WITHOUT ROWID;
    CREATE INDEX occurrences_at ON occurrences (at);
    INSERT INTO schedules VALUES (0, x'0405');
    PRAGMA user_version = 3;
";

#[test]
fn tables_of_version_3_are_upgraded_and_keep_their_rows() {
    let dir = tempfile::tempdir().expect("a directory");
    let db = Connection::open(dir.path().join("tables.db")).expect("a file");
    for (version, tables) in [VERSION_1, VERSION_2, VERSION_3].into_iter().enumerate() {
        db.execute_batch(tables).unwrap_or_else(|error| panic!("version {}: {error}", version + 1));
    }
    drop(db);
    let row = BackfillRow {
        id: BackfillId::from_bits(11),
        job: run().job,
        ended: None,
        spec: Some(vec![1]),
        bytes: vec![2],
    };
    for life in 0..2 {
        let mut opened = store(dir.path()).open().expect("opens");
        let mut schedules = vec![];
        opened.recovery.schedules(&mut |row| schedules.push(row)).expect("schedules");
        assert_eq!(schedules, [ScheduleRow { id: ScheduleId::new(0), bytes: vec![4, 5] }]);
        let mut backfills = vec![];
        opened.recovery.live_backfills(&mut |row| backfills.push(row)).expect("backfills");
        assert_eq!(backfills, if life == 0 { vec![] } else { vec![row.clone()] });
        let (now, backfills) = (Now::new(71, 81), vec![row.clone()]);
        let cut = Cut { epoch: opened.epoch, now, backfills, ..Cut::default() };
        opened.tables.cut(&cut).expect("a cut with a backfill");
        drop(opened);
        assert_eq!(version_of(dir.path()), 5);
    }
}
