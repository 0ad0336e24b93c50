//! Where the next page of a list begins.

use std::fmt;
use std::str::FromStr;

use mainspring_core::id::TaskId;
use mainspring_store::HistoryCursor;

/// Opaque to callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cursor {
    /// In the tasks in memory.
    Memory(u32),
    /// Before the first row of history.
    HistoryStart,
    /// In the history table.
    History(HistoryCursor),
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(slot) => write!(f, "m{slot}"),
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
        for cursor in [Cursor::Memory(42), Cursor::HistoryStart, Cursor::History(at)] {
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        for bad in ["", "m", "h1", "h1.zz", "x9", "m-1"] {
            assert_eq!(bad.parse::<Cursor>(), Err(()), "{bad}");
        }
    }
}
