//! Cases of the journal: order, fencing, recovery, trimming.

use mainspring_core::values::{Epoch, Seq};

use super::samples::{cut, record, recovered, tail};
use super::{Case, Harness, open, reopen};
use crate::{AppendError, CheckpointHead, Journal, OpenError, Recovery, Tables};

pub fn cases<H: Harness>() -> Vec<Case<H>> {
    vec![
        ("a new store is empty", a_new_store_is_empty),
        ("records come back as they were appended", records_come_back),
        ("the tail begins right after the given record", the_tail_begins_after),
        ("an error of the reader ends the tail", a_reader_error_ends_the_tail),
        ("only the next sequence is accepted", only_the_next_sequence),
        ("an epoch is above all epochs that appended", epochs_grow),
        ("an owner takes its next epoch without opening again", an_owner_renews),
        ("a record of another epoch is refused", another_epoch_is_refused),
        ("an older owner is refused once a newer one appended", an_older_owner_is_refused),
        ("trimming keeps every record after it", trimming_keeps_the_rest),
        ("appending goes on after trimming and reopening", appending_after_trimming),
        ("bytes tell how much the journal holds", bytes_grow_and_shrink),
    ]
}

/// Sizes of bodies: none, one byte, odd, and above what a page or a pipe holds.
const SIZES: [usize; 6] = [0, 1, 100, 4097, 70_001, 300_000];

fn a_new_store_is_empty<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    assert!(opened.epoch >= Epoch::new(1), "epoch 0 stands for no owner");
    assert_eq!(opened.recovery.head().expect("head"), CheckpointHead::default());
    assert_eq!(recovered(&mut opened, u64::MAX >> 1), []);
    assert_eq!(tail(&mut opened, 0), []);
}

fn records_come_back<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    let records: Vec<_> = SIZES.iter().zip(1..).map(|(size, seq)| record(epoch, seq, *size)).collect();
    for record in &records {
        opened.journal.append(record).expect("append");
    }
    for life in 0..3 {
        opened = reopen(harness, &store, opened);
        assert_eq!(tail(&mut opened, 0), records, "life {life}");
    }
}

fn the_tail_begins_after<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    append(&mut opened.journal, epoch, 1..=5);
    opened = reopen(harness, &store, opened);
    for after in 0..=5 {
        let seqs: Vec<u64> = tail(&mut opened, after).iter().map(|record| record.seq.get()).collect();
        assert_eq!(seqs, (after + 1..=5).collect::<Vec<_>>(), "after {after}");
    }
}

fn a_reader_error_ends_the_tail<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    append(&mut opened.journal, epoch, 1..=5);
    opened = reopen(harness, &store, opened);
    let mut seen = 0;
    let outcome = opened.recovery.tail(Seq::ZERO, &mut |_, _| {
        seen += 1;
        if seen < 3 { Ok(()) } else { Err(OpenError::Unreadable { what: "x".into(), why: "y".into() }) }
    });
    assert!(matches!(outcome, Err(OpenError::Unreadable { .. })));
    assert_eq!(seen, 3);
}

fn only_the_next_sequence<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    for (offered, last) in [(2, 0), (0, 0)] {
        refuse_out_of_order(&mut opened.journal, epoch, offered, last);
    }
    append(&mut opened.journal, epoch, 1..=2);
    for (offered, last) in [(1, 2), (2, 2), (4, 2)] {
        refuse_out_of_order(&mut opened.journal, epoch, offered, last);
    }
    append(&mut opened.journal, epoch, 3..=3);
    opened = reopen(harness, &store, opened);
    assert_eq!(tail(&mut opened, 0).len(), 3, "a refused record leaves nothing behind");
}

#[track_caller]
fn refuse_out_of_order(journal: &mut impl Journal, epoch: Epoch, offered: u64, last: u64) {
    match journal.append(&record(epoch, offered, 10)) {
        Err(AppendError::OutOfOrder { last: at, offered: got }) => {
            assert_eq!((at.get(), got.get()), (last, offered));
        }
        other => panic!("record {offered} after {last}: {other:?}"),
    }
}

fn epochs_grow<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let mut newest = Epoch::ZERO;
    for seq in 1..=4 {
        assert!(opened.epoch > newest, "epoch {} after {newest}", opened.epoch);
        newest = opened.epoch;
        append(&mut opened.journal, newest, seq..=seq);
        opened = reopen(harness, &store, opened);
    }
    let epochs: Vec<_> = tail(&mut opened, 0).iter().map(|record| record.epoch).collect();
    assert!(epochs.is_sorted(), "{epochs:?}");
}

