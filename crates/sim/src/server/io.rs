//! Appends and cuts take their time, fail, or leave it open whether they happened.

use std::sync::Arc;

use mainspring_core::event::Event;
use mainspring_core::run::RunEvent;
use mainspring_core::values::Wall;
use mainspring_store::{AppendError, Cut, CutError, Record};

use super::ServerEvent;
use crate::checkers::Check;
use crate::faults::Fault;
use crate::world::{Happening, World};

fn brief(event: &Event) -> String {
    match event {
        Event::TaskSubmitted(submitted) => format!("TaskSubmitted {} due {:?}", submitted.id, submitted.due),
        Event::TaskRevived { ended, .. } => format!("TaskRevived {}", ended.id),
        Event::Run(RunEvent::JobApplied(applied)) => {
            format!("JobApplied {} version {}", applied.key.name, applied.version)
        }
        Event::Run(RunEvent::RunCleared(cleared)) => {
            format!("RunCleared {} {:?} {:?}", cleared.id, cleared.nodes, cleared.items)
        }
        Event::Run(RunEvent::RunCreated(created)) => {
            format!("RunCreated {} of {}", created.id, created.job.name)
        }
        other => format!("{other:?}"),
    }
}

/// Wait before a cut that could not be written is offered again; as in the real driver.
const CUT_RETRY_MS: u64 = 250;

impl World {
    fn put_server(&mut self, server: usize, after: u64, what: ServerEvent) {
        self.put(after, Happening::Server { server, what });
    }

    pub(super) fn order_append(&mut self, index: usize, record: Arc<Record>) {
        let mut after = self.span(self.settings.append_ms * 2);
        let failed = |what: &str| ServerEvent::Appended(Err(AppendError::Failed { what: what.to_owned() }));
        if self.full_until > self.now {
            self.see(Fault::StoreFull);
            let bytes = record.body.len() as u64;
            return self.put_server(index, after, ServerEvent::Appended(Err(AppendError::Full { bytes })));
        }
        if self.chance.per_mille(self.rates.append_error) {
            self.see(Fault::AppendError);
            return self.put_server(index, after, failed("a passing error"));
        }
        if self.chance.per_mille(self.rates.append_slow) {
            self.see(Fault::AppendSlow);
            let leases = self.settings.shard.engine.limits.lease.get() * 4;
            after += self.span(leases);
        }
        if self.chance.per_mille(self.rates.append_unknown) {
            return self.unknown_append(index, record, after);
        }
        let answer = Some(self.chance.below(self.settings.append_ms + 1));
        self.put_server(index, after, ServerEvent::Append { record, answer });
    }

    /// The answer is lost; the record is written before, after, or never.
    fn unknown_append(&mut self, index: usize, record: Arc<Record>, after: u64) {
        let answered = after + self.span(500);
        match self.chance.below(3) {
            0 => self.see(Fault::AppendUnknownLost),
            1 => {
                self.see(Fault::AppendUnknownWritten);
                self.put_server(index, after, ServerEvent::Append { record, answer: None });
            }
            _ => {
                self.see(Fault::AppendLate);
                let late = answered + self.span(3_000);
                self.put_server(index, late, ServerEvent::Append { record, answer: None });
            }
        }
        let unknown = AppendError::Unknown { what: "the answer was lost".into() };
        self.put_server(index, answered, ServerEvent::Appended(Err(unknown)));
    }

    pub(super) fn execute_append(&mut self, index: usize, record: &Record, answer: Option<u64>) -> Check {
        if self.servers[index].is_none() && self.chance.per_mille(500) {
            self.see(Fault::CrashLostRecord);
            return Ok(());
        }
        let (result, newest) = {
            let mut disk = self.store.disk();
            (disk.append(record), disk.newest())
        };
        if let Ok(true) = result {
            if self.servers[index].is_none() {
                self.see(Fault::CrashKeptRecord);
            }
            self.tally.records += 1;
            self.trace.mix(record.seq.get());
            self.trace.mix_bytes(&record.body);
            self.trace.say(
                self.now,
                format_args!("record {} of epoch {}, {} events", record.seq, record.epoch, record.events),
            );
            let events = self.checkers.committed(record, newest)?;
            for event in &events {
                self.trace.say(self.now, format_args!("  {}", brief(event)));
            }
            self.check_dates()?;
        }
        if let Some(after) = answer {
            self.put_server(index, after, ServerEvent::Appended(result.map(drop)));
        }
        Ok(())
    }

    pub(super) fn appended(&mut self, index: usize, result: Result<(), AppendError>) -> Check {
        let Some(server) = self.servers[index].as_mut() else { return Ok(()) };
        server.appending = result.is_err();
        self.with_shard(index, |shard| shard.appended(result))
    }

    pub(super) fn order_cut(&mut self, index: usize, cut: Arc<Cut>) {
        let after = self.span(self.settings.cut_ms * 2);
        if self.full_until > self.now {
            self.see(Fault::StoreFull);
            return self.put_server(index, after, ServerEvent::CutDone(Err(CutError::Full)));
        }
        if self.tables_fail_until > self.now {
            self.see(Fault::TablesFail);
            let eio = CutError::Failed { what: "disk I/O error".into() };
            return self.put_server(index, after, ServerEvent::CutDone(Err(eio)));
        }
        let failed = CutError::Failed { what: "a passing error".into() };
        if self.chance.per_mille(self.rates.cut_error) {
            self.see(Fault::CutError);
            return self.put_server(index, after, ServerEvent::CutDone(Err(failed)));
        }
        if self.chance.per_mille(self.rates.cut_answer_lost) {
            self.see(Fault::CutAnswerLost);
            self.put_server(index, after, ServerEvent::Cut { cut, answer: None });
            return self.put_server(index, after + 1, ServerEvent::CutDone(Err(failed)));
        }
        let answer = Some(self.chance.below(self.settings.cut_ms + 1));
        self.put_server(index, after, ServerEvent::Cut { cut, answer });
    }

    pub(super) fn execute_cut(&mut self, index: usize, cut: &Cut, answer: Option<u64>) -> Check {
        if self.servers[index].is_none() {
            self.see(Fault::CrashMidCut);
            if self.chance.per_mille(500) {
                return Ok(());
            }
        }
        let result = {
            let mut disk = self.store.disk();
            let result = disk.cut(cut);
            if result.is_ok() {
                self.tally.cuts += 1;
                // Nothing is old enough in a world of hours: whatever this drops is missed.
                let keep_from = cut.retention_day.saturating_sub(self.settings.shard.history_days);
                disk.drop_before(keep_from, Wall::ZERO);
                self.checkers.cut(cut, &disk)?;
            }
            result
        };
        self.trace.mix(cut.through.get());
        self.trace
            .say(self.now, format_args!("cut through {} of epoch {}: {result:?}", cut.through, cut.epoch));
        if let Some(after) = answer {
            self.put_server(index, after, ServerEvent::CutDone(result));
        }
        Ok(())
    }

    pub(super) fn cut_done(&mut self, index: usize, result: Result<(), CutError>) -> Check {
        if result.is_err() {
            self.put_server(index, CUT_RETRY_MS, ServerEvent::RetryCut);
        }
        self.with_shard(index, |shard| shard.cut_done(result))
    }
}
