//! Stories of runs.

mod applying;
mod approvals;
mod awaits;
mod diagnosis;
mod growth;
mod items;
mod maps;
mod operators;
mod oracle;
mod policies;
mod reopening;
mod shapes;
pub(super) mod waits;
mod watch;

use std::sync::Arc;

use super::{OK, Rig, failed, over, rig, spec};
use crate::decision::Rejection;
use crate::engine::{Answer, Command};
use crate::job::{
    Bounds, Definition, Each, FailurePolicy, JobKey, Node, NodeWork, OnEmpty, Plan, Repeat, TaskWork,
    Tolerance, TriggerRule,
};
use crate::retry::RetryPolicy;
use crate::run::decide::{ApplyJob, RunAnswer, RunCommand, TriggerRun};
use crate::run::{EndFacts, Evaluate, EvaluateEvent, NodeState, NodeStatus, Run, Scope, StartedBy};
use crate::task::{Payload, Profile, Status};
use crate::values::{
    Actor, Bucket, CloudEvent, FailureClass, Group, Millis, Name, NodeInstance, Pattern, Priority, RunId,
    RunStatus, Source, TaskId, Wall,
};
use crate::wait::{Approval, Awaited, EventMask, Late, Wait};

/// A language of a few words: `true`, `false`, a number of items, `rounds N` (met from the N-th round on), `panic`.
#[derive(Debug)]
pub(in crate::engine::tests) struct Words;

impl EvaluateEvent for Words {
    fn accepts(&self, condition: &Source, notice: &CloudEvent) -> Result<bool, String> {
        match &**condition {
            "has a subject" => Ok(notice.subject.is_some()),
            "panic" => panic!("boom"),
            _ => Err(format!("`{condition}` is no condition")),
        }
    }

    fn map(&self, template: &Payload, notice: &CloudEvent) -> Result<Payload, String> {
        if &**template == b"undefined" {
            return Err("`x` is undefined".to_owned());
        }
        Ok([template, notice.id.as_bytes()].concat().into())
    }

    fn written(&self, notice: &CloudEvent, _: usize) -> Arc<[u8]> {
        notice.id.as_bytes().into()
    }

    fn tell(&self, end: &EndFacts<'_>) -> Arc<[u8]> {
        end.status.as_bytes().into()
    }
}

impl Evaluate for Words {
    fn condition(&self, source: &Source, scope: &Scope<'_>) -> Result<bool, String> {
        match source.split_once(' ') {
            Some(("rounds", wanted)) => {
                let node = scope.node.ok_or("no node")?;
                Ok(scope.run.node(node).rounds + 1 >= wanted.parse().map_err(|_| "no number")?)
            }
            None if &**source == "panic" => panic!("boom"),
            _ => source.parse().map_err(|_| format!("`{source}` is no condition")),
        }
    }

    fn count(&self, items: &Source, _: &Scope<'_>) -> Result<u32, String> {
        items.parse().map_err(|_| format!("`{items}` is no list"))
    }

    fn render(&self, template: &Payload, _: &Name, scope: &Scope<'_>) -> Result<Payload, String> {
        if &**template == b"undefined" {
            return Err("`x` is undefined".to_owned());
        }
        let index = scope.index.map_or(String::new(), |index| index.to_string());
        Ok([template, index.as_bytes()].concat().into())
    }

    fn value(&self, _: &Source, scope: &Scope<'_>) -> Result<Arc<[u8]>, String> {
        let all: Vec<u8> = scope.run.outputs.values().flat_map(|output| output.iter().copied()).collect();
        Ok(all.into())
    }

    fn text(&self, template: &Source, _: &Scope<'_>) -> Result<String, String> {
        Ok(template.to_string())
    }

