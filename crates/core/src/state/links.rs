//! What an event of one capability means for the tables of others. An `apply` changes its own table only; everything that
//! goes from one table to another stands here.

use std::sync::Arc;

use super::State;
use super::apply::Change;
use crate::backfill::{self, BackfillEvent};
use crate::event::fired::{self, BackfillStarted};
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
    run::apply::apply(&mut state.job_runs, at, event, work);
    match event {
        RunEvent::RunCreated(created) => run_created(state, created, work),
        RunEvent::RunEnded(ended) => run_ended(state, ended, work),
        RunEvent::RunCleared(cleared) if reopens => run_at_work(state, cleared.id),
        RunEvent::JobDeleted { key } => job_deleted(state, key, work),
        RunEvent::JobPaused { key, paused: false } => {
            schedule::apply::job_resumed(&mut state.schedules, at, key, work);
        }
        _ => {}
    }
}

/// Before it is cleared; one that has left memory comes with the event.
fn is_ended(state: &State, cleared: &RunCleared) -> bool {
    let run = state.job_runs.run(cleared.id).or(cleared.ended.as_deref());
    run.is_some_and(|run| run.status.is_ended())
}

fn run_created(state: &mut State, created: &RunCreated, work: &mut WorkList) {
    if let Some(claim) = created.key {
        state.keys.bind(claim, TaskId::from_bits(created.id.bits()), state.seq);
    }
    run_fired(state, created, work);
    run_at_work(state, created.id);
}

/// A run is new, or was opened again.
fn run_at_work(state: &mut State, id: RunId) {
    let Some(run) = state.job_runs.run(id) else { return };
    if let Some(schedule) = run.origin.schedule() {
        schedule::apply::began(&mut state.schedules, schedule, Started::Run(id));
    }
    trigger::apply::count(&mut state.triggers, run, true);
}

fn run_ended(state: &mut State, ended: &RunEnded, work: &mut WorkList) {
    let at = state.stamp();
    let Some(run) = state.job_runs.run(ended.id) else { return };
    if let Some(schedule) = run.origin.schedule() {
        schedule::apply::ended(&mut state.schedules, at, (schedule, Started::Run(run.id)), work);
    }
    if let Some(window) = run.origin.window.as_ref().filter(|_| run.is_backfill()) {
        let how = (window.schedule, run.id, ended.status);
        backfill::apply::run_ended(&mut state.backfills, at, how, work);
    }
    trigger::apply::count(&mut state.triggers, run, false);
}

fn job_deleted(state: &mut State, job: &JobKey, work: &mut WorkList) {
    let at = state.stamp();
    for schedule in schedule::apply::job_deleted(&mut state.schedules, at, job, work) {
        schedule_gone(state, schedule, work);
    }
    trigger::apply::job_deleted(&mut state.triggers, at, job);
}

pub(super) fn apply_schedule(state: &mut State, event: &ScheduleEvent, work: &mut WorkList) {
    let at = state.stamp();
    schedule::apply::apply(&mut state.schedules, at, event, work);
    if let ScheduleEvent::Deleted { id } = event {
        schedule_gone(state, *id, work);
    }
}

fn schedule_gone(state: &State, schedule: ScheduleId, work: &mut WorkList) {
    if let Some(backfill) = state.backfills.of_schedule(schedule) {
        work.backfill(backfill.id);
    }
}

pub(super) fn apply_backfill(state: &mut State, event: &BackfillEvent, work: &mut WorkList) {
    let at = state.stamp();
    let plan = newest_plan(state, event);
    backfill::apply::apply(&mut state.backfills, at, event, plan.as_ref(), work);
}

/// What the table of who began it keeps of a run that nobody asked for.
fn run_fired(state: &mut State, created: &RunCreated, work: &mut WorkList) {
    let at = state.stamp();
    if let Some(fired) = fired::window_of_run(created) {
        schedule::apply::fire(&mut state.schedules, at, fired, work);
    } else if let Some(fired) = fired::trigger_of(created) {
        trigger::apply::fire(&mut state.triggers, at, fired);
    } else if let Some(started) = fired::backfill_of(created) {
        backfill_started(state, started);
    }
}

