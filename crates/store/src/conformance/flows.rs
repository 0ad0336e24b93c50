//! Cases of jobs, versions and runs.

mod narrow;

use mainspring_core::job::JobKey;
use mainspring_core::run::StartedBy;
use mainspring_core::values::{EntityKind, RunId, RunStatus, TaskId, Wall};

use super::samples::{DAY_MS, cut, group, id, key, name};
use super::{Case, Harness, open, reopen};
use crate::{
    Cut, CutError, EntityRow, KeyRow, LiveRun, Opened, PAGE_MAX, RECOVERY_PAGE_BYTES, ReadMany, ReadTables,
    Recovery, RunQuery, RunRow, Store, Tables, VersionRow,
};

pub fn cases<H: Harness>() -> Vec<Case<H>> {
    vec![
        ("versions and runs survive with their cut", rows_survive),
        ("a run's row is replaced by a later one", runs_are_replaced),
        ("recovery gives the runs that have not ended", recovery_gives_live_runs),
        ("a page of recovery has a bounded size", pages_of_recovery_have_a_size),
        ("many runs and versions are looked up at once", many_runs_and_versions),
        ("a refused cut leaves jobs and runs alone", a_refused_cut_changes_nothing),
        ("a run is found by its id, live or ended", run_by_id),
        ("pages of runs walk every row once, newest first", pages_walk_every_run),
        ("runs narrow by each field", narrow::runs_narrow),
        ("runs narrow by how they ended", narrow::runs_narrow_by_how_they_ended),
        ("a page of runs is never above its bound", a_page_of_runs_is_bounded),
        ("versions come newest first, of one job", versions_newest_first),
        ("dropping takes ended runs only", dropping_takes_ended_runs),
        ("the key of an unfinished run outlives its time", keys_of_unfinished_runs),
    ]
}

const FIRST_DAY: u64 = 100;
const STATUSES: [RunStatus; 5] = RunStatus::ALL;

fn run_id(number: u64) -> RunId {
    RunId::from_bits(id(number).bits())
}

fn job_key(number: u64) -> JobKey {
    let tenant = name(["acme", "beta"][number as usize % 2]);
    JobKey { tenant, name: name(["etl", "mail", "größe"][number as usize / 2 % 3]) }
}

/// A job is an entity.
fn job(number: u64, what: &str) -> EntityRow {
    let key = job_key(number);
    EntityRow {
        kind: EntityKind::Job,
        id: key.id().bits(),
        group: group(number),
        tenant: key.tenant,
        parent: key.name,
        ended: None,
        fixed: None,
        bytes: format!("job {number}, {what}").into_bytes(),
    }
}

fn jobs<S: Store>(opened: &mut Opened<S>) -> Vec<EntityRow> {
    opened.recovery.entities(EntityKind::Job, None, usize::MAX).expect("jobs")
}

fn version(number: u64, version: u32) -> VersionRow {
    VersionRow {
        key: job_key(number),
        group: group(number),
        version,
        at: Wall::from_millis(u64::from(version) * 1000),
        hash: u128::MAX - u128::from(version),
        plan: format!("plan {version}").into_bytes(),
        source: vec![version as u8; 3],
    }
}

fn run(number: u64, status: RunStatus, ended: Option<u64>) -> RunRow {
    RunRow {
        id: run_id(number),
        group: group(number),
        job: job_key(number),
        version: number as u32 % 4 + 1,
        status,
        trigger: StartedBy::ALL[number as usize % StartedBy::ALL.len()],
        labels: match number % 3 {
            0 => vec![],
            1 => vec![(name("env"), name("prod"))],
            _ => vec![(name("env"), name("test")), (name("team"), name("größe"))],
        },
        created: Wall::from_millis(FIRST_DAY * DAY_MS + number * 1000),
        ended: ended.map(Wall::from_millis),
        bytes: format!("run {number}, {}", status.label()).into_bytes(),
    }
}

/// In every state, some ended on each of four days.
fn runs() -> Vec<RunRow> {
    let one = |n: u64| {
        let status = STATUSES[n as usize % STATUSES.len()];
        run(n, status, status.is_ended().then(|| (FIRST_DAY + n * 7 % 4) * DAY_MS + n))
    };
    (1..=120).map(one).collect()
}

fn filled<S: Store>(store: &S) -> Opened<S> {
    let mut opened = open(store);
    let epoch = opened.epoch;
    for chunk in runs().chunks(50) {
        opened.tables.cut(&Cut { runs: chunk.to_vec(), ..cut(epoch, 0) }).expect("cut");
    }
    opened
}

