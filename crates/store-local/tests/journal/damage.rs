//! Journals that were cut, flipped, mixed up or written by a newer version: what opening says.

use std::fs;
use std::path::Path;

use crate::faulty::{open, record, refusal, segment, store, tail};
use mainspring_core::values::{Epoch, Seq};
use mainspring_store::frame::{Found, Frames, HEADER_BYTES, Link};
use mainspring_store::{Cut, Journal, OpenError, Record, Store, Tables};
use mainspring_store_local::{LocalStore, verify};
use tempfile::TempDir;

const SEGMENT: u64 = 256 << 10;
/// Bytes before the first record of a segment.
const SEGMENT_HEADER: usize = 72;
const BODY: usize = 150;
const FRAME: usize = HEADER_BYTES + BODY;

/// Five records in one segment.
fn written() -> (TempDir, LocalStore, Vec<Record>) {
    let dir = tempfile::tempdir().expect("a directory");
    let store = store(dir.path(), SEGMENT);
    let mut opened = open(&store);
    let records: Vec<Record> = (1..=5).map(|seq| record(opened.epoch, seq, BODY)).collect();
    for record in &records {
        opened.journal.append(record).expect("append");
    }
    drop(opened);
    (dir, store, records)
}

fn start(seq: usize) -> usize {
    SEGMENT_HEADER + (seq - 1) * FRAME
}

/// Changes the bytes of the first segment.
fn change(dir: &Path, how: impl FnOnce(&mut Vec<u8>)) {
    let path = segment(dir, 1);
    let mut bytes = fs::read(&path).expect("a segment");
    how(&mut bytes);
    fs::write(&path, bytes).expect("a segment");
}

#[test]
fn a_tail_cut_at_any_byte_loses_only_the_last_record() {
    let (dir, store, records) = written();
    let whole = fs::read(segment(dir.path(), 1)).expect("a segment");
    for cut in start(5) + 1..start(6) {
        for zeroed in [false, true] {
            let mut bytes = whole[..cut].to_vec();
            if zeroed {
                bytes.resize(whole.len(), 0);
            }
            fs::write(segment(dir.path(), 1), &bytes).expect("a segment");
            let report = verify(dir.path()).expect("a torn tail is no damage");
            assert_eq!(
                (report.last, report.torn.map(|torn| torn.byte)),
                (Seq::new(4), Some(start(5) as u64))
            );
            let mut opened = open(&store);
            assert_eq!(tail(&mut opened, 0), records[..4], "cut at {cut}");
            drop(opened);
            assert_eq!(verify(dir.path()).expect("clean").torn, None, "cut at {cut}: cut away");
        }
    }
}

#[test]
fn appending_goes_on_over_a_cut_tail() {
    let (dir, store, records) = written();
    change(dir.path(), |bytes| bytes.truncate(start(5) + 20));
    let mut opened = open(&store);
    let again = record(opened.epoch, 5, 3 * BODY);
    opened.journal.append(&again).expect("append");
    drop(opened);
    let mut opened = open(&store);
    assert_eq!(tail(&mut opened, 4), [again]);
    assert_eq!(tail(&mut opened, 0)[..4], records[..4]);
}

/// Offsets within a frame, one of each kind of byte.
const CLASSES: [(&str, usize); 15] = [
    ("magic", 0),
    ("length", 4),
    ("length, high", 7),
    ("checksum", 8),
    ("version", 12),
    ("padding", 14),
    ("journal id", 16),
    ("epoch", 24),
    ("sequence", 32),
    ("elapsed", 40),
    ("wall", 48),
    ("events", 56),
    ("previous hash", 64),
    ("body, first", HEADER_BYTES),
    ("body, last", FRAME - 1),
];

