//! Cases of the history: every narrowing, page by page, against a plain filter over the same rows.

use mainspring_core::task::Status;
use mainspring_core::values::{TaskId, Wall, WorkerId};

use super::samples::{DAY_MS, cut, ended, id, live, name};
use super::{Case, Harness, open};
use crate::{Cut, HistoryQuery, HistoryRow, Opened, PAGE_MAX, ReadMany, ReadTables, Store, Tables};

pub fn cases<H: Harness>() -> Vec<Case<H>> {
    vec![
        ("history pages walk every row once, newest first", pages_walk_every_row),
        ("history narrows by each field", history_narrows),
        ("a page is never above its bound", a_page_is_bounded),
        ("a few among many are found", a_few_among_many_are_found),
        ("dropping takes whole days", dropping_takes_whole_days),
        ("many ended tasks are looked up at once", many_ended_tasks),
    ]
}

const DAYS: std::ops::Range<u64> = 100..104;
const STATUSES: [Status; 5] =
    [Status::Succeeded, Status::Succeeded, Status::Failed, Status::Cancelled, Status::Quarantined];

/// Rows over four days; the day of the end does not follow the order of ids.
fn rows() -> Vec<HistoryRow> {
    (1..=400)
        .map(|n| {
            let day = DAYS.start + n * 13 % 4;
            ended(n, STATUSES[n as usize % 7 % 5], day * DAY_MS + n * 977 % DAY_MS)
        })
        .collect()
}

fn filled<S: Store>(store: &S) -> Opened<S> {
    let mut opened = open(store);
    let epoch = opened.epoch;
    for chunk in rows().chunks(150) {
        opened.tables.cut(&Cut { ended: chunk.to_vec(), ..cut(epoch, 0) }).expect("cut");
    }
    opened
}

fn pages_walk_every_row<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    for limit in [1, 7, 100, 400] {
        let query = HistoryQuery { limit, ..Default::default() };
        assert_eq!(walk(&mut opened.reader, &query), expected(&query), "limit {limit}");
    }
}

fn history_narrows<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    let all = HistoryQuery { limit: 7, ..Default::default() };
    let tenant = HistoryQuery { tenant: Some(name("beta")), ..all.clone() };
    let job = HistoryQuery { job: Some(name("mail")), ..tenant.clone() };
    let at = |day: u64, ms: u64| Some(Wall::from_millis(day * DAY_MS + ms));
    let made = |n: usize| rows().get(n).map(|row| row.submitted);
    let label = |key, value| Some((name(key), name(value)));
    let queries = [
        ("one tenant", tenant.clone()),
        ("one job of a tenant", job.clone()),
        ("the nameless job of a tenant", HistoryQuery { job: Some(name("")), ..tenant.clone() }),
        ("a job of any tenant", HistoryQuery { job: Some(name("sweep")), ..all.clone() }),
        ("a tenant that has none", HistoryQuery { tenant: Some(name("none")), ..all.clone() }),
        ("succeeded", HistoryQuery { statuses: vec![Status::Succeeded], ..all.clone() }),
        ("failed", HistoryQuery { statuses: vec![Status::Failed], ..all.clone() }),
        (
            "not succeeded",
            HistoryQuery {
                statuses: vec![Status::Failed, Status::Cancelled, Status::Quarantined],
                ..all.clone()
            },
        ),
        (
            "two, one of them succeeded",
            HistoryQuery { statuses: vec![Status::Failed, Status::Succeeded], ..job.clone() },
        ),
        ("failed of one job", HistoryQuery { statuses: vec![Status::Failed], ..job.clone() }),
        ("a status that none has", HistoryQuery { statuses: vec![Status::Skipped], ..all.clone() }),
        ("one worker", HistoryQuery { worker: Some(WorkerId::from_bits(2)), ..all.clone() }),
        ("a label", HistoryQuery { label: label("env", "prod"), ..all.clone() }),
        ("a label that is not the first", HistoryQuery { label: label("team", "größe"), ..tenant.clone() }),
        ("half a label", HistoryQuery { label: label("env", "pro"), ..all.clone() }),
        ("from an instant", HistoryQuery { ended_from: at(102, 50_000), ..all.clone() }),
        ("before midnight", HistoryQuery { ended_before: at(102, 0), ..all.clone() }),
        ("before an instant", HistoryQuery { ended_before: at(101, 90_000), ..job.clone() }),
        ("made from an instant", HistoryQuery { created_from: made(150), ..all.clone() }),
        ("made before an instant", HistoryQuery { created_before: made(150), ..job.clone() }),
        (
            "between instants of a day",
            HistoryQuery { ended_from: at(101, 40_000), ended_before: at(101, 150_000), ..all.clone() },
        ),
        (
            "all at once",
            HistoryQuery {
                statuses: vec![Status::Failed, Status::Cancelled],
                worker: Some(WorkerId::from_bits(1)),
                label: label("env", "prod"),
                ended_from: at(101, 0),
                ..tenant
            },
        ),
    ];
    for (case, query) in queries {
        assert_eq!(walk(&mut opened.reader, &query), expected(&query), "{case}");
    }
}

