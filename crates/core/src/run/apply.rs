//! Folding what happened to jobs and runs into the state. Nothing here can refuse.

use std::sync::Arc;

use super::event::{JobApplied, Noted, RunEnded, RunEvent, Subject};
use super::map::MapItems;
use super::runs::{JobRuns, NewVersion};
use super::state::{NOTES_MAX, NodeStatus, Pause, Run, RunStop, StartedBy};
use crate::collections::Soft;
use crate::job::{Job, JobKey, LastRun, NodeWork, RecentRun};
use crate::task::{Payload, Status, TaskSpec};
use crate::values::{InRun, NodeInstance, Note, Revision, RunId, RunIndex, RunStatus, Stamp, Wall};
use crate::work::WorkList;

pub(crate) fn apply(runs: &mut JobRuns, at: Stamp, event: &RunEvent, work: &mut WorkList) {
    match event {
        RunEvent::JobApplied(applied) => apply_job(runs, at, applied, work),
        RunEvent::JobPaused { key, paused } => pause_job(runs, at, key, *paused, work),
        RunEvent::JobDeleted { key } => {
            // Nobody could let its waiting runs go on any more.
            change_job(runs, at, key, |job, now| (job.deleted, job.paused) = (Some(now), false));
            work.job(key.clone());
        }
        RunEvent::RunCreated(created) => super::create::create(runs, at, created, work),
        RunEvent::RunStarted { id } => start(runs, at, *id, work),
        RunEvent::NodeEnded { run, node, status, why } => change(runs, at, *run, work, |run, now| {
            if let Some(why) = why {
                run.whys.insert(*node, why.clone());
            }
            run.end_node(*node, *status, now);
        }),
        RunEvent::MapExpanded { run, node, count } => change(runs, at, *run, work, |run, now| {
            run.begin_node(*node, now);
            run.groups.insert(*node, MapItems::new(*count, run.node(*node).turn));
            run.list(*node);
        }),
        RunEvent::MapCut { run, node, why } => change(runs, at, *run, work, |run, now| {
            if let Some(why) = why {
                run.whys.insert(*node, why.clone());
            }
            cut_map(run, *node, now);
        }),
        RunEvent::RunPaused { id, pause } => {
            change(runs, at, *id, work, |run, _| run.pause = Some(pause.clone()));
        }
        RunEvent::RunResumed { id } => change(runs, at, *id, work, |run, _| {
            if let Some(Pause::FanOut { count, .. }) = run.pause.take() {
                run.fan_out_allowed = run.fan_out_allowed.max(count);
            }
            // Rounds that were over while it was paused are judged now.
            (0..run.plan.len()).for_each(|node| run.list(node));
        }),
        RunEvent::RunStopping { id, stop } => change(runs, at, *id, work, |run, _| stop_run(run, *stop)),
        RunEvent::RunForced { id, status, over } => change(runs, at, *id, work, |run, now| {
            run.note(now, over.clone(), format!("forced to {}", status.label()).into());
            run.forced = Some(*status);
            stop_run(run, RunStop::Cancel);
        }),
        RunEvent::UndoSkipped { run, node, why } => change(runs, at, *run, work, |run, _| {
            run.undone += 1;
            run.whys.insert(*node, why.clone());
        }),
        RunEvent::RunEnded(ended) => end(runs, at, ended, work),
        RunEvent::RunCleared(cleared) => super::reopen::clear(runs, at, cleared, work),
        RunEvent::TasksAdded(added) => {
            change(runs, at, added.run, work, |run, now| run.grow(added.node, &added.nodes, now));
        }
        RunEvent::JobAwaited { run, node } => {
            change(runs, at, *run, work, |run, now| {
                run.holds.insert(*node, now);
            });
            runs.await_jobs(*run, *node);
        }
        RunEvent::ApprovalDecided(decided) => change(runs, at, decided.run, work, |run, now| {
            run.decide_approval(decided.place, decided.approved, &decided.over, now);
        }),
        RunEvent::Noted(noted) => note(runs, at, noted, work),
        RunEvent::RunReevaluated { id, over } => change(runs, at, *id, work, |run, now| {
            run.note(now, over.clone(), "looked at again".into());
            run.look_again();
        }),
    }
}

fn pause_job(runs: &mut JobRuns, at: Stamp, key: &Arc<JobKey>, paused: bool, work: &mut WorkList) {
    change_job(runs, at, key, |job, _| job.paused = paused);
    work.job(key.clone());
}

