//! The next thing to decide in a run: which node ends without running, which is released, whether the run is over.
//! Looks at what was listed, never at the whole run, save for walks in bounded steps when it must stop.

use std::sync::Arc;

use super::awaits::{Needs, needs};
use super::child::child;
use super::finish::finish;
use super::grow::add_tasks;
use super::stop::stop_step;
use crate::decision::{Mark, Next, Out, View};
use crate::event::Event;
use crate::job::{Each, LimitUse, NodeWork, OnEmpty, RuleVerdict};
use crate::run::awaits::left;
use crate::run::{Evaluate, NodeStatus, Pause, Run, RunEvent, RunLists, RunStop, Scope};
use crate::state::State;
use crate::task::Payload;
use crate::values::{Millis, Name, NodeInstance, Now, Permit, Permits, RunIndex, RunStatus};

/// Runs inside runs inside runs.
pub const NESTING_MAX: u32 = 10;

/// One look at a run, which decides one thing. `lists`: what is to be looked at in this run, lent for the decision.
pub(crate) fn decide(view: &View<'_>, index: RunIndex, lists: &mut RunLists, out: &mut Out<'_>) -> Next {
    let now = view.state.now;
    let Some(run) = view.state.job_runs.runs.get(index).filter(|run| run.status == RunStatus::Running) else {
        return Next::Done;
    };
    if let Some(stop) = must_stop(run, now) {
        out.push(Event::Run(RunEvent::RunStopping { id: run.id, stop }));
        return Next::Again;
    }
    if lists.stop_cursor.is_some() {
        stop_step(view.state, run, lists, out);
        return Next::Again;
    }
    for node in run.overdue(now.wall) {
        if run.wants_look(node) {
            lists.list(node);
        }
    }
    while let Some(node) = lists.take_listed() {
        if let Some(event) = look(view, run, node, lists) {
            out.push(event);
            return Next::Again;
        }
    }
    if run.unfinished == 0 {
        if run.out > 0 {
            return Next::Done;
        }
        out.push(finish(run, view.evaluate));
        return Next::Again;
    }
    release(view, run, lists, out).unwrap_or_else(|| wait_for_timeout(run, now))
}

fn must_stop(run: &Run, now: Now) -> Option<RunStop> {
    if run.stop.is_some() {
        return None;
    }
    if run.must_stop_for_failure() {
        return Some(RunStop::Failed);
    }
    let timeout = run.plan.bounds.timeout?;
    (now.wall.since(run.started) >= timeout).then_some(RunStop::Timeout)
}

/// For the first of: its timeout, the end of a wait for another job, the instant it becomes late.
fn wait_for_timeout(run: &Run, now: Now) -> Next {
    let timeout = run.plan.bounds.timeout.filter(|_| run.stop.is_none()).map(|span| run.started + span);
    let first = [timeout, run.next_hold_end(now.wall), run.next_late()].into_iter().flatten().min();
    first.map_or(Next::Done, |at| Next::At(now.elapsed + left(at, now.wall)))
}

/// Something that a listed node waited for has happened.
fn look(view: &View<'_>, run: &Run, node: u32, lists: &mut RunLists) -> Option<Event> {
    let evaluate = view.evaluate;
    match run.node(node).status {
        NodeStatus::Waiting => match run.verdict(node) {
            RuleVerdict::Wait => None,
            RuleVerdict::Skip | RuleVerdict::UpstreamFailed if view.breaks.release_ignores_rule => {
                may_run(run, node, lists)
            }
            RuleVerdict::Skip => Some(ended(run, node, NodeStatus::Skipped, None)),
            RuleVerdict::UpstreamFailed => Some(ended(run, node, NodeStatus::UpstreamFailed, None)),
            RuleVerdict::Run => may_run(run, node, lists),
        },
        // The next round begins when the run goes on.
        NodeStatus::Judged if run.pause.is_some() => None,
        NodeStatus::Judged if run.plan.node(node).spawns.is_some() => Some(add_tasks(run, node, evaluate)),
        NodeStatus::Judged => Some(judge(run, node, view.state.now, evaluate)),
        NodeStatus::Out => {
            lists.make_ready(node);
            None
        }
        NodeStatus::Succeeded
        | NodeStatus::Failed
        | NodeStatus::UpstreamFailed
        | NodeStatus::Skipped
        | NodeStatus::Cancelled => None,
    }
}

