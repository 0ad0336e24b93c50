//! A run comes into being, with what it takes over from another.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::apply::change;
use super::event::{Reused, RunCreated};
use super::map::MapItems;
use super::runs::JobRuns;
use super::state::{NodeState, NodeStatus, Run};
use crate::collections::Soft;
use crate::job::{JobKey, Plan};
use crate::values::{InRun, RunStatus, Stamp, Wall};
use crate::work::WorkList;

pub(crate) fn create(runs: &mut JobRuns, at: Stamp, created: &RunCreated, work: &mut WorkList) {
    let (seq, now) = (at.seq, at.now.wall);
    let plan = created.plan.clone().unwrap_or_else(|| newest_plan(runs, &created.job));
    let nodes = plan.len();
    let mut run = Run {
        id: created.id,
        job: created.job.clone(),
        version: created.version,
        plan,
        own: None,
        parameters: created.parameters.clone(),
        status: RunStatus::Queued,
        pause: None,
        stop: None,
        priority: created.priority,
        labels: created.labels.clone(),
        origin: created.origin.clone(),
        key: created.key,
        created: now,
        started: Wall::ZERO,
        ended: Wall::ZERO,
        changed: now,
        nodes: vec![NodeState::default(); nodes as usize],
        groups: BTreeMap::new(),
        outputs: BTreeMap::new(),
        output_bytes: 0,
        holds: BTreeMap::new(),
        whys: BTreeMap::new(),
        reused: Vec::new(),
        undo: Vec::new(),
        undone: 0,
        unfinished: nodes,
        failed: 0,
        out: 0,
        output: None,
        why: None,
        fan_out_allowed: 0,
        forced: None,
        notes: Vec::new(),
        decisions: BTreeMap::new(),
        touched: seq,
        stored: Soft(false),
        soft: Soft::default(),
    };
    for reused in &created.reused {
        reuse(&mut run, reused, now);
    }
    let is_backfill = run.is_backfill();
    let slot = runs.add(run);
    if let Some(job) = runs.jobs.get_mut(&created.job) {
        job.lanes.join(slot, is_backfill);
    }
    work.job(created.job.clone());
    if let Some(parent) = created.origin.parent {
        release_place(runs, at, parent, work);
    }
}

fn release_place(runs: &mut JobRuns, at: Stamp, InRun { run: parent, place }: InRun, work: &mut WorkList) {
    change(runs, at, parent, work, |run, now| {
        run.begin_node(place.node, now);
        run.out += 1;
        if let Some(group) = run.groups.get_mut(&place.node) {
            group.release(place.index);
        }
    });
}

fn newest_plan(runs: &JobRuns, key: &JobKey) -> Arc<Plan> {
    runs.jobs.get(key).expect("EV-1: the job of a new run is in memory").definition.plan.clone()
}

fn reuse(run: &mut Run, reused: &Reused, now: Wall) {
    for (index, output) in &reused.outputs {
        run.keep_output(reused.node, *index, output.clone());
    }
    if let Some(count) = reused.items {
        let items = vec![NodeStatus::Succeeded; count as usize];
        run.groups.insert(reused.node, MapItems::restore(items, (count, 0), (0, BTreeMap::new())));
    }
    run.reused.push(reused.node);
    run.whys.insert(reused.node, "reused from the run that this one repeats".into());
    run.end_node(reused.node, reused.status, now);
}
