//! Results: owed until acknowledged, spooled when that takes long, sent again when it takes very long.

use std::time::{Duration, Instant};

use mainspring_core::values::{AttemptDetails, FailureClass};
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use prost::Message;
use tracing::warn;

use super::{Desk, Ended, Held};
use crate::attempt::{Key, Outcome};

/// A healthy server acknowledges in far less, so healthy work writes nothing to disk.
pub const SPOOL_AFTER: Duration = Duration::from_millis(200);
/// The server waits half a minute for it.
const ACCEPTED_AFTER: Duration = Duration::from_millis(20);
/// Results of programs wait so long for others while every processor is busy anyway: a message, and a record of the
/// server's, for each would cost more than they tell.
pub const HOLD: Duration = Duration::from_millis(3);
/// Looking costs time for each result since the last look.
const SWEEP_EVERY: Duration = Duration::from_millis(100);
/// Within one session nothing is lost; this is for a server that forgot.
const SEND_AGAIN_AFTER: Duration = Duration::from_secs(15);

impl Desk {
    pub(super) fn owe(&mut self, key: Key, outcome: Outcome, now: Instant) {
        self.owe_with(key, Ended { outcome, details: None, checkpoint: None, spooled: false }, now);
    }

    /// A session that is open has heard of the checkpoint.
    pub(super) fn owe_with(&mut self, key: Key, ended: Ended, now: Instant) {
        if self.is_open {
            self.outbox.push(ended.report(key));
        }
        self.held.insert(key, Held::Ended(ended));
        self.fresh.push_back((now, key));
        self.unacknowledged += 1;
    }

    /// Results of an earlier life, found in the spool. A checkpoint comes before its result.
    pub(super) fn owe_spooled(&mut self, reports: Vec<v1::Report>, now: Instant) {
        let mut newest = None;
        for report in reports {
            let key = Key::from_wire(&report.task, report.fence);
            if let (Some(key), Some(What::Checkpoint(bytes))) = (key, &report.what) {
                newest = Some((key, bytes.clone()));
                continue;
            }
            let details = report.details.as_deref().map(details_of).map(Box::new);
            let Some((key, outcome)) = key.zip(outcome_of(report)) else {
                warn!("the spool holds a report that is no result; ignored");
                continue;
            };
            let checkpoint = newest.take().filter(|(of, _)| *of == key).map(|(_, bytes)| bytes);
            let ended = Ended { outcome, details, checkpoint, spooled: true };
            if self.held.insert(key, Held::Ended(ended)).is_none() {
                self.unacknowledged += 1;
            }
            self.late.push_back((now, key));
        }
    }

    pub(super) fn acknowledged(&mut self, acknowledged: &v1::Acknowledgement) {
        let Some(key) = Key::from_wire(&acknowledged.task, acknowledged.fence) else {
            return;
        };
        let hashbrown::hash_map::Entry::Occupied(entry) = self.held.entry(key) else {
            return;
        };
        let Held::Ended(ended) = entry.get() else {
            return;
        };
        if ended.spooled {
            for report in ended.reports(key) {
                self.spool.forget(report.encoded_len());
            }
        }
        entry.remove();
        self.unacknowledged -= 1;
    }

    /// When [`Desk::sweep`] has something to do.
    pub fn sweep_at(&self) -> Option<Instant> {
        let fresh = self.fresh.front().map(|(at, _)| *at + SPOOL_AFTER);
        let late = self.late.front().map(|(at, _)| *at + SEND_AGAIN_AFTER);
        let results = fresh.into_iter().chain(late).min().map(|due| due.max(self.swept + SWEEP_EVERY));
        let accepted = self.accepted.front().map(|(at, _)| *at + ACCEPTED_AFTER);
        let hard = self.deadlines.first().map(|(at, _)| *at);
        let spool = self.spool.retry_at().map(|at| at.max(self.swept + SWEEP_EVERY));
        results
            .into_iter()
            .chain(accepted)
            .chain(self.hold)
            .chain(self.lease.until())
            .chain(spool)
            .chain(hard)
            .min()
    }

    pub fn sweep(&mut self, now: Instant) {
        if self.hold.is_some_and(|until| until <= now) {
            self.hold = None;
        }
        self.say_accepted(now);
        self.stop_exclusive(now);
        self.stop_overdue(now);
        if now < self.swept + SWEEP_EVERY {
            return;
        }
        self.swept = now;
        self.spool_until(now.checked_sub(SPOOL_AFTER), now);
        while let Some(&(at, key)) = self.late.front()
            && at + SEND_AGAIN_AFTER <= now
        {
            self.late.pop_front();
            let Some(Held::Ended(ended)) = self.held.get(&key) else {
                continue;
            };
            if self.is_open {
                self.outbox.push(ended.report(key));
            }
            self.late.push_back((now, key));
        }
        if self.spool.wants_rewrite(now) {
            let owed: Vec<v1::Report> = self.spooled().collect();
            self.spool.rewrite(&owed, now);
        }
    }

