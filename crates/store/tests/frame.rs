//! Frames: what a walk says about whole, torn, damaged, stale and newer bytes.

use mainspring_core::values::{Epoch, Now, Seq};
use mainspring_store::Record;
use mainspring_store::frame::{Found, Frames, HEADER_BYTES, Hash, Link, TERMINATOR_BYTES, encode};

const JOURNAL: u64 = 0xabcd_ef01_2345_6789;

fn record(seq: u64) -> Record {
    let body = (0..100 + seq * 10).map(|at| (at * 31 + seq) as u8).collect();
    Record {
        epoch: Epoch::new(1 + seq / 3),
        seq: Seq::new(seq),
        now: Now::new(seq, seq * 2),
        events: 3,
        body,
    }
}

fn link(next: u64) -> Link {
    Link { journal: JOURNAL, next: Seq::new(next), previous: [0; 32], epoch: Epoch::ZERO }
}

/// Five records and room after them; where each begins, and where the last ends.
fn written() -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut starts, mut previous): (Vec<u8>, Vec<usize>, Hash) = (vec![], vec![], [0; 32]);
    for seq in 1..=5 {
        starts.push(bytes.len());
        previous = encode(&record(seq), JOURNAL, &previous, &mut bytes);
    }
    starts.push(bytes.len());
    bytes.resize(bytes.len() + 1000, 0);
    (bytes, starts)
}

/// How many records come before the end, and what the end is.
fn walk(bytes: &[u8], link: Link) -> (u64, Found<'static>) {
    let mut frames = Frames::new(bytes, 0, link);
    let mut count = 0;
    loop {
        let Ok(found) = frames.step();
        let end = match found {
            Found::Frame(frame) => {
                count += 1;
                assert_eq!(frame.to_record(), record(frame.seq.get()));
                continue;
            }
            Found::End => Found::End,
            Found::Torn { at, why } => Found::Torn { at, why },
            Found::Damaged { at, why } => Found::Damaged { at, why },
            Found::Newer { at, found, known } => Found::Newer { at, found, known },
        };
        return (count, end);
    }
}

#[test]
fn whole_records_walk_to_a_clean_end() {
    let (bytes, starts) = written();
    assert_eq!(walk(&bytes, link(1)), (5, Found::End));
    assert_eq!(walk(&bytes[..starts[5]], link(1)), (5, Found::End), "no room left behind the last");
}

#[test]
fn a_last_record_cut_anywhere_is_torn() {
    let (bytes, starts) = written();
    for cut in starts[4] + 1..starts[5] {
        let mut cut_off = bytes[..cut].to_vec();
        let torn = |found: Found<'_>| matches!(found, Found::Torn { at, .. } if at == starts[4]);
        let (count, found) = walk(&cut_off, link(1));
        assert!(count == 4 && torn(found), "file ends at {cut}");
        cut_off.resize(bytes.len(), 0);
        let (count, found) = walk(&cut_off, link(1));
        // The last byte of the body may have been a zero anyway.
        assert!(count == 5 || torn(found), "zeros from {cut}");
    }
}

#[test]
fn a_flipped_bit_is_damage_in_the_middle_and_a_torn_tail_at_the_end() {
    let (bytes, starts) = written();
    for at in starts[2]..starts[3] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        let (count, found) = walk(&flipped, link(1));
        assert!(matches!(found, Found::Damaged { at, .. } if at == starts[2]), "byte {at}: {found:?}");
        assert_eq!(count, 2, "byte {at}");
    }
    for at in starts[4]..starts[5] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        let (count, found) = walk(&flipped, link(1));
        assert!(matches!(found, Found::Torn { at, .. } if at == starts[4]), "byte {at}: {found:?}");
        assert_eq!(count, 4, "byte {at}");
    }
}

#[test]
fn zeros_in_the_middle_are_damage() {
    let (mut bytes, starts) = written();
    bytes[starts[1]..starts[2]].fill(0);
    assert!(matches!(walk(&bytes, link(1)), (1, Found::Damaged { at, .. }) if at == starts[1]));
}

/// Rewrites the checksum after a change, as a writer would have.
fn seal(frame: &mut [u8]) {
    let crc = crc32c::crc32c(&frame[12..]);
    frame[8..12].copy_from_slice(&crc.to_le_bytes());
}

#[test]
fn a_sealed_frame_must_belong() {
    let unknown = Found::Damaged { at: 0, why: "has bytes set that this version keeps zero" };
    let rows: [(&str, usize, Found<'_>); 6] = [
        ("version", 12, Found::Newer { at: 0, found: 1 ^ 0x10, known: 1 }),
        ("padding behind the version", 14, unknown.clone()),
        ("padding behind the events", 62, unknown),
        ("another journal", 16, Found::Damaged { at: 0, why: "holds an older record" }),
        (
            "later sequence",
            32,
            Found::Damaged { at: 0, why: "holds a later record: records are missing before it" },
        ),
        (
            "previous hash",
            70,
            Found::Damaged { at: 0, why: "does not carry the hash of the record before it" },
        ),
    ];
    for (case, at, expected) in rows {
        let (mut bytes, starts) = written();
        bytes[at] ^= 0x10;
        seal(&mut bytes[..starts[1]]);
        assert_eq!(walk(&bytes, link(1)), (0, expected), "{case}");
    }
}

#[test]
fn bytes_of_an_earlier_use_are_not_records() {
    // Records 101.. written over a file that still holds 1..=5, with the zeros that end them.
    for new in 1..=4 {
        let (mut bytes, _) = written();
        let (mut fresh, mut previous): (Vec<u8>, Hash) = (vec![], [0; 32]);
        for seq in 101..101 + new {
            previous = encode(&record(seq), JOURNAL, &previous, &mut fresh);
        }
        let end = fresh.len();
        fresh.resize(end + TERMINATOR_BYTES, 0);
        bytes.resize(bytes.len().max(fresh.len()), 0);
        bytes[..fresh.len()].copy_from_slice(&fresh);
        assert_eq!(walk(&bytes, link(101)), (new, Found::End));
    }
    let (bytes, _) = written();
    assert_eq!(walk(&bytes, link(101)), (0, Found::End), "an old record right at the end");
}

#[test]
fn a_payload_cannot_pose_as_a_record() {
    // The hostile body holds a whole frame with a high sequence; it does not know the journal's id.
    let mut forged = vec![];
    encode(&record(1_000_000), 0, &[0; 32], &mut forged);
    let mut bytes = vec![];
    encode(&Record { body: forged, ..record(1) }, JOURNAL, &[0; 32], &mut bytes);
    bytes[HEADER_BYTES - 1] ^= 1;
    assert!(matches!(walk(&bytes, link(1)), (0, Found::Torn { .. })));
}