fn live_runs<S: Store>(opened: &mut Opened<S>, limit: usize) -> Vec<LiveRun> {
    let mut rows: Vec<LiveRun> = vec![];
    loop {
        let page = opened.recovery.live_runs(rows.last().map(|row| row.id), limit).expect("runs");
        assert!(page.len() <= limit);
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

fn unfinished(rows: &[RunRow]) -> Vec<LiveRun> {
    let unfinished = rows.iter().filter(|row| row.ended.is_none());
    unfinished.map(|row| LiveRun { id: row.id, bytes: row.bytes.clone() }).collect()
}

fn rows_survive<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let first = Cut {
        versions: vec![version(1, 1), version(2, 1)],
        runs: vec![run(1, RunStatus::Queued, None), run(2, RunStatus::Running, None)],
        ..cut(opened.epoch, 0)
    };
    opened.tables.cut(&first).expect("cut");
    for _life in 0..2 {
        opened = reopen(harness, &store, opened);
        assert_eq!(live_runs(&mut opened, 10), unfinished(&first.runs));
        for row in &first.versions {
            let found = opened.reader.version(&row.key, row.version).expect("a version");
            assert_eq!(found.as_ref(), Some(row));
        }
        // What recovery reads with sees the same.
        let found = opened.recovery.tables().version(&job_key(1), 1).expect("a version");
        assert_eq!(found, Some(version(1, 1)));
        for mut reader in opened.recovery.readers().expect("readers for other threads") {
            let mut found: Vec<LiveRun> = vec![];
            let ids: Vec<RunId> = first.runs.iter().map(|row| row.id).collect();
            reader
                .stored_runs(&ids, &mut |id, bytes| found.push(LiveRun { id, bytes: bytes.to_vec() }))
                .expect("runs");
            found.sort_unstable_by_key(|row| row.id);
            assert_eq!(found, unfinished(&first.runs));
        }
    }
}

fn runs_are_replaced<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    // Ended, and begun again since.
    let steps = [
        run(1, RunStatus::Running, None),
        run(1, RunStatus::Failed, Some(FIRST_DAY * DAY_MS)),
        run(1, RunStatus::Running, None),
    ];
    for step in steps {
        opened.tables.cut(&Cut { runs: vec![step.clone()], ..cut(opened.epoch, 0) }).expect("cut");
        opened = reopen(harness, &store, opened);
        assert_eq!(opened.reader.run(run_id(1)).expect("a run"), Some(step.clone()));
        let page = opened.reader.runs(&RunQuery { limit: 10, ..RunQuery::default() }).expect("page");
        assert_eq!(page.rows, std::slice::from_ref(&step));
        assert_eq!(live_runs(&mut opened, 10), unfinished(&[step]));
    }
}

fn recovery_gives_live_runs<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    opened = reopen(harness, &store, opened);
    for limit in [1, 7, 48, 1000] {
        assert_eq!(live_runs(&mut opened, limit), unfinished(&runs()), "limit {limit}");
    }
}

fn pages_of_recovery_have_a_size<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let large = vec![7; RECOVERY_PAGE_BYTES / 4];
    let rows: Vec<RunRow> =
        (1..=10).map(|n| RunRow { bytes: large.clone(), ..run(n, RunStatus::Running, None) }).collect();
    let entities = (0..6).map(|n| EntityRow { bytes: large.clone(), ..job(n, "large") }).collect();
    opened.tables.cut(&Cut { runs: rows.clone(), entities, ..cut(opened.epoch, 0) }).expect("cut");
    assert_eq!(opened.recovery.live_runs(None, 100).expect("a page").len(), 4);
    assert_eq!(opened.recovery.entities(EntityKind::Job, None, 100).expect("a page").len(), 4);
    let walked: Vec<RunId> = live_runs(&mut opened, 100).into_iter().map(|row| row.id).collect();
    assert_eq!(walked, rows.iter().map(|row| row.id).collect::<Vec<_>>());
}

fn many_runs_and_versions<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    let wanted: Vec<RunId> = [70, 1, 9999, 33].map(run_id).into();
    let mut found = vec![];
    opened.reader.stored_runs(&wanted, &mut |id, bytes| found.push((id, bytes.to_vec()))).expect("runs");
    found.sort();
    let rows = runs().into_iter().filter(|row| wanted.contains(&row.id)).map(|row| (row.id, row.bytes));
    assert_eq!(found, rows.collect::<Vec<_>>());

    let rows: Vec<VersionRow> = (1..=3).flat_map(|n| [version(1, n), version(2, n)]).collect();
    opened.tables.cut(&Cut { versions: rows, ..cut(opened.epoch, 0) }).expect("cut");
    let wanted = [(job_key(2), 3), (job_key(3), 1), (job_key(1), 2), (job_key(1), 9)];
    let mut found = vec![];
    opened.reader.stored_versions(&wanted, &mut |row| found.push(row)).expect("versions");
    found.sort_by_key(|row| row.version);
    assert_eq!(found, [version(1, 2), version(2, 3)]);
}

