//! Folding what happened to jobs into the state.

use super::event::JobApplied;
use super::flows::NewVersion;
use super::job::{Job, JobKey, Lanes};
use crate::shard::ShardState;
use crate::time::Wall;

pub(super) fn apply(state: &mut ShardState, applied: &JobApplied) {
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
            touched: seq,
            lanes: Lanes::default(),
        });
        return;
    }
    change(state, key, |job, _| {
        job.version = *version;
        job.definition = definition.clone();
        job.deleted = None;
    });
    state.flows.jobs_called.push_back(key.clone());
}

pub(super) fn change(state: &mut ShardState, key: &JobKey, act: impl FnOnce(&mut Job, Wall)) {
    let (seq, now) = (state.seq, state.now.wall);
    let cut = state.cut();
    state.flows.touch_job(key, seq, cut);
    let job = state.flows.jobs.get_mut(key).expect("EV-1: the job of an event is in memory");
    act(job, now);
    job.changed = now;
}
