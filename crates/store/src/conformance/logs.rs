//! What every store of logs must do.

use mainspring_core::values::{Bucket, Group, TaskId};

use crate::{LogFound, LogKey, LogPiece, LogPlace, LogPoint, LogSearch, ReadLogs, WriteLogs};

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
    lines_and_ends_are_found(harness);
    texts_are_found(harness);
    a_search_stops_and_goes_on(harness);
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

/// Name, the parts of a log with their offsets, a point of it, and the offset and the line that it is at.
type PointRow<'a> = (&'a str, &'a [(u64, &'a str)], LogPoint, u64, u64);
/// Name, a search, and what it finds as (offset, line, text).
type SearchRow<'a> = (&'a str, LogSearch, &'a [(u64, u64, &'a str)]);

/// A log of these parts, each in a block of its own.
fn with_parts<H: LogHarness>(harness: &H, parts: &[(u64, &str)]) -> H::Reader {
    let place = harness.fresh(ROOMY);
    let (mut writer, reader) = harness.open(&place);
    for (offset, bytes) in parts {
        writer.append(piece(*offset, *bytes, false));
        writer.flush();
    }
    reader
}

fn lines_and_ends_are_found<H: LogHarness>(harness: &H) {
    let whole = [(0, "one\ntwo\nth"), (10, "ree\nfour\n"), (19, "five\n")];
    let open = [(0, "one\n"), (4, "tw"), (6, "o\nthr€€")];
    let gap = [(0, "one\n"), (100, "two\nthree\n")];
    let rows: [PointRow<'_>; 17] = [
        ("the first line", &whole, LogPoint::Line(1), 0, 1),
        ("a line in a block", &whole, LogPoint::Line(2), 4, 2),
        ("a line that began in the block before", &whole, LogPoint::Line(3), 8, 3),
        ("a line that begins with a block", &whole, LogPoint::Line(5), 19, 5),
        ("a line that is not there yet", &whole, LogPoint::Line(6), 24, 6),
        ("the last line", &whole, LogPoint::LastLines(1), 19, 5),
        ("the last lines", &whole, LogPoint::LastLines(3), 8, 3),
        ("more lines than there are", &whole, LogPoint::LastLines(9), 0, 1),
        ("a last line that is not whole", &open, LogPoint::LastLines(1), 8, 3),
        ("and one before", &open, LogPoint::LastLines(2), 4, 2),
        ("last bytes from a line on", &whole, LogPoint::LastBytes(9), 19, 5),
        ("exactly a line", &whole, LogPoint::LastBytes(5), 19, 5),
        ("a line that begins in the block after", &whole, LogPoint::LastBytes(6), 19, 5),
        ("more bytes than there are", &whole, LogPoint::LastBytes(99), 0, 1),
        ("a part of a line, not of a character", &open, LogPoint::LastBytes(4), 14, 3),
        ("a line behind a gap", &gap, LogPoint::Line(3), 104, 3),
        ("no line in the last bytes", &gap, LogPoint::LastBytes(2), 108, 3),
    ];
    for (name, parts, point, offset, line) in rows {
        let reader = with_parts(harness, parts);
        let mut spot = reader.locate(key(1), point).expect("readable");
        assert_eq!(spot.place.offset, offset, "{name}: the offset");
        let (last, text) = parts[parts.len() - 1];
        assert_eq!(spot.bytes, last + text.len() as u64, "{name}: where it ends");
        let all: String = parts.iter().map(|(_, text)| *text).collect();
        assert_eq!(spot.lines, all.lines().count() as u64, "{name}: how many lines");
        let page = reader.read(key(1), &mut spot.place, 1 << 20).expect("readable");
        let number = if offset == spot.bytes { spot.lines + 1 } else { line };
        assert_eq!(page.line, number, "{name}: the number of the line");
        let mut place = LogPlace::at(offset);
        let same = reader.read(key(1), &mut place, 1 << 20).expect("readable");
        assert_eq!((&same.bytes, same.line), (&page.bytes, page.line), "{name}: found from the start, too");
    }
    let none = with_parts(harness, &[]);
    let spot = none.locate(key(1), LogPoint::LastLines(3)).expect("readable");
    assert_eq!((spot.place.offset, spot.bytes, spot.lines), (0, 0, 0), "no log");
}

