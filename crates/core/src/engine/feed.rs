//! What listeners are told; nothing is made while nobody listens.

use super::Engine;
use crate::decision::{Effect, Happening, NamedChange, News, OperationChange, RunChange, WorkerChange};
use crate::run::RunEvent;
use crate::schedule::ScheduleEvent;
use crate::task::Task;
use crate::values::{InRun, Millis, OperationId, RunId, TaskIndex, WorkerId};

/// Operations that go on are told of once in this time: some make thousands of steps a second.
const ADVANCED_EVERY: Millis = Millis::new(200);

impl Engine {
    pub(super) fn tell_task(&self, index: TaskIndex, effects: &mut Vec<Effect>) {
        if !self.has_listeners {
            return;
        }
        let Some(task) = self.state.tasks.get(index) else { return };
        let origin = task.in_run.as_deref();
        let name = origin.and_then(|origin| {
            let plan = &self.state.job_runs.run(origin.run)?.plan;
            Some(plan.node(origin.place.node).name.clone())
        });
        let item = origin.and_then(|origin| crate::run::approval::item(origin.place));
        let what = Happening::Task {
            id: task.id,
            tenant: task.profile.tenant.clone(),
            job: task.profile.job.clone(),
            run: origin.map(|origin| origin.run),
            task: name,
            item,
            attempts: task.attempts,
            to: task.status(),
        };
        self.tell(what, effects);
        if task.awaits_approval() {
            self.tell_approval(task, effects);
        }
    }

    pub(super) fn tell_run(&self, event: &RunEvent, effects: &mut Vec<Effect>) {
        if !self.has_listeners {
            return;
        }
        if let Some((key, change)) = NamedChange::of_job(event) {
            self.tell(Happening::Job { key: key.clone(), change }, effects);
        }
        let Some((id, change)) = self.run_change(event) else { return };
        let Some(run) = self.state.job_runs.run(id) else { return };
        let job = run.job.clone();
        self.tell(Happening::Run { id, job, change }, effects);
    }

    pub(super) fn tell_schedule(&self, event: &ScheduleEvent, effects: &mut Vec<Effect>) {
        if !self.has_listeners {
            return;
        }
        let Some((id, change)) = NamedChange::of_schedule(event) else { return };
        let Some(schedule) = self.state.schedules.get(id) else { return };
        self.tell(Happening::Schedule { key: schedule.key.clone(), change }, effects);
    }

    pub(super) fn tell_worker(&self, id: WorkerId, change: WorkerChange, effects: &mut Vec<Effect>) {
        if self.has_listeners {
            self.tell(Happening::Worker { id, change }, effects);
        }
    }

    /// Of what callers asked for.
    pub(super) fn tell_operation(&self, id: OperationId, change: OperationChange, effects: &mut Vec<Effect>) {
        let Some(operation) = self.state.operations.asked_for(id).filter(|_| self.has_listeners) else {
            return;
        };
        if change == OperationChange::Advanced {
            if self.present < self.advanced_told.get() + ADVANCED_EVERY {
                return;
            }
            self.advanced_told.set(self.present);
        }
        self.tell(Happening::Operation { operation: Box::new(operation.clone()), change }, effects);
    }

    fn run_change(&self, event: &RunEvent) -> Option<(RunId, RunChange)> {
        Some(match event {
            RunEvent::RunCreated(created) => (created.id, RunChange::Created),
            RunEvent::RunStarted { id } => (*id, RunChange::Started),
            RunEvent::RunPaused { id, .. } => (*id, RunChange::Paused),
            RunEvent::RunResumed { id } => (*id, RunChange::Resumed),
            RunEvent::RunStopping { id, .. } | RunEvent::RunForced { id, .. } => (*id, RunChange::Stopping),
            RunEvent::RunCleared(cleared) => (cleared.id, RunChange::Cleared),
            RunEvent::RunEnded(ended) => (ended.id, RunChange::Ended(ended.status)),
            RunEvent::NodeEnded { run, node, status, .. } => {
                let name = self.state.job_runs.run(*run)?.plan.node(*node).name.clone();
                (*run, RunChange::TaskEnded { name, status: *status })
            }
            RunEvent::ApprovalDecided(decided) => {
                let (run, place) = (decided.run, decided.place);
                let name = self.state.job_runs.run(run)?.plan.node(place.node).name.clone();
                let item = crate::run::approval::item(place);
                (run, RunChange::ApprovalDecided { name, item, approved: decided.approved })
            }
            _ => return None,
        })
    }

    /// A task has begun to wait for approval.
    fn tell_approval(&self, task: &Task, effects: &mut Vec<Effect>) {
        let Some(InRun { run, place }) = task.in_run.as_deref().copied() else { return };
        let Some(run) = self.state.job_runs.run(run) else { return };
        let name = run.plan.node(place.node).name.clone();
        let change = RunChange::ApprovalWanted { name, item: crate::run::approval::item(place) };
        self.tell(Happening::Run { id: run.id, job: run.job.clone(), change }, effects);
    }

    fn tell(&self, what: Happening, effects: &mut Vec<Effect>) {
        let number = self.told.get();
        self.told.set(number + 1);
        let news = News { epoch: self.state.epoch, number, at: self.state.now.wall, what };
        effects.push(Effect::News(Box::new(news)));
    }
}
