//! Cases of backfills.

use mainspring_core::job::JobKey;
use mainspring_core::values::{BackfillId, Wall};

use super::samples::{DAY_MS, cut, id, name};
use super::{Case, Harness, open, reopen};
use crate::{BackfillQuery, BackfillRow, Cut, PAGE_MAX, ReadTables, Recovery, Store, Tables};

pub fn cases<H: Harness>() -> Vec<Case<H>> {
    vec![
        ("a backfill keeps its spec while the rest of it changes", spec_is_kept),
        ("recovery gives the backfills that have not ended", recovery_gives_live_ones),
        ("pages of backfills walk every row once, newest first", pages_walk_every_row),
        ("dropping takes ended backfills only", dropping_takes_ended_ones),
    ]
}

fn row(number: u64, ended: Option<u64>, what: &str) -> BackfillRow {
    let tenant = name(["acme", "beta"][number as usize % 2]);
    BackfillRow {
        id: BackfillId::from_bits(id(number).bits()),
        job: JobKey { tenant, name: name(["etl", "mail"][number as usize / 2 % 2]) },
        ended: ended.map(Wall::from_millis),
        spec: Some(format!("spec {number}").into_bytes()),
        bytes: what.as_bytes().to_vec(),
    }
}

fn live<S: Store>(opened: &mut crate::Opened<S>) -> Vec<BackfillRow> {
    let mut rows = vec![];
    opened.recovery.live_backfills(&mut |row| rows.push(row)).expect("backfills");
    rows
}

fn spec_is_kept<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let first = row(1, None, "begun");
    opened.tables.cut(&Cut { backfills: vec![first.clone()], ..cut(opened.epoch, 0) }).expect("cut");
    assert_eq!(opened.reader.backfill(first.id).expect("read"), Some(first.clone()));
    let later = BackfillRow { spec: None, ended: Some(Wall::from_millis(5)), ..row(1, None, "ended") };
    opened.tables.cut(&Cut { backfills: vec![later.clone()], ..cut(opened.epoch, 0) }).expect("cut");
    opened = reopen(harness, &store, opened);
    let expected = BackfillRow { spec: first.spec, ..later };
    assert_eq!(opened.reader.backfill(first.id).expect("read"), Some(expected));
    assert_eq!(opened.reader.backfill(row(2, None, "").id).expect("read"), None);
}

fn recovery_gives_live_ones<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let rows = vec![row(3, None, "c"), row(1, None, "a"), row(2, Some(9), "b")];
    opened.tables.cut(&Cut { backfills: rows, ..cut(opened.epoch, 0) }).expect("cut");
    opened = reopen(harness, &store, opened);
    assert_eq!(live(&mut opened), [row(1, None, "a"), row(3, None, "c")]);
}

fn pages_walk_every_row<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let rows: Vec<_> = (1..=30).map(|n| row(n * 7 % 31, (n % 3 == 0).then_some(n), "x")).collect();
    opened.tables.cut(&Cut { backfills: rows.clone(), ..cut(opened.epoch, 0) }).expect("cut");
    for (tenant, job) in [(None, None), (Some("acme"), None), (Some("beta"), Some("etl"))] {
        let mut query = BackfillQuery { tenant: tenant.map(name), job: job.map(name), after: None, limit: 4 };
        let mut expected: Vec<_> = rows.iter().filter(|row| query.wants(row)).cloned().collect();
        expected.sort_by_key(|row| std::cmp::Reverse(row.id));
        let mut walked = vec![];
        loop {
            let page = opened.reader.backfills(&query).expect("page");
            assert!(page.len() <= 4);
            let Some(last) = page.last() else { break };
            query.after = Some(last.id);
            walked.extend(page);
        }
        assert_eq!(walked, expected, "{tenant:?} {job:?}");
    }
    let all = BackfillQuery { limit: PAGE_MAX + 1, ..BackfillQuery::default() };
    assert_eq!(opened.reader.backfills(&all).expect("page").len(), 30);
}

fn dropping_takes_ended_ones<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let rows = vec![row(1, None, "live"), row(2, Some(DAY_MS), "old"), row(3, Some(3 * DAY_MS), "young")];
    opened.tables.cut(&Cut { backfills: rows.clone(), ..cut(opened.epoch, 0) }).expect("cut");
    opened.tables.drop_before(2, Wall::ZERO).expect("drop");
    let all = BackfillQuery { limit: 10, ..BackfillQuery::default() };
    let kept = opened.reader.backfills(&all).expect("page");
    assert_eq!(kept, [rows[2].clone(), rows[0].clone()]);
}
