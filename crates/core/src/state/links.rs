//! What an event of one capability means for the tables of others. An `apply` changes its own table only; everything that
//! goes from one table to another stands here.

use std::sync::Arc;

use super::State;
use super::apply::Change;
use crate::backfill::{self, BackfillEvent};
use crate::job::{JobKey, Plan};
use crate::run::{self, RunCleared, RunCreated, RunEnded, RunEvent};
use crate::schedule::{self, ScheduleEvent, WindowRow};
use crate::task::{Payload, Task, Transition, arrow_exists};
use crate::trigger;
use crate::values::{
    FiredAs, InRun, NodeInstance, Permits, RunId, ScheduleId, Started, TaskId, TaskIndex, Wall,
};
use crate::work::WorkList;

pub(super) fn apply_run(state: &mut State, event: &RunEvent, work: &mut WorkList) {
    let at = state.stamp();
    let reopens = matches!(event, RunEvent::RunCleared(cleared) if is_ended(state, cleared));
    run::apply::apply(&mut state.flows, at, event, work);
    match event {
        RunEvent::RunCreated(created) => run_created(state, created),
        RunEvent::RunEnded(ended) => run_ended(state, ended),
        RunEvent::RunCleared(cleared) if reopens => run_at_work(state, cleared.id),
        RunEvent::JobDeleted { key } => job_deleted(state, key),
        RunEvent::JobPaused { key, paused: false } => {
            schedule::apply::job_resumed(&mut state.schedules, at, key);
        }
        _ => {}
    }
}

/// Before it is cleared; one that has left memory comes with the event.
fn is_ended(state: &State, cleared: &RunCleared) -> bool {
    let run = state.flows.run(cleared.id).or(cleared.ended.as_deref());
    run.is_some_and(|run| run.status.is_ended())
}

fn run_created(state: &mut State, created: &RunCreated) {
    if let Some(claim) = created.key {
        state.keys.bind(claim, TaskId::from_bits(created.id.bits()), state.seq);
    }
    run_at_work(state, created.id);
}

/// A run is new, or was opened again.
fn run_at_work(state: &mut State, id: RunId) {
    let Some(run) = state.flows.run(id) else { return };
    if let Some(schedule) = run.origin.schedule() {
        schedule::apply::began(&mut state.schedules, schedule, Started::Run(id));
    }
    trigger::apply::count(&mut state.triggers, run, true);
}

fn run_ended(state: &mut State, ended: &RunEnded) {
    let at = state.stamp();
    let Some(run) = state.flows.run(ended.id) else { return };
    if let Some(schedule) = run.origin.schedule() {
        schedule::apply::ended(&mut state.schedules, at, schedule, Started::Run(run.id));
    }
    if let Some(window) = run.origin.window.as_ref().filter(|_| run.is_backfill()) {
        backfill::apply::run_ended(&mut state.backfills, at, (window.schedule, run.id, ended.status));
    }
    trigger::apply::count(&mut state.triggers, run, false);
}

fn job_deleted(state: &mut State, job: &JobKey) {
    let at = state.stamp();
    for schedule in schedule::apply::job_deleted(&mut state.schedules, at, job) {
        state.backfills.call_of(schedule);
    }
    trigger::apply::job_deleted(&mut state.triggers, at, job);
}

pub(super) fn apply_schedule(state: &mut State, event: &ScheduleEvent) {
    let at = state.stamp();
    schedule::apply::apply(&mut state.schedules, at, event);
    if let ScheduleEvent::Deleted { id } = event {
        state.backfills.call_of(*id);
    }
}

pub(super) fn apply_backfill(state: &mut State, event: &BackfillEvent) {
    let at = state.stamp();
    let plan = newest_plan(state, event);
    backfill::apply::apply(&mut state.backfills, at, event, plan.as_ref());
    let BackfillEvent::Started { id, window, run } = event else { return };
    let Some(schedule) = state.backfills.get(*id).map(|backfill| backfill.schedule) else { return };
    // The window gets its row in the ledger; one that an earlier backfill ran keeps the newest.
    let what = Ok((Started::Run(*run), FiredAs::Backfill));
    state.schedules.write_back(schedule, at.seq);
    let row = WindowRow {
        schedule,
        group: run.bucket().group(),
        first: *window,
        last: *window,
        count: 1,
        what,
        at: at.now.wall,
    };
    state.schedules.write(row);
}

/// For a new backfill without a plan of its own.
fn newest_plan(state: &State, event: &BackfillEvent) -> Option<Arc<Plan>> {
    let BackfillEvent::Created(created) = event else { return None };
    let key = JobKey { tenant: created.spec.key.tenant.clone(), name: created.spec.key.job.clone() };
    state.flows.jobs().get(&key).map(|job| job.definition.plan.clone())
}

/// To be called for every event after which a task has ended.
pub(super) fn task_ended(state: &mut State, index: TaskIndex, work: &mut WorkList) {
    let at = state.stamp();
    let Some(task) = state.tasks.get(index) else { return };
    if let Some(occasion) = task.extra.as_ref().and_then(|extra| extra.occasion.as_ref()) {
        let made = Started::Task(task.id);
        return schedule::apply::ended(&mut state.schedules, at, occasion.schedule, made);
    }
    let Some(origin) = task.origin.as_deref().copied() else { return };
    let output = task.extra.as_ref().and_then(|extra| extra.output.as_ref());
    run::apply::place_ended(&mut state.flows, at, origin, (task.status(), output), work);
}

/// A task of a run comes into being.
pub(super) fn spawn(
    state: &mut State,
    (id, place): (RunId, NodeInstance),
    due: Option<Wall>,
    (payload, permits): (Option<&Payload>, Option<&Permits>),
    work: &mut WorkList,
) -> Change {
    let at = state.stamp();
    let mut spec = run::apply::spawn(&mut state.flows, at, (id, place), payload, work);
    spec.permits = permits.cloned();
    let mut task = Task::new(id.task(place), spec, due, at);
    task.origin = Some(Box::new(InRun { run: id, place }));
    let to = task.status();
    debug_assert!(arrow_exists(None, Transition::Submitted, to));
    Change { index: state.insert(task), from: None, to, since: at.now.wall, ended: None }
}

impl State {
    /// What windows of schedules began and has not ended.
    pub(crate) fn active_of_schedules(&self) -> impl Iterator<Item = (ScheduleId, Started)> {
        let runs = self.flows.runs().iter().map(|(_, run)| run).filter(|run| !run.status.is_ended());
        let tasks = self.tasks.iter().filter(|(_, task)| !task.status().is_ended());
        let tasks = tasks.filter_map(|(_, task)| {
            let occasion = task.extra.as_ref()?.occasion.as_ref()?;
            Some((occasion.schedule, Started::Task(task.id)))
        });
        runs.filter_map(|run| Some((run.origin.schedule()?, Started::Run(run.id)))).chain(tasks)
    }

    /// After loading and replaying: what in-memory lists of schedules and triggers know of runs and tasks.
    pub(crate) fn derive_links(&mut self) {
        let mut active: Vec<(ScheduleId, Started)> = self.active_of_schedules().collect();
        // Ids begin with the time they were minted at.
        active.sort_unstable_by_key(|(id, made)| (*id, made.bits()));
        let runs = self.flows.runs().iter().map(|(_, run)| run).filter(|run| !run.status.is_ended());
        trigger::apply::derive(&mut self.triggers, runs);
        schedule::apply::derive(&mut self.schedules, self.seq, active);
    }
}
