//! Answers to questions, read from state, queues and workers.

mod released;
mod run;

use std::collections::BTreeMap;

use super::Engine;
use super::command::Answer;
use super::question::{
    Diagnosis, LimitStanding, LimitStandings, PoolRoom, Question, SCAN_MAX, Standing, Stats, Unfinished,
    UnfinishedPage, WaitingGroup, WaitingGroups, WaitsFor, WorkerView,
};
use crate::decision::Rejection;
use crate::dispatch::{LimitLoad, LimitLoads, WaitReason, WaitingTasks};
use crate::engine::question::Part;
use crate::retry::BudgetKind;
use crate::task::{Status, TaskState};
use crate::values::{Millis, TaskId, TaskIndex, WorkerId};
use crate::worker::Cordon;

impl Engine {
    pub(super) fn answer(&self, question: &Question) -> Result<Answer, Rejection> {
        Ok(match question {
            Question::Why { id } => Answer::Diagnosis(Box::new(self.diagnose(*id)?)),
            Question::Run { id } => Answer::RunDiagnosis(Box::new(self.diagnose_run(*id)?)),
            Question::Released { run, items } => Answer::Released(self.released(*run, *items)),
            Question::Approvals => Answer::Approvals(self.approvals(self.wait_index.approvals())),
            Question::CouldRun { profile } => {
                Answer::CouldRun(self.dispatcher.never_runs(profile).map(Box::new))
            }
            Question::Stats => Answer::Stats(Box::new(self.stats())),
            Question::Limits => Answer::Limits(Box::new(self.limit_standings())),
            Question::Waiting => Answer::Waiting(Box::new(self.waiting_groups())),
            Question::Workers { only } => Answer::Workers(self.worker_views(*only)),
            Question::Operations { only } => {
                let operations = &self.state.operations;
                Answer::Operations(match only {
                    Some(id) => operations.asked_for(*id).cloned().into_iter().collect(),
                    None => operations.all_bulk().cloned().collect(),
                })
            }
            Question::Trigger { key } => {
                let found = self.state.triggers.find(key).filter(|hook| hook.deleted.is_none());
                Answer::Triggers(found.cloned().into_iter().collect())
            }
            Question::Triggers { after, tenant, job, limit } => {
                let wanted = self.state.triggers.after(after.as_deref()).filter(|hook| {
                    hook.deleted.is_none()
                        && tenant.as_ref().is_none_or(|tenant| *tenant == hook.key.tenant)
                        && job.as_ref().is_none_or(|job| *job == hook.key.job)
                });
                Answer::Triggers(wanted.take(*limit).cloned().collect())
            }
            Question::Unfinished(which) => Answer::Unfinished(Box::new(self.unfinished(which))),
        })
    }

    fn diagnose(&self, id: TaskId) -> Result<Diagnosis, Rejection> {
        let index = self.state.tasks.find(id).ok_or(Rejection::TaskNotFound { id })?;
        let task = self.state.tasks.get(index).ok_or(Rejection::TaskNotFound { id })?;
        let now = self.present;
        let standing = match &task.state {
            TaskState::Pending { due } => Standing::WaitsForTime { due: *due },
            TaskState::Queued => {
                Standing::Waits(self.dispatcher.why(index).unwrap_or(WaitReason::AboutToBePlaced))
            }
            TaskState::RetryWait { due, delayed_by } => Standing::Backoff {
                left: due.since(now),
                due: self.state.now.wall + due.since(self.state.now.elapsed),
                retries_spent: task.retries_spent,
                budget: delayed_by.map(|kind| match kind {
                    BudgetKind::Job | BudgetKind::Target => self.retry_state.retry_scope(task).describe(),
                    BudgetKind::Overall => "this server".to_owned(),
                }),
            },
            TaskState::Waiting(wait) => {
                Standing::WaitsFor { what: wait.what.clone(), deadline: wait.deadline }
            }
            TaskState::Deferred { due } => Standing::Deferred { left: due.since(now) },
            TaskState::Leased(lease) => {
                let worker = self.workers.find(lease.worker).and_then(|index| self.workers.get(index));
                Standing::Held {
                    worker: lease.worker,
                    since: now.since(lease.assigned),
                    silent: worker.map_or(Millis::ZERO, |worker| now.since(worker.heard)),
                    stopping: lease.stop.map(|stop| stop.reason),
                }
            }
            TaskState::Succeeded
            | TaskState::Failed
            | TaskState::Cancelled
            | TaskState::Skipped
            | TaskState::UpstreamFailed
            | TaskState::Quarantined => Standing::Ended,
        };
        let holders = match &standing {
            Standing::Waits(WaitReason::Limit { holders, .. }) => holders.as_slice(),
            _ => &[],
        };
        let holders = holders.iter().filter_map(|index| self.state.tasks.get(*index)).map(|task| task.id);
        let holders = holders.collect();
        let part = task.in_run.as_ref().map(|origin| Part::of(origin, self.state.job_runs().run(origin.run)));
        Ok(Diagnosis { id, status: task.status(), part, standing, holders })
    }

