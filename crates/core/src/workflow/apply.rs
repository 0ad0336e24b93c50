//! Folding what happened to jobs and runs into the state. Nothing here can refuse.

use std::sync::Arc;

use super::event::{FlowEvent, JobApplied, Noted, RunEnded, Subject};
use super::flows::NewVersion;
use super::group::Group;
use super::job::{Job, JobKey, Lanes, LastRun};
use super::plan::Work;
use super::run::{NOTES_MAX, NodeStatus, Note, Origin, Pause, Run, RunStatus, RunStop, Trigger};
use super::table::RunSlot;
use crate::event::Change;
use crate::id::{Fence, Place, RunId, WorkerId};
use crate::index::TaskSlot;
use crate::schedule::{self, Made};
use crate::seat::Seats;
use crate::shard::ShardState;
use crate::task::{Cause, DueSince, Extra, Payload, State, Status, Task, arrow_exists};
use crate::time::Wall;

pub(crate) fn apply(state: &mut ShardState, event: &FlowEvent) {
    match event {
        FlowEvent::JobApplied(applied) => apply_job(state, applied),
        FlowEvent::JobPaused { key, paused } => pause_job(state, key, *paused),
        FlowEvent::JobDeleted { key } => {
            // Nobody could let its waiting runs go on any more.
            change_job(state, key, |job, now| (job.deleted, job.paused) = (Some(now), false));
            schedule::apply::job_deleted(state, key);
            crate::trigger::apply::job_deleted(state, key);
            state.flows.jobs_called.push(key.clone());
        }
        FlowEvent::RunCreated(created) => super::create::create(state, created),
        FlowEvent::RunStarted { id } => start(state, *id),
        FlowEvent::NodeEnded { run, node, status, why } => change(state, *run, |run, now| {
            if let Some(why) = why {
                run.whys.insert(*node, why.clone());
            }
            run.end_node(*node, *status, now);
        }),
        FlowEvent::MapExpanded { run, node, count } => change(state, *run, |run, now| {
            run.begin_node(*node, now);
            run.groups.insert(*node, Group::new(*count));
            run.list(*node);
        }),
        FlowEvent::MapCut { run, node, why } => change(state, *run, |run, now| {
            if let Some(why) = why {
                run.whys.insert(*node, why.clone());
            }
            cut_map(run, *node, now);
        }),
        FlowEvent::RunPaused { id, pause } => change(state, *id, |run, _| run.pause = Some(pause.clone())),
        FlowEvent::RunResumed { id } => change(state, *id, |run, _| {
            if let Some(Pause::FanOut { count, .. }) = run.pause.take() {
                run.fan_out_allowed = run.fan_out_allowed.max(count);
            }
            // Rounds that were over while it was paused are judged now.
            (0..run.plan.len()).for_each(|node| run.list(node));
        }),
        FlowEvent::RunStopping { id, stop } => change(state, *id, |run, _| stop_run(run, *stop)),
        FlowEvent::RunForced { id, status, over } => change(state, *id, |run, now| {
            run.note(now, over.clone(), format!("forced to {}", status.label()).into());
            run.forced = Some(*status);
            stop_run(run, RunStop::Cancel);
        }),
        FlowEvent::UndoSkipped { run, node, why } => change(state, *run, |run, _| {
            run.undone += 1;
            run.whys.insert(*node, why.clone());
        }),
        FlowEvent::RunEnded(ended) => end(state, ended),
        FlowEvent::RunCleared(cleared) => super::reopen::clear(state, cleared),
        FlowEvent::TasksAdded(added) => {
            change(state, added.run, |run, now| run.grow(added.node, &added.nodes, now));
        }
        FlowEvent::JobAwaited { run, node } => {
            change(state, *run, |run, now| {
                run.holds.insert(*node, now);
            });
            state.flows.await_jobs(*run, *node);
        }
        FlowEvent::Noted(noted) => note(state, noted),
        FlowEvent::RunReevaluated { id, over } => change(state, *id, |run, now| {
            run.note(now, over.clone(), "looked at again".into());
            run.look_again();
        }),
    }
}

fn pause_job(state: &mut ShardState, key: &Arc<JobKey>, paused: bool) {
    change_job(state, key, |job, _| job.paused = paused);
    if !paused {
        schedule::apply::job_resumed(state, key);
    }
    state.flows.jobs_called.push(key.clone());
}

