//! What must hold, checked against what happened outside the shard: the committed journal, the tables, the
//! answers that were given out, the orders that were sent, and every execution in the workers.
//! Entry: [`Checkers`]. The numbers are those of the project's list of invariants (I1…I34); `FL-3` is the fleet's.
//! - SK-1 nothing here trusts the shard's memory; SK-2 each check is shown to reject a broken history (`tests`)
//!
//! Not here: what the world does (`world`).

mod answers;
mod approvals;
mod backfills;
mod bulk;
mod events;
mod flows;
mod groups;
mod journal;
mod leases;
mod ledger;
mod limits;
mod memory;
mod orders;
mod tables;
#[cfg(test)]
mod tests;
mod triggers;
mod windows;

use mainspring_core::event::Event;
use mainspring_core::run::Run;
use mainspring_core::task::Task;
use mainspring_core::values::{Epoch, Millis};
use mainspring_store::format::{
    EncodedProfiles, FormatError, ProfileCache, read_events, write_run, write_task,
};
use mainspring_store::{Cut, Record};

use self::tables::TableFold;
pub use self::{
    answers::{Asked, Told},
    flows::{FlowCounts, RunFacts, marked},
    journal::{Facts, JournalFold},
    leases::Words,
    ledger::{Ledger, Over},
    limits::Bounds,
    triggers::EventCounts,
    windows::WindowCounts,
};
use crate::store::Disk;

/// An invariant that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    pub invariant: &'static str,
    pub what: String,
}

pub type Check = Result<(), Broken>;

pub(crate) fn require(holds: bool, invariant: &'static str, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(Broken { invariant, what: what() }) }
}

/// What the checkers know of the world's settings.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    pub bounds: Bounds,
    pub lease: Millis,
    /// Ended tasks are kept in the tables.
    pub history: bool,
}

pub struct Checkers {
    pub journal: JournalFold,
    pub ledger: Ledger,
    pub words: Words,
    tables: TableFold,
    rules: Rules,
    profiles: ProfileCache,
}

impl Checkers {
    pub fn new(rules: Rules) -> Self {
        Self {
            journal: JournalFold::new(rules.bounds.clone(), rules.lease),
            ledger: Ledger::default(),
            words: Words::new(rules.lease),
            tables: TableFold::default(),
            rules,
            profiles: ProfileCache::default(),
        }
    }

    /// An owner goes on under its next epoch.
    pub fn renewed(&mut self, old: Epoch, new: Epoch) {
        self.journal.note_renewed(new);
        self.words.renewed(old, new);
        self.ledger.renewed(old, new);
    }

    /// A record is durable. `newest`: the epoch that owns the store.
    pub fn committed(&mut self, record: &Record, newest: Epoch) -> Result<Vec<Event>, Broken> {
        require(record.epoch == newest, "I10", || {
            format!(
                "record {} of epoch {} was taken, epoch {newest} owns the shard",
                record.seq, record.epoch
            )
        })?;
        let events = self.decode(record)?;
        for event in &events {
            self.words.committed(record, event)?;
        }
        self.journal.committed(record, &events)?;
        for event in &events {
            self.ledger.committed(record.epoch, event)?;
        }
        self.tables.waiting(record, events.clone());
        Ok(events)
    }

    fn decode(&mut self, record: &Record) -> Result<Vec<Event>, Broken> {
        let mut events = Vec::with_capacity(record.events as usize);
        let read =
            read_events::<FormatError>(&record.body, record.events, &mut self.profiles, &mut |event| {
                events.push(event);
                Ok(())
            });
        let what = |error: FormatError| format!("record {} cannot be read: {error}", record.seq);
        read.map_err(|error| Broken { invariant: "I16", what: what(error) })?;
        Ok(events)
    }

    /// A cut is in the tables.
    pub fn cut(&mut self, cut: &Cut, disk: &Disk) -> Check {
        require(cut.through <= self.journal.last(), "I16", || {
            format!("a cut through {} was written, the journal ends at {}", cut.through, self.journal.last())
        })?;
        self.tables.cut(cut, disk, self.rules.history)
    }

    /// Compares everything, not only what the last cut changed.
    pub fn tables_whole(&mut self, disk: &Disk) -> Check {
        self.tables.whole(disk, self.rules.history)
    }
}

/// The journaled part of a run in its one written form.
pub(crate) fn written(run: &Run) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_run(&mut bytes, run, &mut EncodedProfiles::default());
    bytes
}

/// The journaled part of a task in its one written form; equal bytes are equal tasks.
pub(crate) fn journaled(task: &Task) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_task(&mut bytes, task, &mut EncodedProfiles::default());
    bytes
}
