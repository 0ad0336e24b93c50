//! Runs, folded by the checker itself from the journal alone: who may be released when (I18), everything once (I19),
//! runs end when and as their nodes did (I20), and bounds of jobs and runs hold at every event (I21).
//! Not here: what a place of a run goes through (`places`), rules (`rules`).

mod counts;
mod edits;
mod ends;
mod facts;
mod growth;
mod notes;
mod places;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::event::Event;
use mainspring_core::job::{JobKey, NodeWork, Plan};
use mainspring_core::key::KeyClaim;
use mainspring_core::run::decide::StoredJob;
use mainspring_core::run::{
    JobApplied, NodeStatus, Pause, RunCreated, RunEvent, RunStop, StartedBy, Subject,
};
use mainspring_core::state::State;
use mainspring_core::task::Status;
use mainspring_core::values::{
    Elapsed, Epoch, InRun, JobId, Name, NodeInstance, Revision, RunId, RunStatus, TaskId, Wall,
};
use mainspring_core::wait::WaitEnd;

pub use self::counts::FlowCounts;
use self::edits::Edits;
pub use self::edits::marked;
use self::facts::{AddedFacts, MapFacts, NodeFacts};
use self::rules::{Upstream, was};
use super::{Broken, Check, require};

#[derive(Default)]
pub struct FlowFold {
    jobs: BTreeMap<JobKey, JobFacts>,
    runs: BTreeMap<RunId, RunFacts>,
    /// Every task that a run has released.
    places: BTreeMap<TaskId, (RunId, NodeInstance)>,
    unfinished: BTreeSet<RunId>,
    pub counts: FlowCounts,
    /// An owner counts releases anew when it begins.
    now: (Epoch, Elapsed),
    wall: Wall,
    /// Instants for which somebody asked for a run by hand.
    instants: BTreeSet<(JobKey, Wall)>,
    /// When a run of each job last succeeded.
    successes: BTreeMap<JobKey, Wall>,
    /// A task of a run that was revived by the event before.
    put_away: Option<TaskId>,
    /// What the newest event of jobs and runs was about.
    changed: Option<Subject>,
    edits: Edits,
}

struct JobFacts {
    version: u32,
    plan: Arc<Plan>,
    paused: bool,
    notes: usize,
}

/// What the journal says about one run.
#[expect(clippy::struct_excessive_bools, reason = "each says that one kind of event was seen")]
pub struct RunFacts {
    id: RunId,
    job: JobKey,
    plan: Arc<Plan>,
    pub key: Option<KeyClaim>,
    parent: Option<InRun>,
    pub status: RunStatus,
    nodes: Vec<NodeFacts>,
    paused: bool,
    fan_out_allowed: u32,
    notes: usize,
    stop: Option<RunStop>,
    forced: Option<RunStatus>,
    /// Places that are released and have not ended.
    out: BTreeSet<NodeInstance>,
    released: BTreeSet<NodeInstance>,
    /// Nodes that must be undone if the run fails, in the order they succeeded.
    undo: Vec<u32>,
    outputs: BTreeMap<(u32, u32), usize>,
    /// By whom, which nodes, and who waits for their leaves.
    added: Vec<AddedFacts>,
    /// When the last place was released, and how much of a second's releases was used up then, in nanoseconds.
    rate: ((Epoch, Elapsed), u64),
    pub ever_stopped: bool,
    pub ever_forced: bool,
    pub ever_cleared: bool,
    /// Rejected, approved.
    pub ever_decided: [bool; 2],
    pub ever_cancelled: bool,
    /// It had ended and was cleared.
    reopened: bool,
    /// A window began it.
    scheduled: bool,
}

impl FlowFold {
    pub fn run(&self, id: RunId) -> Option<&RunFacts> {
        self.runs.get(&id)
    }

    pub fn is_of_run(&self, id: TaskId) -> bool {
        self.places.contains_key(&id)
    }

    pub fn unfinished(&self) -> &BTreeSet<RunId> {
        &self.unfinished
    }

    /// Runs that nobody but an operator brings on.
    pub fn paused_runs(&self) -> Vec<RunId> {
        self.unfinished.iter().filter(|id| self.runs[*id].paused).copied().collect()
    }

    pub fn paused_jobs(&self) -> Vec<JobKey> {
        self.jobs.iter().filter(|(_, job)| job.paused).map(|(key, _)| key.clone()).collect()
    }

