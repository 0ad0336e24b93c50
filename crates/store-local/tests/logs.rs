//! Logs in files: the suite that every store of logs passes, and what can happen to files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use mainspring_core::values::{Bucket, Group, TaskId};
use mainspring_store::conformance::{LogHarness, run_logs};
use mainspring_store::{LogError, LogKey, LogPiece, LogPlace, ReadLogs, WriteLogs};
use mainspring_store_local::{LocalLogReader, LocalLogWriter, LocalLogs, LogOptions};
use tempfile::TempDir;

struct Folders(TempDir, std::cell::Cell<u32>);

impl LogHarness for Folders {
    type Place = LocalLogs;
    type Writer = LocalLogWriter;
    type Reader = LocalLogReader;

    fn fresh(&self, attempt_bytes_max: u64) -> LocalLogs {
        self.1.set(self.1.get() + 1);
        let options = LogOptions { attempt_bytes_max, ..LogOptions::default() };
        LocalLogs::new(self.0.path().join(self.1.get().to_string()), options)
    }

    fn open(&self, place: &LocalLogs) -> (LocalLogWriter, LocalLogReader) {
        (place.writer().expect("a writer"), place.reader())
    }
}

#[test]
fn local_logs_conform() {
    run_logs(&Folders(tempfile::tempdir().expect("a directory"), 0.into()));
}

fn key(day: u64, number: u64) -> LogKey {
    LogKey { task: TaskId::new(day * 86_400_000, Bucket::spread(Group::ZERO, number), number), attempt: 1 }
}

fn piece(key: LogKey, offset: u64, bytes: &[u8]) -> LogPiece {
    LogPiece { key, offset, bytes: bytes.to_vec(), last: false }
}

fn text(logs: &LocalLogs, key: LogKey) -> String {
    let page = logs.reader().read(key, &mut LogPlace::default(), 1 << 20).expect("readable");
    String::from_utf8(page.bytes).expect("text")
}

/// Every file below `dir`.
fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("listed").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_torn_last_block_is_cut_at_every_byte_and_sent_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let logs = LocalLogs::new(dir.path(), LogOptions::default());
    let key = key(20_000, 1);
    let mut writer = logs.writer().expect("a writer");
    writer.append(piece(key, 0, b"first "));
    writer.flush();
    let file = files(dir.path()).pop().expect("a log");
    let whole = fs::metadata(&file).expect("there").len();
    writer.append(piece(key, 6, b"second "));
    writer.flush();
    drop(writer);
    let bytes = fs::read(&file).expect("readable");
    for end in 0..bytes.len() as u64 {
        fs::write(&file, &bytes[..end as usize]).expect("written");
        // A reader before the writer comes back.
        assert_eq!(text(&logs, key), if end < whole { "" } else { "first " }, "cut at {end}");
        let mut writer = logs.writer().expect("a writer");
        writer.append(LogPiece { last: true, ..piece(key, 0, b"first second third") });
        assert_eq!(text(&logs, key), "first second third", "cut at {end}");
    }
    // Zeros where a block should be, as a power cut may leave them.
    let mut zeros = bytes[..whole as usize].to_vec();
    zeros.extend([0; 100]);
    fs::write(&file, zeros).expect("written");
    assert_eq!(text(&logs, key), "first ");
    let mut writer = logs.writer().expect("a writer");
    writer.append(LogPiece { last: true, ..piece(key, 0, b"first second third") });
    assert_eq!(text(&logs, key), "first second third");
}

