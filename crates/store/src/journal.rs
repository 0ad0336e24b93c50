//! The journal: records in order, each durable before anyone hears of it.

use mainspring_core::values::{Epoch, Now, Seq};

/// All events of one batch. The journal adds length, version, checksum and the previous record's hash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub epoch: Epoch,
    pub seq: Seq,
    /// The one instant that all events of the record share.
    pub now: Now,
    /// How many events `body` holds.
    pub events: u32,
    /// Events as [`crate::format`] encodes them.
    pub body: Vec<u8>,
}

/// Written by one thread; the newest epoch's.
pub trait Journal {
    /// Returns when the record is durable. After `Full` or `Failed` the same record may be offered again; the
    /// journal then stands exactly as before. After `Unknown` only the identical record may be offered.
    fn append(&mut self, record: &Record) -> Result<(), AppendError>;

    /// Takes the next epoch for the same owner, as opening again would. Refused if another owner has taken over.
    fn renew(&mut self) -> Result<Epoch, AppendError>;

    /// Gives back the room of records at or before `through`, where that is cheap. Called only after a cut that
    /// covers them was committed.
    fn trim(&mut self, through: Seq) -> Result<(), AppendError>;

    /// Bytes from the oldest kept record to the newest.
    fn bytes(&self) -> u64;
}

#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    #[error("epoch {ours} was refused: epoch {newest} owns the shard")]
    Refused { ours: Epoch, newest: Epoch },
    #[error("record {offered} does not follow record {last}")]
    OutOfOrder { last: Seq, offered: Seq },
    #[error("no room on the device for {bytes} bytes")]
    Full { bytes: u64 },
    /// A passing error: nothing was written.
    #[error("could not append: {what}")]
    Failed { what: String },
    /// The answer was lost: the record may or may not be durable.
    #[error("the outcome of the append is unknown: {what}")]
    Unknown { what: String },
    /// The device broke its promise (a failed fsync): the process must stop and recover.
    #[error("the journal device failed: {what}")]
    Broken { what: String },
}
