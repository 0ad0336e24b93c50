//! What callers ask for of jobs and runs: random graphs, applied, triggered, disturbed.

use std::sync::Arc;

use mainspring_core::engine::Command;
use mainspring_core::job::{
    Bounds, Definition, Each, FailurePolicy, JobKey, JobNeed, LimitUse, Node, NodeWork, OnEmpty, Plan,
    Repeat, TaskWork, Tolerance, TriggerRule,
};
use mainspring_core::key::{KeyClaim, KeyFact, KeyScope};
use mainspring_core::run::StartedBy;
use mainspring_core::run::decide::{Clear, ClearItems, Rerun, RerunFrom, RunCommand, Signed, TriggerRun};
use mainspring_core::task::Profile;
use mainspring_core::values::{
    Bucket, Group, Millis, Name, NodeInstance, RunId, RunStatus, Source, TaskId, Wall,
};

use super::draw::over;
use crate::checkers::RunFacts;
use crate::settings::{GROUPS, TENANTS};
use crate::words::UNDEFINED;
use crate::worker::Nature;
use crate::world::World;

/// Jobs of one world. A node may start a run of a job before its own of the same tenant, so there is no end of it.
const JOBS: u64 = 4;
/// Runs that callers begin in one world: every one of them must end.
const RUNS_MAX: usize = 12;
const NATURES: [Nature; 8] = [
    Nature::Flaky,
    Nature::Permanent,
    Nature::Alike,
    Nature::Defers,
    Nature::Long,
    Nature::Vanishes,
    Nature::Hang,
    Nature::BigOutput,
];

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
                flow(self.perhaps_signed(RunCommand::PauseJob { key, paused }))
            }
            98..99 => {
                let key = job_key(self.chance.below(JOBS));
                flow(self.perhaps_signed(RunCommand::DeleteJob { key }))
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
        let plan = Arc::new(self.draw_plan(job));
        let triggers = self.draw_triggers(job, &plan);
        let definition = Definition { plan, source: Arc::from(*b"{}"), hash: u128::from(self.chance.draw()) };
        flow(self.perhaps_signed(RunCommand::ApplyJob {
            key: job_key(job),
            definition,
            schedules: Vec::new(),
            triggers,
        }))
    }

    fn draw_plan(&mut self, job: u64) -> Plan {
        let most = [3, 6, 12, 39][self.chance.below(4) as usize];
        let count = 2 + self.chance.below(most);
        let nodes = (0..count).map(|node| self.draw_node(job, node)).collect();
        let policies = FailurePolicy::ALL;
        let policy = policies[self.chance.below(policies.len() as u64) as usize];
        let mut pick = |choices: [u32; 4]| choices[self.chance.below(4) as usize];
        let bounds = Bounds {
            active_runs_max: pick([1, 1, 2, 16]),
            running_max: pick([1, 2, 5, u32::MAX]),
            fan_out_max: pick([2, 10_000, 10_000, 10_000]),
            release_per_second: pick([1, 3, 1_000, 1_000]),
            expected: None,
            timeout: None,
        };
        let expected = self.chance.per_mille(200).then(|| Millis::new(self.span(20_000)));
        let timeout = self.chance.per_mille(150).then(|| Millis::new(1_000 + self.span(30_000)));
        let outputs = self.chance.per_mille(500).then(|| Source::from("all"));
        Plan::new(nodes, policy, Bounds { timeout, expected, ..bounds }, outputs)
    }

    fn draw_node(&mut self, job: u64, node: u64) -> Node {
        let mut needs: Vec<u32> =
            (0..self.chance.below(4).min(node)).map(|_| self.chance.below(node) as u32).collect();
        needs.sort_unstable();
        needs.dedup();
        let rule = match self.chance.below(2) {
            0 => TriggerRule::AllSuccess,
            _ => TriggerRule::ALL[self.chance.below(12) as usize],
        };
        let condition = match self.chance.below(40) {
            0..3 => Some("false".into()),
            3..8 => Some("true".into()),
            8 => Some("broken".into()),
            _ => None,
        };
        let shape = self.chance.below(100);
        let child = job % 2 == 1 && (80..92).contains(&shape);
        let work = if child {
            let parameters = Arc::from(*b"{}");
            NodeWork::Run { job: job_key(job - 1).name, parameters, templated: false }
        } else {
            self.draw_work(job)
        };
        let each = (shape < 18 || (80..84).contains(&shape)).then(|| self.draw_each(&needs));
        let repeat = (18..30).contains(&shape).then(|| Repeat {
            until: format!("rounds {}", self.span(4)).into(),
            rounds_max: self.span(4) as u32,
            pause: Millis::new([0, 0, 700][self.chance.below(3) as usize]),
        });
        let spawns = (30..42).contains(&shape).then(|| match self.chance.below(12) {
            0 => "broken".into(),
            _ => "add".into(),
        });
        Node {
            name: node_name(node),
            work,
            rule,
            condition,
            each,
            repeat,
            undo: (self.chance.per_mille(120)).then(|| self.draw_work(job)),
            mentions: needs.clone(),
            needs,
            output_kept: self.chance.per_mille(500),
            limits: if child { Vec::new() } else { self.draw_uses() },
            spawns,
            needs_jobs: if self.chance.per_mille(60) { vec![self.draw_job_need(job)] } else { Vec::new() },
        }
    }

    /// With a timeout: nobody promises that the other job ever succeeds.
    fn draw_job_need(&mut self, job: u64) -> JobNeed {
        JobNeed {
            job: job_key(job ^ 1).name,
            within: self.chance.per_mille(500).then(|| Millis::new(self.span(20_000))),
            timeout: Some(Millis::new(self.span(20_000))),
        }
    }

    fn draw_uses(&mut self) -> Vec<LimitUse> {
        if !self.chance.per_mille(200) {
            return Vec::new();
        }
        let key = ["", "a", "b"][self.chance.below(3) as usize];
        let max = [None, Some(1), Some(2)][self.chance.below(3) as usize];
        vec![LimitUse { name: Name::fixed("db"), key: key.into(), max }]
    }

    fn draw_each(&mut self, needs: &[u32]) -> Each {
        let items = match needs.first() {
            Some(need) if self.chance.per_mille(500) => format!("len {need}"),
            _ => self.chance.below(6).to_string(),
        };
        let tolerance = match self.chance.below(3) {
            0 => Tolerance::NONE,
            1 => Tolerance::Count(1),
            _ => Tolerance::Percent(50),
        };
        Each {
            items: items.into(),
            active_max: [1, 2, u32::MAX][self.chance.below(3) as usize],
            tolerance,
            on_empty: if self.chance.per_mille(500) { OnEmpty::Skip } else { OnEmpty::Succeed },
        }
    }

    fn draw_work(&mut self, job: u64) -> NodeWork {
        let nature = match self.chance.below(100) {
            0..70 => Nature::Plain,
            _ => NATURES[self.chance.below(NATURES.len() as u64) as usize],
        };
        let key = job_key(job);
        let mut spec = self.draw_spec(nature);
        (spec.tenant, spec.job) = (key.tenant, key.name);
        if self.chance.per_mille(60) {
            return self.approval(spec);
        }
        let index = Nature::ALL.iter().position(|other| *other == nature).unwrap_or_default();
        let templated = self.chance.per_mille(300);
        let mut payload = vec![index as u8];
        if templated && self.chance.per_mille(60) {
            payload.push(UNDEFINED);
        }
        NodeWork::Task(TaskWork {
            profile: Profile::new(spec),
            payload: Arc::from(payload),
            priority: self.draw_priority(),
            labels: None,
            templated,
        })
    }

    /// Operators let every job and every run go on that was paused.
    pub(crate) fn relieve(&mut self) {
        for key in self.checkers.journal.flows.paused_jobs() {
            self.begin_operation(vec![flow(RunCommand::PauseJob { key, paused: false })]);
        }
        for id in self.checkers.journal.flows.paused_runs() {
            self.begin_operation(vec![flow(RunCommand::PauseRun { id, paused: false })]);
        }
        self.relieve_backfills();
    }
}

pub(super) fn node_name(node: u64) -> Name {
    Name::new(&format!("n{node}")).expect("a good name")
}
