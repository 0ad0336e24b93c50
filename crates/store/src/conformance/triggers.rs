//! Cases of triggers.

use mainspring_core::values::TriggerId;

use super::samples::cut;
use super::{Case, Harness, open, reopen};
use crate::{Cut, Opened, Recovery, Store, Tables, TriggerRow};

pub fn cases<H: Harness>() -> Vec<Case<H>> {
    vec![
        ("triggers survive with their cut, by id", rows_survive),
        ("a trigger that is written again is one row", a_trigger_is_one_row),
    ]
}

fn trigger(number: u32, what: &str) -> TriggerRow {
    TriggerRow { id: TriggerId::new(number), bytes: format!("trigger {number}, {what}").into_bytes() }
}

fn triggers<S: Store>(opened: &mut Opened<S>) -> Vec<TriggerRow> {
    let mut rows = vec![];
    opened.recovery.triggers(&mut |row| rows.push(row)).expect("triggers");
    rows
}

fn rows_survive<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let rows: Vec<TriggerRow> = (0..300).rev().map(|number| trigger(number, "first")).collect();
    opened.tables.cut(&Cut { triggers: rows.clone(), ..cut(opened.epoch, 0) }).expect("a cut");
    let mut opened = reopen(harness, &store, opened);
    assert_eq!(triggers(&mut opened), rows.into_iter().rev().collect::<Vec<_>>());
}

fn a_trigger_is_one_row<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    for what in ["first", "second"] {
        let cut = Cut { triggers: vec![trigger(0, what)], ..cut(opened.epoch, 0) };
        opened.tables.cut(&cut).expect("a cut");
    }
    let mut opened = reopen(harness, &store, opened);
    assert_eq!(triggers(&mut opened), [trigger(0, "second")]);
}
