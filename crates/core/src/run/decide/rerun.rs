//! A run once more, as a new run: all of it, or only what failed or follows from a task; what stays is taken over with
//! its outputs.

use super::RunAnswer;
use super::clear::{failed, followers};
use super::signed::note;
use super::trigger::check_room;
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::job::Plan;
use crate::run::{
    MapItems, NodeStatus, Origin, Reused, Run, RunCreated, RunEvent, RunRefusal, StartedBy, Subject,
};
use crate::task::Payload;
use crate::values::{Actor, Band, Name, NodeInstance, RunId, RunStatus};

#[derive(Clone, PartialEq, Debug)]
pub struct Rerun {
    pub of: RunId,
    pub id: RunId,
    pub from: RerunFrom,
    /// `None`: those of the run that is repeated.
    pub parameters: Option<Payload>,
    /// On the job's newest version instead of the one it had.
    pub newest: bool,
    /// Noted on the new run.
    pub over: Option<Actor>,
    /// The run as history has it, when it had left memory.
    pub fact: Option<Box<Run>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RerunFrom {
    Start,
    Failure,
    Task(Name),
}

pub(crate) fn decide(view: &View<'_>, rerun: Rerun, out: &mut Out<'_>) -> Result<RunAnswer, Rejection> {
    if view.state.job_runs().run(rerun.id).is_some() {
        return Ok(RunAnswer::AlreadyTriggered { id: rerun.id });
    }
    let old = view.state.job_runs().run(rerun.of).or(rerun.fact.as_deref());
    let old = old.ok_or(RunRefusal::RunNotFound { id: rerun.of })?;
    if !old.status.is_ended() {
        return Err(RunRefusal::RunNotEnded { id: old.id, status: old.status }.into());
    }
    check_room(view)?;
    let job = view.job(&old.job)?;
    let (version, plan) = if rerun.newest || job.version == old.version {
        (job.version, None)
    } else {
        (old.version, Some(old.base().clone()))
    };
    let reused = reused(old, plan.as_deref().unwrap_or(&job.definition.plan), &rerun.from)?;
    let id = rerun.id;
    let origin = Origin {
        rerun_of: Some(old.id),
        // A window that is repeated is the same window, and what began it the same event.
        window: old.origin.window.clone(),
        logical_time: old.origin.logical_time,
        cause: old.origin.cause.clone(),
        ..Origin::of(StartedBy::Rerun)
    };
    let parameters = rerun.parameters.unwrap_or_else(|| old.parameters.clone());
    out.push(Event::Run(RunEvent::RunCreated(Box::new(RunCreated {
        plan,
        // Whoever repeats a run of a backfill wants it live.
        priority: old.priority.filter(|priority| priority.band != Band::Backfill),
        labels: old.labels.clone(),
        reused,
        ..RunCreated::new(id, old.job.clone(), version, parameters, origin)
    }))));
    let note = rerun.over.map(|over| note(Subject::Run(id), over, format!("runs `{}` again", old.id).into()));
    out.extend(note);
    Ok(RunAnswer::Run { id, status: RunStatus::Queued })
}

/// What of the old run still holds under the new plan. Nodes are matched by name.
fn reused(old: &Run, plan: &Plan, from: &RerunFrom) -> Result<Vec<Reused>, Rejection> {
    let again = match from {
        RerunFrom::Start => return Ok(Vec::new()),
        RerunFrom::Failure => failed(old),
        RerunFrom::Task(name) => {
            let node = old.find(name);
            vec![node.ok_or_else(|| RunRefusal::NoSuchNode { run: old.id, name: name.clone() })?]
        }
    };
    let mut again = again;
    if old.undone > 0 {
        again.extend(&old.undo);
    }
    // What was added is not in the plan of the new run: who had added it does so again.
    again.extend(old.additions().iter().filter(|added| !added.removed).map(|added| added.by));
    let again = followers(&old.plan, old.additions(), &again);
    let kept = |node: &u32| again.binary_search(node).is_err() && holds(old.node(*node).status);
    let by_name: std::collections::BTreeMap<&Name, u32> =
        (0..old.base().len()).filter(kept).map(|node| (&old.plan.node(node).name, node)).collect();
    let mut stays: Vec<Option<u32>> =
        plan.nodes().iter().map(|node| by_name.get(&node.name).copied()).collect();
    // A node that is new, or that needs one that is, runs.
    let fresh: Vec<u32> = (0..plan.len()).filter(|node| stays[*node as usize].is_none()).collect();
    for node in followers(plan, &[], &fresh) {
        stays[node as usize] = None;
    }
    let pairs = (0..plan.len()).zip(stays).filter_map(|(node, was)| Some((node, was?)));
    Ok(pairs.map(|(node, was)| taken_over(old, node, was)).collect())
}

fn holds(status: NodeStatus) -> bool {
    matches!(status, NodeStatus::Succeeded | NodeStatus::Skipped)
}

fn taken_over(old: &Run, node: u32, was: u32) -> Reused {
    let outputs = old.outputs.range((was, 0)..=(was, NodeInstance::WHOLE));
    Reused {
        node,
        status: old.node(was).status,
        outputs: outputs.map(|((_, index), output)| (*index, output.clone())).collect(),
        items: old.groups.get(&was).map(MapItems::count),
    }
}