    /// `x y<x`: a task x, and a task y that needs it; `!x` adds tasks itself. Without a need: the adding task.
    fn tasks(&self, source: &Source, scope: &Scope<'_>) -> Result<Vec<Node>, String> {
        let by = scope.node.ok_or("no node")?;
        let output = scope.run.outputs.get(&(by, NodeInstance::WHOLE)).ok_or("no output")?;
        let text = String::from_utf8_lossy(output).into_owned();
        if text.contains("bad") {
            return Err(format!("`{source}` gives a bad task"));
        }
        let mut names: Vec<String> = Vec::new();
        let mut nodes = Vec::new();
        for word in text.split_whitespace() {
            let (name, needs) = word.split_once('<').unwrap_or((word, ""));
            let find = |need: &str| {
                let here =
                    names.iter().position(|name| name == need).map(|at| scope.run.plan.len() + at as u32);
                here.or_else(|| scope.run.find(need)).ok_or_else(|| format!("no `{need}`"))
            };
            let mut needs =
                needs.split(',').filter(|need| !need.is_empty()).map(find).collect::<Result<Vec<_>, _>>()?;
            if needs.is_empty() {
                needs.push(by);
            }
            needs.sort_unstable();
            let spawns = name.starts_with('!').then(|| "all".into());
            let name = name.trim_start_matches('!');
            names.push(name.to_owned());
            nodes.push(Node {
                name: Name::new(name).map_err(|_| "no name")?,
                needs,
                spawns,
                ..node("x", &[])
            });
        }
        Ok(nodes)
    }

    /// The payload is a number of milliseconds.
    fn poll_deadline(&self, payload: &Payload, now: Wall) -> Wall {
        let ms = String::from_utf8_lossy(payload).parse();
        ms.map_or_else(|_| now + crate::wait::TIMEOUT_DEFAULT, |ms| now + Millis::new(ms))
    }

    /// The payload itself.
    fn target(&self, _: &Name, payload: &Payload) -> Name {
        Name::new(&String::from_utf8_lossy(payload)).unwrap_or_default()
    }

    /// `for MS`; `run ID MS` and `skip ID MS`: the run, at most so long; `event TYPE [SUBJECT|- [CONDITION]]`: for a minute;
    /// `approve LATE MS [NAME ..]`.
    fn wait(&self, payload: &Payload, now: Wall) -> Result<Wait, String> {
        let text = String::from_utf8_lossy(payload);
        let ms = |text: &str| text.parse().map(Millis::new).map_err(|_| "no number".to_owned());
        let until = |what, at, late| Ok(Wait { what, since: now, deadline: at, late });
        match text.split_once(' ') {
            Some(("for", span)) => until(Awaited::Until(now + ms(span)?), now + ms(span)?, Late::Fail),
            Some(("skip" | "run", rest)) => {
                let (run, span) = rest.split_once(' ').ok_or("no time")?;
                let late = if text.starts_with("skip") { Late::Skip } else { Late::Fail };
                let run = run.parse().map_err(|_| "no run")?;
                until(Awaited::Run(run), now + ms(span)?, late)
            }
            Some(("event", rest)) => {
                let mut words = rest.split(' ');
                let kind = Pattern::parse(words.next().unwrap_or_default()).ok_or("no type")?;
                let subject = words.next().filter(|word| *word != "-").map(Into::into);
                let condition = words.next().map(|word| word.replace('_', " ").into());
                let mask = EventMask { kind, source: None, subject, condition };
                until(Awaited::Event(Arc::new(mask)), now + Millis::from_secs(60), Late::Fail)
            }
            Some(("approve", rest)) => {
                let mut words = rest.split(' ');
                let late = match words.next() {
                    Some("approve") => Late::Approve,
                    Some("reject") => Late::Reject,
                    Some("skip") => Late::Skip,
                    _ => Late::Fail,
                };
                let at = now + ms(words.next().unwrap_or_default())?;
                let by = words.map(|name| Name::new(name).map_err(|_| "no name".to_owned()));
                let approval = Approval { by: by.collect::<Result<_, _>>()?, message: None };
                until(Awaited::Approval(Arc::new(approval)), at, late)
            }
            None if text == "panic" => panic!("boom"),
            _ => Err(format!("`{text}` is no wait")),
        }
    }

    fn approved(&self, over: Option<&Actor>, _: Wall) -> Arc<[u8]> {
        over.map_or_else(Arc::default, |over| format!("{} {}", over.actor, over.reason).into_bytes().into())
    }

    fn parameters(&self, _: &Definition, given: &Payload) -> Result<Payload, String> {
        assert_ne!(&**given, b"panic", "boom");
        if &**given == b"long" {
            PARSED.set(PARSED.get() + (1 << 20));
        }
        Ok(given.clone())
    }

    fn take_parsed(&self) -> usize {
        PARSED.take()
    }
}

