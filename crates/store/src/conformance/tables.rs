//! Cases of the tables: cuts, guards, loading, paging, keys.

use mainspring_core::key::KeyScope;
use mainspring_core::task::Status;
use mainspring_core::values::{Seq, TaskId, Wall};

use super::samples::{DAY_MS, cut, ended, id, key, live, record, recovered};
use super::{Case, Harness, open, reopen};
use crate::{Cut, CutError, Journal, LiveRow, ParkedFrom, ReadTables, Record, Recovery, StoredTask, Tables};

pub fn cases<H: Harness>() -> Vec<Case<H>> {
    vec![
        ("a cut survives with its head", a_cut_survives),
        ("live rows are inserted, replaced and removed", live_rows_follow_the_cuts),
        ("recovery loads what is not parked, or due", recovery_respects_the_horizon),
        ("recovery finds rows by id, parked or not", recovery_by_id),
        ("a cut of an older epoch changes nothing", an_older_epoch_is_refused),
        ("a cut before the last one changes nothing", an_older_cut_is_refused),
        ("tasks are found live before ended, in the order asked", tasks_in_order),
        ("a revived task leaves the history", revived_leaves_history),
        ("parked rows page by due time", parked_by_due),
        ("parked rows page by id", parked_by_id),
        ("ids in a range, live and ended, each once", ids_in_a_range),
        ("keys answer in the order asked", keys_in_order),
        ("keys go when expired and their task is not live", keys_expire),
        ("another reader sees the same", another_reader),
    ]
}

fn a_cut_survives<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    let first = Cut { meta: b"shard-wide".to_vec(), live: vec![live(1, 7, None)], ..cut(epoch, 7) };
    for seq in 1..=7 {
        opened.journal.append(&record(epoch, seq, 100)).expect("append");
    }
    opened.tables.cut(&first).expect("cut");
    opened = reopen(harness, &store, opened);
    let head = opened.recovery.head().expect("head");
    assert_eq!((head.seq, head.epoch, head.now), (first.through, epoch, first.now));
    assert_eq!(head.meta, first.meta);
}

fn live_rows_follow_the_cuts<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    opened
        .tables
        .cut(&Cut { live: (1..=9).map(|n| live(n, 1, None)).collect(), ..cut(epoch, 0) })
        .expect("cut");
    let second = Cut {
        live: vec![live(2, 2, Some(50)), live(10, 2, None)],
        gone: vec![id(3), id(77)],
        ..cut(epoch, 0)
    };
    opened.tables.cut(&second).expect("cut");
    opened = reopen(harness, &store, opened);
    let expected: Vec<LiveRow> = [1, 2, 4, 5, 6, 7, 8, 9, 10]
        .map(|n| match n {
            2 => live(2, 2, Some(50)),
            10 => live(10, 2, None),
            n => live(n, 1, None),
        })
        .into();
    assert_eq!(recovered(&mut opened, 50), expected);
}

fn recovery_respects_the_horizon<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let rows = vec![live(1, 1, None), live(2, 1, Some(100)), live(3, 1, Some(200)), live(4, 1, Some(300))];
    opened.tables.cut(&Cut { live: rows.clone(), ..cut(opened.epoch, 0) }).expect("cut");
    for (horizon, loaded) in [(0, 1), (99, 1), (100, 2), (299, 3), (300, 4)] {
        assert_eq!(recovered(&mut opened, horizon), rows[..loaded], "horizon {horizon}");
    }
}

fn recovery_by_id<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let rows = vec![live(1, 1, None), live(2, 1, Some(1 << 40)), live(3, 1, None)];
    opened.tables.cut(&Cut { live: rows.clone(), ..cut(opened.epoch, 0) }).expect("cut");
    let (epoch, mut found) = (opened.epoch, vec![]);
    for seq in 1..=2 {
        opened.journal.append(&record(epoch, seq, 10)).expect("append");
    }
    opened = reopen(harness, &store, opened);
    let mut look = |record: Record, tables: &mut dyn ReadTables| {
        let wanted = [id(record.seq.get()), id(99)];
        found.extend(tables.tasks(&wanted).expect("tasks").into_iter().flatten());
        Ok(())
    };
    opened.recovery.tail(Seq::ZERO, &mut look).expect("the tail");
    assert_eq!(found, [StoredTask::Live(rows[0].clone()), StoredTask::Live(rows[1].clone())]);
}