    fn stats(&self) -> Stats {
        Stats {
            depths: self.dispatcher.depths(),
            counts: Status::ALL.map(|status| (status, self.state.count(status))).to_vec(),
            engine: self.counts(),
            workers: self.workers.len(),
            pools: self.pool_rooms(),
            limits: self.dispatcher.pool_limits(),
        }
    }

    fn limit_standings(&self) -> LimitStandings {
        let LimitLoads { limits, more } = self.dispatcher.limit_loads();
        let named = |usage: LimitLoad| {
            let holders = usage.holders.iter().filter_map(|index| self.state.tasks.get(*index));
            LimitStanding { holders: holders.map(|task| task.id).collect(), usage }
        };
        LimitStandings { limits: limits.into_iter().map(named).collect(), more }
    }

    fn waiting_groups(&self) -> WaitingGroups {
        let (waiting, more) = self.dispatcher.waiting();
        let named = |group: WaitingTasks| {
            let firsts = group.first.iter().filter_map(|index| self.state.tasks.get(*index));
            let oldest = firsts.min_by_key(|task| (task.changed, task.id))?;
            let WaitingTasks { pool, band, tenant, reason, queued, .. } = group;
            Some(WaitingGroup {
                pool,
                band,
                tenant,
                reason,
                queued,
                oldest: oldest.id,
                since: oldest.changed,
            })
        };
        WaitingGroups { groups: waiting.into_iter().filter_map(named).collect(), more }
    }

    fn pool_rooms(&self) -> Vec<PoolRoom> {
        let mut rooms: BTreeMap<&str, PoolRoom> = BTreeMap::new();
        for (_, worker) in self.workers.iter() {
            let pool = &worker.offer.pool;
            let new = || PoolRoom { pool: pool.clone(), ..PoolRoom::default() };
            let room = rooms.entry(pool.as_str()).or_insert_with(new);
            room.held += u64::from(worker.holds);
            if worker.session.is_some() {
                room.connected += 1;
                room.slots += u64::from(worker.offer.slots);
            }
        }
        rooms.into_values().collect()
    }

    fn worker_views(&self, only: Option<WorkerId>) -> Vec<WorkerView> {
        let now = self.present;
        let cordons = &self.state.cordons;
        let view = |worker: &crate::worker::Worker| WorkerView {
            id: worker.id,
            cordon: cordons.holding(worker.id).cloned(),
            session: worker.session,
            newest_session: worker.newest_session,
            incarnation: worker.incarnation,
            availability: worker.availability,
            leaving: worker.leaving,
            silent: now.since(worker.heard),
            offer: worker.offer.clone(),
            holds: worker.holds,
        };
        // A cordon can be seen and lifted although its worker is away.
        let away = |cordon: &Cordon| {
            let known = self.workers.find(cordon.worker).is_some();
            (!known && cordon.lifted.is_none()).then(|| WorkerView::away(cordon.worker, Some(cordon)))
        };
        if let Some(id) = only {
            let known = self.workers.find(id).and_then(|index| self.workers.get(index)).map(view);
            return known.or_else(|| cordons.get(id).and_then(away)).into_iter().collect();
        }
        let known = self.workers.iter().map(|(_, worker)| view(worker));
        let mut views: Vec<WorkerView> = known.chain(cordons.iter().filter_map(away)).collect();
        views.sort_by_key(|view| view.id);
        views
    }

    /// Whether an unfinished task is in one of these states, or in any if none is named. A table that was large once has
    /// very many slots to look at.
    fn has_any_in(&self, statuses: &[Status]) -> bool {
        let held = [Status::Assigned, Status::Running];
        let is_wanted = |status: Status| {
            statuses.is_empty()
                || statuses.contains(&status)
                // Whether a worker has begun is known by the lease.
                || held.contains(&status) && held.iter().any(|held| statuses.contains(held))
        };
        let unfinished = Status::ALL.into_iter().filter(|status| !status.is_ended());
        unfinished.filter(|status| is_wanted(*status)).any(|status| self.state.count(status) > 0)
    }

    fn unfinished(&self, which: &Unfinished) -> UnfinishedPage {
        let end = self.state.tasks.end();
        let mut page = UnfinishedPage { epoch: self.state.epoch, ..UnfinishedPage::default() };
        if !self.has_any_in(&which.statuses) {
            return page;
        }
        // Tasks of one class wait for the same.
        let mut known = BTreeMap::new();
        let mut waits = |index, wanted: &WaitsFor| {
            let Some(class) = self.dispatcher.class_of(index) else { return false };
            *known.entry(class).or_insert_with(|| wanted.is(&self.dispatcher.why_class_with(class)))
        };
        let last = which.from.saturating_add(SCAN_MAX).min(end);
        for index in which.from..last {
            if page.tasks.len() >= which.limit {
                page.next = Some(index);
                return page;
            }
            let task = self.state.tasks.get(TaskIndex(index)).filter(|task| which.wants(task));
            let task = task
                .filter(|_| which.waits_for.as_ref().is_none_or(|wanted| waits(TaskIndex(index), wanted)));
            page.tasks.extend(task.cloned());
        }
        page.next = (last < end).then_some(last);
        page
    }
}
