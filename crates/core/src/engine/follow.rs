//! After every event: timers, queues and workers follow the state, and effects are written down. Both are functions of
//! the event and of what it changed.

use super::Engine;
use crate::decision::{Alert, Effect, OperationChange, Sensitive, Start};
use crate::dispatch::Wants;
use crate::event::Event;
use crate::run::{JobRuns, RunCreated, RunEnded, RunEvent};
use crate::schedule::ScheduleEvent;
use crate::state::Change;
use crate::task::{Lease, Status, Task, TaskState, next_deadline};
use crate::values::{FiredBy, InRun, Session, WorkerId, WorkerIndex};
use crate::wait::Awaited;
use crate::worker::Workers;

impl Engine {
    /// An event about no task.
    pub(super) fn follow_other(&mut self, event: &Event, effects: &mut Vec<Effect>) {
        match event {
            Event::Cordon(event) => self.follow_cordon(event, effects),
            Event::Schedule(ScheduleEvent::Passed(passed)) => {
                self.tally.windows_passed(passed.outcome, passed.count);
            }
            Event::OperationStarted { id, .. } => self.tell_operation(*id, OperationChange::Started, effects),
            Event::OperationAdvanced { id, .. } => {
                self.tell_operation(*id, OperationChange::Advanced, effects);
            }
            Event::OperationEnded { id, .. } => self.tell_operation(*id, OperationChange::Ended, effects),
            _ => {}
        }
        if let Event::Schedule(event) = event {
            self.tell_schedule(event, effects);
        }
        let Event::Run(event) = event else { return };
        match event {
            RunEvent::RunCreated(created) => self.count_window(created),
            RunEvent::RunEnded(ended) => {
                self.wait_index.run_ended(ended.id);
                effects.extend(self.run_ended(ended));
            }
            RunEvent::JobDeleted { key } => effects.push(Effect::JobDeleted { job: key.clone() }),
            _ => {}
        }
        self.tell_run(event, effects);
    }

    fn run_ended(&self, ended: &RunEnded) -> Option<Effect> {
        let run = self.state.job_runs.run(ended.id)?;
        let at = self.state.now.wall;
        let (job, ran) = (run.job.clone(), at.since(run.created));
        Some(Effect::RunEnded { job, status: ended.status, ran, at })
    }

    fn count_window(&mut self, created: &RunCreated) {
        let by_window = matches!(created.fired_by, Some(FiredBy::Schedule { .. } | FiredBy::Backfill(_)));
        if let Some(window) = created.origin.window.as_ref().filter(|_| by_window) {
            self.tally.window_fired(window.fired_as);
        }
    }

    pub(super) fn follow(&mut self, change: &Change, event: &Event, effects: &mut Vec<Effect>) {
        match event {
            Event::TaskAssigned { .. } => return self.follow_assigned(change, effects),
            // The change that it is about was followed.
            Event::TaskNoted { .. } => return,
            _ => {}
        }
        self.follow_task(change, event);
        self.effects(change, event, effects);
    }

    /// The worker holds the attempt since it was placed; its lease and its timer begin, and it is told to start.
    fn follow_assigned(&mut self, change: &Change, effects: &mut Vec<Effect>) {
        let index = change.index;
        let holder = self.workers.holder(index).expect("MA-1: an assigned task is held by a worker");
        let worker = self.workers.get(holder).expect("MA-1: a worker that holds a task is known");
        let (worker, session) = (worker.id, worker.newest_session);
        let task = self.state.tasks.get_mut(index).expect("MA-1: a changed task is in memory");
        let due = std::mem::take(&mut task.due).0;
        self.queue_times.placed(task.priority.band, change.since, due, self.state.now.wall);
        self.recent.note(task.fence, index);
        self.tally.moved(Some(Status::Queued), Status::Assigned);
        if let Some(lease) = task.state.lease_mut() {
            lease.soft.session = session;
        }
        self.timers.set(index, next_deadline(task));
        let permits = task.extra.as_ref().and_then(|extra| extra.permits.as_ref());
        let exclusive = permits.is_some_and(|permits| self.dispatcher.is_exclusive(permits));
        let sensitive = sensitive(&self.state.job_runs, task.in_run.as_deref());
        effects.push(Effect::Start(Start { exclusive, sensitive, ..start(task, worker, session) }));
        if self.config.watch {
            effects.push(Effect::Changed { task: task.id, to: Status::Assigned });
        }
        self.tell_task(index, effects);
    }

