//! Sessions of workers: hello, heartbeat, parting. What the worker holds and what the shard believes it
//! holds are made to agree; only attempts whose start went over an earlier session are touched.

use std::collections::{BTreeMap, BTreeSet};

use super::{Batch, Engine};
use crate::decision::{Effect, WorkerChange};
use crate::task::{Status, Task, next_deadline};
use crate::values::{Epoch, Fence, Millis, Session, TaskId, TaskIndex, WorkerId, WorkerIndex};
use crate::worker::decide::lost::Loss;
use crate::worker::decide::{Hello, SessionCommand};
use crate::worker::{Availability, CordonEvent};

impl Engine {
    pub(super) fn session(&mut self, command: SessionCommand, batch: &mut Batch) {
        match command {
            SessionCommand::Hello(hello) => self.hello(&hello, batch),
            SessionCommand::Heartbeat { worker, session } => {
                if !self.heard(worker, session) {
                    batch.effects.push(Effect::SessionLost { worker, session });
                }
            }
            SessionCommand::Closed { worker, session } => {
                self.closed(worker, session);
                self.tell_worker(worker, WorkerChange::Left, &mut batch.effects);
            }
            SessionCommand::Leaving { worker, session } => {
                self.leaving(worker, session);
                self.tell_worker(worker, WorkerChange::Left, &mut batch.effects);
            }
        }
    }

    fn hello(&mut self, hello: &Hello, batch: &mut Batch) {
        if hello.epoch != Epoch::ZERO && hello.epoch != self.state.epoch {
            self.late_hello(hello);
            return;
        }
        let now = self.state.now.elapsed;
        let index = self.workers.place_of(hello.worker, now);
        let Some(worker) = self.workers.get_mut(index) else { return };
        // A message of a session that has since been replaced.
        if hello.session <= worker.newest_session {
            return;
        }
        worker.session = Some(hello.session);
        worker.newest_session = hello.session;
        worker.incarnation = hello.incarnation;
        worker.heard = self.present;
        worker.offer = hello.offer.clone();
        worker.leaving = false;
        let wanted = self.state.cordons.availability(hello.worker);
        worker.availability = if self.config.breaks.cordon_forgotten { Availability::Open } else { wanted };
        let (accepts, availability) = (worker.accepts(), worker.availability);
        self.dispatcher.worker_joined(index, &hello.offer);
        self.dispatcher.set_accepting(index, accepts);
        if availability == Availability::Draining {
            self.tell_draining(index, true, &mut batch.effects);
        }
        self.timers.set_worker(index, Some(now + self.config.limits.lease));
        self.reconcile(hello, index, batch);
        self.tell_worker(hello.worker, WorkerChange::Joined, &mut batch.effects);
    }

    /// A hello that was meant for an earlier epoch: the owner has renewed its epoch since, and the worker is asked to
    /// say hello again. What it holds may have changed, but it lives (FL-3).
    fn late_hello(&mut self, hello: &Hello) {
        if hello.epoch > self.state.epoch {
            return;
        }
        let known = self.workers.find(hello.worker).and_then(|index| self.workers.get_mut(index));
        if let Some(worker) = known.filter(|worker| hello.session > worker.newest_session) {
            worker.heard = self.present;
        }
    }

    fn reconcile(&mut self, hello: &Hello, worker: WorkerIndex, batch: &mut Batch) {
        let holding: BTreeMap<(TaskId, Fence), Option<Millis>> =
            hello.holding.iter().map(|held| ((held.task, held.fence), held.ran)).collect();
        let believed: Vec<TaskIndex> = self.workers.held_by(worker).collect();
        let mut confirmed = BTreeSet::new();
        for index in believed {
            let Some(task) = self.state.tasks.get(index) else { continue };
            let claim = (task.id, task.fence);
            if let Some(ran) = holding.get(&claim) {
                confirmed.insert(claim);
                self.confirm(index, hello.session, *ran, batch);
            } else {
                self.disclaimed(index, hello);
            }
        }
        // What a later owner granted is not ours to stop: we have been replaced and do not know it yet.
        let ours = |claim: &&(TaskId, Fence)| claim.1.epoch() <= self.state.epoch;
        for (task, fence) in holding.keys().filter(|claim| !confirmed.contains(claim)).filter(ours) {
            batch.effects.push(Effect::Stop {
                worker: hello.worker,
                session: hello.session,
                task: *task,
                fence: *fence,
                grace: crate::task::GRACE_DEFAULT,
                reason: None,
            });
        }
    }

