//! What an operation can be about.

use super::*;

pub fn work() -> impl Strategy<Value = OperationKind> {
    let names = (name(), name(), name(), name());
    let labels = vec((name(), name()), 0..4);
    let statuses = vec(select(Status::ALL.to_vec()), 0..4);
    let tasks = (names, labels, statuses, wall(), any::<bool>()).prop_map(
        |((tenant, job, pool, executor), labels, statuses, before, stop_running)| OperationKind::BulkCancel {
            selector: Box::new(Selector { tenant, job, pool, executor, labels, statuses }),
            before,
            stop_running,
        },
    );
    let runs = (name(), name(), option::of((name(), name())), wall(), option::of(over())).prop_map(
        |(tenant, job, label, before, over)| OperationKind::CancelRuns {
            selector: Box::new(RunSelector { tenant, job, label }),
            before,
            over,
        },
    );
    prop_oneof![tasks, runs, waits::end_waits().prop_map(OperationKind::EndWaits)]
}
