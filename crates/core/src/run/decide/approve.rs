//! The word of a person lets a task that waits for approval go on, or fails it (WT-6).

use std::fmt::Write;

use super::RunAnswer;
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::run::approval::shown;
use crate::run::{ApprovalDecided, Run, RunEvent, RunRefusal};
use crate::task::{Task, TaskState};
use crate::values::{Actor, Name, NodeInstance, RunId, Wall};
use crate::wait::decide::failed;
use crate::wait::{Approval, Awaited, WaitEnd};

#[derive(Clone, PartialEq, Debug)]
pub struct Approve {
    pub run: RunId,
    /// `None`: the one that waits for approval.
    pub task: Option<Name>,
    /// Of a mapped task.
    pub item: Option<u32>,
    pub approved: bool,
    pub over: Actor,
    /// The run as history has it, when it had left memory.
    pub fact: Option<Box<Run>>,
}

pub(crate) fn decide(view: &View<'_>, approve: &Approve, out: &mut Out<'_>) -> Result<RunAnswer, Rejection> {
    let run = view.state.job_runs().run(approve.run).or(approve.fact.as_deref());
    let run = run.ok_or(RunRefusal::RunNotFound { id: approve.run })?;
    let place = match &approve.task {
        Some(name) => named(run, name, approve.item)?,
        None => only_one(view, run)?,
    };
    let answer = RunAnswer::Run { id: run.id, status: run.status };
    let name = || run.plan.node(place.node).name.clone();
    let item = crate::run::approval::item(place);
    let Some((task, approval)) = open(view, run, place) else {
        return match run.decision(place.node, place.index) {
            Some(before) if before.approved == approve.approved => Ok(answer),
            Some(before) => Err(RunRefusal::ApprovalAlreadyDecided {
                run: run.id,
                task: shown(&name(), item),
                approved: before.approved,
                by: before.over.actor.clone(),
            }
            .into()),
            None => Err(RunRefusal::NoApprovalOpen { run: run.id, task: Some(shown(&name(), item)) }.into()),
        };
    };
    if !approval.is_by(&approve.over.actor) && !view.breaks.approval_by_anybody {
        let (actor, by) = (approve.over.actor.clone(), approval.to_string());
        return Err(RunRefusal::ApproverNotAllowed { task: shown(&name(), item), actor, by }.into());
    }
    let (approved, over) = (approve.approved, approve.over.clone());
    let end = end(view, approved, &over);
    let decided = ApprovalDecided { run: run.id, place, approved, over };
    out.push(Event::Run(RunEvent::ApprovalDecided(Box::new(decided))));
    out.push(Event::WaitEnded { id: task.id, end });
    Ok(answer)
}

fn end(view: &View<'_>, approved: bool, over: &Actor) -> WaitEnd {
    if approved {
        return WaitEnd::Met(Some(view.evaluate.approved(Some(over), view.state.now.wall)));
    }
    let mut why = format!("rejected by `{}`", over.actor);
    if !over.reason.is_empty() {
        let _ = write!(why, ": {}", over.reason);
    }
    failed(&why)
}

fn named(run: &Run, name: &Name, item: Option<u32>) -> Result<NodeInstance, Rejection> {
    let none = || RunRefusal::NoSuchNode { run: run.id, name: name.clone() };
    let node = run.find(name).ok_or_else(none)?;
    let index = match (run.groups.get(&node), item) {
        (None, None) => NodeInstance::WHOLE,
        (Some(group), Some(item)) if item < group.count() => item,
        (Some(group), Some(item)) => {
            let (name, count) = (name.clone(), group.count());
            return Err(RunRefusal::NoSuchItem { run: run.id, name, item, count }.into());
        }
        (None, Some(_)) => return Err(RunRefusal::NoItems { run: run.id, name: name.clone() }.into()),
        (Some(_), None) => return Err(RunRefusal::ItemNotNamed { run: run.id, name: name.clone() }.into()),
    };
    Ok(run.place(node, index))
}

/// The one that waits, or that was decided if none waits.
fn only_one(view: &View<'_>, run: &Run) -> Result<NodeInstance, Rejection> {
    let waiting = view.wait_index.approvals_of(run.id).filter_map(|index| view.state.tasks.get(index));
    let open = waiting.filter_map(|task| waits(task, view.state.now.wall).map(|_| task));
    let mut open = open.filter_map(|task| task.in_run.as_deref()).map(|origin| origin.place);
    match (open.next(), open.next()) {
        (Some(place), None) => Ok(place),
        (Some(first), Some(second)) => {
            let mut tasks: Vec<String> = [first, second]
                .map(|place| shown(&run.plan.node(place.node).name, crate::run::approval::item(place)))
                .into();
            tasks.extend(open.next().map(|_| "others".to_owned()));
            Err(RunRefusal::SeveralApprovalsOpen { run: run.id, tasks: tasks.join(", ") }.into())
        }
        (None, _) => {
            let mut decided =
                run.decisions.keys().filter(|(node, index)| run.decision(*node, *index).is_some());
            match (decided.next(), decided.next()) {
                (Some((node, index)), None) => Ok(run.place(*node, *index)),
                _ => Err(RunRefusal::NoApprovalOpen { run: run.id, task: None }.into()),
            }
        }
    }
}

fn open<'a>(view: &View<'a>, run: &Run, place: NodeInstance) -> Option<(&'a Task, &'a Approval)> {
    let task = view.state.tasks().by_id(run.id.task(place))?;
    Some((task, waits(task, view.state.now.wall)?))
}

/// What it waits for, if that is approval. One whose time is over is the timer's.
fn waits(task: &Task, now: Wall) -> Option<&Approval> {
    match &task.state {
        TaskState::Waiting(wait) if wait.deadline > now => match &wait.what {
            Awaited::Approval(approval) => Some(approval),
            Awaited::Until(_) | Awaited::Run(_) | Awaited::Event(_) => None,
        },
        _ => None,
    }
}