fn a_refused_cut_changes_nothing<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    let kept = run(1, RunStatus::Running, None);
    opened
        .tables
        .cut(&Cut { entities: vec![job(1, "kept")], runs: vec![kept.clone()], ..cut(epoch, 9) })
        .expect("cut");
    let late = Cut {
        entities: vec![job(1, "late")],
        versions: vec![version(1, 7)],
        runs: vec![run(1, RunStatus::Failed, Some(1))],
        ..cut(epoch, 8)
    };
    let outcome = opened.tables.cut(&late);
    assert!(matches!(outcome, Err(CutError::OutOfOrder { .. })), "{outcome:?}");
    assert_eq!(opened.reader.run(run_id(1)).expect("a run"), Some(kept));
    assert_eq!(opened.reader.version(&job_key(1), 7).expect("a version"), None);
    assert_eq!(jobs(&mut opened), [job(1, "kept")]);
}

fn run_by_id<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    for row in runs() {
        assert_eq!(opened.reader.run(row.id).expect("a run").as_ref(), Some(&row));
    }
    assert_eq!(opened.reader.run(run_id(9999)).expect("none"), None);
}

fn walk(reader: &mut impl ReadTables, query: &RunQuery) -> Vec<RunRow> {
    let mut query = query.clone();
    let mut walked = vec![];
    loop {
        let page = reader.runs(&query).expect("page");
        assert!(page.rows.len() <= query.limit);
        walked.extend(page.rows);
        let Some(next) = page.next else { return walked };
        assert!(query.after != Some(next), "a cursor that stands still");
        query.after = Some(next);
    }
}

fn expected(wanted: impl Fn(&RunRow) -> bool) -> Vec<RunRow> {
    let mut rows: Vec<RunRow> = runs().into_iter().filter(|row| wanted(row)).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.id));
    rows
}

fn pages_walk_every_run<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    for limit in [1, 7, 50, 120] {
        let query = RunQuery { limit, ..RunQuery::default() };
        assert_eq!(walk(&mut opened.reader, &query), expected(|_| true), "limit {limit}");
    }
}

fn a_page_of_runs_is_bounded<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let many = (1..=PAGE_MAX as u64 + 50).map(|n| run(n, RunStatus::Queued, None)).collect();
    opened.tables.cut(&Cut { runs: many, ..cut(opened.epoch, 0) }).expect("cut");
    let page = opened.reader.runs(&RunQuery { limit: usize::MAX, ..RunQuery::default() }).expect("page");
    assert_eq!((page.rows.len(), page.next), (PAGE_MAX, Some(run_id(51))));
}

fn versions_newest_first<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let rows = (1..=30).map(|n| version(1, n)).chain([version(2, 40), version(3, 5)]).collect();
    opened.tables.cut(&Cut { versions: rows, ..cut(opened.epoch, 0) }).expect("cut");
    let mut versions = |before, limit| -> Vec<u32> {
        let rows = opened.reader.versions(&job_key(1), before, limit).expect("versions");
        assert!(rows.iter().all(|row| *row == version(1, row.version)));
        rows.iter().map(|row| row.version).collect()
    };
    assert_eq!(versions(u32::MAX, 3), [30, 29, 28]);
    assert_eq!(versions(28, 3), [27, 26, 25]);
    assert_eq!(versions(3, 10), [2, 1]);
    assert_eq!(versions(1, 10), []);
    assert_eq!(opened.reader.versions(&job_key(4), u32::MAX, 10).expect("none"), []);
}

fn dropping_takes_ended_runs<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    let day = FIRST_DAY + 2;
    opened.tables.drop_before(day as u32, Wall::ZERO).expect("drop");
    let kept = expected(|row| row.ended.is_none_or(|ended| ended.millis() >= day * DAY_MS));
    let query = RunQuery { limit: 200, ..RunQuery::default() };
    assert_eq!(walk(&mut opened.reader, &query), kept);
}

fn keys_of_unfinished_runs<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let of_run = |number: u128, run: u64| KeyRow {
        binding: mainspring_core::key::KeyBinding {
            task: TaskId::from_bits(run_id(run).bits()),
            ..key(number, 0, 0).binding
        },
        ..key(number, 0, 100)
    };
    let first = Cut {
        keys: vec![of_run(1, 1), of_run(2, 2), of_run(3, 3)],
        runs: vec![
            run(1, RunStatus::Queued, None),
            run(2, RunStatus::Succeeded, Some(FIRST_DAY * DAY_MS)),
            run(3, RunStatus::Running, None),
        ],
        ..cut(opened.epoch, 0)
    };
    opened.tables.cut(&first).expect("cut");
    opened.tables.drop_before(0, Wall::from_millis(250)).expect("drop");
    let scopes: Vec<_> = first.keys.iter().map(|row| row.scope).collect();
    let kept: Vec<bool> = opened.reader.keys(&scopes).expect("keys").iter().map(Option::is_some).collect();
    assert_eq!(kept, [true, false, true]);
}
