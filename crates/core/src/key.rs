//! Idempotency keys: the same key and the same request give the first answer again.
//! - KY-1 one entity per scope while the key lives; KY-2 the same key with another request is refused
//! - KY-3 a key leaves memory only when it is in the tables and no command that looked there before is
//!   still on its way
//!
//! Entry: [`KeyTable`], the keys still in memory, and [`KeyFact`], what the loader found in the tables.

use std::collections::VecDeque;
use std::fmt;

use crate::backfill::BackfillStatus;
use crate::id::{BackfillId, ProcessId, RunId, Seq, TaskId};
use crate::index::Index;
use crate::task::Status;
use crate::time::Wall;
use crate::workflow::RunStatus;

/// Hash of (tenant, operation, key), made at the edge with a cryptographic hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeyScope(pub u128);

/// A caller's claim: this key stands for this request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyClaim {
    pub scope: KeyScope,
    /// Hash of the validated request. For a command other than a submission the lowest byte is not part of it: there
    /// the first answer is kept.
    pub request: u128,
    /// Until when the key is kept at least.
    pub expires: Wall,
}

/// What a command under a key was answered with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Now(Status),
    Stopping,
    /// The bound id is a process's number.
    Process,
    /// The bound id is a run's.
    Run(RunStatus),
    /// The bound id is a backfill's.
    BackfillCreated,
    /// The same, of one that was there.
    Backfill(BackfillStatus),
    /// The bound number is the version.
    JobApplied {
        changed: bool,
    },
    /// Of a command on a job that tells nothing.
    JobDone,
    /// The bound number is the next window in milliseconds and one more; 0: there is none.
    ScheduleStored {
        changed: bool,
    },
    /// Of a command on a schedule that tells nothing.
    ScheduleDone,
    /// The bound number is what the caller wanted remembered.
    Remembered,
}

/// What a key stands for, as far as its binding tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyHolder {
    Task(TaskId),
    Run(RunId),
    Backfill(BackfillId),
    Process(ProcessId),
    /// A request on something that has a name and no id.
    Request,
}

impl fmt::Display for KeyHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(id) => write!(f, "`{id}`"),
            Self::Run(id) => write!(f, "`{id}`"),
            Self::Backfill(id) => write!(f, "`{id}`"),
            Self::Process(id) => write!(f, "bulk operation `{}`", id.get()),
            Self::Request => f.write_str("an earlier request"),
        }
    }
}

const OUTCOME: u128 = 0xff;
const STOPPING: u8 = 0xfe;
const PROCESS: u8 = 0xfd;
const REMEMBERED: u8 = 0xfc;
const JOB_DONE: u8 = 0xfb;
const SCHEDULE_DONE: u8 = 0xfa;
const BACKFILL_CREATED: u8 = 0xf9;
/// With the status below it.
const RUN: u8 = 0xe0;
const BACKFILL: u8 = 0xd0;
/// With whether something changed below it.
const JOB_APPLIED: u8 = 0xc0;
const SCHEDULE_STORED: u8 = 0xc2;

impl KeyClaim {
    /// The claim with what it was answered with.
    pub fn with(self, outcome: Outcome) -> Self {
        let byte = match outcome {
            Outcome::Now(status) => status.index() as u8,
            Outcome::Stopping => STOPPING,
            Outcome::Process => PROCESS,
            Outcome::Run(status) => RUN + status as u8,
            Outcome::BackfillCreated => BACKFILL_CREATED,
            Outcome::Backfill(status) => BACKFILL + status as u8,
            Outcome::JobApplied { changed } => JOB_APPLIED + u8::from(changed),
            Outcome::JobDone => JOB_DONE,
            Outcome::ScheduleStored { changed } => SCHEDULE_STORED + u8::from(changed),
            Outcome::ScheduleDone => SCHEDULE_DONE,
            Outcome::Remembered => REMEMBERED,
        };
        Self { request: self.request & !OUTCOME | u128::from(byte), ..self }
    }

    /// `None`: the binding is for another request.
    pub fn outcome_of(&self, binding: KeyBinding) -> Option<Outcome> {
        if (binding.request ^ self.request) & !OUTCOME != 0 { None } else { binding.outcome() }
    }
}