fn wanted(text: &str, from: u64) -> LogSearch {
    LogSearch { text: text.into(), ignore_case: false, from, hits_max: 100, bytes_max: 1 << 30 }
}

/// Offset, line, and the line with the match in brackets.
fn shown(found: &LogFound) -> Vec<(u64, u64, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let whole =
        |hit: &crate::LogHit| format!("{}[{}]{}", text(&hit.before), text(&hit.matched), text(&hit.after));
    found.hits.iter().map(|hit| (hit.offset, hit.line, whole(hit))).collect()
}

fn texts_are_found<H: LogHarness>(harness: &H) {
    let parts =
        [(0, "an error\nfine\nanother Er"), (24, "ror error\nlast er"), (100, "ror\nerror at the end")];
    let reader = with_parts(harness, &parts);
    let rows: [SearchRow<'_>; 5] = [
        (
            "one hit a line, over blocks, not over a gap",
            wanted("error", 0),
            &[(3, 1, "an [error]"), (28, 3, "another Error [error]"), (104, 5, "[error] at the end")],
        ),
        (
            "without regard to case",
            LogSearch { ignore_case: true, ..wanted("ERROR", 9) },
            &[(22, 3, "another [Error] error"), (104, 5, "[error] at the end")],
        ),
        (
            "from within a line",
            wanted("error", 4),
            &[(28, 3, "another Error [error]"), (104, 5, "[error] at the end")],
        ),
        ("at most so many", LogSearch { hits_max: 1, ..wanted("error", 0) }, &[(3, 1, "an [error]")]),
        ("nothing", wanted("terror", 0), &[]),
    ];
    for (name, search, hits) in rows {
        let found = reader.search(key(1), &search).expect("readable");
        let hits: Vec<_> =
            hits.iter().map(|(offset, line, text)| (*offset, *line, (*text).to_owned())).collect();
        assert_eq!(shown(&found), hits, "{name}");
        assert_eq!(found.at_end, search.hits_max > 1, "{name}");
    }
    let long = "x".repeat(3_000);
    let line = format!("{long}needle{long}\n");
    let found = with_parts(harness, &[(0, &line)]).search(key(1), &wanted("needle", 0)).expect("readable");
    let hit = &found.hits[0];
    assert_eq!(
        (hit.before.len(), hit.after.len(), hit.cut),
        (1_000, 1_000, true),
        "what is shown has a limit"
    );
    let none = with_parts(harness, &[]).search(key(1), &wanted("x", 7)).expect("readable");
    assert_eq!((none.hits.len(), none.next, none.at_end), (0, 7, true), "no log");
}

fn a_search_stops_and_goes_on<H: LogHarness>(harness: &H) {
    let lines: Vec<u8> = (0..20_000).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    // A line that is longer than what is searched as one, with the text at every place that may be cut.
    let long: Vec<u8> = b"long ".iter().copied().chain((0..300_000).map(|n| b"abcdefg"[n % 7])).collect();
    let all = [lines.as_slice(), &long, b"needle\nline 7\n"].concat();
    let place = harness.fresh(ROOMY);
    let (mut writer, reader) = harness.open(&place);
    for (n, part) in all.chunks(10_007).enumerate() {
        writer.append(piece(n as u64 * 10_007, part, false));
    }
    writer.flush();
    for (text, hits, lines) in [("line 7", 1_112, (8, 20_002)), ("needle", 1, (20_001, 20_001))] {
        for (hits_max, bytes_max) in [(1_000_000, 1 << 30), (1_000_000, 1), (10, 1 << 30)] {
            let (mut from, mut numbers, mut answers) = (0, Vec::new(), 0);
            loop {
                let search = LogSearch { hits_max, bytes_max, ..wanted(text, from) };
                let found = reader.search(key(1), &search).expect("readable");
                numbers.extend(found.hits.iter().map(|hit| hit.line));
                answers += 1;
                if found.at_end {
                    break;
                }
                assert!(found.next > from, "{text}: it goes on");
                from = found.next;
            }
            assert_eq!(numbers.len(), hits, "{text} {hits_max} {bytes_max}");
            assert_eq!((numbers[0], numbers[hits - 1]), lines, "{text}");
            assert!(answers > 1 || bytes_max > 1, "{text}: {answers} answers");
        }
    }
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