fn apply_job(state: &mut ShardState, applied: &JobApplied) {
    let (seq, now) = (state.seq, state.now.wall);
    let JobApplied { key, version, definition } = applied;
    state.flows.add_version(NewVersion {
        key: key.clone(),
        version: *version,
        definition: definition.clone(),
        at: now,
    });
    if state.flows.jobs.get(key).is_none() {
        state.flows.add_job(Job {
            key: key.clone(),
            version: *version,
            definition: definition.clone(),
            paused: false,
            deleted: None,
            created: now,
            changed: now,
            last: None,
            succeeded: None,
            notes: Vec::new(),
            touched: seq,
            lanes: Lanes::default(),
        });
        return;
    }
    change_job(state, key, |job, _| {
        job.version = *version;
        job.definition = definition.clone();
        job.deleted = None;
    });
    state.flows.jobs_called.push(key.clone());
}

fn change_job(state: &mut ShardState, key: &JobKey, act: impl FnOnce(&mut Job, Wall)) {
    let (seq, now) = (state.seq, state.now.wall);
    let cut = state.cut();
    state.flows.touch_job(key, seq, cut);
    let job = state.flows.jobs.get_mut(key).expect("EV-1: the job of an event is in memory");
    act(job, now);
    job.changed = now;
}

fn note(state: &mut ShardState, noted: &Noted) {
    let Noted { of, over, what } = noted;
    let (over, what) = (over.clone(), what.clone());
    match of {
        Subject::Job(key) => change_job(state, key, |job, at| keep(&mut job.notes, Note { at, over, what })),
        Subject::Run(id) => change(state, *id, |run, at| run.note(at, over, what)),
    }
}

fn keep(notes: &mut Vec<Note>, note: Note) {
    if notes.len() >= NOTES_MAX {
        notes.remove(0);
    }
    notes.push(note);
}

/// Changes a run, and has it looked at.
pub(super) fn change(state: &mut ShardState, id: RunId, act: impl FnOnce(&mut Run, Wall)) {
    let slot = state.flows.runs.find(id).expect("EV-1: the run of an event is in memory");
    change_at(state, slot, act);
}

pub(super) fn change_at(state: &mut ShardState, slot: RunSlot, act: impl FnOnce(&mut Run, Wall)) {
    let (seq, now, cut) = (state.seq, state.now.wall, state.cut());
    state.flows.touch(slot, seq, cut, now);
    let run = state.flows.runs.get_mut(slot).expect("EV-1: a found slot is taken");
    act(run, now);
    state.flows.call(slot);
}

