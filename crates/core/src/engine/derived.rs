//! What is kept in memory beside the rows is folded from events as they come, and made anew from the rows after a
//! recovery. Both must give the same; the simulator compares them after every step.

use std::collections::BTreeMap;

use super::Engine;
use crate::backfill::BackfillSoft;
use crate::job::{JobKey, Lanes};
use crate::run::Run;
use crate::task::Status;
use crate::values::{RunStatus, ScheduleId, Started, TriggerId};

impl Engine {
    /// The first part of what is kept in memory that the rows do not give; `None` unless there is a bug.
    pub fn underived(&self) -> Option<String> {
        let counts = self.counts_differ().or_else(|| self.lanes_differ()).or_else(|| self.holds_differ());
        let counts = counts.or_else(|| self.schedules_differ()).or_else(|| self.triggers_differ());
        counts.or_else(|| self.walks_differ())
    }

    fn live_runs(&self) -> impl Iterator<Item = &Run> {
        self.state.job_runs.runs.iter().map(|(_, run)| run).filter(|run| !run.status.is_ended())
    }

    fn counts_differ(&self) -> Option<String> {
        let (mut counts, mut bytes) = ([0; Status::ALL.len()], 0);
        for (_, task) in self.state.tasks.iter() {
            counts[task.status().index()] += 1;
            bytes += task.payload.len() as u64;
        }
        let wrong =
            Status::ALL.into_iter().find(|status| self.state.count(*status) != counts[status.index()]);
        let wrong = wrong.map(|status| {
            let (held, found) = (self.state.count(status), counts[status.index()]);
            format!("{held} tasks are counted as {}, and there are {found}", status.label())
        });
        let held = self.state.payload_bytes();
        wrong.or_else(|| {
            (held != bytes).then(|| format!("payloads have {bytes} bytes, and {held} are counted"))
        })
    }

    fn lanes_differ(&self) -> Option<String> {
        let mut derived: BTreeMap<&JobKey, Lanes> = BTreeMap::new();
        for (index, run) in self.state.job_runs.runs.iter() {
            let lanes = derived.entry(&run.job).or_default();
            match run.status {
                RunStatus::Queued => lanes.join(index, run.is_backfill()),
                RunStatus::Running => lanes.begin(run.is_backfill()),
                RunStatus::Succeeded | RunStatus::Failed | RunStatus::Cancelled => {}
            }
        }
        let none = Lanes::default();
        let mut jobs = self.state.job_runs.jobs.after(None);
        jobs.find_map(|job| {
            let lanes = derived.get(&*job.key).unwrap_or(&none);
            let same = job.lanes.holds_the_same(lanes);
            (!same)
                .then(|| format!("job `{}` has {:?}, and its runs say {lanes:?}", job.key.name, *job.lanes))
        })
    }

    /// A node that waits for other jobs is found by their success, or will be looked at anyway.
    fn holds_differ(&self) -> Option<String> {
        self.state.job_runs.runs.iter().find_map(|(index, run)| {
            let is_listed = |node| run.soft.lists.contains(node) || self.work.has_run(index);
            let is_heard = |node: &u32| self.state.job_runs.is_awaiting(index, *node) || is_listed(*node);
            let deaf = run.holds.keys().find(|node| run.is_working() && !is_heard(node))?;
            Some(format!("run {} waits at node {deaf}, and no success would be heard", run.id))
        })
    }

    fn schedules_differ(&self) -> Option<String> {
        let mut derived: BTreeMap<ScheduleId, Vec<Started>> = BTreeMap::new();
        for (id, started) in self.state.active_of_schedules() {
            derived.entry(id).or_default().push(started);
        }
        self.state.schedules.iter().find_map(|schedule| {
            let sorted = |mut active: Vec<Started>| {
                active.sort_unstable_by_key(|started| started.bits());
                active
            };
            let (held, found) = (
                sorted(schedule.rare.active.to_vec()),
                sorted(derived.remove(&schedule.id).unwrap_or_default()),
            );
            (held != found)
                .then(|| format!("schedule {:?} has {held:?} active, and rows say {found:?}", schedule.key))
        })
    }

    fn triggers_differ(&self) -> Option<String> {
        let mut derived: BTreeMap<TriggerId, u32> = BTreeMap::new();
        for id in self.live_runs().filter_map(|run| self.state.triggers.of_run(run)) {
            *derived.entry(id).or_default() += 1;
        }
        self.state.triggers.iter().find_map(|trigger| {
            let (held, found) = (trigger.soft.active, derived.get(&trigger.id).copied().unwrap_or_default());
            (held != found).then(|| format!("trigger {:?} counts {held} runs, and has {found}", trigger.key))
        })
    }

    fn walks_differ(&self) -> Option<String> {
        self.state.backfills.iter().find_map(|backfill| {
            let next = BackfillSoft::at(&backfill.spec, backfill.started).walk.at(&backfill.spec.windows);
            (next != backfill.next()).then(|| {
                format!("backfill {} stands at {:?}, and its row at {next:?}", backfill.id, backfill.next())
            })
        })
    }
}
