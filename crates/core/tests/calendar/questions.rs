//! The four questions agree with each other, over distances that no oracle could walk.

use mainspring_core::calendar::{Cron, Dst, Timetable, Zone};
use mainspring_core::values::{Millis, Wall};
use proptest::prelude::*;
use proptest::sample::select;

use super::{policies, wall};

const EXPRESSIONS: [&str; 14] = [
    "* * * * *",
    "*/7 * * * * *",
    "0 0 29 2 *",
    "* * 29 2 *",
    "0 0 29 2 */7",
    "30 2 * 3 SUN#2",
    "30 1 * 11 SUN#1",
    "0 9 * * MON-FRI",
    "15 2,3 L * *",
    "0 0 31W * *",
    "*/30 0-3 * * *",
    "0 */5 * * *",
    "59 59 23 31 12 *",
    "0 0 * 1 FRI#5",
];

fn tables() -> impl Strategy<Value = Timetable> {
    let cron = (
        select(EXPRESSIONS.to_vec()),
        select(Zone::all().collect::<Vec<_>>()),
        select(policies().collect::<Vec<_>>()),
    );
    let every = (1_u64..100_000_000, 0_u64..2_000_000_000_000);
    let instants = proptest::collection::vec(0_u64..253_000_000_000_000, 0..20);
    prop_oneof![
        4 => cron.prop_map(|(text, zone, dst)| {
            Timetable::Cron { cron: Cron::parse(text, 0).expect("right"), zone, dst }
        }),
        1 => every.prop_map(|(every, anchor)| {
            Timetable::Every { every: Millis::new(every), anchor: Wall::from_millis(anchor) }
        }),
        1 => instants.prop_map(|list| Timetable::instants(list.into_iter().map(Wall::from_millis).collect())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn next_previous_count_and_newest_agree(
        table in tables(), after in 0_u64..253_300_000_000_000, back in 0_u64..10_000_000_000_000, n in 0_usize..20,
    ) {
        let after = Wall::from_millis(after);
        let mut at = after;
        let mut found = Vec::new();
        while found.len() < 12 && let Some(next) = table.next(at) {
            prop_assert!(next.at > at);
            prop_assert_eq!(table.next(next.at - Millis::new(1)).map(|next| next.at), Some(next.at));
            if let Some(last) = found.last() {
                prop_assert_eq!(table.previous(next.at), Some(*last));
            }
            at = next.at;
            found.push(at);
        }
        prop_assert_eq!(table.count(after, at), found.len() as u64);
        prop_assert_eq!(table.newest(after, at, n), &found[found.len().saturating_sub(n)..]);
        if let Some(first) = found.first() {
            prop_assert_eq!(table.previous(*first).filter(|at| *at > after), None);
        }
        // Counts add up.
        let start = after - Millis::new(back);
        let middle = start + Millis::new(after.since(start).get() / 3);
        prop_assert_eq!(table.count(start, after), table.count(start, middle) + table.count(middle, after));
    }
}

#[test]
fn sparse_days_are_found_far_away() {
    let table = Timetable::Cron {
        cron: Cron::parse("0 0 29 2 *", 0).expect("right"),
        zone: Zone::UTC,
        dst: Dst::default(),
    };
    // 1896 and 1904 have no leap day between them, nor do 2096 and 2104: 2100 is no leap year.
    let next = table.next(wall(3_981_657_600)).expect("2104");
    assert_eq!(super::timestamp(super::seconds(next.at)).to_string(), "2104-02-29T00:00:00Z");
    // 97 leap days in 400 years.
    assert_eq!(table.count(wall(946_684_800), wall(946_684_800 + 146_097 * 86_400)), 97);
}