fn backfill_started(state: &mut State, started: BackfillStarted) {
    let at = state.stamp();
    let BackfillStarted { id, schedule, window, run } = started;
    backfill::apply::start(&mut state.backfills, at, id, run);
    // The window gets its row in the ledger; one that an earlier backfill ran keeps the newest.
    state.schedules.write_back(schedule, at.seq);
    state.schedules.write(WindowRow {
        schedule,
        group: run.bucket().group(),
        first: window,
        last: window,
        count: 1,
        what: Ok((Started::Run(run), FiredAs::Backfill)),
        at: at.now.wall,
    });
}

/// For a new backfill without a plan of its own.
fn newest_plan(state: &State, event: &BackfillEvent) -> Option<Arc<Plan>> {
    let BackfillEvent::Created(created) = event else { return None };
    let key = JobKey { tenant: created.spec.key.tenant.clone(), name: created.spec.key.job.clone() };
    state.job_runs.jobs().get(&key).map(|job| job.definition.plan.clone())
}

/// To be called for every event after which a task has ended.
pub(super) fn task_ended(state: &mut State, index: TaskIndex, work: &mut WorkList) {
    let at = state.stamp();
    let Some(task) = state.tasks.get(index) else { return };
    if let Some(window) = task.extra.as_ref().and_then(|extra| extra.window.as_ref()) {
        let made = Started::Task(task.id);
        return schedule::apply::ended(&mut state.schedules, at, (window.schedule, made), work);
    }
    let Some(origin) = task.in_run.as_deref().copied() else { return };
    // A task of a run is revived only to be put away, in the same record: the run has counted its end.
    if state.revived.last() == Some(&task.id) {
        return;
    }
    let output = task.extra.as_ref().and_then(|extra| extra.output.as_ref());
    run::apply::place_ended(&mut state.job_runs, at, origin, (task.status(), output), work);
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
    let mut spec = run::apply::spawn(&mut state.job_runs, at, (id, place), payload, work);
    spec.permits = permits.cloned();
    let mut task = Task::new(id.task(place), spec, due, at);
    task.in_run = Some(Box::new(InRun { run: id, place }));
    let to = task.status();
    debug_assert!(arrow_exists(None, Transition::Submitted, to));
    Change { index: state.insert(task), from: None, to, since: at.now.wall, ended: None }
}

impl State {
    /// What windows of schedules began and has not ended.
    pub(crate) fn active_of_schedules(&self) -> impl Iterator<Item = (ScheduleId, Started)> {
        let runs = self.job_runs.runs().iter().map(|(_, run)| run).filter(|run| !run.status.is_ended());
        let tasks = self.tasks.iter().filter(|(_, task)| !task.status().is_ended());
        let tasks = tasks.filter_map(|(_, task)| {
            let window = task.extra.as_ref()?.window.as_ref()?;
            Some((window.schedule, Started::Task(task.id)))
        });
        runs.filter_map(|run| Some((run.origin.schedule()?, Started::Run(run.id)))).chain(tasks)
    }

    /// After loading and replaying: what in-memory lists of schedules and triggers know of runs and tasks.
    pub(crate) fn derive_links(&mut self) {
        let mut active: Vec<(ScheduleId, Started)> = self.active_of_schedules().collect();
        // Ids begin with the time they were minted at.
        active.sort_unstable_by_key(|(id, made)| (*id, made.bits()));
        let runs = self.job_runs.runs().iter().map(|(_, run)| run).filter(|run| !run.status.is_ended());
        trigger::apply::derive(&mut self.triggers, runs);
        schedule::apply::derive(&mut self.schedules, self.seq, active);
    }
}
