//! What callers ask for of jobs and runs: random graphs, applied, triggered, disturbed.

use std::sync::Arc;

use mainspring_core::engine::Command;
use mainspring_core::job::{Definition, Job, JobKey};
use mainspring_core::key::{KeyClaim, KeyFact, KeyScope};
use mainspring_core::run::StartedBy;
use mainspring_core::run::decide::{
    ApplyJob, Clear, ClearItems, Rerun, RerunFrom, RunCommand, Signed, TriggerRun,
};
use mainspring_core::values::{Bucket, Group, Name, NodeInstance, Revision, RunId, RunStatus, TaskId, Wall};

use super::draw::over;
use super::plans::node_name;
use crate::checkers::{RunFacts, marked};
use crate::settings::{GROUPS, TENANTS};
use crate::world::World;

/// Jobs of one world. A node may start a run of a job before its own of the same tenant, so there is no end of it.
const JOBS: u64 = 4;
/// Runs that callers begin in one world: every one of them must end.
const RUNS_MAX: usize = 12;

fn flow(command: RunCommand) -> Command {
    Command::Run(Box::new(command))
}

pub(super) fn job_key(job: u64) -> JobKey {
    let names = ["flow-0", "flow-1", "flow-2", "flow-3"];
    JobKey { tenant: Name::fixed(TENANTS[job as usize / 2]), name: Name::fixed(names[job as usize]) }
}

impl World {
    pub(super) fn draw_flow_commands(&mut self) -> Vec<Command> {
        if self.chance.per_mille(150) {
            return vec![self.draw_event()];
        }
        if self.chance.per_mille(80) {
            return vec![self.on_run(Self::draw_approval)];
        }
        let what = self.chance.below(100);
        let many = self.callers.runs.len() >= RUNS_MAX;
        let command = match what {
            0..12 => self.draw_job(),
            12..50 if !many => self.draw_trigger(),
            12..58 => self.repeat_trigger(true),
            58..61 => self.repeat_trigger(false),
            61..67 => self.on_run(|id, world| world.perhaps_signed(RunCommand::CancelRun { id })),
            67..74 => self.on_run(|id, world| {
                let paused = world.chance.per_mille(600);
                world.perhaps_signed(RunCommand::PauseRun { id, paused })
            }),
            74..82 => self.on_run(Self::draw_clear),
            82..87 if !many => self.draw_rerun(),
            82..90 => self.on_run(|id, world| {
                let status = [RunStatus::Succeeded, RunStatus::Failed, RunStatus::Cancelled];
                RunCommand::ForceRun { id, status: status[world.chance.below(3) as usize], over: over() }
            }),
            90..93 => self.on_run(|id, _| RunCommand::ReadRun { id }),
            93..95 => self.on_run(|id, _| RunCommand::ReevaluateRun { id, over: over() }),
            95..98 => {
                let paused = self.chance.per_mille(600);
                let key = job_key(self.chance.below(JOBS));
                flow(self.perhaps_signed(RunCommand::PauseJob { key, paused, seen: None }))
            }
            98..99 => {
                let key = job_key(self.chance.below(JOBS));
                flow(self.perhaps_signed(RunCommand::DeleteJob { key, seen: None }))
            }
            _ => flow(RunCommand::ReadJob { key: job_key(self.chance.below(JOBS)) }),
        };
        vec![command]
    }

    /// Some say who they are.
    fn perhaps_signed(&mut self, command: RunCommand) -> RunCommand {
        if !self.chance.per_mille(500) {
            return command;
        }
        RunCommand::Signed(Box::new(Signed { over: over(), command }))
    }