fn apply_job(runs: &mut JobRuns, at: Stamp, applied: &JobApplied, work: &mut WorkList) {
    let now = at.now.wall;
    let JobApplied { key, version, definition } = applied;
    runs.add_version(NewVersion {
        key: key.clone(),
        version: *version,
        definition: definition.clone(),
        at: now,
    });
    if runs.jobs.get(key).is_none() {
        let job = Job {
            id: key.id(),
            key: key.clone(),
            version: *version,
            definition: definition.clone(),
            paused: false,
            deleted: None,
            created: now,
            changed: now,
            last: None,
            succeeded: None,
            recent: Vec::new(),
            notes: Vec::new(),
            touched: at.seq,
            lanes: Soft::default(),
        };
        return runs.jobs.add(job, at);
    }
    change_job(runs, at, key, |job, _| {
        job.version = *version;
        job.definition = definition.clone();
        job.deleted = None;
    });
    work.job(key.clone());
}

fn change_job(runs: &mut JobRuns, at: Stamp, key: &JobKey, act: impl FnOnce(&mut Job, Wall)) {
    let job = runs.jobs.change(key, at).expect("EV-1: the job of an event is in memory");
    act(job, at.now.wall);
    job.changed = Revision::next(job.changed, at.now.wall);
}

fn note(runs: &mut JobRuns, at: Stamp, noted: &Noted, work: &mut WorkList) {
    let Noted { of, over, what } = noted;
    let (over, what) = (over.clone(), what.clone());
    match of {
        Subject::Job(key) => {
            // What it tells of is an edit by itself.
            let job = runs.jobs.change(key, at).expect("EV-1: the job of an event is in memory");
            keep(&mut job.notes, Note { at: at.now.wall, over, what });
        }
        Subject::Run(id) => change(runs, at, *id, work, |run, at| run.note(at, over, what)),
    }
}

fn keep(notes: &mut Vec<Note>, note: Note) {
    if notes.len() >= NOTES_MAX {
        notes.remove(0);
    }
    notes.push(note);
}

/// Changes a run, and has it looked at.
pub(crate) fn change(
    runs: &mut JobRuns,
    at: Stamp,
    id: RunId,
    work: &mut WorkList,
    act: impl FnOnce(&mut Run, Wall),
) {
    let index = runs.runs.find(id).expect("EV-1: the run of an event is in memory");
    change_at(runs, at, index, work, act);
}

pub(crate) fn change_at(
    runs: &mut JobRuns,
    at: Stamp,
    index: RunIndex,
    work: &mut WorkList,
    act: impl FnOnce(&mut Run, Wall),
) {
    let now = at.now.wall;
    runs.touch(index, at.seq, at.cut, now);
    let run = runs.runs.get_mut(index).expect("EV-1: a found slot is taken");
    act(run, now);
    work.run(index);
}

fn start(runs: &mut JobRuns, at: Stamp, id: RunId, work: &mut WorkList) {
    change(runs, at, id, work, |run, now| {
        run.status = RunStatus::Running;
        run.started = now;
        (0..run.plan.len()).for_each(|node| run.list(node));
    });
    let index = runs.runs.find(id).expect("EV-1: the run of an event is in memory");
    let run = runs.runs.get(index).expect("EV-1: a found slot is taken");
    let (key, is_backfill) = (run.job.clone(), run.is_backfill());
    if let Some(job) = runs.jobs.get_mut(&key) {
        job.lanes.leave(index, is_backfill);
        job.lanes.begin(is_backfill);
    }
}

fn cut_map(run: &mut Run, node: u32, now: Wall) {
    let tolerance = run.plan.node(node).each.as_ref().map(|each| each.tolerance);
    let Some(group) = run.groups.get_mut(&node) else { return };
    group.cut(NodeStatus::Cancelled);
    if let Some(outcome) = tolerance.and_then(|tolerance| group.outcome(tolerance)) {
        run.end_node(node, outcome, now);
    }
}

fn stop_run(run: &mut Run, stop: RunStop) {
    run.stop = Some(stop);
    run.pause = None;
    run.soft.lists.stop_cursor = Some((0, 0));
    run.soft.lists.forget_ready();
}