    /// The worker says it has the attempt: it goes on under the new session. Its limits count from when it began,
    /// which this process may not have seen: the worker says how long it has `ran`.
    fn confirm(&mut self, index: TaskIndex, session: Session, ran: Option<Millis>, batch: &mut Batch) {
        let now = self.state.now.elapsed;
        let Some(assigned) = self.state.tasks.get(index).and_then(Task::lease).map(|lease| lease.assigned)
        else {
            return;
        };
        let began = ran.map_or(now, |ran| assigned.max(now.before(ran)));
        if self.state.accept(index, began) {
            self.tally.moved(Some(Status::Assigned), Status::Running);
        }
        let Some(task) = self.state.tasks.get_mut(index) else { return };
        let (id, grace) = (task.id, task.profile.limits.grace);
        let Some(lease) = task.state.lease_mut() else { return };
        lease.soft.session = session;
        lease.soft.progressed = now;
        if let Some(stop) = lease.stop {
            let (worker, fence) = (lease.worker, lease.fence);
            batch.effects.push(Effect::Stop {
                worker,
                session,
                task: id,
                fence,
                grace,
                reason: Some(stop.reason),
            });
        }
        self.timers.set(index, next_deadline(task));
    }

    /// The worker does not have the attempt. The same process would know: the start never reached it. A restarted
    /// one cannot know.
    fn disclaimed(&mut self, index: TaskIndex, hello: &Hello) {
        let Some(task) = self.state.tasks.get(index) else { return };
        let Some(lease) = task.lease() else { return };
        let same_process = lease.incarnation == hello.incarnation;
        let loss = if same_process { Loss::NeverReceived } else { Loss::WorkerRestarted };
        // Not here and now: a worker may hold thousands, and a command must stay small.
        self.reaping.push(task, index, loss);
    }

    /// Any word of the live session is a sign of life. The timer is moved when it fires. False: it is not the live
    /// session.
    pub(super) fn heard(&mut self, worker: WorkerId, session: Session) -> bool {
        let now = self.present;
        match self.workers.find(worker).and_then(|index| self.workers.get_mut(index)) {
            Some(worker) if worker.session == Some(session) => {
                worker.heard = now;
                true
            }
            Some(_) | None => false,
        }
    }

    fn closed(&mut self, worker: WorkerId, session: Session) {
        let Some(index) = self.workers.find(worker) else { return };
        let Some(worker) = self.workers.get_mut(index) else { return };
        if worker.session == Some(session) {
            worker.session = None;
            self.dispatcher.set_accepting(index, false);
        }
    }

    fn leaving(&mut self, worker: WorkerId, session: Session) {
        let Some(index) = self.workers.find(worker) else { return };
        let Some(worker) = self.workers.get_mut(index) else { return };
        if worker.session == Some(session) {
            worker.leaving = true;
            self.dispatcher.set_accepting(index, false);
        }
    }

    /// A worker that is known follows what operators want of it; others do when they say hello.
    pub(super) fn follow_cordon(&mut self, event: &CordonEvent, effects: &mut Vec<Effect>) {
        self.tell_worker(event.worker(), WorkerChange::Cordon, effects);
        let to = self.state.cordons.availability(event.worker());
        let Some(index) = self.workers.find(event.worker()) else { return };
        let Some(worker) = self.workers.get_mut(index) else { return };
        let was_draining = std::mem::replace(&mut worker.availability, to) == Availability::Draining;
        let accepts = worker.accepts();
        self.dispatcher.set_accepting(index, accepts);
        let is_draining = to == Availability::Draining;
        if was_draining != is_draining {
            self.tell_draining(index, is_draining, effects);
        }
    }

    fn tell_draining(&self, index: WorkerIndex, draining: bool, effects: &mut Vec<Effect>) {
        let Some(worker) = self.workers.get(index) else { return };
        if let Some(session) = worker.session {
            effects.push(Effect::Drain { worker: worker.id, session, draining });
        }
    }
}
