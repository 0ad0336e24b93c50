//! Poison: a task that keeps taking workers down, or fails alike wherever it runs.

use super::Task;
use crate::values::{Failure, FailureClass, WorkerId};

/// Code of a `worker_lost` failure whose worker held so few attempts that each may have caused the loss.
pub const CODE_BLAMED: i32 = 1;

/// Whether this failure counts towards quarantine as "killed its worker".
pub fn blames_the_task(failure: &Failure) -> bool {
    failure.class == FailureClass::WorkerLost && failure.code == CODE_BLAMED
}

/// A task that kills its worker this often is quarantined.
pub const KILLS_MAX: u32 = 5;
/// A task that fails alike on this many different workers is quarantined.
pub const ALIKE_WORKERS_MAX: usize = 3;

/// Whether this failure, on top of the recorded ones, makes the task poison.
pub fn is_poison(task: &Task, worker: WorkerId, failure: &Failure) -> bool {
    match failure.class {
        FailureClass::WorkerLost => blames_the_task(failure) && kills(task) + 1 >= KILLS_MAX,
        // Not the task's doing.
        FailureClass::Preempted | FailureClass::Cancelled => false,
        FailureClass::Transient
        | FailureClass::Permanent
        | FailureClass::Resource
        | FailureClass::Timeout => fails_alike_everywhere(task, worker, failure),
    }
}

fn kills(task: &Task) -> u32 {
    task.extra.as_ref().map_or(0, |extra| extra.worker_kills)
}

fn fails_alike_everywhere(task: &Task, worker: WorkerId, failure: &Failure) -> bool {
    let mut workers = vec![worker];
    for attempt in task.failures().iter().filter(|attempt| attempt.failure.is_like(failure)) {
        if !workers.contains(&attempt.worker) {
            workers.push(attempt.worker);
        }
    }
    workers.len() >= ALIKE_WORKERS_MAX
}