    fn on_run(&mut self, act: impl FnOnce(RunId, &mut Self) -> RunCommand) -> Command {
        let runs = self.callers.runs.len() as u64;
        if runs == 0 {
            return self.draw_trigger();
        }
        let mut id = self.callers.runs[self.chance.below(runs) as usize];
        if self.chance.per_mille(150) {
            // One that a node of it may have started.
            let node = self.chance.below(8) as u32;
            id = id.child(NodeInstance { node, index: NodeInstance::WHOLE, turn: 0 });
        }
        let command = flow(act(id, self));
        let reads = matches!(&command, Command::Run(flow) if matches!(**flow, RunCommand::ReadRun { .. }));
        if reads { command } else { self.perhaps_keyed(command) }
    }

    /// A task that a run may have released.
    pub(super) fn guess_task(&mut self) -> Option<TaskId> {
        let runs = self.callers.runs.len() as u64;
        let run = *self.callers.runs.get(self.chance.below(runs.max(1)) as usize)?;
        let node = self.chance.below(12) as u32;
        let index =
            if self.chance.per_mille(700) { NodeInstance::WHOLE } else { self.chance.below(3) as u32 };
        Some(run.task(NodeInstance { node, index, turn: 0 }))
    }

    pub(super) fn mint_run(&mut self, group: Group) -> RunId {
        let wall = self.clocks.callers_wall(self.now).millis();
        RunId::new(wall, Bucket::home(group), self.chance.draw())
    }

    fn draw_trigger(&mut self) -> Command {
        if self.callers.jobs == 0 {
            return self.draw_job();
        }
        let job_number = self.chance.below(self.callers.jobs);
        let job = job_key(job_number);
        let trigger = TriggerRun {
            id: self.mint_run(GROUPS.of(&job.tenant)),
            job,
            parameters: Arc::from(*b"{}"),
            priority: self.chance.per_mille(300).then(|| self.draw_priority()),
            labels: None,
            key: None,
            trigger: StartedBy::Manual,
            logical_time: None,
        };
        if self.chance.per_mille(150) {
            return self.for_instant(trigger, job_number);
        }
        let key = self.chance.per_mille(700).then(|| KeyClaim {
            scope: KeyScope(u128::from(self.chance.draw())),
            request: u128::from(self.chance.draw()),
            expires: Wall::from_millis(u64::MAX >> 8),
            group: trigger.id.bucket().group(),
        });
        let trigger = TriggerRun { key: key.map(|claim| (claim, KeyFact::Absent)), ..trigger };
        if key.is_some() {
            self.callers.keyed_triggers.push(trigger.clone());
        }
        flow(RunCommand::Trigger(Box::new(trigger)))
    }

    /// One of few instants, so that several ask for the same: its key is made of it, as the edge does.
    fn for_instant(&mut self, trigger: TriggerRun, job: u64) -> Command {
        let at = self.chance.below(3);
        let claim = KeyClaim {
            scope: KeyScope(u128::from(at) << 64 | u128::from(job) << 32 | 1),
            request: u128::from(self.chance.below(2)),
            expires: Wall::from_millis(u64::MAX >> 8),
            group: trigger.id.bucket().group(),
        };
        let (key, logical_time) = (Some((claim, KeyFact::Absent)), Some(Wall::from_millis(at)));
        flow(RunCommand::Trigger(Box::new(TriggerRun { key, logical_time, ..trigger })))
    }

    /// The same key again, under a new id: with the same request, or with another.
    fn repeat_trigger(&mut self, same: bool) -> Command {
        let sent = self.callers.keyed_triggers.len() as u64;
        if sent == 0 {
            return self.draw_trigger();
        }
        let mut trigger = self.callers.keyed_triggers[self.chance.below(sent) as usize].clone();
        trigger.id = self.mint_run(GROUPS.of(&trigger.job.tenant));
        if let Some((claim, _)) = trigger.key.as_mut()
            && !same
        {
            claim.request ^= 1;
        }
        flow(RunCommand::Trigger(Box::new(trigger)))
    }

