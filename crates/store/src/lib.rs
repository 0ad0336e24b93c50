//! What Mainspring asks of a store: a journal that is fenced and durable, tables that follow it, and
//! the bytes both are made of.
//! - ST-1 `append` returns `Ok` only when the record survives a power cut
//! - ST-2 a journal accepts sequence n only after n-1, and only from the newest epoch
//! - ST-3 a cut is all or nothing, and moves `checkpoint_seq` in the same transaction
//! - ST-4 whoever reads a damaged or newer byte stops and names it; nothing is skipped or guessed
//!
//! Backends (`store-local`, the simulator's, later `PostgreSQL`) pass one [`conformance`] suite.

pub mod conformance;
pub mod entity;
pub mod flows;
pub mod format;
pub mod frame;
pub mod journal;
pub mod logs;
pub mod schedules;
pub mod tables;

pub use self::{
    entity::{EachTable, EntityFormat, EntityQuery, EntityRow, each_table},
    flows::{LiveRun, RunPage, RunQuery, RunRow, VersionRow},
    journal::{AppendError, Journal, Record},
    logs::{
        Kept, LOG_HIT_CONTEXT_MAX, LOG_PIECE_BYTES_MAX, LOG_SEARCH_LINE_MAX, LogError, LogFound, LogHint,
        LogHit, LogKey, LogPage, LogPiece, LogPlace, LogPoint, LogSearch, LogSpot, ReadLogs, WriteLogs,
    },
    schedules::WindowCursor,
    tables::{
        Cut, CutError, HistoryCursor, HistoryPage, HistoryQuery, HistoryRow, KeyRow, LiveRow, PAGE_MAX,
        ParkedFrom, ReadError, ReadMany, ReadTables, StoredTask, Tables,
    },
};
use mainspring_core::values::{EntityKind, Epoch, Now, RunId, Seq, Wall};

/// A store that can be opened as the next owner of its one shard.
pub trait Store {
    type Journal: Journal + Send + 'static;
    type Tables: Tables + Send + 'static;
    type Reader: ReadTables + Send + 'static;
    type Recovery: Recovery;

    /// Takes ownership under a new epoch. Nothing of it is visible to others before the first append.
    fn open(&self) -> Result<Opened<Self>, OpenError>;
}

/// Whether what was opened is still where it was; if not, what happened to it.
pub type Probe = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

pub struct Opened<S: Store + ?Sized> {
    pub epoch: Epoch,
    pub probe: Probe,
    pub journal: S::Journal,
    pub tables: S::Tables,
    pub reader: S::Reader,
    pub recovery: S::Recovery,
}

/// What the tables knew at the last cut.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CheckpointHead {
    pub seq: Seq,
    pub epoch: Epoch,
    pub now: Now,
    /// Shard-wide state that is in no row (counters), as the runtime encoded it.
    pub meta: Vec<u8>,
}

/// Reads back what an owner needs to go on; used once, before anything else.
pub trait Recovery {
    /// Default values if there was never a cut.
    fn head(&mut self) -> Result<CheckpointHead, OpenError>;
    /// Rows of unfinished tasks that are not parked, and parked ones due at or before `horizon`.
    fn live(&mut self, horizon: Wall, each: &mut dyn FnMut(LiveRow)) -> Result<(), OpenError>;
    /// A page of the runs behind `after` that have not ended, by id. At most `limit`, fewer where they are large
    /// ([`RECOVERY_PAGE_BYTES`]); none only if there is none left.
    fn live_runs(&mut self, after: Option<RunId>, limit: usize) -> Result<Vec<LiveRun>, OpenError>;
    /// A page of the entities of a kind that have not ended, by id; otherwise as [`Recovery::live_runs`].
    fn entities(
        &mut self,
        kind: EntityKind,
        after: Option<u128>,
        limit: usize,
    ) -> Result<Vec<EntityRow>, OpenError>;
    /// The tables, for what the rows above name.
    fn tables(&mut self) -> &mut dyn ReadTables;
    /// Readers of the same tables for other threads, as many as are worth having; none if one thread must do all.
    fn readers(&mut self) -> Result<Vec<Box<dyn ReadMany + Send>>, OpenError> {
        Ok(Vec::new())
    }
    /// Records after `after`, in order, without a gap; each with the tables, for what its events touch.
    fn tail(&mut self, after: Seq, each: TailVisit<'_>) -> Result<(), OpenError>;
}

/// Called with each record of the tail; an error ends the reading.
pub type TailVisit<'a> = &'a mut dyn FnMut(Record, &mut dyn ReadTables) -> Result<(), OpenError>;

/// A page of recovery ends behind the row with which it has this many bytes.
pub const RECOVERY_PAGE_BYTES: usize = 16 << 20;

/// Why a store cannot be opened. Each says what to look at; none is repaired silently.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("the data directory `{dir}` is in use by another process ({holder})")]
    InUse { dir: String, holder: String },
    #[error("journal record {seq} is damaged at byte {byte} of `{file}`: {what}")]
    Damaged { file: String, seq: Seq, byte: u64, what: String },
    #[error("`{what}` was written in format {found}, this version reads up to {known}: run a newer version")]
    NewerFormat { what: String, found: u32, known: u32 },
    /// Nothing that was released wrote it.
    #[error(
        "`{what}` was written in format {found}, which this version no longer reads (it reads {known}): run the \
         version that wrote it, or begin with an empty data directory"
    )]
    OlderFormat { what: String, found: u32, known: u32 },
    #[error("the tables end at record {checkpoint}, the journal begins at {first}: records are missing")]
    Gap { checkpoint: Seq, first: Seq },
    #[error("a stored {what} cannot be read: {why}")]
    Unreadable { what: String, why: String },
    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },
    #[error("{what}: {why}")]
    Backend { what: String, why: String },
}
