//! I16 and I17 for the memory of an owner: what it holds is the journal folded, what it does not hold is
//! parked or ended, and what it owes is armed.

use mainspring_core::backfill::Backfill;
use mainspring_core::collections::EntityTable;
use mainspring_core::engine::{Debt, Engine};
use mainspring_core::operation::Operation;
use mainspring_core::run::Run;
use mainspring_core::schedule::Schedule;
use mainspring_core::task::TaskState;
use mainspring_core::trigger::Trigger;
use mainspring_core::values::Seq;
use mainspring_core::worker::Cordon;

use super::{Check, Checkers, journaled, require, written};
use crate::store::Disk;

impl Checkers {
    /// Only for the newest owner, and only while nothing of it is on its way to the journal.
    pub fn memory(&self, engine: &Engine, disk: &Disk) -> Check {
        for (_, task) in engine.state().tasks().iter() {
            let known = self.journal.task(task.id);
            let same = known.is_some_and(|known| journaled(known) == journaled(task));
            require(same, "I16", || format!("memory has {task:?}, the journal {known:?}"))?;
        }
        for id in self.journal.unfinished() {
            let here = engine.state().tasks().find(*id).is_some();
            let parked = || disk.live_row(*id).is_some_and(|row| row.parked_due.is_some());
            let pending =
                || self.journal.task(*id).is_some_and(|task| matches!(task.state, TaskState::Pending { .. }));
            require(here || parked() && pending(), "I17", || {
                format!("{id} has not ended, is not in memory, and no page will bring it")
            })?;
        }
        self.runs_in_memory(engine)?;
        let (held, folded) = (engine.state().schedules(), self.journal.state.schedules());
        for known in folded.iter() {
            let here = held.get(known.id);
            let same = here.is_some_and(|here| hard(here) == hard(known));
            require(same, "I16", || format!("memory has {here:?}, the journal {known:?}"))?;
        }
        let same = held.iter().count() == folded.iter().count();
        require(same, "I16", || "memory has a schedule too many".to_owned())?;
        let (held, folded) = (engine.state().cordons(), self.journal.state.cordons());
        for known in folded.iter().filter(|known| known.lifted.is_none()) {
            let here = held.get(known.worker);
            let same = here.is_some_and(|here| Cordon { touched: known.touched, ..here.clone() } == *known);
            require(same, "I16", || format!("memory has {here:?}, the journal {known:?}"))?;
        }
        let (held, folded) = (engine.state().triggers(), self.journal.state.triggers());
        for known in folded.iter() {
            let here = held.get(known.id);
            let same = here.is_some_and(|here| Trigger { touched: known.touched, ..here.clone() } == *known);
            require(same, "I16", || format!("memory has {here:?}, the journal {known:?}"))?;
        }
        let same = held.iter().count() == folded.iter().count();
        require(same, "I16", || "memory has a trigger too many".to_owned())?;
        let (held, folded) = (engine.state().operations(), self.journal.state.operations());
        for known in folded.rows().iter().filter(|known| known.ended.is_none()) {
            let here = held.rows().get(known.id);
            let as_known =
                |here: &Operation| Operation { touched: known.touched, stored: known.stored, ..here.clone() };
            let same = here.is_some_and(|here| as_known(here) == *known);
            require(same, "I16", || format!("memory has {here:?}, the journal {known:?}"))?;
        }
        let same = held.unfinished() == folded.unfinished();
        require(same, "I16", || "memory has an operation too many".to_owned())?;
        for known in self.journal.state.backfills().iter() {
            let here = engine.state().backfills().get(known.id);
            let counts =
                |one: &Backfill| (one.started, one.succeeded, one.failed, one.active.clone(), one.status());
            let same = here.is_none_or(|here| counts(here) == counts(known));
            require(same && (here.is_some() || known.ended.is_some()), "I16", || {
                format!("memory has {here:?}, the journal {known:?}")
            })?;
        }
        Ok(())
    }

    fn runs_in_memory(&self, engine: &Engine) -> Check {
        let (held, folded) = (engine.state().job_runs(), self.journal.state.job_runs());
        for (_, run) in held.runs().iter() {
            let known = folded.run(run.id);
            let same = known.is_some_and(|known| written(known) == written(run) && same_counts(known, run));
            require(same, "I16", || format!("memory has {run:?}, the journal {known:?}"))?;
        }
        for id in self.journal.flows.unfinished() {
            require(held.run(*id).is_some(), "I17", || format!("{id} has not ended and is not in memory"))?;
        }
        Ok(())
    }

    /// After every step. The sweep is a second watchdog; what it finds, the first one missed.
    pub fn owed(engine: &Engine) -> Check {
        let unpaid = engine.unpaid();
        require(unpaid.is_empty(), "I17", || {
            let runs = unpaid.iter().filter_map(|unpaid| match unpaid.0 {
                Debt::Look(index) | Debt::Timeout(index) | Debt::Begin(index) => {
                    engine.state().job_runs().runs().get(index)
                }
                _ => None,
            });
            format!("nothing is armed for {unpaid:?}; {}", runs.map(brief).collect::<Vec<_>>().join("; "))
        })?;
        if let Some(wrong) = engine.underived() {
            return require(false, "I34", || wrong);
        }
        let panics = engine.counts().panics;
        require(panics == 0, "panic", || format!("{panics} decisions panicked"))?;
        let swept = engine.counts().swept_up;
        require(swept == 0, "I17", || format!("the sweep found {swept} tasks that nothing watched"))
    }
}

fn hard(schedule: &Schedule) -> Schedule {
    Schedule { touched: Seq::ZERO, ..schedule.clone() }
}

/// For people.
fn brief(run: &Run) -> String {
    let nodes: Vec<_> = run.nodes.iter().map(|node| node.status).collect();
    format!(
        "{} stop {:?}, pause {:?}, out {}, {:?}, nodes {nodes:?}",
        run.id, run.stop, run.pause, run.out, run.soft
    )
}

/// Counters that rows leave out.
fn same_counts(known: &Run, held: &Run) -> bool {
    let ends = |run: &Run| run.nodes.iter().map(|node| node.ends).collect::<Vec<_>>();
    (known.unfinished, known.failed, known.out) == (held.unfinished, held.failed, held.out)
        && known.output_bytes == held.output_bytes
        && ends(known) == ends(held)
}