fn an_older_epoch_is_refused<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let old = opened.epoch;
    opened.tables.cut(&cut(old, 0)).expect("cut");
    opened = reopen(harness, &store, opened);
    opened.tables.cut(&Cut { live: vec![live(1, 1, None)], ..cut(opened.epoch, 0) }).expect("cut");
    let late = Cut { gone: vec![id(1)], ..cut(old, 0) };
    let outcome = opened.tables.cut(&late);
    assert!(matches!(outcome, Err(CutError::Refused { ours, .. }) if ours == old), "{outcome:?}");
    assert_eq!(recovered(&mut opened, 0).len(), 1);
}

fn an_older_cut_is_refused<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    opened.tables.cut(&Cut { live: vec![live(1, 1, None)], ..cut(epoch, 9) }).expect("cut");
    let outcome = opened.tables.cut(&Cut { gone: vec![id(1)], ..cut(epoch, 8) });
    match outcome {
        Err(CutError::OutOfOrder { last, offered }) => assert_eq!((last.get(), offered.get()), (9, 8)),
        other => panic!("{other:?}"),
    }
    assert_eq!(recovered(&mut opened, 0).len(), 1);
    assert_eq!(opened.recovery.head().expect("head").seq, Seq::new(9));
    opened.tables.cut(&Cut { gone: vec![id(1)], ..cut(epoch, 9) }).expect("the same place again");
    assert_eq!(recovered(&mut opened, 0).len(), 0);
}

fn tasks_in_order<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let old = ended(2, Status::Failed, DAY_MS);
    let done = ended(3, Status::Succeeded, 40 * DAY_MS);
    let both = Cut {
        live: vec![live(1, 1, None), live(2, 1, Some(9))],
        ended: vec![old, done.clone()],
        ..cut(opened.epoch, 0)
    };
    opened.tables.cut(&both).expect("cut");
    let found = opened.reader.tasks(&[id(3), id(4), id(2), id(1), id(3)]).expect("tasks");
    let ended = Some(StoredTask::Ended(done));
    let expected = [
        ended.clone(),
        None,
        Some(StoredTask::Live(live(2, 1, Some(9)))),
        Some(StoredTask::Live(live(1, 1, None))),
        ended,
    ];
    assert_eq!(found, expected);
    assert_eq!(opened.reader.tasks(&[]).expect("none"), []);
}

fn revived_leaves_history<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    let rows = (1..=3).map(|n| ended(n, Status::Failed, n * DAY_MS)).collect();
    opened.tables.cut(&Cut { ended: rows, ..cut(epoch, 0) }).expect("cut");
    // The first is queued again; the second was queued again and has ended since.
    let again = ended(2, Status::Succeeded, 9 * DAY_MS);
    let second = Cut {
        live: vec![live(1, 2, None)],
        ended: vec![again.clone()],
        revived: vec![id(1), id(2), id(50)],
        ..cut(epoch, 0)
    };
    opened.tables.cut(&second).expect("cut");
    let page = opened.reader.history(&crate::HistoryQuery { limit: 10, ..Default::default() }).expect("page");
    assert_eq!(page.rows, [again, ended(3, Status::Failed, 3 * DAY_MS)]);
    let found = opened.reader.tasks(&[id(1)]).expect("tasks");
    assert_eq!(found, [Some(StoredTask::Live(live(1, 2, None)))]);
}

/// Due times with ties, out of the order of ids; every fourth is not parked.
fn parked_rows() -> Vec<LiveRow> {
    (1..=60).map(|n| live(n, 1, if n % 4 == 0 { None } else { Some(1000 + n * 37 % 10) })).collect()
}

