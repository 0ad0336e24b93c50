//! Writes events of jobs and runs.

use mainspring_core::run::{
    ItemsCleared, JobApplied, Noted, Reused, RunCleared, RunCreated, RunEnded, RunEvent, Subject,
};

use super::{names, origin, plan, run};
use crate::format::{EncodedProfiles, Writer};

/// First byte after the event's own type and version. Frozen: a number is never given away again.
pub(super) mod kind {
    pub const JOB_APPLIED: u8 = 1;
    pub const JOB_PAUSED: u8 = 2;
    pub const JOB_DELETED: u8 = 3;
    pub const RUN_CREATED: u8 = 4;
    pub const RUN_STARTED: u8 = 5;
    pub const NODE_ENDED: u8 = 6;
    pub const MAP_EXPANDED: u8 = 7;
    pub const MAP_CUT: u8 = 8;
    pub const RUN_PAUSED: u8 = 9;
    pub const RUN_RESUMED: u8 = 10;
    pub const RUN_STOPPING: u8 = 11;
    pub const RUN_FORCED: u8 = 12;
    pub const UNDO_SKIPPED: u8 = 13;
    pub const RUN_ENDED: u8 = 14;
    pub const RUN_CLEARED: u8 = 15;
    pub const TASKS_ADDED: u8 = 16;
    pub const JOB_AWAITED: u8 = 17;
    pub const RUN_REEVALUATED: u8 = 18;
    pub const JOB_NOTED: u8 = 19;
    pub const RUN_NOTED: u8 = 20;
    pub const APPROVAL_DECIDED: u8 = 21;
    pub const NEWEST: u8 = APPROVAL_DECIDED;
}

pub(in crate::format) fn write(w: &mut Writer<'_>, event: &RunEvent, profiles: &mut EncodedProfiles) {
    match event {
        RunEvent::JobApplied(applied) => write_applied(w, applied, profiles),
        RunEvent::JobPaused { key, paused } => {
            w.byte(kind::JOB_PAUSED);
            names::write_key(w, key);
            w.bool(*paused);
        }
        RunEvent::JobDeleted { key } => {
            w.byte(kind::JOB_DELETED);
            names::write_key(w, key);
        }
        RunEvent::RunCreated(created) => write_created(w, created, profiles),
        RunEvent::RunCleared(cleared) => write_cleared(w, cleared, profiles),
        RunEvent::RunEnded(ended) => write_ended(w, ended),
        RunEvent::Noted(noted) => write_noted(w, noted),
        RunEvent::ApprovalDecided(decided) => {
            on_run(w, kind::APPROVAL_DECIDED, decided.run.bits());
            run::write_place(w, decided.place);
            w.bool(decided.approved);
            w.over(&decided.over);
        }
        RunEvent::NodeEnded { run, node, status, why } => {
            on_node(w, kind::NODE_ENDED, run.bits(), *node);
            w.byte(*status as u8);
            w.option(why.as_deref(), Writer::text);
        }
        RunEvent::MapExpanded { run, node, count } => {
            on_node(w, kind::MAP_EXPANDED, run.bits(), *node);
            w.varint((*count).into());
        }
        RunEvent::MapCut { run, node, why } => {
            on_node(w, kind::MAP_CUT, run.bits(), *node);
            w.option(why.as_deref(), Writer::text);
        }
        RunEvent::JobAwaited { run, node } => on_node(w, kind::JOB_AWAITED, run.bits(), *node),
        RunEvent::TasksAdded(added) => {
            on_node(w, kind::TASKS_ADDED, added.run.bits(), added.node);
            w.varint(added.nodes.len() as u64);
            added.nodes.iter().for_each(|node| plan::write_node(w, node, profiles));
        }
        RunEvent::RunReevaluated { id, over } => {
            on_run(w, kind::RUN_REEVALUATED, id.bits());
            w.over(over);
        }
        RunEvent::UndoSkipped { run, node, why } => {
            on_node(w, kind::UNDO_SKIPPED, run.bits(), *node);
            w.text(why);
        }
        RunEvent::RunStarted { id } => on_run(w, kind::RUN_STARTED, id.bits()),
        RunEvent::RunPaused { id, pause } => {
            on_run(w, kind::RUN_PAUSED, id.bits());
            run::write_pause(w, pause);
        }
        RunEvent::RunResumed { id } => on_run(w, kind::RUN_RESUMED, id.bits()),
        RunEvent::RunStopping { id, stop } => {
            on_run(w, kind::RUN_STOPPING, id.bits());
            w.byte(*stop as u8);
        }
        RunEvent::RunForced { id, status, over } => {
            on_run(w, kind::RUN_FORCED, id.bits());
            w.byte(*status as u8);
            w.over(over);
        }
    }
}