#[test]
fn a_flip_in_the_middle_stops_and_names_the_record() {
    let (dir, store, _) = written();
    let whole = fs::read(segment(dir.path(), 1)).expect("a segment");
    for seq in [1, 3] {
        for (class, at) in CLASSES.into_iter().chain([("body, middle", HEADER_BYTES + BODY / 2)]) {
            let mut bytes = whole.clone();
            bytes[start(seq) + at] ^= 1;
            fs::write(segment(dir.path(), 1), &bytes).expect("a segment");
            for error in [refusal(&store), verify(dir.path()).expect_err("damage")] {
                match error {
                    OpenError::Damaged { file, seq: named, byte, .. } => {
                        assert_eq!((named.get(), byte), (seq as u64, start(seq) as u64), "{class} of {seq}");
                        assert!(file.ends_with("00000001.seg"), "{file}");
                    }
                    other => panic!("{class} of {seq}: {other}"),
                }
            }
            assert_eq!(fs::read(segment(dir.path(), 1)).expect("a segment"), bytes, "nothing was repaired");
        }
    }
}

#[test]
fn a_flip_in_the_last_record_is_never_accepted() {
    let (dir, store, records) = written();
    let whole = fs::read(segment(dir.path(), 1)).expect("a segment");
    for at in 0..FRAME {
        let mut bytes = whole.clone();
        bytes[start(5) + at] ^= 1;
        fs::write(segment(dir.path(), 1), &bytes).expect("a segment");
        match store.open() {
            Ok(mut opened) => assert_eq!(tail(&mut opened, 0), records[..4], "byte {at}"),
            Err(OpenError::Damaged { seq, .. }) => assert_eq!(seq, Seq::new(5), "byte {at}"),
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
}

#[test]
fn a_flip_in_a_segment_header_stops() {
    let (dir, store, _) = written();
    let whole = fs::read(segment(dir.path(), 1)).expect("a segment");
    for at in 0..SEGMENT_HEADER {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(segment(dir.path(), 1), &bytes).expect("a segment");
        let error = refusal(&store);
        assert!(matches!(error, OpenError::Damaged { byte: 0, .. }), "byte {at}: {error}");
    }
}

/// Rewrites the checksum at `crc_at` over `range`, as a newer writer would have.
fn seal(bytes: &mut [u8], crc_at: usize, range: std::ops::Range<usize>) {
    let crc = crc32c::crc32c(&bytes[range]);
    bytes[crc_at..crc_at + 4].copy_from_slice(&crc.to_le_bytes());
}

#[test]
fn a_newer_version_is_named_not_repaired() {
    for seq in [2, 5] {
        let (dir, store, _) = written();
        let at = start(seq);
        change(dir.path(), |bytes| {
            bytes[at + 12] = 7;
            seal(bytes, at + 8, at + 12..at + FRAME);
        });
        let error = refusal(&store);
        assert!(matches!(error, OpenError::NewerFormat { found: 7, known: 1, .. }), "record {seq}: {error}");
    }
    let (dir, store, _) = written();
    change(dir.path(), |bytes| {
        bytes[12] = 7;
        seal(bytes, 8, 12..SEGMENT_HEADER);
    });
    assert!(matches!(refusal(&store), OpenError::NewerFormat { found: 7, known: 1, .. }));
}

#[test]
fn newer_tables_are_named() {
    let (dir, store, _) = written();
    let db = rusqlite::Connection::open(dir.path().join("tables.db")).expect("the tables");
    db.execute_batch("PRAGMA user_version = 9").expect("a newer version");
    drop(db);
    assert!(matches!(refusal(&store), OpenError::NewerFormat { found: 9, known: 6, .. }));
}

/// Forty records over several segments.
fn many(dir: &Path) -> (LocalStore, Vec<Record>) {
    let store = store(dir, 16 << 10);
    let mut opened = open(&store);
    let records: Vec<Record> = (1..=40).map(|seq| record(opened.epoch, seq, 3000)).collect();
    for record in &records {
        opened.journal.append(record).expect("append");
    }
    drop(opened);
    (store, records)
}

#[test]
fn a_missing_segment_is_damage_or_a_gap() {
    for (number, gap) in [(1, true), (3, false)] {
        let dir = tempfile::tempdir().expect("a directory");
        let (store, _) = many(dir.path());
        fs::remove_file(segment(dir.path(), number)).expect("a segment");
        let error = refusal(&store);
        assert_eq!(matches!(error, OpenError::Gap { checkpoint: Seq::ZERO, .. }), gap, "{error}");
        assert_eq!(matches!(error, OpenError::Damaged { .. }), !gap, "{error}");
    }
}

#[test]
fn the_last_record_of_an_inner_segment_cannot_be_torn() {
    let dir = tempfile::tempdir().expect("a directory");
    let (store, _) = many(dir.path());
    // Five records of 3096 bytes fit into a segment; the fifth ends it.
    change(dir.path(), |bytes| bytes[SEGMENT_HEADER + 4 * 3096 + 2000] ^= 1);
    match refusal(&store) {
        OpenError::Damaged { file, seq, byte, .. } => {
            assert_eq!((seq, byte), (Seq::new(5), (SEGMENT_HEADER + 4 * 3096) as u64));
            assert!(file.ends_with("00000001.seg"), "{file}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn tables_ahead_of_the_journal_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let (store, _) = many(dir.path());
    let mut opened = open(&store);
    let cut = Cut { epoch: opened.epoch, through: Seq::new(41), ..Cut::default() };
    opened.tables.cut(&cut).expect("cut");
    drop(opened);
    let error = refusal(&store);
    assert!(error.to_string().contains("ends at record 40"), "{error}");
}

/// Whether the newest segment has bytes of an earlier use behind its last record.
fn newest_holds_old_bytes(dir: &Path) -> bool {
    let bytes = fs::read(segment(dir, last_number(dir))).expect("a segment");
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let previous = bytes[40..72].try_into().expect("a hash");
    let link = Link { journal: number(24), next: Seq::new(number(32)), previous, epoch: Epoch::ZERO };
    let mut frames = Frames::new(bytes.as_slice(), SEGMENT_HEADER, link);
    while let Ok(Found::Frame(_)) = frames.step() {}
    bytes[frames.at()..].iter().any(|byte| *byte != 0)
}

fn last_number(dir: &Path) -> u64 {
    let number = |path: std::path::PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
    let files =
        fs::read_dir(dir.join("journal")).expect("files").map(|entry| entry.expect("an entry").path());
    let segments = files.filter(|path| path.extension().is_some_and(|extension| extension == "seg"));
    segments.filter_map(number).max().expect("a segment")
}

#[test]
fn segments_used_again_never_give_old_records() {
    let dir = tempfile::tempdir().expect("a directory");
    let (store, mut records) = many(dir.path());
    let mut opened = open(&store);
    let mut reused = 0;
    for seq in 41..=400_u64 {
        // Sizes vary, so that old frames begin anywhere behind the new end.
        let next = record(opened.epoch, seq, 500 + (seq * 911 % 5000) as usize);
        opened.journal.append(&next).expect("append");
        records.push(next);
        if seq % 7 == 0 {
            let through = seq - 3;
            let cut = Cut { epoch: opened.epoch, through: Seq::new(through), ..Cut::default() };
            opened.tables.cut(&cut).expect("cut");
            opened.journal.trim(Seq::new(through)).expect("trim");
            drop(opened);
            reused += usize::from(newest_holds_old_bytes(dir.path()));
            let report = verify(dir.path()).expect("a sound journal");
            assert_eq!((report.last, report.torn), (Seq::new(seq), None), "a clean end in used bytes");
            opened = open(&store);
            assert_eq!(tail(&mut opened, through), records[through as usize..], "after record {seq}");
        }
    }
    assert!(reused > 10, "segments were hardly used again: {reused}");
}

#[test]
fn a_segment_taken_but_not_yet_written_holds_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let (store, records) = many(dir.path());
    // As after a crash between the rename and the first write: bytes and header of segment 2 under a new name.
    fs::copy(segment(dir.path(), 2), segment(dir.path(), last_number(dir.path()) + 1)).expect("a copy");
    let mut opened = open(&store);
    assert_eq!(tail(&mut opened, 0), records);
    let next = record(opened.epoch, 41, 9000);
    opened.journal.append(&next).expect("append");
    drop(opened);
    assert_eq!(tail(&mut open(&store), 40), [next]);
}