fn parked_by_due<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    opened.tables.cut(&Cut { live: parked_rows(), ..cut(opened.epoch, 0) }).expect("cut");
    let until = Wall::from_millis(1007);
    let mut expected: Vec<LiveRow> =
        parked_rows().into_iter().filter(|row| row.parked_due.is_some_and(|due| due <= until)).collect();
    expected.sort_by_key(|row| (row.parked_due, row.id));
    for limit in [1, 7, 100] {
        let mut after = (Wall::ZERO, TaskId::from_bits(0));
        let mut walked = vec![];
        loop {
            let page = opened.reader.parked(ParkedFrom::Due { after, until }, limit).expect("page");
            let Some(last) = page.last() else { break };
            assert!(page.len() <= limit);
            after = (last.parked_due.expect("parked"), last.id);
            walked.extend(page);
        }
        assert_eq!(walked, expected, "limit {limit}");
    }
}

fn parked_by_id<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    opened.tables.cut(&Cut { live: parked_rows(), ..cut(opened.epoch, 0) }).expect("cut");
    let mut expected: Vec<LiveRow> =
        parked_rows().into_iter().filter(|row| row.parked_due.is_some()).collect();
    expected.sort_by_key(|row| row.id);
    for limit in [1, 7, 100] {
        let mut after = TaskId::from_bits(0);
        let mut walked = vec![];
        loop {
            let page = opened.reader.parked(ParkedFrom::Id { after }, limit).expect("page");
            let Some(last) = page.last() else { break };
            after = last.id;
            walked.extend(page);
        }
        assert_eq!(walked, expected, "limit {limit}");
    }
}

fn ids_in_a_range<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let first = Cut {
        live: (1..=4).map(|n| live(n, 1, (n == 2).then_some(5_000))).collect(),
        ended: vec![ended(5, Status::Failed, DAY_MS), ended(6, Status::Succeeded, 3 * DAY_MS)],
        ..cut(opened.epoch, 0)
    };
    opened.tables.cut(&first).expect("cut");
    let mut ids = |from, through, limit| opened.reader.ids(from, through, limit).expect("ids");
    assert_eq!(ids(id(2), id(5), 10), [2, 3, 4, 5].map(id), "both ends belong to it");
    assert_eq!(ids(id(3), id(9), 3), [3, 4, 5].map(id), "the lowest first");
    assert_eq!(ids(id(7), id(9), 10), []);
}

fn keys_in_order<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    let rows: Vec<_> = (1..=100).map(|n| key(n, n as u64, 1000)).collect();
    opened.tables.cut(&Cut { keys: rows.clone(), ..cut(epoch, 0) }).expect("cut");
    let rebound = key(5, 500, 2000);
    opened.tables.cut(&Cut { keys: vec![rebound], ..cut(epoch, 0) }).expect("cut");
    let scopes: Vec<KeyScope> = (90..=110).rev().map(|n| key(n, 0, 0).scope).chain([rebound.scope]).collect();
    let found = opened.reader.keys(&scopes).expect("keys");
    for (scope, binding) in scopes.iter().zip(&found) {
        let expected = rows.iter().find(|row| row.scope == *scope).map(|row| row.binding);
        let expected = if *scope == rebound.scope { Some(rebound.binding) } else { expected };
        assert_eq!(*binding, expected, "{scope:?}");
    }
    assert_eq!(found.len(), scopes.len());
}

fn keys_expire<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let keys = vec![key(1, 1, 100), key(2, 2, 100), key(3, 3, 200), key(4, 4, 300)];
    opened.tables.cut(&Cut { keys, live: vec![live(2, 1, None)], ..cut(opened.epoch, 0) }).expect("cut");
    opened.tables.drop_before(0, Wall::from_millis(250)).expect("drop");
    let scopes: Vec<KeyScope> = (1..=4).map(|n| key(n, 0, 0).scope).collect();
    let kept: Vec<bool> = opened.reader.keys(&scopes).expect("keys").iter().map(Option::is_some).collect();
    // The second is expired too, but its task lives.
    assert_eq!(kept, [false, true, false, true]);
}

fn another_reader<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    let mut other = opened.reader.another().expect("another reader");
    opened.tables.cut(&Cut { live: vec![live(1, 1, None)], ..cut(epoch, 0) }).expect("cut");
    assert_eq!(other.tasks(&[id(1)]).expect("tasks"), [Some(StoredTask::Live(live(1, 1, None)))]);
}
