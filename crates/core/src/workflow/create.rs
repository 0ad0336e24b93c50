//! A run comes into being, with what it takes over from another.

use std::sync::Arc;

use super::apply::change;
use super::event::{Reused, RunCreated};
use super::group::Group;
use super::job::JobKey;
use super::plan::Plan;
use super::run::{NodeState, NodeStatus, Origin, Run, RunStatus, Soft};
use crate::schedule::{self, Made};
use crate::shard::ShardState;
use crate::time::Wall;

pub(super) fn create(state: &mut ShardState, created: &RunCreated) {
    let (seq, now) = (state.seq, state.now.wall);
    let plan = created.plan.clone().unwrap_or_else(|| newest_plan(state, &created.job));
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
        trigger: created.trigger,
        parent: created.parent,
        rerun_of: created.rerun_of,
        occasion: created.occasion.clone(),
        cause: created.cause.clone(),
        key: created.key,
        created: now,
        started: Wall::ZERO,
        ended: Wall::ZERO,
        changed: now,
        nodes: vec![NodeState::default(); nodes as usize],
        groups: std::collections::BTreeMap::new(),
        outputs: std::collections::BTreeMap::new(),
        output_bytes: 0,
        holds: std::collections::BTreeMap::new(),
        whys: std::collections::BTreeMap::new(),
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
        touched: seq,
        stored: false,
        soft: Soft::default(),
    };
    for reused in &created.reused {
        reuse(&mut run, reused, now);
    }
    if let Some(claim) = created.key {
        state.keys.bind(claim, crate::id::TaskId::from_bits(created.id.bits()), seq);
    }
    let (occasion, is_backfill) = (run.schedule(), run.is_backfill());
    let slot = state.flows.add(run);
    if let Some(schedule) = occasion {
        schedule::apply::began(state, schedule, Made::Run(created.id));
    }
    crate::trigger::apply::count(state, created.id, true);
    if let Some(job) = state.flows.jobs.get_mut(&created.job) {
        job.lanes.join(slot, is_backfill);
    }
    state.flows.jobs_called.push(created.job.clone());
    if let Some(origin) = created.parent {
        release_place(state, origin);
    }
}

fn release_place(state: &mut ShardState, Origin { run: parent, place }: Origin) {
    change(state, parent, |run, now| {
        run.begin_node(place.node, now);
        run.out += 1;
        if let Some(group) = run.groups.get_mut(&place.node) {
            group.release(place.index);
        }
    });
}

fn newest_plan(state: &ShardState, key: &JobKey) -> Arc<Plan> {
    state.flows.jobs.get(key).expect("EV-1: the job of a new run is in memory").definition.plan.clone()
}

fn reuse(run: &mut Run, reused: &Reused, now: Wall) {
    for (index, output) in &reused.outputs {
        run.keep_output(reused.node, *index, output.clone());
    }
    if let Some(count) = reused.items {
        let mut group = Group::new(0);
        group.items = vec![NodeStatus::Succeeded; count as usize];
        (group.released, group.succeeded) = (count, count);
        run.groups.insert(reused.node, group);
    }
    run.reused.push(reused.node);
    run.whys.insert(reused.node, "reused from the run that this one repeats".into());
    run.end_node(reused.node, reused.status, now);
}
