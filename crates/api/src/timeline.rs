//! Where the time of a run went: for each task when it waited, for what, and when it ran; and the critical path, the chain of
//! tasks that made the run take as long as it did.
//! Entry: [`Timeline::chosen`], then [`Timeline::of`]. Pure: the run, its tasks and the time come in as arguments.
//! - TI-1 the spans of a task follow each other: none overlaps another or ends before it begins
//! - TI-2 nothing is guessed: what the record does not tell apart has the wider word (`queue`, `wait`)

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::job::NodeWork;
use mainspring_core::run::Run;
use mainspring_core::task::{AttemptRecord, Status, Task};
use mainspring_core::values::{AttemptDetails, FailureClass, Millis, Name, Wall};

use crate::wire::SeenRun;

/// Tasks of one answer.
pub(crate) const TASKS_MAX: usize = 1_000;

/// What a span of time was spent on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum SpentOn {
    /// Something that it needs had not ended.
    Upstream,
    /// It could have been released: the release rate of the run, a pause, another job.
    Release,
    /// No worker had room, or others went before.
    Queue,
    /// A named limit was full.
    Limit,
    Run,
    /// Backoff after a failed attempt.
    RetryWait,
    /// A time, an event, an approval; or what was between two attempts of which the record does not tell.
    Wait,
}

impl SpentOn {
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Upstream => "upstream",
            Self::Release => "release",
            Self::Queue => "queue",
            Self::Limit => "limit",
            Self::Run => "run",
            Self::RetryWait => "retry_wait",
            Self::Wait => "wait",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub on: SpentOn,
    pub from: Wall,
    pub to: Wall,
    /// The limit that was full.
    pub limit: Option<Name>,
}

#[derive(Debug)]
pub(crate) struct TaskTimes {
    pub node: u32,
    pub is_critical: bool,
    pub spans: Vec<Span>,
}

/// Tasks of a run that have begun, in the order in which they did.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub nodes: Vec<u32>,
    critical: BTreeSet<u32>,
    /// Others have begun, too.
    pub more: bool,
}

#[derive(Debug)]
pub(crate) struct Timeline {
    pub tasks: Vec<TaskTimes>,
    /// Along the critical path, what the tasks before it took left out.
    pub totals: BTreeMap<SpentOn, Millis>,
    pub at: Wall,
    pub more: bool,
}

impl Timeline {
    /// The critical path, and the tasks that began first.
    pub(crate) fn chosen(seen: &SeenRun, max: usize) -> Chosen {
        let begun =
            |node: &u32| seen.started(*node).is_some() && seen.run.reused.binary_search(node).is_err();
        let mut nodes: Vec<u32> = (0..seen.run.plan.len()).filter(begun).collect();
        let critical = critical_path(seen, &nodes);
        let more = nodes.len() > max;
        nodes.sort_by_key(|node| (Reverse(critical.contains(node)), seen.started(*node), *node));
        nodes.truncate(max);
        nodes.sort_by_key(|node| (seen.started(*node), *node));
        Chosen { nodes, critical, more }
    }

    /// Whether a task of a run is one task, not many items and no run of another job.
    pub(crate) fn has_task(run: &Run, node: u32) -> bool {
        matches!(run.plan.node(node).work, NodeWork::Task(_)) && !run.groups.contains_key(&node)
    }

    pub(crate) fn of(seen: &SeenRun, chosen: Chosen, tasks: &BTreeMap<u32, Task>, now: Wall) -> Self {
        let mut totals: BTreeMap<SpentOn, Millis> = BTreeMap::new();
        let mut times = Vec::with_capacity(chosen.nodes.len());
        for node in chosen.nodes {
            let spans = spans(seen, node, tasks.get(&node), now);
            let is_critical = chosen.critical.contains(&node);
            for span in spans.iter().filter(|span| is_critical && span.on != SpentOn::Upstream) {
                let total = totals.entry(span.on).or_default();
                *total = total.saturating_add(span.to.since(span.from));
            }
            times.push(TaskTimes { node, is_critical, spans });
        }
        Self { tasks: times, totals, at: now, more: chosen.more }
    }
}

