//! Group commit: while one record is being made durable, the next one is being built.

use std::sync::Arc;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Batch, QueueTimes};
use mainspring_core::task::Task;
use mainspring_core::values::{Elapsed, Millis, Pressure, Seq};
use mainspring_store::format::write_event;
use mainspring_store::{AppendError, Record};

use super::held::{Held, Replies};
use super::{Output, Shard, StopCause, unwritten};

/// Wait before a record that found no room, or met a passing error, is offered again.
pub(super) const APPEND_RETRY: Millis = Millis::new(100);
/// Callers whose record was refused for this long get an answer without it.
const ANSWER_WITHIN: Millis = Millis::from_secs(1);

/// A record that fills less than this part of its room does not hand the room on.
const ROOM_SHARE_MIN: usize = 64;

#[derive(Debug)]
pub(super) struct Building<R> {
    pub(super) seq: Seq,
    pub(super) body: Vec<u8>,
    pub(super) events: u32,
    pub(super) held: Held<R>,
}

impl<R> Building<R> {
    pub(super) fn new(seq: Seq) -> Self {
        Self { seq, body: Vec::new(), events: 0, held: Held::default() }
    }
}

#[derive(Debug)]
pub(super) struct InFlight<R> {
    pub(super) record: Arc<Record>,
    held: Held<R>,
    /// Of the tasks that it starts.
    waits: Box<QueueTimes>,
    pub(super) sealed: Elapsed,
    /// Since when every try failed: offered again, submissions are refused meanwhile.
    failing: Option<Elapsed>,
}

/// "Come back later" is true whatever becomes durable; who is told so must not wait for a disk that is full.
fn tells_nothing(result: &Result<Answer, Rejection>) -> bool {
    matches!(result, Err(Rejection::StoreUnavailable { .. } | Rejection::StoreBehind { .. }))
}

impl<R> Shard<R> {
    /// Takes what the engine brought about into the record being built.
    pub(super) fn absorb(&mut self, mut batch: Batch) {
        for event in &batch.events {
            write_event(&mut self.building.body, event, &mut self.profiles_out);
        }
        self.building.events += batch.events.len() as u32;
        batch.events.clear();
        if self.config.breaks.early_effect && !batch.effects.is_empty() {
            self.outputs.push_back(Output::Effects(std::mem::take(&mut batch.effects)));
        }
        self.building.held.effects(&mut batch.effects);
        self.batch = batch;
    }

    pub(super) fn hold_answer(&mut self, reply: R, results: Replies) {
        let at_once =
            results.iter().all(tells_nothing) || self.is_failing() && self.saw_only_durable(&results);
        if self.config.breaks.early_answer || at_once {
            self.outputs.push_back(Output::Answer { reply, results });
        } else {
            self.building.held.answer(reply, results);
        }
    }

    pub(super) fn seal_if_free(&mut self) {
        if self.building.events > 0 {
            if self.in_flight.is_none() {
                self.seal();
            }
        } else if !self.building.held.is_empty() {
            // Nothing new to record: these waited only for what they saw.
            let held = std::mem::take(&mut self.building.held);
            match &mut self.in_flight {
                Some(in_flight) => in_flight.held.append(held),
                None => self.release(held),
            }
        }
    }

    fn seal(&mut self) {
        let seq = self.building.seq;
        let mut next = Building::new(seq.next());
        next.body = std::mem::take(&mut self.spare_body);
        next.held = Held::sized_like(&self.building.held);
        let built = std::mem::replace(&mut self.building, next);
        let now = self.engine.state().now;
        let record = Arc::new(Record { epoch: self.epoch, seq, now, events: built.events, body: built.body });
        self.checkpoints.appended(seq, record.events, record.body.len());
        self.outputs.push_back(Output::Append(record.clone()));
        let waits = self.engine.take_queue_times();
        let sealed = self.engine.present();
        self.in_flight = Some(InFlight { record, held: built.held, waits, sealed, failing: None });
        self.cut_if_due();
    }

