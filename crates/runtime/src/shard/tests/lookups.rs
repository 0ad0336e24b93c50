//! Runs that tasks wait for and that only the tables know.

use mainspring_core::task::{Status, TaskState};
use mainspring_core::wait::{Awaited, Late, Wait};
use mainspring_store::format::{EncodedProfiles, write_task};

use super::super::paging::RUN_LOOKUPS_MAX;
use super::*;

const WAITS: u64 = 4 * RUN_LOOKUPS_MAX as u64 + 7;

/// A task whose row says that it waits for this run.
fn waiting(rig: &mut Rig, run: RunId) -> TaskId {
    let id = rig.submitted(StartTime::Now);
    let mut task = rig.task(id);
    let wait = Wait {
        what: Awaited::Run(run),
        since: Wall::from_millis(START),
        deadline: Wall::from_millis(START + 3_600_000),
        late: Late::Fail,
    };
    task.state = TaskState::Waiting(Box::new(wait));
    let mut bytes = Vec::new();
    write_task(&mut bytes, &task, &mut EncodedProfiles::default());
    let row = LiveRow { id, group: Group::ZERO, touched: task.touched, parked_due: None, bytes };
    rig.disk.live.insert(id, row);
    id
}

#[test]
fn look_ups_of_awaited_runs_are_bounded_and_all_answered() {
    let mut rig = rig_with(quiet());
    let ids: Vec<TaskId> =
        (0..WAITS).map(|n| waiting(&mut rig, RunId::new(START, Bucket::home(Group::ZERO), n))).collect();
    // The rows are those of a cut at the end of the journal.
    let last = rig.disk.records.last().map_or(Seq::ZERO, |record| record.seq);
    rig.disk.head.seq = last;
    rig.disk.head.now = rig.shard.engine().state().now;
    let mut rig = Rig::open(rig.disk, rig.config, 2, rig.ms);
    rig.step();
    assert_eq!(rig.run_lookups.len(), RUN_LOOKUPS_MAX, "the others wait for their turn");
    rig.run();
    assert_eq!(rig.run_lookups.len(), 0);
    for id in ids {
        assert_eq!(rig.task(id).status(), Status::Failed, "there is no such run");
    }
}