/// From the task that ended last, or has not ended, back along what it needed that ended last.
fn critical_path(seen: &SeenRun, begun: &[u32]) -> BTreeSet<u32> {
    let end = |node: &u32| seen.ended(*node).unwrap_or(u32::MAX);
    let mut path = BTreeSet::new();
    let mut at = begun.iter().copied().max_by_key(end);
    while let Some(node) = at.filter(|node| path.insert(*node)) {
        let needs = seen.run.plan.node(node).needs.iter().copied();
        at = needs.filter(|need| seen.started(*need).is_some()).max_by_key(end);
    }
    path
}

fn spans(seen: &SeenRun, node: u32, task: Option<&Task>, now: Wall) -> Vec<Span> {
    let run = &*seen.run;
    let instant = |after: u32| run.created + Millis::new(after.into());
    let started = instant(seen.started(node).unwrap_or(0));
    let mut spans = Spans::from(if run.started > Wall::ZERO { run.started } else { run.created });
    if run.node(node).turn > 0 {
        // It was cleared: what was before that is no waiting.
        spans.at = task.map_or(started, |task| task.submitted);
    } else {
        let ends = run.plan.node(node).needs.iter().filter_map(|need| seen.ended(*need));
        spans.until(SpentOn::Upstream, ends.max().map_or(spans.at, instant).min(started));
    }
    if let Some(task) = task {
        of_task(&mut spans, task, now);
    } else {
        spans.until(SpentOn::Release, started);
        spans.until(SpentOn::Run, seen.ended(node).map_or(now, instant));
    }
    spans.found
}

fn of_task(spans: &mut Spans, task: &Task, now: Wall) {
    spans.until(SpentOn::Release, task.submitted);
    if task.attempts > 0 {
        spans.until(SpentOn::Wait, task.scheduled);
    }
    let mut known = 0;
    let mut after = SpentOn::Queue;
    for attempt in task.failures() {
        spans.before(
            if attempt.number == known + 1 { after } else { SpentOn::Wait },
            attempt.assigned,
            attempt.details.as_deref(),
        );
        spans.until(SpentOn::Run, attempt.ended);
        known = attempt.number;
        after = after_failure(attempt);
    }
    let ended = task.status().is_ended().then_some(task.changed);
    if task.attempts > known {
        let details = task.extra.as_ref().and_then(|extra| extra.details.as_deref());
        spans.before(if task.attempts == known + 1 { after } else { SpentOn::Wait }, task.started, details);
        if ended.is_some() || task.lease().is_some() {
            spans.until(SpentOn::Run, ended.unwrap_or(now));
        }
    }
    let rest = match task.status() {
        Status::Queued | Status::Assigned | Status::Running => SpentOn::Queue,
        Status::RetryWait => SpentOn::RetryWait,
        _ => SpentOn::Wait,
    };
    spans.until(rest, ended.unwrap_or(now));
}

/// What a task spends its time on until its next attempt.
fn after_failure(attempt: &AttemptRecord) -> SpentOn {
    match attempt.failure.class {
        FailureClass::WorkerLost | FailureClass::Preempted => SpentOn::Queue,
        _ => SpentOn::RetryWait,
    }
}

struct Spans {
    at: Wall,
    found: Vec<Span>,
}

impl Spans {
    const fn from(at: Wall) -> Self {
        Self { at, found: Vec::new() }
    }

    fn until(&mut self, on: SpentOn, to: Wall) {
        self.push(on, to, None);
    }

    /// The time before an attempt.
    fn before(&mut self, on: SpentOn, assigned: Wall, details: Option<&AttemptDetails>) {
        let limit = details.and_then(|details| details.waited_for.clone());
        let on = if limit.is_some() && on == SpentOn::Queue { SpentOn::Limit } else { on };
        self.push(on, assigned, limit);
    }

    fn push(&mut self, on: SpentOn, to: Wall, limit: Option<Name>) {
        if to > self.at {
            let from = std::mem::replace(&mut self.at, to);
            self.found.push(Span { on, from, to, limit });
        }
    }
}