fn may_run(run: &Run, node: u32, lists: &mut RunLists) -> Option<Event> {
    match run.stop {
        None => {}
        Some(RunStop::Failed) if run.plan.node(node).rule.answers_failure() => {}
        Some(RunStop::Failed) => {
            return Some(ended(run, node, NodeStatus::Skipped, Some("the run had failed".into())));
        }
        Some(RunStop::Cancel | RunStop::Timeout) => {
            return Some(ended(run, node, NodeStatus::Cancelled, None));
        }
    }
    lists.make_ready(node);
    None
}

pub(crate) fn ended(run: &Run, node: u32, status: NodeStatus, why: Option<Arc<str>>) -> Event {
    Event::Run(RunEvent::NodeEnded { run: run.id, node, status, why })
}

pub(crate) fn failed(run: &Run, node: u32, what: &str, why: &str) -> Event {
    ended(run, node, NodeStatus::Failed, Some(short(&format!("{what}: {why}"))))
}

/// As much of a reason as a run keeps.
fn short(why: &str) -> Arc<str> {
    why.chars().take(500).collect::<String>().into()
}

/// A round of a loop is over.
fn judge(run: &Run, node: u32, now: Now, evaluate: &dyn Evaluate) -> Event {
    let spec = run.plan.node(node);
    let (Some(repeat), NodeWork::Task(work)) = (&spec.repeat, &spec.work) else {
        return ended(run, node, NodeStatus::Succeeded, None);
    };
    match evaluate.condition(&repeat.until, &Scope::of_node(run, node)) {
        Err(why) => failed(run, node, "repeat.until", &why),
        Ok(true) => ended(run, node, NodeStatus::Succeeded, None),
        Ok(false) if run.stop.is_some() => ended(run, node, NodeStatus::Cancelled, None),
        Ok(false) if run.node(node).rounds + 1 >= repeat.rounds_max => {
            let why = format!("`{}` was not met in {} rounds", repeat.until, repeat.rounds_max);
            failed(run, node, "repeat", &why)
        }
        Ok(false) => {
            let payload =
                match render(work.templated, &work.payload, &work.profile.executor, evaluate, || {
                    Scope::of_node(run, node)
                }) {
                    Ok(payload) => payload,
                    Err(why) => return failed(run, node, "template", &why),
                };
            let permits = match permits(&spec.limits, evaluate, || Scope::of_node(run, node)) {
                Ok(permits) => permits,
                Err(why) => return failed(run, node, "limits", &why),
            };
            let place = NodeInstance { node, index: NodeInstance::WHOLE, turn: run.node(node).turn + 1 };
            let due = (repeat.pause > Millis::ZERO).then(|| now.wall + repeat.pause);
            Event::TaskSpawned { run: run.id, place, due, payload, permits }
        }
    }
}

pub(crate) fn render<'a>(
    templated: bool,
    payload: &Payload,
    executor: &Name,
    evaluate: &dyn Evaluate,
    scope: impl FnOnce() -> Scope<'a>,
) -> Result<Option<Payload>, String> {
    if templated { evaluate.render(payload, executor, &scope()).map(Some) } else { Ok(None) }
}

