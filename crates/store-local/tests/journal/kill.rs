//! A process that is killed while it appends: every record it acknowledged is there afterwards.
//! The child is this same test binary, told by an environment variable what to be.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::faulty::{open, record, store, tail};
use mainspring_core::values::Seq;
use mainspring_store::{Cut, Journal, Tables};

const DIR: &str = "MAINSPRING_KILL_TEST_DIR";
const LIVES: u32 = 200;
/// All lives together; a slow machine gets fewer of them rather than a longer test.
const TIME_MAX: Duration = Duration::from_mins(1);
/// Small, so that segments are begun, prepared and used again all the time.
const SEGMENT: u64 = 256 << 10;

/// Sizes follow from the sequence, so that the parent knows what each record must hold.
fn body_bytes(seq: u64) -> usize {
    match seq % 17 {
        0 => 90_000,
        other => (other * 613 + seq % 101) as usize,
    }
}

/// Appends as fast as it can and says so after each; never returns by itself.
#[test]
fn child() {
    let Ok(dir) = std::env::var(DIR) else { return };
    let mut opened = open(&store(Path::new(&dir), SEGMENT));
    let epoch = opened.epoch;
    let mut seq = std::env::var("FROM").expect("the first sequence").parse().expect("a number");
    let mut out = std::io::stdout();
    loop {
        opened.journal.append(&record(epoch, seq, body_bytes(seq))).expect("append");
        writeln!(out, "ack {seq}").expect("the parent listens");
        if seq % 50 == 0 {
            let through = Seq::new(seq - 20);
            opened.tables.cut(&Cut { epoch, through, ..Cut::default() }).expect("cut");
            opened.journal.trim(through).expect("trim");
        }
        seq += 1;
    }
}

fn spawn(dir: &Path, from: u64) -> Child {
    Command::new(std::env::current_exe().expect("this test"))
        .args(["kill::child", "--exact", "--nocapture"])
        .env(DIR, dir)
        .env("FROM", from.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a child")
}

/// Lets a child live for `life`, kills it, and answers the newest sequence that it acknowledged.
fn live_and_die(dir: &Path, from: u64, life: Duration) -> Option<u64> {
    let mut child = spawn(dir, from);
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let reader = std::thread::spawn(move || {
        let acked = |line: String| line.split_once("ack ").and_then(|(_, seq)| seq.trim().parse().ok());
        output.lines().map_while(Result::ok).filter_map(acked).last()
    });
    std::thread::sleep(life);
    child.kill().expect("SIGKILL");
    child.wait().expect("it is dead");
    reader.join().expect("the pipe was read to its end")
}

#[test]
fn every_acknowledged_record_survives_kill_9() {
    let dir = tempfile::tempdir().expect("a directory");
    let started = Instant::now();
    let (mut acknowledged, mut stood, mut lives, mut chance) = (0_u64, 0_u64, 0, 0x9e37_79b9_u64);
    while lives < LIVES && started.elapsed() < TIME_MAX {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let life = Duration::from_millis(20 + (chance >> 33) % 180);
        acknowledged = live_and_die(dir.path(), stood + 1, life).unwrap_or(stood).max(acknowledged);
        lives += 1;
        let mut opened = open(&store(dir.path(), SEGMENT));
        // The child cuts every fifty records, twenty behind.
        let cut = mainspring_store::Recovery::head(&mut opened.recovery).expect("head").seq.get();
        let found = tail(&mut opened, cut);
        let newest = found.last().map_or(cut, |record| record.seq.get());
        assert!(
            newest >= acknowledged,
            "life {lives}: {acknowledged} was acknowledged, {newest} is the newest"
        );
        for (seq, found) in (cut + 1..).zip(&found) {
            assert_eq!(*found, record(found.epoch, seq, body_bytes(seq)), "life {lives}, record {seq}");
        }
        stood = newest;
    }
    println!("{lives} lives, {acknowledged} records acknowledged, {:?}", started.elapsed());
    assert!(acknowledged > u64::from(lives), "the children hardly wrote");
}