    /// The outcome of the append that is in flight.
    pub fn appended(&mut self, result: Result<(), AppendError>) {
        if self.stopped {
            return;
        }
        match result {
            Ok(()) => self.append_done(),
            Err(AppendError::Unknown { .. }) if self.config.breaks.unknown_is_done => self.append_done(),
            Err(AppendError::Full { .. } | AppendError::Failed { .. } | AppendError::Unknown { .. }) => {
                self.append_failed();
                self.outputs.push_back(Output::RetryAppend(APPEND_RETRY));
            }
            Err(AppendError::Refused { newest, .. }) => self.stop(StopCause::NotOwner { newest }),
            Err(error @ (AppendError::OutOfOrder { .. } | AppendError::Broken { .. })) => {
                self.stop(StopCause::Broken(error.to_string()));
            }
        }
    }

    /// Callers do not wait for a disk that stays full.
    fn append_failed(&mut self) {
        let now = self.clock.last().elapsed;
        let Some(in_flight) = &mut self.in_flight else { return };
        let since = *in_flight.failing.get_or_insert(now);
        if now.since(since) < ANSWER_WITHIN {
            return;
        }
        for held in [&mut in_flight.held, &mut self.building.held] {
            for (reply, results) in held.take_answers() {
                match unwritten::answer(&results) {
                    unwritten::Fate::Waits => held.answer(reply, results),
                    unwritten::Fate::Refused(results) => {
                        self.outputs.push_back(Output::Answer { reply, results });
                    }
                    unwritten::Fate::Unknown => {}
                }
            }
        }
    }

    /// The journal does not take the record in flight.
    pub(super) fn is_failing(&self) -> bool {
        self.in_flight.as_ref().is_some_and(|in_flight| in_flight.failing.is_some())
    }

    fn saw_only_durable(&self, results: &Replies) -> bool {
        let durable =
            |task: &Option<Box<Task>>| task.as_ref().is_some_and(|task| task.touched <= self.durable);
        results.iter().all(|result| matches!(result, Ok(Answer::Task(task)) if durable(task)))
    }

    /// Offers the record in flight again, byte for byte.
    pub fn retry_append(&mut self) {
        if let Some(in_flight) = &self.in_flight
            && in_flight.failing.is_some()
        {
            self.outputs.push_back(Output::Append(in_flight.record.clone()));
        }
    }

    fn append_done(&mut self) {
        let Some(in_flight) = self.in_flight.take() else { return };
        self.durable = in_flight.record.seq;
        // Fresh pages cost more than the bytes written into them, so the room is used again; but not the room of a
        // burst for the small records after it.
        if let Ok(mut record) = Arc::try_unwrap(in_flight.record)
            && record.body.len() >= record.body.capacity() / ROOM_SHARE_MIN
        {
            record.body.clear();
            self.spare_body = record.body;
        }
        self.release(in_flight.held);
        self.waited = Some(in_flight.waits);
        self.write_cut_if_durable();
        self.seal_if_free();
    }

    fn release(&mut self, held: Held<R>) {
        let (answers, effects) = held.take();
        self.outputs.extend(answers.into_iter().map(|(reply, results)| Output::Answer { reply, results }));
        self.outputs.extend(effects.into_iter().map(Output::Effects));
    }

    pub(super) fn pressure(&self) -> Pressure {
        if self.is_failing() {
            return Pressure::Unavailable;
        }
        let bytes = self.checkpoints.lag_bytes() * 100 / self.config.lag_bytes_max.max(1);
        let events = self.checkpoints.lag_events() * 100 / self.config.lag_events_max.max(1);
        match bytes.max(events) {
            0..50 => Pressure::None,
            50..75 => Pressure::ShedP2,
            75..100 => Pressure::ShedP1,
            100.. => Pressure::ShedAll,
        }
    }
}
