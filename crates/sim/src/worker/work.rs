//! What tasks do when they run: succeed, fail in every class, hang, defer, ask for time, take their worker down.

use std::sync::Arc;

use mainspring_core::decision::Start;
use mainspring_core::task::Profile;
use mainspring_core::task::decide::ReportKind;
use mainspring_core::values::{AttemptDetails, Failure, FailureClass, Millis};

use super::{Claim, WorkerEvent};
use crate::checkers::Check;
use crate::faults::Fault;
use crate::world::World;

/// The character of a task; the first byte of its payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nature {
    Plain,
    Flaky,
    Permanent,
    Resource,
    /// Never ends by itself; has a hard limit or a progress limit.
    Hang,
    Poison,
    Defers,
    Long,
    BigOutput,
    /// Fails in the same way wherever it runs.
    Alike,
    /// Stores how far it came.
    Checkpoints,
    /// Fails, and its worker cannot say how far it came.
    Vanishes,
}

impl Nature {
    pub const ALL: [Self; 12] = [
        Self::Plain,
        Self::Flaky,
        Self::Permanent,
        Self::Resource,
        Self::Hang,
        Self::Poison,
        Self::Defers,
        Self::Long,
        Self::BigOutput,
        Self::Alike,
        Self::Checkpoints,
        Self::Vanishes,
    ];

    fn of(payload: &[u8]) -> Self {
        payload.first().and_then(|byte| Self::ALL.get(usize::from(*byte))).copied().unwrap_or(Self::Plain)
    }
}

#[derive(Debug)]
pub(super) struct Attempt {
    nature: Nature,
    profile: Arc<Profile>,
    number: u32,
    begun: Option<u64>,
    pub(super) stopping: bool,
}

impl Attempt {
    pub(super) fn new(start: &Start) -> Self {
        let nature = Nature::of(&start.payload);
        Self { nature, profile: start.profile.clone(), number: start.attempt, begun: None, stopping: false }
    }
}

impl Attempt {
    /// How long it has run at `now`, if it has begun.
    pub(super) fn ran(&self, now: u64) -> Option<Millis> {
        self.begun.map(|begun| Millis::new(now - begun))
    }
}

/// Attempts after which a deferring task goes through.
const DEFERRALS_MAX: u32 = 3;

impl World {
    /// From here on it counts as executed.
    pub(super) fn begin_work(&mut self, index: usize, claim: Claim) -> Check {
        let Some(attempt) = self.workers[index].running.get_mut(&claim) else { return Ok(()) };
        attempt.begun = Some(self.now);
        let (nature, progress) = (attempt.nature, attempt.profile.limits.progress);
        let worker = self.workers[index].id;
        self.trace.mix_wide(claim.0.bits());
        self.trace.mix(claim.1.bits());
        self.trace
            .say(self.now, format_args!("worker {index} begins {} {:?} ({nature:?})", claim.0, claim.1));
        self.checkers.ledger.begin(claim.0, claim.1, worker, &self.checkers.journal)?;
        if nature != Nature::Hang {
            let after = self.duration(nature);
            self.put_worker(index, after, WorkerEvent::Finish(claim));
        }
        let tick = progress.map_or(2_000, |span| span.get() / 3);
        self.put_worker(index, tick, WorkerEvent::Tick(claim));
        Ok(())
    }

    fn duration(&mut self, nature: Nature) -> u64 {
        let lease = self.settings.shard.engine.limits.lease.get();
        match nature {
            Nature::Long if self.healed => self.span(lease),
            Nature::Long => self.span(lease * 3),
            _ => match self.chance.below(4) {
                0 => self.span(10),
                1 | 2 => self.span(400),
                _ => self.span(3_000),
            },
        }
    }

