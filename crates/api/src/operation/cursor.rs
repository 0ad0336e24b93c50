//! Where the next page of a list begins.

use std::fmt;
use std::str::FromStr;

use mainspring_core::values::{TaskId, Wall};
use mainspring_store::HistoryCursor;

/// Opaque to callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cursor {
    /// In the tasks in memory.
    Memory(u32),
    /// Among parked tasks: due and id of the last one looked at.
    Parked(Wall, TaskId),
    /// Before the first row of history.
    HistoryStart,
    /// In the history table.
    History(HistoryCursor),
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(slot) => write!(f, "m{slot}"),
            Self::Parked(due, id) => write!(f, "p{}.{:032x}", due.millis(), id.bits()),
            Self::HistoryStart => f.write_str("h"),
            Self::History(at) => write!(f, "h{}.{:032x}", at.day, at.id.bits()),
        }
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if let Some(slot) = text.strip_prefix('m') {
            return slot.parse().map(Self::Memory).map_err(|_| ());
        }
        if text == "h" {
            return Ok(Self::HistoryStart);
        }
        if let Some((due, id)) = text.strip_prefix('p').and_then(|rest| rest.split_once('.')) {
            let bits = u128::from_str_radix(id, 16).map_err(|_| ())?;
            let due = Wall::from_millis(due.parse().map_err(|_| ())?);
            return Ok(Self::Parked(due, TaskId::from_bits(bits)));
        }
        let (day, id) = text.strip_prefix('h').and_then(|rest| rest.split_once('.')).ok_or(())?;
        let bits = u128::from_str_radix(id, 16).map_err(|_| ())?;
        let day = day.parse().map_err(|_| ())?;
        Ok(Self::History(HistoryCursor { day, id: TaskId::from_bits(bits) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_round_trip() {
        let at = HistoryCursor { day: 20_000, id: TaskId::from_bits(7) };
        let parked = Cursor::Parked(Wall::from_millis(9), TaskId::from_bits(8));
        for cursor in [Cursor::Memory(42), parked, Cursor::HistoryStart, Cursor::History(at)] {
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        for bad in ["", "m", "h1", "h1.zz", "x9", "m-1", "p1", "p1.zz"] {
            assert_eq!(bad.parse::<Cursor>(), Err(()), "{bad}");
        }
    }
}