fn on_run(w: &mut Writer<'_>, kind: u8, run: u128) {
    w.byte(kind);
    w.wide(run);
}

fn on_node(w: &mut Writer<'_>, kind: u8, run: u128, node: u32) {
    on_run(w, kind, run);
    w.varint(node.into());
}

fn write_applied(w: &mut Writer<'_>, applied: &JobApplied, profiles: &mut EncodedProfiles) {
    w.byte(kind::JOB_APPLIED);
    names::write_key(w, &applied.key);
    w.varint(applied.version.into());
    plan::write(w, &applied.definition.plan, profiles);
    w.bytes(&applied.definition.source);
    w.wide(applied.definition.hash);
}

fn write_created(w: &mut Writer<'_>, created: &RunCreated, profiles: &mut EncodedProfiles) {
    on_run(w, kind::RUN_CREATED, created.id.bits());
    names::write_key(w, &created.job);
    w.varint(created.version.into());
    w.bool(created.plan.is_some());
    if let Some(plan) = &created.plan {
        plan::write(w, plan, profiles);
    }
    w.bytes(&created.parameters);
    w.option(created.priority, Writer::priority);
    w.option(created.labels.as_ref(), |w, labels| w.labels(labels));
    w.option(created.key.as_ref(), Writer::key);
    origin::write(w, &created.origin);
    w.option(created.fired_by, origin::write_fired_by);
    w.list(&created.reused, write_reused);
}

fn write_reused(w: &mut Writer<'_>, reused: &Reused) {
    w.varint(reused.node.into());
    w.byte(reused.status as u8);
    w.list(&reused.outputs, |w, (index, output)| {
        w.varint((*index).into());
        w.bytes(output);
    });
    w.option(reused.items, |w, items| w.varint(items.into()));
}

fn write_cleared(w: &mut Writer<'_>, cleared: &RunCleared, profiles: &mut EncodedProfiles) {
    on_run(w, kind::RUN_CLEARED, cleared.id.bits());
    w.list(&cleared.nodes, |w, node| w.varint((*node).into()));
    w.list(&cleared.items, write_items);
    w.over(&cleared.over);
    w.bool(cleared.ended.is_some());
    if let Some(ended) = &cleared.ended {
        run::write_whole(w, ended, profiles);
    }
}

fn write_items(w: &mut Writer<'_>, ItemsCleared { node, items }: &ItemsCleared) {
    w.varint((*node).into());
    w.varint(items.len() as u64);
    // Ascending: the gaps are small.
    let mut next: u32 = 0;
    for item in items {
        w.varint(item.wrapping_sub(next).into());
        next = item.wrapping_add(1);
    }
}

fn write_noted(w: &mut Writer<'_>, noted: &Noted) {
    match &noted.of {
        Subject::Job(key) => {
            w.byte(kind::JOB_NOTED);
            names::write_key(w, key);
        }
        Subject::Run(id) => on_run(w, kind::RUN_NOTED, id.bits()),
    }
    w.over(&noted.over);
    w.text(&noted.what);
}

fn write_ended(w: &mut Writer<'_>, ended: &RunEnded) {
    on_run(w, kind::RUN_ENDED, ended.id.bits());
    w.byte(ended.status as u8);
    w.option(ended.output.as_deref(), Writer::bytes);
    w.option(ended.why.as_deref(), Writer::text);
}