/// The permits of a task for the limits that its node names, with their keys filled in.
fn permits<'a>(
    limits: &[LimitUse],
    evaluate: &dyn Evaluate,
    scope: impl Fn() -> Scope<'a>,
) -> Result<Option<Permits>, String> {
    if limits.is_empty() {
        return Ok(None);
    }
    let permit = |limit: &LimitUse| {
        let key = if limit.key.is_empty() {
            Name::default()
        } else {
            let text = evaluate.text(&limit.key, &scope())?;
            Name::new(&text).map_err(|bad| format!("the key of `{}`: {bad}", limit.name))?
        };
        Ok(Permit { limit: limit.name.clone(), key, max: limit.max })
    };
    limits.iter().map(permit).collect::<Result<Permits, String>>().map(Some)
}

/// Lets the first ready node go, if the run may. `None`: nothing is ready, or only an end can make room.
fn release(view: &View<'_>, run: &Run, lists: &mut RunLists, out: &mut Out<'_>) -> Option<Next> {
    let (state, evaluate, breaks) = (view.state, view.evaluate, view.breaks);
    let now = state.now.elapsed;
    let rates = (run.plan.bounds.release_per_second, view.limits.release_per_second);
    loop {
        let node = lists.first_ready()?;
        if run.pause.is_some() || run.out >= run.plan.bounds.running_max {
            return None;
        }
        // The last items of a mapped node may have ended while it stood here for others.
        let ready_still = match run.node(node).status {
            NodeStatus::Out => true,
            NodeStatus::Waiting => breaks.release_ignores_rule || run.verdict(node) == RuleVerdict::Run,
            _ => breaks.join_twice,
        };
        if let Some(at) = lists.releases.await_turn(out.pace, now, rates) {
            return Some(Next::At(at));
        }
        let decision = match (ready_still, run.node(node).status) {
            (false, _) => Release::Leave,
            (true, NodeStatus::Waiting) if !run.plan.node(node).needs_jobs.is_empty() => {
                hold_or_release(state, run, node, evaluate)
            }
            (true, _) => release_node(state, run, node, evaluate),
        };
        if matches!(decision, Release::Leave) && run.holds.contains_key(&node) {
            out.mark(Mark::AwaitsJobs { run: run.id, node });
        }
        if !matches!(&decision, Release::Item(_) | Release::Stay(_)) {
            lists.drop_first_ready();
        }
        match decision {
            Release::Leave => {}
            Release::Task(event) | Release::Item(event) => {
                lists.releases.count(out.pace, now, rates);
                out.push(event);
                return Some(Next::Again);
            }
            Release::Stay(event) | Release::Ends(event) => {
                out.push(event);
                return Some(Next::Again);
            }
        }
    }
}

enum Release {
    /// Not now; whoever can change that lists the node again.
    Leave,
    /// The node's task goes.
    Task(Event),
    /// An item goes, the node stays for the others.
    Item(Event),
    Stay(Event),
    Ends(Event),
}

/// A node that needs other jobs.
fn hold_or_release(state: &State, run: &Run, node: u32, evaluate: &dyn Evaluate) -> Release {
    match needs(&state.job_runs.jobs, run, node, state.now.wall) {
        Needs::Met => release_node(state, run, node, evaluate),
        Needs::Begin(event) => Release::Ends(event),
        Needs::Wait => Release::Leave,
        Needs::Over(why) => Release::Ends(failed(run, node, "needs_jobs", &why)),
    }
}

fn release_node(state: &State, run: &Run, node: u32, evaluate: &dyn Evaluate) -> Release {
    let spec = run.plan.node(node);
    if let (Some(each), NodeStatus::Out) = (&spec.each, run.node(node).status) {
        return release_item(state, run, node, each, evaluate);
    }
    let scope = Scope::of_node(run, node);
    match spec.condition.as_ref().map(|condition| evaluate.condition(condition, &scope)) {
        None | Some(Ok(true)) => {}
        Some(Ok(false)) => {
            return Release::Ends(ended(
                run,
                node,
                NodeStatus::Skipped,
                Some("its condition was false".into()),
            ));
        }
        Some(Err(why)) => return Release::Ends(failed(run, node, "condition", &why)),
    }
    match &spec.each {
        Some(each) => expand(run, node, each, evaluate),
        None => match start(state, run, node, NodeInstance::WHOLE, evaluate) {
            Ok(event) => Release::Task(event),
            Err(failure) => Release::Ends(failure),
        },
    }
}

