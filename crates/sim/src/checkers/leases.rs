//! Leases: a worker is lost only after a whole lease without a word, and never before the owner itself has
//! been there that long, and listened that long without a stall (FL-3). No deadline of an attempt is judged earlier after a
//! stall either (AT-1). What was heard is written down where it comes in, outside the shard.

use std::collections::BTreeMap;

use mainspring_core::event::Event;
use mainspring_core::task::StopReason;
use mainspring_core::values::{Elapsed, Epoch, Failure, FailureClass, Millis, TaskId, WorkerId};
use mainspring_store::Record;

use super::journal::JournalFold;
use super::{Check, require};

/// As the core words it; other losses have other causes.
const SILENT: &str = "the worker was not heard of for a whole lease";

const SILENCES: [&str; 3] =
    [SILENT, "the worker did not say that it took the attempt", "the worker did not say that it stopped"];

pub(super) fn is_expiry(failure: &Failure) -> bool {
    failure.class == FailureClass::WorkerLost && &*failure.message == SILENT
}

/// Whether the event follows from what a worker did not say in time.
fn is_judgement(event: &Event) -> bool {
    match event {
        Event::AttemptFailed { failure, .. } => SILENCES.contains(&&*failure.message),
        Event::StopRequested { reason, .. } => {
            matches!(reason, StopReason::HardTimeout | StopReason::NoProgress)
        }
        _ => false,
    }
}

pub(super) fn check_epoch(journal: &JournalFold, id: TaskId) -> Check {
    let full = journal.epoch_began + journal.lease;
    require(journal.now.elapsed >= full, "FL-3", || {
        format!(
            "{id} was taken from its worker at {:?}, this owner began at {:?}",
            journal.now.elapsed, journal.epoch_began
        )
    })
}

/// When each owner heard from each worker over its live session.
pub struct Words {
    lease: Millis,
    heard: BTreeMap<(Epoch, WorkerId), Vec<Elapsed>>,
    /// When each owner came back from a stall, or was still in one.
    stalls: BTreeMap<Epoch, Vec<Elapsed>>,
    holders: BTreeMap<TaskId, WorkerId>,
}

impl Words {
    pub fn new(lease: Millis) -> Self {
        Self { lease, heard: BTreeMap::new(), stalls: BTreeMap::new(), holders: BTreeMap::new() }
    }

    pub fn renewed(&mut self, old: Epoch, new: Epoch) {
        let words: Vec<_> = self.heard.iter().filter(|((epoch, _), _)| *epoch == old).collect();
        let words: Vec<_> = words.into_iter().map(|((_, worker), at)| ((new, *worker), at.clone())).collect();
        self.heard.extend(words);
    }

    pub fn heard(&mut self, epoch: Epoch, worker: WorkerId, at: Elapsed) {
        let words = self.heard.entry((epoch, worker)).or_default();
        if words.last() != Some(&at) {
            words.push(at);
        }
    }

    /// The owner did not listen for much longer than a turn takes; it does so again from `at`.
    pub fn stalled(&mut self, epoch: Epoch, at: Elapsed) {
        self.stalls.entry(epoch).or_default().push(at);
    }

    /// A whole lease has passed since the last stall that this record knew of.
    fn check_stall(&self, record: &Record, what: &Event) -> Check {
        let stalls = self.stalls.get(&record.epoch).map_or(&[][..], Vec::as_slice);
        let known = stalls.partition_point(|at| *at <= record.now.elapsed);
        let Some(stall) = stalls[..known].last() else { return Ok(()) };
        require(*stall + self.lease <= record.now.elapsed, "AT-1", || {
            format!("at {:?}, after a stall until {stall:?}: {what:?}", record.now.elapsed)
        })
    }

    pub fn committed(&mut self, record: &Record, event: &Event) -> Check {
        if is_judgement(event) {
            self.check_stall(record, event)?;
        }
        match event {
            Event::TaskAssigned { id, worker, .. } => {
                self.holders.insert(*id, *worker);
            }
            Event::AttemptFailed { id, failure, .. } if is_expiry(failure) => {
                let worker = self.holders.get(id).copied().unwrap_or(WorkerId::NONE);
                let words = self.heard.get(&(record.epoch, worker)).map_or(&[][..], Vec::as_slice);
                // A word of the very instant may have come after the loss.
                let until = words.partition_point(|at| *at < record.now.elapsed);
                let last = words[..until].last().copied().unwrap_or_default();
                let silent = words.is_empty() || last + self.lease <= record.now.elapsed;
                return require(silent, "FL-3", || {
                    format!("{worker} lost {id} at {:?}, it was heard at {last:?}", record.now.elapsed)
                });
            }
            _ => {}
        }
        Ok(())
    }
}