std::thread_local! {
    /// Parameters `long` take this much to read.
    static PARSED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

pub(super) fn work(payload: &'static str) -> NodeWork {
    let profile = Profile::new(crate::task::ProfileSpec { retry: RetryPolicy::never(), ..spec() });
    NodeWork::Task(TaskWork {
        profile,
        payload: payload.as_bytes().into(),
        priority: Priority::default(),
        labels: None,
        templated: payload.starts_with('t') || payload == "undefined",
    })
}

pub(super) fn node(name: &'static str, needs: &[u32]) -> Node {
    Node {
        name: Name::fixed(name),
        work: work("x"),
        needs: needs.to_vec(),
        rule: TriggerRule::AllSuccess,
        condition: None,
        each: None,
        repeat: None,
        undo: None,
        mentions: Vec::new(),
        output_kept: true,
        limits: Vec::new(),
        spawns: None,
        needs_jobs: Vec::new(),
    }
}

pub(super) fn ruled(name: &'static str, needs: &[u32], rule: TriggerRule) -> Node {
    Node { rule, ..node(name, needs) }
}

#[expect(clippy::unnecessary_wraps, reason = "as a node has it")]
pub(super) fn each(items: &'static str) -> Option<Each> {
    Some(Each {
        items: items.into(),
        active_max: u32::MAX,
        tolerance: Tolerance::NONE,
        on_empty: OnEmpty::Skip,
    })
}

/// Job `flow` with a run of it.
pub(super) struct Story {
    pub(super) rig: Rig,
    pub(super) run: RunId,
}

pub(super) fn key(name: &'static str) -> JobKey {
    JobKey { tenant: Name::fixed("acme"), name: Name::fixed(name) }
}

pub(super) fn flow(rig: &mut Rig, command: RunCommand) -> Result<RunAnswer, Rejection> {
    match rig.tell(Command::Run(Box::new(command)))? {
        Answer::Run(answer) => Ok(answer),
        other => panic!("{other:?}"),
    }
}

pub(super) fn apply(rig: &mut Rig, name: &'static str, plan: Plan) -> (u32, bool) {
    apply_with(rig, name, plan, Vec::new())
}

pub(in crate::engine::tests) fn apply_with(
    rig: &mut Rig,
    name: &'static str,
    plan: Plan,
    schedules: Vec<(Name, crate::schedule::Spec)>,
) -> (u32, bool) {
    apply_all(rig, name, plan, schedules, Vec::new())
}

pub(in crate::engine::tests) fn apply_all(
    rig: &mut Rig,
    name: &'static str,
    plan: Plan,
    schedules: Vec<(Name, crate::schedule::Spec)>,
    triggers: Vec<(Name, crate::trigger::TriggerSpec)>,
) -> (u32, bool) {
    let hash =
        format!("{plan:?}").bytes().fold(7, |hash: u128, byte| hash.wrapping_mul(31) + u128::from(byte));
    let definition = Definition { plan: Arc::new(plan), source: Arc::from(*b"{}"), hash };
    let own = crate::schedule::ScheduleHome::default();
    let schedules = schedules.into_iter().map(|(name, spec)| (name, spec, own)).collect();
    let job = ApplyJob { key: key(name), definition, schedules, triggers, seen: None };
    match flow(rig, RunCommand::ApplyJobs(vec![job])) {
        Ok(RunAnswer::JobsApplied(stored)) => (stored[0].version, stored[0].changed),
        other => panic!("{other:?}"),
    }
}

pub(super) fn trigger(rig: &mut Rig, name: &'static str) -> RunId {
    let number = rig.next_id().bits() as u64;
    let id = RunId::new(super::START, Bucket::home(Group::ZERO), number);
    let trigger = TriggerRun {
        id,
        job: key(name),
        parameters: Arc::from(*b"{}"),
        priority: None,
        labels: None,
        key: None,
        trigger: StartedBy::Manual,
        logical_time: None,
    };
    flow(rig, RunCommand::Trigger(Box::new(trigger))).expect("accepted");
    id
}

/// Bounds that never slow a story down.
pub(super) fn wide() -> Bounds {
    Bounds { release_per_second: u32::MAX, active_runs_max: u32::MAX, ..Bounds::default() }
}

pub(super) fn plan(nodes: Vec<Node>, policy: FailurePolicy) -> Plan {
    Plan::new(nodes, policy, wide(), None)
}

pub(in crate::engine::tests) fn with_words() -> Rig {
    let mut rig = rig();
    rig.engine.set_evaluate(Arc::new(Words));
    rig.hello(1, 1, 1, &[]);
    rig
}

pub(super) fn story(plan: Plan) -> Story {
    let mut rig = with_words();
    apply(&mut rig, "flow", plan);
    let run = trigger(&mut rig, "flow");
    Story { rig, run }
}

impl Story {
    pub(super) fn run(&self) -> &Run {
        self.rig.engine.state().job_runs().run(self.run).expect("the run is in memory")
    }

    pub(super) fn index(&self, name: &str) -> u32 {
        self.run().find(name).expect("a node of this name")
    }

    pub(super) fn node(&self, name: &str) -> NodeStatus {
        self.run().node(self.index(name)).status
    }

    pub(super) fn task(&self, name: &str) -> TaskId {
        self.run().task_at(self.index(name), NodeInstance::WHOLE)
    }

    pub(super) fn item(&self, name: &str, index: u32) -> TaskId {
        self.run().task_at(self.index(name), index)
    }

    #[track_caller]
    pub(super) fn succeed(&mut self, name: &str) {
        let task = self.task(name);
        self.rig.report(task, OK);
    }

    #[track_caller]
    pub(super) fn give(&mut self, name: &str, output: &'static str) {
        let (task, output) = (self.task(name), Some(output.as_bytes().into()));
        self.rig.report(task, crate::task::decide::ReportKind::Succeeded { output });
    }

    #[track_caller]
    pub(super) fn fail(&mut self, name: &str) {
        let task = self.task(name);
        self.rig.report(task, failed(FailureClass::Transient));
    }

    pub(super) fn started(&self, name: &str) -> bool {
        self.rig.starts(self.task(name)) > 0
    }

    #[track_caller]
    pub(super) fn assert_ended(&self, status: RunStatus) {
        let run = self.run();
        assert_eq!(run.status, status, "{:?}", run.nodes);
        assert!(run.nodes.iter().all(|node| node.status.end().is_some()), "I20: {:?}", run.nodes);
        assert_eq!((run.unfinished, run.out), (0, 0));
    }
}

/// Equal but for what is soft; and the counters are what the nodes say (RN-1).
#[track_caller]
pub(super) fn assert_same(run: &Run, folded: &Run) {
    let hard = |run: &Run| {
        let mut run = run.clone();
        (run.touched, run.stored) = (crate::values::Seq::ZERO, crate::collections::Soft(false));
        run
    };
    assert_eq!(hard(run), hard(folded));
    let unfinished = run.nodes.iter().filter(|node| node.status.end().is_none()).count();
    assert_eq!(run.unfinished as usize, unfinished);
    for (index, NodeState { ends, .. }) in run.nodes.iter().enumerate() {
        let needs = &run.plan.nodes()[index].needs;
        let ended = needs.iter().filter(|need| run.node(**need).status.end().is_some()).count();
        if run.started > Wall::ZERO {
            assert_eq!(ends.done() as usize, ended, "node {index}");
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as a node has it")]
pub(super) fn repeat(until: &'static str, rounds_max: u32, pause: u64) -> Option<Repeat> {
    Some(Repeat { until: until.into(), rounds_max, pause: Millis::new(pause) })
}

/// Puts the journal so far into a new engine, as after a crash.
pub(super) fn crash(story: &mut Story) {
    let mut reborn = Rig::with(crate::engine::EngineConfig::default());
    reborn.engine.set_evaluate(Arc::new(Words));
    (reborn.now, reborn.ids) = (story.rig.now, story.rig.ids);
    let events = std::mem::take(&mut story.rig.events);
    reborn.begin();
    for event in &events {
        crate::state::fold(&mut reborn.engine.state, event);
        crate::state::fold(&mut reborn.shadow, event);
    }
    reborn.start_epoch(2);
    reborn.engine.recover();
    reborn.events = events;
    reborn.effects = std::mem::take(&mut story.rig.effects);
    story.rig = reborn;
    let held: Vec<_> = (story.rig.engine.state().tasks().iter())
        .filter(|(_, task)| task.status().is_leased())
        .map(|(_, task)| (task.id, task.fence))
        .collect();
    story.rig.hello(1, 2, 1, &held);
    story.rig.pass(0);
}

#[test]
fn statuses_of_tasks_become_statuses_of_nodes() {
    let mut story = story(plan(vec![node("a", &[])], FailurePolicy::FailFast));
    let task = story.task("a");
    assert_eq!(story.rig.status(task), Status::Assigned);
    story.succeed("a");
    assert_eq!(story.node("a"), NodeStatus::Succeeded);
    story.assert_ended(RunStatus::Succeeded);
}