fn expand(run: &Run, node: u32, each: &Each, evaluate: &dyn Evaluate) -> Release {
    let max = run.plan.bounds.fan_out_max.max(run.fan_out_allowed);
    match evaluate.count(&each.items, &Scope::of_node(run, node)) {
        Err(why) => Release::Ends(failed(run, node, "for_each", &why)),
        Ok(0) => {
            let status = match each.on_empty {
                OnEmpty::Skip => NodeStatus::Skipped,
                OnEmpty::Succeed => NodeStatus::Succeeded,
            };
            Release::Ends(ended(run, node, status, Some("its list was empty".into())))
        }
        Ok(count) if count > max => {
            let pause = Pause::FanOut { node, count, max };
            Release::Stay(Event::Run(RunEvent::RunPaused { id: run.id, pause }))
        }
        Ok(count) => Release::Stay(Event::Run(RunEvent::MapExpanded { run: run.id, node, count })),
    }
}

fn release_item(state: &State, run: &Run, node: u32, each: &Each, evaluate: &dyn Evaluate) -> Release {
    let Some((group, next)) = run.groups.get(&node).and_then(|group| Some((group, group.next()?))) else {
        return Release::Leave;
    };
    let given_up = run.stop.is_some() && !run.plan.node(node).rule.answers_failure();
    // What somebody cleared runs also beside others that failed.
    if given_up || group.again.is_empty() && group.is_lost(each.tolerance) {
        return Release::Ends(Event::Run(RunEvent::MapCut { run: run.id, node, why: None }));
    }
    if group.live >= each.active_max {
        return Release::Leave;
    }
    match start(state, run, node, next, evaluate) {
        Ok(event) => Release::Item(event),
        Err(failure) => Release::Ends(failure),
    }
}

/// The event that begins the work at this place, or the one that says why it cannot begin.
fn start(state: &State, run: &Run, node: u32, index: u32, evaluate: &dyn Evaluate) -> Result<Event, Event> {
    let place = run.place(node, index);
    let scope = || match index {
        NodeInstance::WHOLE => Scope::of_node(run, node),
        index => Scope::of_item(run, node, index),
    };
    match &run.plan.node(node).work {
        NodeWork::Task(work) => {
            let payload = render(work.templated, &work.payload, &work.profile.executor, evaluate, scope)
                .map_err(|why| unable(run, node, index, "template", &why))?;
            let permits = permits(&run.plan.node(node).limits, evaluate, scope)
                .map_err(|why| unable(run, node, index, "limits", &why))?;
            Ok(Event::TaskSpawned { run: run.id, place, due: None, payload, permits })
        }
        NodeWork::Run { job, parameters, templated } => {
            let executor = Name::fixed("job");
            let given = render(*templated, parameters, &executor, evaluate, scope)
                .map_err(|why| unable(run, node, index, "template", &why))?
                .unwrap_or_else(|| parameters.clone());
            child(state, run, place, job, &given, evaluate)
                .map_err(|why| unable(run, node, index, "job", &why))
        }
    }
}

/// An item that cannot begin ends the whole node: its list or its template is wrong, not its work.
fn unable(run: &Run, node: u32, index: u32, what: &str, why: &str) -> Event {
    match run.groups.get(&node) {
        Some(group) if group.live > 0 || group.released > 0 => {
            let why = Some(short(&format!("item {index}: {what}: {why}")));
            Event::Run(RunEvent::MapCut { run: run.id, node, why })
        }
        Some(_) => failed(run, node, &format!("item {index}: {what}"), why),
        None => failed(run, node, what, why),
    }
}