    fn draw_clear(id: RunId, world: &mut Self) -> RunCommand {
        // Some read the run first, to name items of a task that has them.
        let mapped = world.checkers.journal.flows.run(id).map(RunFacts::mapped).unwrap_or_default();
        let (nodes, items) = match world.chance.below(10) {
            0..4 if !mapped.is_empty() => {
                let (name, count) = mapped[world.chance.below(mapped.len() as u64) as usize].clone();
                let first = world.chance.below(u64::from(count)) as u32;
                let last = first + world.chance.below(u64::from(count - first)) as u32;
                (vec![name], ClearItems::Named((first..=last).collect()))
            }
            0..4 => (vec![], ClearItems::All),
            4..6 => (vec![], ClearItems::Failed),
            6 => (vec![node_name(world.chance.below(6))], ClearItems::Failed),
            7 => (vec![node_name(world.chance.below(6))], ClearItems::Named(vec![0])),
            _ => (vec![node_name(world.chance.below(6))], ClearItems::All),
        };
        RunCommand::Clear(Box::new(Clear { id, nodes, items, over: over(), fact: None }))
    }

    fn draw_rerun(&mut self) -> Command {
        let runs = self.callers.runs.len() as u64;
        if runs == 0 {
            return self.draw_trigger();
        }
        let of = self.callers.runs[self.chance.below(runs) as usize];
        let rerun = Rerun {
            of,
            id: self.mint_run(of.bucket().group()),
            from: match self.chance.below(3) {
                0 => RerunFrom::Start,
                1 => RerunFrom::Failure,
                _ => RerunFrom::Task(node_name(self.chance.below(4))),
            },
            parameters: None,
            newest: self.chance.per_mille(400),
            over: self.chance.per_mille(500).then(over),
            fact: None,
        };
        self.perhaps_keyed(flow(RunCommand::Rerun(Box::new(rerun))))
    }

    fn draw_job(&mut self) -> Command {
        let job = if self.callers.jobs < JOBS && self.chance.per_mille(700) {
            self.callers.jobs += 1;
            self.callers.jobs - 1
        } else {
            self.chance.below(self.callers.jobs.max(1))
        };
        self.callers.jobs = self.callers.jobs.max(1);
        let hash = u128::from(self.chance.draw());
        let mut jobs = vec![self.draw_apply(job, hash)];
        // The two jobs of a tenant.
        let other = job ^ 1;
        if other < self.callers.jobs && self.chance.per_mille(300) {
            let mark = self.chance.draw().max(1);
            jobs[0].definition.hash = marked(mark, 2, 1);
            jobs.push(self.draw_apply(other, marked(mark, 2, 2)));
        }
        let apply = self.perhaps_signed(RunCommand::ApplyJobs(jobs));
        self.perhaps_keyed(flow(apply))
    }

    /// Some say which revision they have seen, and not always the newest one.
    fn draw_apply(&mut self, job: u64, hash: u128) -> ApplyJob {
        let plan = Arc::new(self.draw_plan(job));
        let triggers = self.draw_triggers(job, &plan);
        let definition = Definition { plan, source: Arc::from(*b"{}"), hash };
        let key = job_key(job);
        let known = self.checkers.journal.state().job_runs().jobs().get(&key).map(Job::revision);
        let seen = known.filter(|_| self.chance.per_mille(400));
        let is_old = self.chance.per_mille(200);
        let seen = seen.map(|seen| if is_old { Revision::new(seen.get().saturating_sub(1)) } else { seen });
        ApplyJob { key, definition, schedules: Vec::new(), triggers, seen }
    }

    /// Operators let every job and every run go on that was paused.
    pub(crate) fn relieve(&mut self) {
        for key in self.checkers.journal.flows.paused_jobs() {
            self.begin_operation(vec![flow(RunCommand::PauseJob { key, paused: false, seen: None })]);
        }
        for id in self.checkers.journal.flows.paused_runs() {
            self.begin_operation(vec![flow(RunCommand::PauseRun { id, paused: false })]);
        }
        self.relieve_backfills();
    }
}