/// A key that is bound to an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyBinding {
    pub request: u128,
    /// Or another id or number, as the outcome says.
    pub task: TaskId,
}

impl KeyBinding {
    /// Not of submissions and triggers, which have no outcome.
    fn outcome(self) -> Option<Outcome> {
        match (self.request & OUTCOME) as u8 {
            STOPPING => Some(Outcome::Stopping),
            PROCESS => Some(Outcome::Process),
            REMEMBERED => Some(Outcome::Remembered),
            JOB_DONE => Some(Outcome::JobDone),
            SCHEDULE_DONE => Some(Outcome::ScheduleDone),
            BACKFILL_CREATED => Some(Outcome::BackfillCreated),
            byte @ RUN..0xf0 => RunStatus::from_index(byte - RUN).map(Outcome::Run),
            byte @ BACKFILL..RUN => BackfillStatus::from_index(byte - BACKFILL).map(Outcome::Backfill),
            byte @ JOB_APPLIED..SCHEDULE_STORED => Some(Outcome::JobApplied { changed: byte != JOB_APPLIED }),
            byte @ SCHEDULE_STORED..=0xc3 => {
                Some(Outcome::ScheduleStored { changed: byte != SCHEDULE_STORED })
            }
            index => Status::from_index(index).map(Outcome::Now),
        }
    }

    /// What a command other than a submission was bound to.
    pub fn holder(self) -> KeyHolder {
        let bits = self.task.bits();
        match self.outcome() {
            Some(Outcome::Now(_) | Outcome::Stopping) => KeyHolder::Task(self.task),
            Some(Outcome::Run(_)) => KeyHolder::Run(RunId::from_bits(bits)),
            Some(Outcome::BackfillCreated | Outcome::Backfill(_)) => {
                KeyHolder::Backfill(BackfillId::from_bits(bits))
            }
            Some(Outcome::Process) => KeyHolder::Process(ProcessId::new(bits as u64)),
            Some(
                Outcome::JobApplied { .. }
                | Outcome::JobDone
                | Outcome::ScheduleStored { .. }
                | Outcome::ScheduleDone
                | Outcome::Remembered,
            )
            | None => KeyHolder::Request,
        }
    }
}

/// What the tables said about a key before the command reached the shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyFact {
    Absent,
    Bound(KeyBinding),
}

/// Keys bound by recent records, in memory until the tables surely answer for them.
#[derive(Debug, Default)]
pub struct KeyTable {
    bindings: Index<KeyScope, KeyBinding>,
    /// In order of the record that bound them.
    order: VecDeque<(Seq, KeyScope, Wall)>,
}

impl KeyTable {
    pub fn get(&self, scope: KeyScope) -> Option<KeyBinding> {
        self.bindings.get(&scope).copied()
    }

    /// Memory first: it may know of a binding that the tables did not have when they were asked.
    pub fn known(&self, scope: KeyScope, fact: KeyFact) -> Option<KeyBinding> {
        self.get(scope).or(match fact {
            KeyFact::Bound(binding) => Some(binding),
            KeyFact::Absent => None,
        })
    }

    pub fn bind(&mut self, claim: KeyClaim, task: TaskId, at: Seq) {
        self.bindings.insert(claim.scope, KeyBinding { request: claim.request, task });
        self.order.push_back((at, claim.scope, claim.expires));
    }

    /// Keys bound by records in `(after, through]`, for a checkpoint.
    pub fn bound_in(
        &self,
        after: Seq,
        through: Seq,
    ) -> impl Iterator<Item = (KeyScope, KeyBinding, Wall)> + '_ {
        let first = self.order.partition_point(|(at, ..)| *at <= after);
        self.order.range(first..).take_while(move |(at, ..)| *at <= through).filter_map(
            |(_, scope, expires)| self.bindings.get(scope).map(|binding| (*scope, *binding, *expires)),
        )
    }

    /// Forgets keys bound at or before `through`; the tables answer for them now.
    pub fn forget(&mut self, through: Seq) {
        while let Some((at, scope, _)) = self.order.front().copied() {
            if at > through {
                break;
            }
            self.order.pop_front();
            self.bindings.remove(&scope);
        }
    }

    pub fn len(&self) -> usize {
        self.bindings.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bindings.is_empty()
    }
}