    pub fn made_by_callers(&self) -> impl Iterator<Item = RunId> + '_ {
        self.runs.values().filter(|run| run.parent.is_none() && !run.scheduled).map(|run| run.id)
    }

    /// For people.
    pub fn brief(&self, id: RunId) -> String {
        let Some(run) = self.runs.get(&id) else { return format!("{id} is unknown") };
        let states: Vec<NodeStatus> = run.nodes.iter().map(|node| node.status).collect();
        format!(
            "{id} is {:?}, stop {:?}, paused {}, out {:?}, nodes {states:?}",
            run.status, run.stop, run.paused, run.out
        )
    }

    /// An event has happened. `ended`: how the task of the event ended by it; `state`: the journal folded through it.
    pub(super) fn follow(
        &mut self,
        event: &Event,
        ended: Option<Status>,
        now: Elapsed,
        state: &State,
    ) -> Check {
        (self.now, self.wall) = ((state.epoch, now), state.now.wall);
        match event {
            Event::TaskSpawned { run, place, .. } => {
                self.places.insert(run.task(*place), (*run, *place));
                self.counts.spawned += 1;
                self.release(*run, *place)?;
            }
            Event::Run(flow) => {
                self.flow(flow, state)?;
                self.follow_notes(flow, state)?;
            }
            _ => {}
        }
        let task = event.task();
        let of_run = task.and_then(|id| self.places.get(&id)).copied();
        if let (Event::TaskRevived { .. }, Some(_)) = (event, of_run) {
            self.put_away = task;
            return Ok(());
        }
        if let Some(id) = self.put_away.take() {
            // A dead letter is discarded: its run has counted its end before.
            return require(task == Some(id) && ended == Some(Status::Skipped), "I19", || {
                format!("{id} was queued again behind the back of its run")
            });
        }
        if let (Some((run, place)), Some(status)) = (of_run, ended) {
            let output = match event {
                Event::TaskSucceeded { output, .. } | Event::WaitEnded { end: WaitEnd::Met(output), .. } => {
                    output.as_ref().map(|output| output.len())
                }
                _ => None,
            };
            self.place_ended(run, place, status, output)?;
        }
        Ok(())
    }

    pub(super) fn record_ends(&mut self) -> Check {
        self.counts.together += self.edits.record_ends()?;
        Ok(())
    }

    /// A job was applied by somebody who had seen this revision.
    pub(super) fn job_changed(&self, id: JobId, seen: Revision, stored: StoredJob) -> Check {
        self.edits.answered(id, seen, stored)
    }

    fn run_mut(&mut self, id: RunId) -> Result<&mut RunFacts, Broken> {
        self.runs
            .get_mut(&id)
            .ok_or_else(|| Broken { invariant: "I2", what: format!("{id} was never created") })
    }

    fn flow(&mut self, event: &RunEvent, state: &State) -> Check {
        match event {
            RunEvent::JobApplied(applied) => self.job_applied(applied),
            RunEvent::JobPaused { key, paused } => {
                if let Some(job) = self.jobs.get_mut(key) {
                    job.paused = *paused;
                }
                self.edits.paused(key, self.wall);
                Ok(())
            }
            RunEvent::JobDeleted { key } => {
                if let Some(job) = self.jobs.get_mut(&**key) {
                    job.paused = false;
                }
                self.edits.deleted(key, self.wall);
                Ok(())
            }
            RunEvent::RunCreated(created) => self.run_created(created),
            RunEvent::RunStarted { id } => self.run_started(*id),
            RunEvent::NodeEnded { run, node, status, .. } => self.run_mut(*run)?.node_ended(*node, *status),
            RunEvent::MapExpanded { run, node, count } => {
                self.check_jobs(*run, *node)?;
                self.run_mut(*run)?.map_expanded(*node, *count)
            }
            RunEvent::MapCut { run, node, .. } => {
                let joined = self.run_mut(*run)?.map_cut(*node)?;
                self.counts.joins += u64::from(joined);
                Ok(())
            }
            RunEvent::RunPaused { id, pause } => {
                let run = self.run_mut(*id)?;
                run.paused = true;
                if let Pause::FanOut { count, .. } = pause {
                    run.fan_out_allowed = run.fan_out_allowed.max(*count);
                }
                Ok(())
            }
            RunEvent::RunResumed { id } => {
                self.run_mut(*id)?.paused = false;
                Ok(())
            }
            RunEvent::RunStopping { id, stop } => self.run_mut(*id)?.stopping(*stop),
            RunEvent::RunForced { id, status, .. } => {
                let run = self.run_mut(*id)?;
                run.forced = Some(*status);
                run.ever_forced = true;
                (run.stop, run.paused) = (Some(RunStop::Cancel), false);
                Ok(())
            }
            RunEvent::UndoSkipped { run, node, .. } => {
                self.run_mut(*run)?.undo.retain(|left| left != node);
                Ok(())
            }
            RunEvent::RunEnded(ended) => self.run_ended(ended),
            RunEvent::RunCleared(cleared) => self.run_cleared(cleared, state),
            RunEvent::TasksAdded(added) => self.tasks_added(added),
            RunEvent::JobAwaited { run, node } => self.job_awaited(*run, *node),
            RunEvent::ApprovalDecided(decided) => self.approval_decided(decided),
            RunEvent::Noted(_) | RunEvent::RunReevaluated { .. } => Ok(()),
        }
    }

    fn job_applied(&mut self, applied: &JobApplied) -> Check {
        let JobApplied { key, version, definition } = applied;
        self.edits.applied(key, definition, self.wall);
        let before = self.jobs.get(&**key).map_or(0, |job| job.version);
        require(*version == before + 1, "I15", || {
            format!("version {version} of job `{}` follows version {before}", key.name)
        })?;
        let (paused, notes) = self.jobs.get(&**key).map_or((false, 0), |job| (job.paused, job.notes));
        let plan = definition.plan.clone();
        self.jobs.insert((**key).clone(), JobFacts { version: *version, plan, paused, notes });
        Ok(())
    }

    fn run_created(&mut self, created: &RunCreated) -> Check {
        let id = created.id;
        require(!self.runs.contains_key(&id), "I19", || format!("{id} was created twice"))?;
        if let (StartedBy::Manual, Some(at)) = (created.origin.started_by, created.origin.logical_time) {
            let first = self.instants.insert(((*created.job).clone(), at));
            require(first, "I3", || format!("{id} is a second run of its job for {at:?}"))?;
        }
        let job = self.jobs.get(&*created.job);
        let plan = created.plan.clone().or_else(|| job.map(|job| job.plan.clone()));
        let plan = plan.ok_or_else(|| Broken { invariant: "I2", what: format!("{id} has no job") })?;
        let mut run = RunFacts {
            id,
            job: (*created.job).clone(),
            nodes: vec![NodeFacts::default(); plan.nodes().len()],
            plan,
            key: created.key,
            parent: created.origin.parent,
            status: RunStatus::Queued,
            paused: false,
            fan_out_allowed: 0,
            notes: 0,
            stop: None,
            forced: None,
            out: BTreeSet::new(),
            released: BTreeSet::new(),
            undo: Vec::new(),
            outputs: BTreeMap::new(),
            added: Vec::new(),
            rate: Default::default(),
            ever_stopped: false,
            ever_forced: false,
            ever_cleared: false,
            ever_decided: [false; 2],
            ever_cancelled: false,
            reopened: false,
            scheduled: matches!(
                created.origin.started_by,
                StartedBy::Schedule | StartedBy::Event | StartedBy::Backfill
            ),
        };
        for reused in &created.reused {
            run.end_node(reused.node, reused.status)?;
            run.nodes[reused.node as usize].map = reused.items.map(|count| MapFacts {
                count,
                released: count,
                ended: (0..count).map(|item| (item, NodeStatus::Succeeded)).collect(),
                ..MapFacts::default()
            });
            for (index, output) in &reused.outputs {
                run.outputs.insert((reused.node, *index), output.len());
            }
        }
        self.runs.insert(id, run);
        self.unfinished.insert(id);
        self.counts.runs += 1;
        let Some(origin) = created.origin.parent else { return Ok(()) };
        self.counts.children += 1;
        require(id == origin.run.child(origin.place), "I19", || format!("{id} is not at its place"))?;
        self.release(origin.run, origin.place)
    }

    fn run_started(&mut self, id: RunId) -> Check {
        let (job, status) = {
            let run = self.run_mut(id)?;
            (run.job.clone(), std::mem::replace(&mut run.status, RunStatus::Running))
        };
        require(status == RunStatus::Queued, "I20", || format!("{id} was started, it was {status:?}"))?;
        let active = self.unfinished.iter().filter_map(|id| self.runs.get(id));
        let active = active.filter(|run| run.job == job && run.status == RunStatus::Running).count();
        let facts = self.jobs.get(&job);
        let max = facts.map_or(0, |job| job.plan.bounds.active_runs_max);
        require(active as u32 <= max, "I21", || {
            format!("{id} is one of {active} runs of `{}` at work, {max} may be", job.name)
        })?;
        require(facts.is_some_and(|job| !job.paused), "I20", || format!("{id} of a paused job was started"))
    }
}