fn end(runs: &mut JobRuns, at: Stamp, ended: &RunEnded, work: &mut WorkList) {
    let (id, status, output) = (ended.id, ended.status, ended.output.as_ref());
    let index = runs.runs.find(id).expect("EV-1: the run of an event is in memory");
    let mut was = RunStatus::Queued;
    change_at(runs, at, index, work, |run, now| {
        was = std::mem::replace(&mut run.status, status);
        run.ended = now;
        run.pause = None;
        run.output = output.cloned();
        run.why.clone_from(&ended.why);
        // Of a run that never began, or that was cut short.
        for (number, node) in run.nodes.iter_mut().enumerate().filter(|(_, node)| node.status.end().is_none())
        {
            node.status = NodeStatus::Cancelled;
            if let Some(group) = run.groups.get_mut(&(number as u32)) {
                group.cut(NodeStatus::Cancelled);
            }
        }
        run.holds.clear();
        run.recount();
    });
    let run = runs.runs.get(index).expect("EV-1: a found slot is taken");
    // One that an operator opened again has told its parent already.
    let parent = run.origin.parent.filter(|_| run.origin.started_by == StartedBy::Parent);
    let (key, ended, is_backfill) = (run.job.clone(), run.ended, run.is_backfill());
    let (version, took) = (run.version, ended.since(run.created));
    if let Some(job) = runs.jobs.change(&key, at) {
        job.last = Some(LastRun { id, status, at: ended });
        job.remember(RecentRun { id, status, version, took });
        if status == RunStatus::Succeeded {
            job.succeeded = Some(ended);
        }
        match was {
            RunStatus::Running => job.lanes.end(is_backfill),
            _ => job.lanes.leave(index, is_backfill),
        }
    }
    runs.stop_awaiting(index);
    if status == RunStatus::Succeeded {
        runs.job_succeeded(&key, work);
    }
    work.job(key);
    if let Some(origin) = parent {
        let status = match status {
            RunStatus::Succeeded => Status::Succeeded,
            RunStatus::Cancelled => Status::Cancelled,
            RunStatus::Failed | RunStatus::Queued | RunStatus::Running => Status::Failed,
        };
        place_ended(runs, at, origin, (status, output), work);
    }
}

/// A task of a run ended, or a run that a node had started.
pub(crate) fn place_ended(
    runs: &mut JobRuns,
    at: Stamp,
    origin: InRun,
    (status, output): (Status, Option<&Arc<[u8]>>),
    work: &mut WorkList,
) {
    let Some(index) = runs.runs.find(origin.run) else { return };
    change_at(runs, at, index, work, |run, now| run.place_ended(origin.place, status, output, now));
}

/// The run's part of a new task.
pub(crate) fn spawn(
    runs: &mut JobRuns,
    at: Stamp,
    (id, place): (RunId, NodeInstance),
    payload: Option<&Payload>,
    work: &mut WorkList,
) -> TaskSpec {
    let mut made = None;
    change(runs, at, id, work, |run, now| {
        made = Some(task_of(run, place, payload));
        run.out += 1;
        if place.index == NodeInstance::UNDO {
            return;
        }
        let state = run.node_mut(place.node);
        if place.turn > state.turn {
            (state.turn, state.rounds) = (place.turn, state.rounds + 1);
            // What the round before gave is in the row of its task, which no place of this run names any more.
            run.forget_outputs(place.node);
        }
        run.begin_node(place.node, now);
        if let Some(group) = run.groups.get_mut(&place.node) {
            group.release(place.index);
        }
    });
    made.expect("EV-1: the run was changed")
}

/// What a run gives a task of its own; permits are in its event.
fn task_of(run: &Run, place: NodeInstance, payload: Option<&Payload>) -> TaskSpec {
    let node = run.plan.node(place.node);
    let work = if place.index == NodeInstance::UNDO { node.undo.as_ref() } else { Some(&node.work) };
    let Some(NodeWork::Task(work)) = work else { unreachable!("EV-1: a spawned place has a task") };
    let payload = payload.unwrap_or(&work.payload).clone();
    let labels = match (&run.labels, &work.labels) {
        (Some(of_run), Some(of_task)) => Some(of_run.iter().chain(&**of_task).cloned().collect()),
        (of_run, of_task) => of_run.as_ref().or(of_task.as_ref()).cloned(),
    };
    let priority = run.priority.unwrap_or(work.priority);
    TaskSpec { profile: work.profile.clone(), payload, priority, labels, permits: None }
}

impl Run {
    pub(crate) fn note(&mut self, at: Wall, over: crate::values::Actor, what: Arc<str>) {
        keep(&mut self.notes, Note { at, over, what });
    }
}