    /// What has been held for a while, and goes on.
    fn say_accepted(&mut self, now: Instant) {
        if self.accepted.front().is_none_or(|(at, _)| *at + ACCEPTED_AFTER > now) {
            return;
        }
        for (_, key) in std::mem::take(&mut self.accepted) {
            if matches!(self.held.get(&key), Some(Held::Running(_) | Held::Waiting(_))) {
                self.say(key, What::Accepted(true));
            }
        }
    }

    /// Everything that is owed goes to disk now.
    pub fn spool_all(&mut self, now: Instant) {
        self.spool_until(Some(now), now);
    }

    fn spool_until(&mut self, limit: Option<Instant>, now: Instant) {
        let mut reports = Vec::new();
        while let Some(&(at, key)) = self.fresh.front()
            && limit.is_some_and(|limit| at <= limit)
        {
            self.fresh.pop_front();
            if let Some(Held::Ended(ended)) = self.held.get_mut(&key)
                && !ended.spooled
            {
                ended.spooled = true;
                reports.extend(ended.reports(key));
                self.late.push_back((now, key));
            }
        }
        self.spool.append(&reports);
    }

    fn spooled(&self) -> impl Iterator<Item = v1::Report> {
        let spooled = self.held.iter().filter_map(|(key, held)| match held {
            Held::Ended(ended) if ended.spooled => Some(ended.reports(*key)),
            Held::Ended(_) | Held::Waiting(_) | Held::Running(_) => None,
        });
        spooled.flatten()
    }
}

impl Ended {
    /// What a server is told that may know nothing of it: the checkpoint first, if there is one.
    pub(super) fn reports(&self, key: Key) -> impl Iterator<Item = v1::Report> + use<> {
        let checkpoint = self.checkpoint.as_ref().map(|bytes| {
            let what = Some(What::Checkpoint(bytes.clone()));
            v1::Report { task: key.task_bytes(), fence: key.fence.bits(), what, details: None }
        });
        checkpoint.into_iter().chain([self.report(key)])
    }

    fn report(&self, key: Key) -> v1::Report {
        let details = self.details.as_deref().map(|known| {
            Box::new(v1::AttemptDetails {
                memory_peak_bytes: known.memory_peak_bytes,
                cpu_ms: known.cpu_ms,
                ran_ms: known.ran_ms,
                progress: known.progress.as_deref().map(str::to_owned),
            })
        });
        v1::Report { details, ..report(key, &self.outcome) }
    }
}

fn details_of(details: &v1::AttemptDetails) -> AttemptDetails {
    AttemptDetails {
        memory_peak_bytes: details.memory_peak_bytes,
        cpu_ms: details.cpu_ms,
        ran_ms: details.ran_ms,
        progress: details.progress.as_deref().map(Into::into),
        waited_for: None,
    }
}

pub(super) fn report(key: Key, outcome: &Outcome) -> v1::Report {
    let what = match outcome {
        Outcome::Success { output } => What::Success(v1::Success { output: output.clone() }),
        Outcome::Deferred { after_ms } => What::DeferMs(*after_ms),
        Outcome::Failure { class, code, message, unknown } => What::Failure(v1::Failure {
            class: class.label().to_owned(),
            code: *code,
            message: message.clone(),
            outcome_unknown: *unknown,
        }),
    };
    v1::Report { task: key.task_bytes(), fence: key.fence.bits(), what: Some(what), details: None }
}

fn outcome_of(report: v1::Report) -> Option<Outcome> {
    match report.what? {
        What::DeferMs(after_ms) => Some(Outcome::Deferred { after_ms }),
        What::Success(success) => Some(Outcome::Success { output: success.output }),
        What::Failure(failure) => {
            let class = FailureClass::ALL.into_iter().find(|class| class.label() == failure.class)?;
            let v1::Failure { code, message, outcome_unknown: unknown, .. } = failure;
            Some(Outcome::Failure { class, code, message, unknown })
        }
        What::Accepted(_)
        | What::Refused(_)
        | What::Progress(_)
        | What::Checkpoint(_)
        | What::ExtendMs(_) => None,
    }
}