#[test]
fn damage_is_named_after_what_can_be_read() {
    let dir = tempfile::tempdir().expect("a directory");
    let logs = LocalLogs::new(dir.path(), LogOptions::default());
    let key = key(20_000, 1);
    let mut writer = logs.writer().expect("a writer");
    for (offset, bytes) in [(0, "first "), (6, "second "), (13, "third")] {
        writer.append(piece(key, offset, bytes.as_bytes()));
        writer.flush();
    }
    let file = files(dir.path()).pop().expect("a log");
    let mut bytes = fs::read(&file).expect("readable");
    let at = bytes.windows(6).position(|window| window == b"second").expect("short blocks are not packed");
    bytes[at] ^= 1;
    fs::write(&file, bytes).expect("written");
    let mut place = LogPlace::default();
    let page = logs.reader().read(key, &mut place, 1 << 20).expect("the part before");
    assert_eq!(page.bytes, b"first ");
    let error = logs.reader().read(key, &mut place, 1 << 20).expect_err("damaged");
    assert!(matches!(error, LogError::Damaged { .. }), "{error}");
}

#[test]
fn more_logs_than_open_files_and_more_than_are_remembered() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = LogOptions { files_max: 4, tails_max: 16, ..LogOptions::default() };
    let logs = LocalLogs::new(dir.path(), options);
    let mut writer = logs.writer().expect("a writer");
    for round in 0..3_u64 {
        for number in 0..50 {
            let line = format!("round {round}\n");
            // All of it again and again, as a worker sends that comes back.
            let all = (0..=round).map(|round| format!("round {round}\n")).collect::<Vec<_>>().concat();
            let offset = all.len() as u64 - line.len() as u64;
            writer.append(piece(key(20_000, number), offset, line.as_bytes()));
            writer.append(piece(key(20_000, number), 0, all.as_bytes()));
        }
        let open = fs::read_dir("/proc/self/fd").expect("listed").flatten();
        let open = open.filter_map(|entry| fs::read_link(entry.path()).ok());
        let open = open.filter(|path| path.starts_with(dir.path())).count();
        assert!(open <= 4, "{open} files are open");
    }
    writer.flush();
    for number in 0..50 {
        assert_eq!(text(&logs, key(20_000, number)), "round 0\nround 1\nround 2\n", "log {number}");
    }
}

#[test]
fn old_days_are_dropped_in_steps_and_logs_written_lately_stay() {
    let dir = tempfile::tempdir().expect("a directory");
    let logs = LocalLogs::new(dir.path(), LogOptions::default());
    let mut writer = logs.writer().expect("a writer");
    let now = SystemTime::now();
    let today = now.duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs() / 86_400;
    for number in 0..700 {
        writer.append(piece(key(today - 20, number), 0, b"old"));
    }
    writer.flush();
    let ago = now - Duration::from_hours(20 * 24);
    for file in files(dir.path()) {
        File::options().write(true).open(file).and_then(|file| file.set_modified(ago)).expect("aged");
    }
    // Made long ago, and run today.
    let late = key(today - 20, 7_777);
    writer.append(piece(late, 0, b"late"));
    writer.append(piece(key(today, 1), 0, b"new"));
    writer.flush();
    let mut steps = 1;
    while writer.drop_before(today as u32 - 7).expect("drops") {
        steps += 1;
        assert!(steps < 10, "it comes to an end");
    }
    assert_eq!(steps, 2, "700 files are two steps");
    assert_eq!(files(dir.path()).len(), 2);
    assert_eq!((text(&logs, late), text(&logs, key(today, 1))), ("late".into(), "new".into()));
    assert!(!writer.drop_before(today as u32 - 7).expect("drops"));
}

#[test]
fn a_device_without_room_costs_the_piece_and_nothing_else() {
    let dir = tempfile::tempdir().expect("a directory");
    let logs = LocalLogs::new(dir.path(), LogOptions::default());
    let key = key(20_000, 1);
    let mut writer = logs.writer().expect("a writer");
    writer.append(piece(key, 0, b"first "));
    // No folder can be made where a file is.
    fs::write(dir.path().join("logs"), "").expect("written");
    let kept = writer.flush();
    assert!(kept.lost == 1 && kept.error.is_some() && kept.grown.is_empty());
    fs::remove_file(dir.path().join("logs")).expect("removed");
    writer.append(LogPiece { last: true, ..piece(key, 6, b"second") });
    assert_eq!(text(&logs, key), "\n… 6 bytes missing …\nsecond");
}