/// However many rows have to be passed over, and whichever page they are on.
fn a_few_among_many_are_found<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let rare = |n: u64| n % 9_000 == 7;
    let row = |n: u64| {
        let row = ended(n, Status::Succeeded, (DAYS.start + n % 2) * DAY_MS + n);
        let labels =
            if rare(n) { vec![(name("team"), name("ops"))] } else { vec![(name("team"), name("web"))] };
        let worker = rare(n).then_some(WorkerId::from_bits(5));
        HistoryRow { worker, labels, ..row }
    };
    let many: Vec<HistoryRow> = (1..=30_000).map(row).collect();
    for chunk in many.chunks(10_000) {
        opened.tables.cut(&Cut { ended: chunk.to_vec(), ..cut(opened.epoch, 0) }).expect("cut");
    }
    let all = HistoryQuery { limit: 2, ..Default::default() };
    let label = HistoryQuery { label: Some((name("team"), name("ops"))), ..all.clone() };
    let worker = HistoryQuery { worker: Some(WorkerId::from_bits(5)), ..all };
    let both = HistoryQuery { worker: worker.worker, ..label.clone() };
    let mut expected: Vec<&HistoryRow> = many.iter().filter(|row| worker.wants(row)).collect();
    expected.sort_by_key(|row| std::cmp::Reverse((row.ended.day(), row.id)));
    for (case, query) in [("label", label), ("worker", worker), ("both", both)] {
        let found = walk(&mut opened.reader, &query);
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{case}");
    }
}

fn a_page_is_bounded<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let many = (1..=PAGE_MAX as u64 + 50).map(|n| ended(n, Status::Succeeded, DAY_MS)).collect();
    opened.tables.cut(&Cut { ended: many, ..cut(opened.epoch, 0) }).expect("cut");
    let page =
        opened.reader.history(&HistoryQuery { limit: usize::MAX, ..Default::default() }).expect("page");
    assert_eq!(page.rows.len(), PAGE_MAX);
    let rest = HistoryQuery { limit: PAGE_MAX, after: page.next, ..Default::default() };
    let rest = opened.reader.history(&rest).expect("page");
    assert_eq!((rest.rows.len(), rest.next), (50, None));
}

fn dropping_takes_whole_days<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    opened.tables.drop_before(102, Wall::ZERO).expect("drop");
    let query = HistoryQuery { limit: 50, ..Default::default() };
    let kept: Vec<_> = expected(&query).into_iter().filter(|row| row.ended.day() >= 102).collect();
    assert_eq!(walk(&mut opened.reader, &query), kept);
    // A day that was dropped can be written again, by a task that ended before its time was right.
    let late = ended(9000, Status::Failed, DAYS.start * DAY_MS);
    opened.tables.cut(&Cut { ended: vec![late.clone()], ..cut(opened.epoch, 0) }).expect("cut");
    assert_eq!(walk(&mut opened.reader, &query).last(), Some(&late));
}

/// Some ended on days before the one on which their id was made, some on that day, some on later ones.
fn many_ended_tasks<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    let made = id(0).minted_ms() / DAY_MS;
    let later = |n: u64| ended(n, Status::Succeeded, (made + n % 3) * DAY_MS + n);
    let rows: Vec<HistoryRow> = rows().into_iter().chain((401..=800).map(later)).collect();
    let unfinished = vec![live(900, 1, None)];
    opened
        .tables
        .cut(&Cut { ended: rows[400..].to_vec(), live: unfinished, ..cut(opened.epoch, 0) })
        .expect("cut");
    let cases: [(&str, Vec<u64>); 7] = [
        ("none", vec![]),
        ("one", vec![17]),
        ("one that there is not, a live one", vec![850, 900]),
        ("every one", (1..=800).collect()),
        ("every one and others between, before and behind", (0..=899).collect()),
        ("few, far apart", vec![2, 3, 150, 151, 399, 420, 640, 641, 799]),
        ("every fifth", (0..180).map(|n| n * 5).collect()),
    ];
    for (case, numbers) in cases {
        let ids: Vec<TaskId> = numbers.into_iter().map(id).collect();
        let mut found = vec![];
        opened.reader.ended_tasks(&ids, &mut |id, bytes| found.push((id, bytes.to_vec()))).expect("tasks");
        found.sort();
        let wanted = rows.iter().filter(|row| ids.contains(&row.id));
        assert_eq!(found, wanted.map(|row| (row.id, row.bytes.clone())).collect::<Vec<_>>(), "{case}");
    }
}

fn walk(reader: &mut impl ReadTables, query: &HistoryQuery) -> Vec<HistoryRow> {
    let mut query = query.clone();
    let mut walked = vec![];
    loop {
        let page = reader.history(&query).expect("page");
        assert!(page.rows.len() <= query.limit);
        walked.extend(page.rows);
        if page.next.is_none() {
            return walked;
        }
        assert!(page.next != query.after, "a cursor that stands still");
        query.after = page.next;
    }
}

fn expected(query: &HistoryQuery) -> Vec<HistoryRow> {
    let mut kept: Vec<_> = rows().into_iter().filter(|row| query.wants(row)).collect();
    kept.sort_by_key(|row| std::cmp::Reverse((row.ended.day(), row.id)));
    kept
}
