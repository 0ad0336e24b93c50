//! Rows and records for the cases. Bodies and rows are plain bytes: a store never looks inside.

use mainspring_core::key::{KeyBinding, KeyScope};
use mainspring_core::task::Status;
use mainspring_core::values::{Bucket, Epoch, Group, Name, Now, Seq, TaskId, Wall, WorkerId};

use crate::{Cut, HistoryRow, KeyRow, LiveRow, Opened, ReadTables, Record, Recovery, Store};

pub const DAY_MS: u64 = 86_400_000;

pub fn name(text: &str) -> Name {
    Name::new(text).expect("a good name")
}

/// Body and times follow from the sequence, so that a mix-up shows.
pub fn record(epoch: Epoch, seq: u64, body_bytes: usize) -> Record {
    let body = (0..body_bytes).map(|at| (at as u64 * 31 + seq * 7) as u8).collect();
    Record { epoch, seq: Seq::new(seq), now: Now::new(seq * 10, 1_000_000 + seq), events: seq as u32, body }
}

pub fn id(number: u64) -> TaskId {
    TaskId::new(1_700_000_000_000 + number, Bucket::spread(Group::ZERO, number * 7919), number)
}

/// Another one than the id says: the row's own counts.
pub fn group(number: u64) -> Group {
    Group::new(255 - number as u8)
}

pub fn live(number: u64, touched: u64, parked_due: Option<u64>) -> LiveRow {
    LiveRow {
        id: id(number),
        group: group(number),
        touched: Seq::new(touched),
        parked_due: parked_due.map(Wall::from_millis),
        bytes: format!("live {number} at {touched}").into_bytes(),
    }
}

pub fn ended(number: u64, status: Status, ended_ms: u64) -> HistoryRow {
    HistoryRow {
        id: id(number),
        group: group(number),
        tenant: name(["acme", "beta", "corp"][number as usize % 3]),
        job: name(["", "mail", "report", "sweep"][number as usize / 3 % 4]),
        status,
        worker: [None, Some(1), Some(2)][number as usize % 5 % 3].map(WorkerId::from_bits),
        labels: match number % 4 {
            0 => vec![],
            1 => vec![(name("env"), name("prod"))],
            2 => vec![(name("env"), name("test")), (name("team"), name("größe"))],
            _ => vec![(name("prod"), name("env"))],
        },
        submitted: Wall::from_millis(ended_ms - 5),
        ended: Wall::from_millis(ended_ms),
        bytes: format!("ended {number} at {ended_ms}").into_bytes(),
    }
}

pub fn key(number: u128, task: u64, expires: u64) -> KeyRow {
    KeyRow {
        scope: KeyScope(number << 64 | number),
        binding: KeyBinding { request: number * 3, task: id(task), group: group(task + 1) },
        expires: Wall::from_millis(expires),
    }
}

pub fn cut(epoch: Epoch, through: u64) -> Cut {
    Cut { epoch, through: Seq::new(through), now: Now::new(through, through * 2), ..Cut::default() }
}

/// Live rows that recovery gives for `horizon`, sorted by id.
pub fn recovered<S: Store>(opened: &mut Opened<S>, horizon: u64) -> Vec<LiveRow> {
    let mut rows = vec![];
    opened.recovery.live(Wall::from_millis(horizon), &mut |row| rows.push(row)).expect("live rows");
    rows.sort_by_key(|row| row.id);
    rows
}

pub fn tail<S: Store>(opened: &mut Opened<S>, after: u64) -> Vec<Record> {
    let mut records = vec![];
    let mut keep = |record, _: &mut dyn ReadTables| {
        records.push(record);
        Ok(())
    };
    opened.recovery.tail(Seq::new(after), &mut keep).expect("the tail");
    records
}
