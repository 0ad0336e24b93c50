//! Prints how fast the store is on this machine: encodings, journal, tables.
//! `cargo run --release -p mainspring-store-local --example measure -- [DIR [encodings|journal|history|live]]`

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_core::event::{Event, Submitted};
use mainspring_core::task::{Profile, ProfileSpec, Status, TaskSpec};
use mainspring_core::values::{
    Bucket, Epoch, Fence, Group, Incarnation, Name, Now, Seq, TaskId, Wall, WorkerId,
};
use mainspring_store::format::{EncodedProfiles, ProfileCache, read_events, write_event};
use mainspring_store::{Cut, HistoryRow, Journal, LiveRow, ReadTables, Record, Recovery, Store, Tables};
use mainspring_store_local::{LocalOptions, LocalStore, verify};

const WALL: u64 = 1_790_000_000_000;
const PAYLOAD: usize = 200;

/// A name to choose it by, and what to do in a directory of its own.
type Part = (&'static str, fn(&Path));

fn main() {
    let root = std::env::args().nth(1).map_or_else(std::env::temp_dir, Into::into);
    let only = std::env::args().nth(2);
    let dir = tempfile::tempdir_in(root).expect("a directory");
    let parts: [Part; 4] =
        [("encodings", encodings), ("journal", journal), ("history", history), ("live", live)];
    for (name, part) in parts {
        if only.as_deref().is_none_or(|only| only == name) {
            part(&dir.path().join(name));
        }
    }
}

fn per_second(count: u64, took: Duration) -> u64 {
    (count as f64 / took.as_secs_f64()) as u64
}

fn profile() -> Arc<Profile> {
    let name = |text| Name::new(text).expect("a name");
    Profile::new(ProfileSpec {
        tenant: name("acme"),
        job: name("send-mail"),
        executor: name("http"),
        ..Default::default()
    })
}

fn encodings(_: &Path) {
    let id = TaskId::new(WALL, Bucket::spread(Group::ZERO, 7), 42);
    let fence = Fence::new(Epoch::new(3), 70_000);
    let submitted = Event::TaskSubmitted(Box::new(Submitted {
        id,
        task: TaskSpec::new(profile(), vec![7; PAYLOAD].into()),
        due: None,
        key: None,
        window: None,
    }));
    let worker = WorkerId::from_bits(1 << 100);
    let assigned = Event::TaskAssigned { id, fence, worker, incarnation: Incarnation::new(WALL) };
    let succeeded = Event::TaskSucceeded { id, fence, output: None };
    for (name, event) in [("submitted", submitted), ("assigned", assigned), ("succeeded", succeeded)] {
        encoding(name, &event);
    }
}

fn encoding(name: &str, event: &Event) {
    const RECORDS: u32 = 200;
    const EVENTS: u32 = 5000;
    let mut profiles = EncodedProfiles::default();
    let mut cache = ProfileCache::default();
    let mut body = Vec::with_capacity(4 << 20);
    let (mut wrote, mut read, mut seen) = (Duration::ZERO, Duration::ZERO, 0);
    for _ in 0..RECORDS {
        body.clear();
        let start = Instant::now();
        for _ in 0..EVENTS {
            write_event(&mut body, event, &mut profiles);
        }
        wrote += start.elapsed();
        let mut count = |event: Event| -> Result<(), mainspring_store::format::FormatError> {
            seen += u32::from(event.task().is_some());
            Ok(())
        };
        let start = Instant::now();
        read_events(&body, EVENTS, &mut cache, &mut count).expect("readable");
        read += start.elapsed();
    }
    let each = |took: Duration| took.as_nanos() / u128::from(seen);
    println!(
        "{name}: {} bytes, write {} ns, read {} ns",
        body.len() / EVENTS as usize,
        each(wrote),
        each(read)
    );
}

fn journal(dir: &Path) {
    let store = LocalStore::new(dir, LocalOptions::default());
    let mut opened = store.open().expect("open");
    // The next segment is prepared beside the appends; measured without and with that.
    std::thread::sleep(Duration::from_secs(1));
    let epoch = opened.epoch;
    let mut seq = 0;
    for (count, body) in [(2000, 400), (2000, 4096), (1000, 100_000), (100, 4 << 20)] {
        let mut times = vec![];
        for _ in 0..count {
            seq += 1;
            let record = Record {
                epoch,
                seq: Seq::new(seq),
                now: Now::new(seq, WALL),
                events: 1,
                body: vec![7; body],
            };
            let start = Instant::now();
            opened.journal.append(&record).expect("append");
            times.push(start.elapsed());
        }
        times.sort_unstable();
        let [p50, p99, max] = [count / 2, count * 99 / 100, count - 1].map(|at| times[at].as_micros());
        println!("append of {body} bytes: p50 {p50} us, p99 {p99} us, max {max} us");
    }
    let bytes = opened.journal.bytes() >> 20;
    drop(opened);
    let start = Instant::now();
    let report = verify(dir).expect("verify");
    println!("verify: {} records, {bytes} MiB in {} ms", report.records, start.elapsed().as_millis());
    let start = Instant::now();
    let mut opened = store.open().expect("open");
    println!("open: {} ms", start.elapsed().as_millis());
    let start = Instant::now();
    let mut records = 0;
    let mut count = |_, _: &mut dyn ReadTables| {
        records += 1;
        Ok(())
    };
    opened.recovery.tail(Seq::ZERO, &mut count).expect("tail");
    println!("tail: {records} records in {} ms", start.elapsed().as_millis());
}

fn history_row(number: u64) -> HistoryRow {
    let job = ["send-mail", "make-report", "sweep", "", "thumbnail"][number as usize % 5];
    let wall = WALL + number / 100;
    HistoryRow {
        // Ended out of order, as tasks do.
        id: TaskId::new(
            wall,
            Bucket::spread(Group::ZERO, number * 7919),
            number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        ),
        group: Group::ZERO,
        tenant: Name::fixed(["acme", "beta", "corp"][number as usize % 3]),
        job: Name::fixed(job),
        status: if number.is_multiple_of(50) { Status::Failed } else { Status::Succeeded },
        worker: Some(WorkerId::from_bits(u128::from(number % 20))),
        labels: vec![],
        submitted: Wall::from_millis(wall - 20),
        ended: Wall::from_millis(wall),
        bytes: vec![7; 330],
    }
}

fn history(dir: &Path) {
    let mut opened = LocalStore::new(dir, LocalOptions::default()).open().expect("open");
    let mut slowest = Duration::ZERO;
    let mut busy = Duration::ZERO;
    for batch in 0..75_u64 {
        let ended = (0..20_000).map(|n| history_row(batch * 20_000 + n)).collect();
        let cut = Cut { epoch: opened.epoch, ended, ..Cut::default() };
        let start = Instant::now();
        opened.tables.cut(&cut).expect("cut");
        let took = start.elapsed();
        busy += took;
        slowest = slowest.max(took);
        if (batch + 1) % 25 == 0 {
            let rows = (batch + 1) * 20_000;
            println!(
                "history: {rows} rows, {} rows/s, slowest cut {} ms",
                per_second(rows, busy),
                slowest.as_millis()
            );
        }
    }
}

fn live(dir: &Path) {
    const ROWS: u64 = 1_000_000;
    let store = LocalStore::new(dir, LocalOptions::default());
    let mut opened = store.open().expect("open");
    let start = Instant::now();
    for batch in 0..ROWS / 20_000 {
        let row = |n: u64| LiveRow {
            id: TaskId::new(WALL + n / 100, Bucket::spread(Group::ZERO, n * 7919), n),
            group: Group::ZERO,
            touched: Seq::ZERO,
            parked_due: n.is_multiple_of(10).then(|| Wall::from_millis(WALL + n)),
            bytes: vec![7; 330],
        };
        let live = (batch * 20_000..(batch + 1) * 20_000).map(row).collect();
        opened.tables.cut(&Cut { epoch: opened.epoch, live, ..Cut::default() }).expect("cut");
    }
    println!("live: {} rows/s written", per_second(ROWS, start.elapsed()));
    drop(opened);
    let mut opened = store.open().expect("open");
    let start = Instant::now();
    let mut rows = 0_u64;
    opened.recovery.live(Wall::from_millis(u64::MAX), &mut |_| rows += 1).expect("live rows");
    println!("live: {rows} rows loaded in {} ms", start.elapsed().as_millis());
}