fn an_owner_renews<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let first = opened.epoch;
    append(&mut opened.journal, first, 1..=1);
    let second = opened.journal.renew().expect("nobody else took over");
    assert!(second > first);
    let outcome = opened.journal.append(&record(first, 2, 10));
    assert!(matches!(outcome, Err(AppendError::Refused { ours, .. }) if ours == first), "{outcome:?}");
    append(&mut opened.journal, second, 2..=2);
    opened = reopen(harness, &store, opened);
    assert!(opened.epoch > second);
    let epochs: Vec<_> = tail(&mut opened, 0).iter().map(|record| record.epoch).collect();
    assert_eq!(epochs, [first, second]);
}

fn another_epoch_is_refused<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    append(&mut opened.journal, epoch, 1..=1);
    opened = reopen(harness, &store, opened);
    let outcome = opened.journal.append(&record(epoch, 2, 10));
    assert!(matches!(outcome, Err(AppendError::Refused { ours, .. }) if ours == epoch), "{outcome:?}");
    let newer = opened.epoch;
    append(&mut opened.journal, newer, 2..=2);
}

fn an_older_owner_is_refused<H: Harness>(harness: &H) {
    if !harness.two_owners() {
        return;
    }
    let store = harness.fresh();
    let mut old = open(&store);
    let old_epoch = old.epoch;
    append(&mut old.journal, old_epoch, 1..=1);
    let mut new = open(&store);
    let new_epoch = new.epoch;
    append(&mut new.journal, new_epoch, 2..=2);
    for seq in [2, 3] {
        let outcome = old.journal.append(&record(old_epoch, seq, 10));
        assert!(matches!(outcome, Err(AppendError::Refused { .. })), "record {seq}: {outcome:?}");
    }
    append(&mut new.journal, new_epoch, 3..=3);
    new.tables.cut(&cut(new_epoch, 3)).expect("the new owner's cut");
    assert!(old.tables.cut(&cut(old_epoch, 3)).is_err(), "the old owner's cut");
}

fn trimming_keeps_the_rest<H: Harness>(harness: &H) {
    for through in [0, 1, 13, 39, 40] {
        let store = harness.fresh();
        let mut opened = open(&store);
        let epoch = opened.epoch;
        let records: Vec<_> = (1..=40).map(|seq| record(epoch, seq, 20_000)).collect();
        for record in &records {
            opened.journal.append(record).expect("append");
        }
        opened.tables.cut(&cut(epoch, through)).expect("cut");
        opened.journal.trim(Seq::new(through)).expect("trim");
        opened = reopen(harness, &store, opened);
        assert_eq!(tail(&mut opened, through), records[through as usize..], "through {through}");
    }
}

fn appending_after_trimming<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    for round in 0..5 {
        let epoch = opened.epoch;
        append(&mut opened.journal, epoch, round * 20 + 1..=round * 20 + 20);
        opened.tables.cut(&cut(epoch, round * 20 + 15)).expect("cut");
        opened.journal.trim(Seq::new(round * 20 + 15)).expect("trim");
        opened = reopen(harness, &store, opened);
        let seqs: Vec<u64> = tail(&mut opened, round * 20 + 15).iter().map(|r| r.seq.get()).collect();
        assert_eq!(seqs, (round * 20 + 16..=round * 20 + 20).collect::<Vec<_>>(), "round {round}");
    }
}

fn bytes_grow_and_shrink<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    let mut held = opened.journal.bytes();
    for seq in 1..=40 {
        opened.journal.append(&record(epoch, seq, 20_000)).expect("append");
        assert!(opened.journal.bytes() >= held + 20_000, "record {seq}");
        held = opened.journal.bytes();
    }
    opened.tables.cut(&cut(epoch, 40)).expect("cut");
    opened.journal.trim(Seq::new(40)).expect("trim");
    assert!(opened.journal.bytes() <= held);
}

#[track_caller]
fn append(journal: &mut impl Journal, epoch: Epoch, seqs: std::ops::RangeInclusive<u64>) {
    for seq in seqs {
        journal.append(&record(epoch, seq, 10_000)).unwrap_or_else(|error| panic!("record {seq}: {error}"));
    }
}
