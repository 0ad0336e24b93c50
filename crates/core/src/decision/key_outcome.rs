//! What a command under an idempotency key was answered with: one byte of its key's claim, which `key` keeps for us.

use crate::backfill::BackfillStatus;
use crate::key::{KeyBinding, KeyClaim, KeyHolder};
use crate::task::Status;
use crate::values::{BackfillId, OperationId, RunId, RunStatus};

/// What a command under a key was answered with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyOutcome {
    Now(Status),
    Stopping,
    /// The bound id is an operation's number.
    Operation,
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
    /// Of several jobs; no number is bound.
    JobsApplied,
    /// Of a command on a job that tells nothing.
    JobDone,
    /// The bound number is the next window in milliseconds and one more; 0: there is none.
    ScheduleStored {
        changed: bool,
    },
    /// Of a command on a schedule that tells nothing.
    ScheduleDone,
    /// Of a cordon, a drain or an uncordon.
    CordonDone,
    /// The bound number is what the caller wanted remembered.
    Remembered,
}

const OUTCOME: u128 = 0xff;
const STOPPING: u8 = 0xfe;
const PROCESS: u8 = 0xfd;
const REMEMBERED: u8 = 0xfc;
const JOB_DONE: u8 = 0xfb;
const SCHEDULE_DONE: u8 = 0xfa;
const BACKFILL_CREATED: u8 = 0xf9;
const CORDON_DONE: u8 = 0xf8;
const JOBS_APPLIED: u8 = 0xf7;
/// With the status below it.
const RUN: u8 = 0xe0;
const BACKFILL: u8 = 0xd0;
/// With whether something changed below it.
const JOB_APPLIED: u8 = 0xc0;
const SCHEDULE_STORED: u8 = 0xc2;

impl KeyClaim {
    /// The claim with what it was answered with.
    pub fn with(self, outcome: KeyOutcome) -> Self {
        let byte = match outcome {
            KeyOutcome::Now(status) => status.index() as u8,
            KeyOutcome::Stopping => STOPPING,
            KeyOutcome::Operation => PROCESS,
            KeyOutcome::Run(status) => RUN + status as u8,
            KeyOutcome::BackfillCreated => BACKFILL_CREATED,
            KeyOutcome::Backfill(status) => BACKFILL + status as u8,
            KeyOutcome::JobApplied { changed } => JOB_APPLIED + u8::from(changed),
            KeyOutcome::JobsApplied => JOBS_APPLIED,
            KeyOutcome::JobDone => JOB_DONE,
            KeyOutcome::ScheduleStored { changed } => SCHEDULE_STORED + u8::from(changed),
            KeyOutcome::ScheduleDone => SCHEDULE_DONE,
            KeyOutcome::CordonDone => CORDON_DONE,
            KeyOutcome::Remembered => REMEMBERED,
        };
        Self { request: self.request & !OUTCOME | u128::from(byte), ..self }
    }

    /// `None`: the binding is for another request.
    pub fn outcome_of(&self, binding: KeyBinding) -> Option<KeyOutcome> {
        if (binding.request ^ self.request) & !OUTCOME != 0 { None } else { binding.outcome() }
    }
}

impl KeyBinding {
    /// Not of submissions and triggers, which have no outcome.
    fn outcome(self) -> Option<KeyOutcome> {
        match (self.request & OUTCOME) as u8 {
            STOPPING => Some(KeyOutcome::Stopping),
            PROCESS => Some(KeyOutcome::Operation),
            REMEMBERED => Some(KeyOutcome::Remembered),
            JOBS_APPLIED => Some(KeyOutcome::JobsApplied),
            JOB_DONE => Some(KeyOutcome::JobDone),
            CORDON_DONE => Some(KeyOutcome::CordonDone),
            SCHEDULE_DONE => Some(KeyOutcome::ScheduleDone),
            BACKFILL_CREATED => Some(KeyOutcome::BackfillCreated),
            byte @ RUN..0xf0 => RunStatus::from_index(byte - RUN).map(KeyOutcome::Run),
            byte @ BACKFILL..RUN => BackfillStatus::from_index(byte - BACKFILL).map(KeyOutcome::Backfill),
            byte @ JOB_APPLIED..SCHEDULE_STORED => {
                Some(KeyOutcome::JobApplied { changed: byte != JOB_APPLIED })
            }
            byte @ SCHEDULE_STORED..=0xc3 => {
                Some(KeyOutcome::ScheduleStored { changed: byte != SCHEDULE_STORED })
            }
            index => Status::from_index(index).map(KeyOutcome::Now),
        }
    }

    /// What a command other than a submission was bound to.
    pub fn holder(self) -> KeyHolder {
        let bits = self.task.bits();
        match self.outcome() {
            Some(KeyOutcome::Now(_) | KeyOutcome::Stopping) => KeyHolder::Task(self.task),
            Some(KeyOutcome::Run(_)) => KeyHolder::Run(RunId::from_bits(bits)),
            Some(KeyOutcome::BackfillCreated | KeyOutcome::Backfill(_)) => {
                KeyHolder::Backfill(BackfillId::from_bits(bits))
            }
            Some(KeyOutcome::Operation) => KeyHolder::Operation(OperationId::new(bits as u64)),
            Some(
                KeyOutcome::JobApplied { .. }
                | KeyOutcome::JobsApplied
                | KeyOutcome::JobDone
                | KeyOutcome::ScheduleStored { .. }
                | KeyOutcome::ScheduleDone
                | KeyOutcome::CordonDone
                | KeyOutcome::Remembered,
            )
            | None => KeyHolder::Request,
        }
    }
}
