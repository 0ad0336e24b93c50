//! What every store of logs must do.

use mainspring_core::values::{Bucket, Group, TaskId};

use crate::{LogKey, LogPiece, LogPlace, ReadLogs, WriteLogs};

/// Makes stores of logs for the cases.
pub trait LogHarness {
    type Place;
    type Writer: WriteLogs;
    type Reader: ReadLogs;

    /// An empty place; a log in it may have so many bytes.
    fn fresh(&self, attempt_bytes_max: u64) -> Self::Place;

    fn open(&self, place: &Self::Place) -> (Self::Writer, Self::Reader);
}

const ROOMY: u64 = 1 << 20;

type Row = (&'static str, &'static [(u64, &'static str)], bool, &'static str);

/// Name, pieces as (offset, bytes), whether the last of them is the log's last, and what is read.
const ROWS: [Row; 9] = [
    ("in order", &[(0, "one "), (4, "two "), (8, "three")], true, "one two three"),
    ("a piece twice", &[(0, "one "), (0, "one "), (4, "two")], true, "one two"),
    ("overlapping", &[(0, "one "), (2, "e two"), (0, "one two three")], true, "one two three"),
    ("old and short", &[(0, "one two"), (1, "n"), (7, "!")], true, "one two!"),
    ("a gap", &[(0, "one"), (10, "two")], true, "one\n… 7 bytes missing …\ntwo"),
    (
        "a gap that is sent later stays one",
        &[(0, "one"), (10, "two"), (3, "filling")],
        true,
        "one\n… 7 bytes missing …\ntwo",
    ),
    ("it begins with a gap", &[(5, "two")], true, "\n… 5 bytes missing …\ntwo"),
    ("it ends with a gap", &[(0, "one"), (9, "")], true, "one\n… 6 bytes missing …\n"),
    ("unfinished", &[(0, "one")], false, "one"),
];

pub fn run_logs<H: LogHarness>(harness: &H) {
    for row in ROWS {
        for restarts in [false, true] {
            println!("conformance: {} (restarts: {restarts})", row.0);
            pieces_are_read_as_one_log(harness, row, restarts);
        }
    }
    too_long_a_log_is_cut_and_says_so(harness);
    what_is_gathered_is_read_after_a_flush(harness);
    pages_of_any_size_make_up_the_log(harness);
    attempts_are_found(harness);
    bad_pieces_are_refused(harness);
}

fn key(attempt: u32) -> LogKey {
    LogKey { task: TaskId::new(1_800_000_000_000, Bucket::spread(Group::ZERO, 77), 5), attempt }
}

fn piece(offset: u64, bytes: impl Into<Vec<u8>>, last: bool) -> LogPiece {
    LogPiece { key: key(1), offset, bytes: bytes.into(), last }
}

/// The whole log from `offset`, in pages of at most `page`.
#[track_caller]
fn read(reader: &impl ReadLogs, offset: u64, page: usize) -> (Vec<u8>, bool, u64) {
    let (mut place, mut all) = (LogPlace::at(offset), Vec::new());
    loop {
        let read = reader.read(key(1), &mut place, page).expect("readable");
        if read.bytes.is_empty() || read.complete {
            all.extend(read.bytes);
            return (all, read.complete, place.offset);
        }
        all.extend(read.bytes);
    }
}

fn pieces_are_read_as_one_log<H: LogHarness>(harness: &H, row: Row, restarts: bool) {
    let (name, pieces, ends, wanted) = row;
    let place = harness.fresh(ROOMY);
    let (mut writer, reader) = harness.open(&place);
    for (at, (offset, bytes)) in pieces.iter().enumerate() {
        if restarts {
            writer.flush();
            drop(writer);
            writer = harness.open(&place).0;
        }
        let kept = writer.append(piece(*offset, *bytes, ends && at + 1 == pieces.len()));
        assert!(kept.lost == 0 && kept.error.is_none(), "{name}: {:?}", kept.error);
    }
    writer.flush();
    let (text, complete, _) = read(&reader, 0, 1 << 20);
    assert_eq!((String::from_utf8_lossy(&text).as_ref(), complete), (wanted, ends), "{name}");
}

fn too_long_a_log_is_cut_and_says_so<H: LogHarness>(harness: &H) {
    let place = harness.fresh(10);
    let (mut writer, reader) = harness.open(&place);
    assert_eq!(writer.append(piece(0, "0123456", false)).lost, 0);
    assert_eq!(writer.append(piece(7, "789abc", false)).lost, 1, "a part of it");
    drop(writer);
    let (mut writer, _) = harness.open(&place);
    assert_eq!(writer.append(piece(13, "def", false)).lost, 1, "all of it, after a restart too");
    writer.append(piece(16, "", true));
    let (text, complete, next) = read(&reader, 0, 1 << 20);
    let text = String::from_utf8_lossy(&text);
    assert_eq!(text, "0123456789\n… the log is longer than 10 bytes; the rest was not kept …\n");
    assert!(complete);
    assert_eq!(read(&reader, next, 1 << 20).0, b"", "the note is not read twice");
}

fn what_is_gathered_is_read_after_a_flush<H: LogHarness>(harness: &H) {
    let place = harness.fresh(ROOMY);
    let (mut writer, reader) = harness.open(&place);
    writer.append(piece(0, "a line\n", false));
    let kept = writer.flush();
    assert_eq!((kept.grown, kept.raw_bytes), (vec![key(1)], 7));
    assert_eq!(read(&reader, 0, 100), (b"a line\n".to_vec(), false, 7));
    assert!(writer.flush().grown.is_empty(), "there is nothing new");
    let kept = writer.append(piece(7, "", true));
    assert_eq!(kept.grown, [key(1)], "that it ended is news");
    assert_eq!(read(&reader, 7, 100), (Vec::new(), true, 7));
}

fn pages_of_any_size_make_up_the_log<H: LogHarness>(harness: &H) {
    let place = harness.fresh(ROOMY);
    let (mut writer, reader) = harness.open(&place);
    let lines: Vec<u8> = (0..40_000).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    let mut stored = 0;
    for (n, part) in lines.chunks(10_007).enumerate() {
        stored += writer.append(piece(n as u64 * 10_007, part, false)).stored_bytes;
    }
    stored += writer.append(piece(lines.len() as u64, "", true)).stored_bytes;
    assert!(stored < lines.len() as u64 / 2, "{stored} bytes for {}: it is packed", lines.len());
    for page in [997, 65_536, 1 << 20] {
        let (bytes, complete, next) = read(&reader, 0, page);
        assert!(bytes == lines && complete && next == lines.len() as u64, "pages of {page}");
    }
    let (bytes, ..) = read(&reader, 123_456, 4096);
    assert!(bytes == lines[123_456..], "from the middle");
    assert_eq!(read(&reader, 1 << 30, 4096), (Vec::new(), true, 1 << 30), "beyond the end");
}

fn attempts_are_found<H: LogHarness>(harness: &H) {
    let place = harness.fresh(ROOMY);
    let (mut writer, reader) = harness.open(&place);
    for attempt in [2, 5] {
        let key = key(attempt);
        writer.append(LogPiece { key, offset: 0, bytes: b"x".to_vec(), last: true });
    }
    let task = key(1).task;
    for (at_most, wanted) in [(0, None), (1, None), (2, Some(2)), (4, Some(2)), (5, Some(5)), (9, Some(5))] {
        assert_eq!(reader.newest(task, at_most).expect("readable"), wanted, "newest up to {at_most}");
    }
    for (from, wanted) in [(1, Some(2)), (2, Some(2)), (3, Some(5)), (6, None)] {
        assert_eq!(reader.next(task, from, 9).expect("readable"), wanted, "next from {from}");
    }
    assert_eq!(reader.next(task, 3, 4).expect("readable"), None);
}

fn bad_pieces_are_refused<H: LogHarness>(harness: &H) {
    let place = harness.fresh(ROOMY);
    let (mut writer, reader) = harness.open(&place);
    let zero = LogPiece { key: key(0), offset: 0, bytes: b"x".to_vec(), last: true };
    for bad in [zero, piece(u64::MAX, "x", true), piece(0, vec![0; (1 << 20) + 1], true)] {
        let kept = writer.append(bad);
        assert!(kept.lost == 1 && kept.error.is_some() && kept.grown.is_empty());
    }
    assert_eq!(reader.newest(key(1).task, 3).expect("readable"), None);
}