    fn follow_task(&mut self, change: &Change, event: &Event) {
        let Change { index, from, to, .. } = *change;
        if from.is_some_and(Status::is_leased) && !to.is_leased() {
            self.dispatcher.release(index);
            if let Some(worker) = self.workers.release(index) {
                self.drop_if_gone(worker);
            }
        }
        let was_queued = from == Some(Status::Queued);
        let requeue = was_queued && matches!(event, Event::TaskAmended { priority: Some(_), .. });
        if requeue || was_queued && !matches!(to, Status::Queued | Status::Assigned) {
            self.dispatcher.remove(index);
        }
        let task = self.state.tasks.live(index);
        if to == Status::Queued && (!was_queued || requeue) {
            if task.profile.waits() {
                self.work.arrival(index);
            } else {
                self.dispatcher.enqueue(index, wants(&self.workers, task));
            }
        }
        if task.needs_deadline() {
            self.work.arrival(index);
        }
        if let TaskState::Waiting(wait) = &task.state {
            self.wait_index.add(index, task.waiter(), wait);
            // Only the tables may know how it ended.
            if let Awaited::Run(run) = wait.what
                && self.state.job_runs.run(run).is_none()
            {
                self.wait_index.unknown.push_back(index);
            }
        } else if from == Some(Status::Deferred) {
            self.wait_index.remove(index);
        }
        self.timers.set(index, next_deadline(task));
        self.tally.followed(change, event, task);
    }

    /// What the event orders from the shell. Answers to workers are ordered by `report`.
    fn effects(&self, change: &Change, event: &Event, effects: &mut Vec<Effect>) {
        let task = self.state.tasks.live(change.index);
        match event {
            Event::StopRequested { .. } | Event::ForceRequested { .. } => {
                effects.extend(task.lease().map(|lease| stop(task, lease)));
            }
            // It may still be going on: whoever holds it is told to kill it.
            Event::AttemptFailed { reported: false, .. }
            | Event::TaskUnassigned { reported: false, .. }
            | Event::TaskForced { reported: false, .. } => {
                effects.extend(change.ended.as_ref().map(|lease| kill(task, lease)));
            }
            _ => {}
        }
        if change.from == Some(change.to) {
            return;
        }
        if change.to == Status::Quarantined {
            effects.push(Effect::Alert { task: task.id, alert: Alert::Quarantined });
        }
        if self.config.watch {
            effects.push(Effect::Changed { task: task.id, to: change.to });
        }
        self.tell_task(change.index, effects);
    }

    /// A worker that was lost stays known only while it holds something.
    fn drop_if_gone(&mut self, worker: WorkerIndex) {
        if self.timers.of_worker(worker).is_none() && self.workers.forget(worker) {
            self.dispatcher.worker_left(worker);
        }
    }
}

fn start(task: &Task, worker: WorkerId, session: Session) -> Start {
    let extra = task.extra.as_deref();
    Start {
        worker,
        session,
        task: task.id,
        fence: task.fence,
        attempt: task.attempts,
        profile: task.profile.clone(),
        payload: task.payload.clone(),
        checkpoint: extra.and_then(|extra| extra.checkpoint.clone()),
        memory_bytes: extra.and_then(|extra| extra.memory_bytes),
        exclusive: false,
        sensitive: None,
    }
}

fn sensitive(runs: &JobRuns, origin: Option<&InRun>) -> Option<Sensitive> {
    let run = runs.run(origin?.run)?;
    let names = run.plan.sensitive.clone();
    (!names.is_empty()).then(|| Sensitive { names, parameters: run.parameters.clone() })
}

fn stop(task: &Task, lease: &Lease) -> Effect {
    Effect::Stop {
        worker: lease.worker,
        session: lease.soft.session,
        task: task.id,
        fence: lease.fence,
        grace: task.profile.limits.grace,
        reason: lease.stop.map(|stop| stop.reason),
    }
}

/// At once, whatever the attempt was asked before.
fn kill(task: &Task, lease: &Lease) -> Effect {
    Effect::Stop {
        worker: lease.worker,
        session: lease.soft.session,
        task: task.id,
        fence: lease.fence,
        grace: task.profile.limits.grace,
        reason: None,
    }
}

/// What the dispatcher needs to know of a task.
pub(super) fn wants<'a>(workers: &Workers, task: &'a Task) -> Wants<'a> {
    let extra = task.extra.as_deref();
    let last =
        extra.and_then(|extra| extra.attempts.last()).filter(|_| task.profile.retry.prefer_other_worker);
    Wants {
        profile: &task.profile,
        priority: task.priority,
        avoid: last.and_then(|attempt| workers.find(attempt.worker)),
        memory_bytes: extra.and_then(|extra| extra.memory_bytes),
        permits: extra.and_then(|extra| extra.permits.as_ref()),
    }
}