impl RunFacts {
    /// Nodes that have items, and how many.
    pub fn mapped(&self) -> Vec<(Name, u32)> {
        let count = |node: &NodeFacts| node.map.as_ref().map(|map| map.count).filter(|count| *count > 0);
        let nodes = self.plan.nodes().iter().zip(&self.nodes);
        nodes.filter_map(|(spec, node)| Some((spec.name.clone(), count(node)?))).collect()
    }

    fn upstream(&self, node: u32) -> Upstream {
        let needs = &self.plan.node(node).needs;
        Upstream(needs.iter().map(|need| was(self.nodes[*need as usize].status)).collect())
    }

    /// How many places of a node are out in its present turn.
    fn live(&self, node: u32) -> usize {
        let here = |place: &&NodeInstance| {
            place.node == node && place.turn == self.turn_of(**place) && place.index != NodeInstance::UNDO
        };
        self.out.iter().filter(here).count()
    }

    /// The turn that is live at this place.
    fn turn_of(&self, place: NodeInstance) -> u32 {
        let state = &self.nodes[place.node as usize];
        match state.map.as_ref().filter(|_| place.index < NodeInstance::UNDO) {
            Some(map) => map.turns.get(&place.index).copied().unwrap_or(map.turn),
            None => state.turn,
        }
    }

    fn is_over(&self) -> bool {
        self.nodes.iter().all(|node| was(node.status).is_some())
    }

    fn is_task(&self, place: NodeInstance) -> bool {
        place.index == NodeInstance::UNDO || matches!(self.plan.node(place.node).work, NodeWork::Task(_))
    }
}
