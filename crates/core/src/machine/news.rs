//! What listeners are told; nothing is made while nobody listens.

use super::{Batch, Machine};
use crate::effect::Effect;
use crate::event::Event;
use crate::id::RunId;
use crate::index::TaskSlot;
use crate::news::{Happening, News, RunChange};
use crate::workflow::FlowEvent;

impl Machine {
    pub(super) fn tell_task(&self, slot: TaskSlot, batch: &mut Batch) {
        if !self.has_listeners {
            return;
        }
        let Some(task) = self.state.tasks.get(slot) else { return };
        let what = Happening::Task {
            id: task.id,
            tenant: task.profile.tenant.clone(),
            job: task.profile.job.clone(),
            run: task.origin.as_ref().map(|origin| origin.run),
            attempts: task.attempts,
            to: task.status(),
        };
        self.tell(what, batch);
    }

    pub(super) fn tell_run(&self, event: &Event, batch: &mut Batch) {
        if !self.has_listeners {
            return;
        }
        let Event::Flow(event) = event else { return };
        let Some((id, change)) = self.run_change(event) else { return };
        let Some(run) = self.state.flows.run(id) else { return };
        let job = run.job.clone();
        self.tell(Happening::Run { id, job, change }, batch);
    }

    fn run_change(&self, event: &FlowEvent) -> Option<(RunId, RunChange)> {
        Some(match event {
            FlowEvent::RunCreated(created) => (created.id, RunChange::Created),
            FlowEvent::RunStarted { id } => (*id, RunChange::Started),
            FlowEvent::RunPaused { id, .. } => (*id, RunChange::Paused),
            FlowEvent::RunResumed { id } => (*id, RunChange::Resumed),
            FlowEvent::RunStopping { id, .. } | FlowEvent::RunForced { id, .. } => (*id, RunChange::Stopping),
            FlowEvent::RunCleared(cleared) => (cleared.id, RunChange::Cleared),
            FlowEvent::RunEnded(ended) => (ended.id, RunChange::Ended(ended.status)),
            FlowEvent::NodeEnded { run, node, status, .. } => {
                let name = self.state.flows.run(*run)?.plan.node(*node).name.clone();
                (*run, RunChange::TaskEnded { name, status: *status })
            }
            _ => return None,
        })
    }

    fn tell(&self, what: Happening, batch: &mut Batch) {
        let number = self.told.get();
        self.told.set(number + 1);
        let news = News { epoch: self.state.epoch, number, at: self.state.now.wall, what };
        batch.effects.push(Effect::News(Box::new(news)));
    }
}