    /// Progress, checkpoints and wishes for more time; some attempts fall silent.
    pub(super) fn tick(&mut self, index: usize, claim: Claim) {
        let Some(attempt) = self.workers[index].running.get(&claim) else { return };
        let (nature, number) = (attempt.nature, attempt.number);
        let (progress, hard) = (attempt.profile.limits.progress, attempt.profile.limits.hard);
        if nature == Nature::Hang && progress.is_some() {
            return;
        }
        match nature {
            // The second of them comes too soon to be stored at once.
            Nature::Checkpoints => {
                for _ in 0..2 {
                    let bytes = self.chance.draw().to_le_bytes();
                    self.report(index, claim, ReportKind::Checkpoint(Arc::from(bytes.as_slice())));
                }
            }
            Nature::Long if hard.is_some() && self.chance.per_mille(200) => {
                self.report(index, claim, ReportKind::Extend(Millis::new(1_000)));
            }
            _ if progress.is_some() => self.report(index, claim, ReportKind::Progress(progress_text(number))),
            _ => {}
        }
        let tick = progress.map_or(2_000, |span| span.get() / 3);
        self.put_worker(index, tick, WorkerEvent::Tick(claim));
    }

    pub(super) fn finish(&mut self, index: usize, claim: Claim) {
        let Some(attempt) = self.workers[index].running.get(&claim) else { return };
        let (nature, number) = (attempt.nature, attempt.number);
        if nature == Nature::Poison {
            self.see(Fault::PoisonTask);
            return self.crash_worker(index);
        }
        let what = self.ending(nature, number);
        self.result(index, claim, what);
    }

    fn ending(&mut self, nature: Nature, number: u32) -> ReportKind {
        let fails = self.chance.per_mille(if self.healed { 200 } else { 600 });
        let failed = |class, code, message| ReportKind::Failed(Failure::new(class, code, message));
        match nature {
            Nature::Flaky if fails => {
                let class = FailureClass::ALL[self.chance.below(FailureClass::ALL.len() as u64) as usize];
                failed(class, self.chance.below(3) as i32 * 2, &format!("flaky {}", self.chance.below(1_000)))
            }
            Nature::Vanishes if fails => {
                ReportKind::Vanished(Failure::new(FailureClass::Transient, 0, "the answer was lost"))
            }
            Nature::Permanent if fails => failed(FailureClass::Permanent, 3, "cannot ever work"),
            Nature::Resource if fails => failed(FailureClass::Resource, 137, "out of memory"),
            Nature::Alike => failed(FailureClass::Transient, 5, "always the same"),
            Nature::Defers if number <= DEFERRALS_MAX => {
                ReportKind::Deferred { resume_after: Millis::new(self.span(5_000)) }
            }
            Nature::BigOutput => ReportKind::Succeeded { output: Some(Arc::from([7_u8; 500].as_slice())) },
            _ => ReportKind::Succeeded {
                output: self.chance.per_mille(300).then(|| Arc::from([1_u8, 2].as_slice())),
            },
        }
    }

    /// The end of the grace; a few finish just in time.
    pub(super) fn kill(&mut self, index: usize, claim: Claim) {
        let Some(attempt) = self.workers[index].running.get(&claim) else { return };
        let in_time = attempt.begun.is_some() && self.chance.per_mille(150);
        let what = if in_time {
            ReportKind::Succeeded { output: None }
        } else {
            ReportKind::Failed(Failure::new(FailureClass::Preempted, 143, "stopped on request"))
        };
        self.result(index, claim, what);
    }
}

/// Of some attempts: others say only that they get on.
fn progress_text(number: u32) -> Option<Box<str>> {
    (number > 1).then(|| format!("attempt {number}").into())
}

/// What the worker knows of an attempt when it has ended; the same whenever it says it.
pub(crate) fn details((task, fence): Claim) -> Option<Box<AttemptDetails>> {
    let draw = task.bits() as u64 ^ fence.bits();
    let details = AttemptDetails {
        memory_peak_bytes: (draw & 1 != 0).then_some(draw),
        cpu_ms: (draw & 2 != 0).then_some(draw >> 8),
        ran_ms: None,
        progress: (draw & 4 != 0).then(|| "done".into()),
        waited_for: None,
    };
    (!details.is_empty()).then(|| Box::new(details))
}