fn start(state: &mut ShardState, id: RunId) {
    change(state, id, |run, now| {
        run.status = RunStatus::Running;
        run.started = now;
        (0..run.plan.len()).for_each(|node| run.list(node));
    });
    let slot = state.flows.runs.find(id).expect("EV-1: the run of an event is in memory");
    let run = state.flows.runs.get(slot).expect("EV-1: a found slot is taken");
    let (key, is_backfill) = (run.job.clone(), run.is_backfill());
    if let Some(job) = state.flows.jobs.get_mut(&key) {
        job.lanes.leave(slot, is_backfill);
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
    run.soft.stop_cursor = Some((0, 0));
    run.forget_ready();
}

fn end(state: &mut ShardState, ended: &RunEnded) {
    let (id, status, output) = (ended.id, ended.status, ended.output.as_ref());
    let slot = state.flows.runs.find(id).expect("EV-1: the run of an event is in memory");
    let mut was = RunStatus::Queued;
    change_at(state, slot, |run, now| {
        was = std::mem::replace(&mut run.status, status);
        run.ended = now;
        run.pause = None;
        run.output = output.cloned();
        run.why.clone_from(&ended.why);
        // Of a run that never began, or that was cut short.
        for node in run.nodes.iter_mut().filter(|node| node.status.end().is_none()) {
            node.status = NodeStatus::Cancelled;
        }
        run.holds.clear();
        run.recount();
    });
    let run = state.flows.runs.get(slot).expect("EV-1: a found slot is taken");
    // One that an operator opened again has told its parent already.
    let parent = run.parent.filter(|_| run.trigger == Trigger::Parent);
    let (occasion, schedule) = (run.occasion.as_ref().map(|occasion| occasion.schedule), run.schedule());
    let (key, ended, is_backfill) = (run.job.clone(), run.ended, run.is_backfill());
    if state.flows.jobs.get(&key).is_some() {
        let (seq, cut) = (state.seq, state.cut());
        state.flows.touch_job(&key, seq, cut);
    }
    if let Some(job) = state.flows.jobs.get_mut(&key) {
        job.last = Some(LastRun { id, status, at: ended });
        if status == RunStatus::Succeeded {
            job.succeeded = Some(ended);
        }
        match was {
            RunStatus::Running => job.lanes.end(is_backfill),
            _ => job.lanes.leave(slot, is_backfill),
        }
    }
    if let Some(schedule) = schedule {
        schedule::apply::ended(state, schedule, Made::Run(id));
    }
    if let Some(schedule) = occasion.filter(|_| is_backfill) {
        crate::backfill::apply::run_ended(state, schedule, id, status);
    }
    crate::trigger::apply::count(state, id, false);
    state.flows.stop_awaiting(slot);
    if status == RunStatus::Succeeded {
        state.flows.job_succeeded(&key);
    }
    state.flows.jobs_called.push(key);
    if let Some(origin) = parent {
        let status = match status {
            RunStatus::Succeeded => Status::Succeeded,
            RunStatus::Cancelled => Status::Cancelled,
            RunStatus::Failed | RunStatus::Queued | RunStatus::Running => Status::Failed,
        };
        place_ended(state, origin, status, output);
    }
}

/// A task of a run ended, or a run that a node had started.
fn place_ended(state: &mut ShardState, origin: Origin, status: Status, output: Option<&Arc<[u8]>>) {
    let Some(slot) = state.flows.runs.find(origin.run) else { return };
    change_at(state, slot, |run, now| run.place_ended(origin.place, status, output, now));
}

/// To be called for every event after which a task has ended.
pub(crate) fn task_ended(state: &mut ShardState, slot: TaskSlot) {
    let Some(task) = state.tasks.get(slot) else { return };
    if let Some(occasion) = task.extra.as_ref().and_then(|extra| extra.occasion.as_ref()) {
        let (schedule, made) = (occasion.schedule, Made::Task(task.id));
        return schedule::apply::ended(state, schedule, made);
    }
    let Some(origin) = task.origin.as_deref().copied() else { return };
    let status = task.status();
    let output = task.extra.as_ref().and_then(|extra| extra.output.clone());
    place_ended(state, origin, status, output.as_ref());
}

/// A task of a run comes into being.
pub(crate) fn spawn(
    state: &mut ShardState,
    id: RunId,
    place: Place,
    due: Option<Wall>,
    (payload, seats): (Option<&Payload>, Option<&Seats>),
) -> Change {
    let mut made = None;
    let (seq, now) = (state.seq, state.now);
    change(state, id, |run, now| {
        made = Some(task_of(run, place, payload));
        run.out += 1;
        if place.index == Place::UNDO {
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
    let (profile, payload, priority, labels) = made.expect("EV-1: the run was changed");
    let task = Task {
        id: id.task(place),
        profile,
        payload,
        state: due.map_or(State::Queued, |due| State::Pending { due }),
        priority,
        cancel_requested: false,
        fence: Fence::NONE,
        worker: WorkerId::NONE,
        started: Wall::ZERO,
        attempts: 0,
        retries_spent: 0,
        version: 1,
        submitted: now.wall,
        changed: now.wall,
        touched: seq,
        stored: false,
        due: DueSince::default(),
        origin: Some(Box::new(Origin { run: id, place })),
        extra: (labels.is_some() || seats.is_some())
            .then(|| Box::new(Extra { labels, seats: seats.cloned(), ..Extra::default() })),
    };
    let to = task.status();
    debug_assert!(arrow_exists(None, Cause::Submitted, to));
    Change { slot: state.insert(task), from: None, to }
}

type Parts = (Arc<crate::profile::Profile>, Payload, crate::priority::Priority, Option<crate::task::Labels>);

fn task_of(run: &Run, place: Place, payload: Option<&Payload>) -> Parts {
    let node = run.plan.node(place.node);
    let work = if place.index == Place::UNDO { node.undo.as_ref() } else { Some(&node.work) };
    let Some(Work::Task(work)) = work else { unreachable!("EV-1: a spawned place has a task") };
    let payload = payload.unwrap_or(&work.payload).clone();
    let labels = match (&run.labels, &work.labels) {
        (Some(of_run), Some(of_task)) => Some(of_run.iter().chain(&**of_task).cloned().collect()),
        (of_run, of_task) => of_run.as_ref().or(of_task.as_ref()).cloned(),
    };
    (work.profile.clone(), payload, run.priority.unwrap_or(work.priority), labels)
}

impl Run {
    pub(super) fn note(&mut self, at: Wall, over: crate::task::Override, what: Arc<str>) {
        keep(&mut self.notes, Note { at, over, what });
    }
}
