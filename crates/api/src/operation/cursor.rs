//! Where the next page of a list begins.

use std::fmt;
use std::str::FromStr;

use mainspring_core::values::{Epoch, TaskId, Wall};
use mainspring_store::HistoryCursor;

/// Opaque to callers, who give back what they were given.
/// - CU-1 a place in memory means something to one shard in one epoch only; in another it is refused by name
/// - CU-2 a place in the tables is the key of the row before it, and so valid for ever
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cursor {
    Memory(MemoryPlace),
    /// Among the parked tasks of a shard: due and id of the last one looked at.
    Parked(usize, Wall, TaskId),
    /// Before the first row of history.
    HistoryStart,
    /// In the history table.
    History(HistoryCursor),
}

/// Among the tasks in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryPlace {
    pub(super) shard: usize,
    /// `None` before the first task: that is a place in every epoch.
    pub(super) epoch: Option<Epoch>,
    pub(super) index: u32,
}

impl MemoryPlace {
    pub(super) const fn start(shard: usize) -> Self {
        Self { shard, epoch: None, index: 0 }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(MemoryPlace { shard, epoch, index }) => {
                write!(f, "m{shard}.{}.{index}", epoch.unwrap_or_default())
            }
            Self::Parked(shard, due, id) => write!(f, "p{shard}.{}.{:032x}", due.millis(), id.bits()),
            Self::HistoryStart => f.write_str("h"),
            Self::History(at) => write!(f, "h{}.{:032x}", at.day, at.id.bits()),
        }
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (kind, rest) = text.split_at_checked(1).ok_or(())?;
        let parts: Vec<&str> = rest.split('.').collect();
        match (kind, parts.as_slice()) {
            ("m", [shard, epoch, index]) => {
                let epoch = Some(Epoch::new(number(epoch)?)).filter(|epoch| *epoch != Epoch::ZERO);
                Ok(Self::Memory(MemoryPlace { shard: number(shard)?, epoch, index: number(index)? }))
            }
            ("p", [shard, due, id]) => {
                Ok(Self::Parked(number(shard)?, Wall::from_millis(number(due)?), task(id)?))
            }
            ("h", [""]) => Ok(Self::HistoryStart),
            ("h", [day, id]) => Ok(Self::History(HistoryCursor { day: number(day)?, id: task(id)? })),
            _ => Err(()),
        }
    }
}

fn number<T: FromStr>(text: &str) -> Result<T, ()> {
    text.parse().map_err(|_| ())
}

fn task(text: &str) -> Result<TaskId, ()> {
    u128::from_str_radix(text, 16).map(TaskId::from_bits).map_err(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_round_trip() {
        let at = HistoryCursor { day: 20_000, id: TaskId::from_bits(7) };
        let parked = Cursor::Parked(2, Wall::from_millis(9), TaskId::from_bits(8));
        let memory = MemoryPlace { shard: 2, epoch: Some(Epoch::new(7)), index: 42 };
        let start = Cursor::Memory(MemoryPlace::start(1));
        for cursor in [Cursor::Memory(memory), start, parked, Cursor::HistoryStart, Cursor::History(at)] {
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        let bad =
            ["", "m", "m1", "m1.2", "m1.2.3.4", "m1.2.-3", "h1", "h1.zz", "x9", "p1", "p1.2", "p1.2.zz", "é"];
        for bad in bad {
            assert_eq!(bad.parse::<Cursor>(), Err(()), "{bad}");
        }
    }
}
