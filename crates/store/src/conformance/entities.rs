//! Cases of entities. A store does not know what a kind is; one stands for all.

use mainspring_core::values::{EntityKind, Name, Wall};

use super::samples::{cut, group};
use super::{Case, Harness, open, reopen};
use crate::{Cut, EntityQuery, EntityRow, Opened, ReadTables, Recovery, Store, Tables};

const DAY_MS: u64 = 86_400_000;

pub fn cases<H: Harness>() -> Vec<Case<H>> {
    vec![
        ("entities survive with their cut, by id", rows_survive),
        ("an entity that is written again is one row and keeps its fixed part", one_row),
        ("recovery reads the entities that have not ended, in pages", pages_of_recovery),
        ("an entity that ended is found until retention drops it", ended_ones),
        ("pages of entities are narrowed and begin where the last one ended", pages),
        ("entities of a kind are not seen by another", kinds_are_apart),
    ]
}

const KIND: EntityKind = EntityKind::ALL[0];

fn row(id: u128, what: &str) -> EntityRow {
    EntityRow {
        kind: KIND,
        id,
        group: group(id as u64),
        tenant: Name::fixed("acme"),
        parent: Name::default(),
        ended: None,
        fixed: Some(format!("fixed {id}").into_bytes()),
        bytes: format!("entity {id}, {what}").into_bytes(),
    }
}

fn write<S: Store>(opened: &mut Opened<S>, entities: &[EntityRow]) {
    opened.tables.cut(&Cut { entities: entities.to_vec(), ..cut(opened.epoch, 0) }).expect("a cut");
}

fn live<S: Store>(opened: &mut Opened<S>) -> Vec<EntityRow> {
    opened.recovery.entities(KIND, None, usize::MAX).expect("entities")
}

fn rows_survive<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let ids = [0, 7, 1 << 64, u128::MAX];
    let rows: Vec<EntityRow> = ids.into_iter().rev().map(|id| row(id, "first")).collect();
    write(&mut opened, &rows);
    let mut opened = reopen(harness, &store, opened);
    assert_eq!(live(&mut opened), rows.into_iter().rev().collect::<Vec<_>>());
    assert_eq!(opened.reader.entity(KIND, 7).expect("read"), Some(row(7, "first")));
    assert_eq!(opened.reader.entity(KIND, 8).expect("read"), None);
}

fn one_row<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    write(&mut opened, &[row(1, "first"), EntityRow { fixed: None, ..row(2, "first") }]);
    write(&mut opened, &[EntityRow { fixed: None, ..row(1, "second") }, row(2, "second")]);
    let mut opened = reopen(harness, &store, opened);
    assert_eq!(live(&mut opened), [row(1, "second"), row(2, "second")]);
}

fn pages_of_recovery<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let ended = |id: u128| id.is_multiple_of(3).then_some(Wall::from_millis(5));
    let rows: Vec<EntityRow> = (0..100).map(|id| EntityRow { ended: ended(id), ..row(id, "one") }).collect();
    write(&mut opened, &rows);
    let mut opened = reopen(harness, &store, opened);
    let (mut found, mut after) = (vec![], None);
    loop {
        let page = opened.recovery.entities(KIND, after, 7).expect("a page");
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 7);
        after = Some(last.id);
        found.extend(page);
    }
    let expected: Vec<EntityRow> = rows.into_iter().filter(|row| row.ended.is_none()).collect();
    assert_eq!(found, expected);
}

fn ended_ones<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let ended = |id, day: u64| EntityRow { ended: Some(Wall::from_millis(day * DAY_MS)), ..row(id, "ended") };
    write(&mut opened, &[row(1, "lives"), ended(2, 10), ended(3, 11)]);
    write(&mut opened, &[EntityRow { fixed: None, ..ended(4, 9) }]);
    opened.tables.drop_before(11, Wall::ZERO).expect("retention");
    let mut opened = reopen(harness, &store, opened);
    let found = [1, 2, 3, 4].map(|id| opened.reader.entity(KIND, id).expect("read").is_some());
    assert_eq!(found, [true, false, true, false]);
    assert_eq!(live(&mut opened), [row(1, "lives")]);
    // What comes back under the id of one that ended is a row that has not.
    write(&mut opened, &[row(3, "again")]);
    let mut opened = reopen(harness, &store, opened);
    assert_eq!(live(&mut opened), [row(1, "lives"), row(3, "again")]);
}

fn pages<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let listed = EntityKind::ALL.into_iter().find(|kind| kind.is_listed()).unwrap_or(KIND);
    let of = |id: u128| EntityRow {
        kind: listed,
        tenant: Name::fixed(["acme", "globex"][id as usize % 2]),
        parent: Name::fixed(["etl", "mail", "etl"][id as usize % 3]),
        ..row(id, "one")
    };
    let rows: Vec<EntityRow> = (0..60).map(of).collect();
    write(&mut opened, &rows);
    let opened = reopen(harness, &store, opened);
    let mut reader = opened.reader;
    let queries = [(None, None), (Some("acme"), None), (Some("acme"), Some("etl")), (Some("nobody"), None)];
    for (tenant, parent) in queries {
        let (tenant, parent) = (tenant.map(Name::fixed), parent.map(Name::fixed));
        let mut query = EntityQuery { kind: listed, tenant, parent, after: None, limit: 7 };
        let expected: Vec<&EntityRow> = rows.iter().rev().filter(|row| query.wants(row)).collect();
        let mut found = vec![];
        loop {
            let page = reader.entities(&query).expect("a page");
            let Some(last) = page.last() else { break };
            query.after = Some(last.id);
            found.extend(page);
        }
        assert_eq!(found.iter().collect::<Vec<_>>(), expected);
    }
}

fn kinds_are_apart<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let rows: Vec<EntityRow> =
        EntityKind::ALL.into_iter().map(|kind| EntityRow { kind, ..row(5, "one") }).collect();
    write(&mut opened, &rows);
    let mut opened = reopen(harness, &store, opened);
    for row in rows {
        let found = opened.recovery.entities(row.kind, None, 10).expect("entities");
        assert_eq!(found, std::slice::from_ref(&row));
        assert_eq!(opened.reader.entity(row.kind, 5).expect("read"), Some(row));
    }
}
