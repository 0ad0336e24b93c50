//! What an operation can be about.

use super::*;

fn verb() -> impl Strategy<Value = BulkVerb> {
    prop_oneof![
        any::<bool>().prop_map(|stop_running| BulkVerb::CancelTasks { stop_running }),
        priority().prop_map(BulkVerb::SetPriority),
        select(vec![
            BulkVerb::RunTasksNow,
            BulkVerb::RetryTasks,
            BulkVerb::DiscardTasks,
            BulkVerb::CancelRuns,
            BulkVerb::PauseRuns,
            BulkVerb::ResumeRuns,
            BulkVerb::RetryRuns,
            BulkVerb::PauseJobs,
            BulkVerb::ResumeJobs,
            BulkVerb::DeleteJobs,
            BulkVerb::PauseSchedules,
            BulkVerb::ResumeSchedules,
            BulkVerb::CordonWorkers,
            BulkVerb::DrainWorkers,
            BulkVerb::UncordonWorkers,
        ]),
    ]
}

fn selection() -> impl Strategy<Value = Selection> {
    let labels = || vec((name(), name()), 0..4);
    let span = || (option::of(wall()), option::of(wall()));
    let statuses = vec(select(Status::ALL.to_vec()), 0..4);
    let names = (name(), name(), name(), name());
    let tasks = (names, labels(), statuses, option::of(number()), span()).prop_map(
        |((tenant, job, pool, executor), labels, statuses, fingerprint, (since, until))| {
            let selector =
                Selector { tenant, job, pool, executor, labels, statuses, fingerprint, since, until };
            Selection::Tasks(Box::new(selector))
        },
    );
    let started_by = option::of(select(vec![StartedBy::Manual, StartedBy::Backfill]));
    let statuses = vec(select(vec![RunStatus::Queued, RunStatus::Cancelled]), 0..3);
    let runs = (name(), name(), labels(), statuses, started_by, span()).prop_map(
        |(tenant, job, labels, statuses, started_by, (since, until))| {
            Selection::Runs(Box::new(RunSelector { tenant, job, labels, statuses, started_by, since, until }))
        },
    );
    let job = (name(), name()).prop_map(|(tenant, name)| JobKey { tenant, name });
    let schedule = (name(), name(), name()).prop_map(|(tenant, job, name)| ScheduleKey { tenant, job, name });
    prop_oneof![
        tasks,
        runs,
        vec(job, 0..3).prop_map(Selection::Jobs),
        vec(schedule, 0..3).prop_map(Selection::Schedules),
        vec(any::<u128>().prop_map(WorkerId::from_bits), 0..3).prop_map(Selection::Workers),
    ]
}

pub fn work() -> impl Strategy<Value = OperationKind> {
    let bulk = (verb(), selection(), wall(), option::of(over()), option::of(number()), ".{0,20}").prop_map(
        |(verb, of, before, over, total, words)| {
            OperationKind::Bulk(Arc::new(Bulk { verb, of, before, over, total, words: words.into() }))
        },
    );
    prop_oneof![bulk, waits::end_waits().prop_map(OperationKind::EndWaits)]
}

pub fn operation() -> impl Strategy<Value = Operation> {
    let counts = (number(), number(), number(), option::of(".{0,20}"));
    let ends = (wall(), option::of(wall()), option::of(over()));
    (work(), cursor(), number(), counts, ends, number()).prop_map(
        |(work, cursor, id, (looked, handled, refused, refusal), (started, ended, cancelled), touched)| {
            Operation {
                id: OperationId::new(id),
                work,
                cursor,
                looked,
                handled,
                refused,
                refusal: refusal.map(Into::into),
                started,
                ended,
                cancelled,
                touched: Seq::new(touched),
                stored: Soft(true),
            }
        },
    )
}
