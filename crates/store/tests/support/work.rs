//! Big work, and a retry.

use std::sync::Arc;

use mainspring_core::event::{AfterFailure, Event};
use mainspring_core::job::JobKey;
use mainspring_core::operation::{
    Bulk, BulkVerb, Cursor, EndedPlace, OperationKind, RunSelector, Selection, Selector, StepCounts,
};
use mainspring_core::run::StartedBy;
use mainspring_core::task::Status;
use mainspring_core::values::{Actor, Elapsed, Name, OperationId, RunStatus, TaskId, Wall};

const WALL: Wall = Wall::from_millis(1_790_000_000_123);

fn name(text: &str) -> Name {
    Name::new(text).expect("a good name")
}

pub fn retry() -> AfterFailure {
    let due = Elapsed::from_millis(1000);
    AfterFailure::Retry { due, spend: true, memory_bytes: Some(1 << 31), delayed_by: None }
}

/// Of tasks, of tasks with every field, of runs, and of named jobs.
pub fn works() -> [OperationKind; 4] {
    let env = vec![(name("env"), name("prod"))];
    let over = Actor { actor: name("ops"), reason: name("ticket 7") };
    let bulk = |verb, of, over, total| {
        let words = r#"{"tenant":"acme"}"#.into();
        OperationKind::Bulk(Arc::new(Bulk { verb, of, before: WALL, over, total, words }))
    };
    let selector = Selector { tenant: name("acme"), labels: env.clone(), ..Selector::default() };
    let full_selector = Selector {
        tenant: name("acme"),
        job: name("mail"),
        pool: name("batch"),
        executor: name("http"),
        labels: [env.clone(), vec![(name("team"), name("größe"))]].concat(),
        statuses: vec![Status::Pending, Status::Queued, Status::RetryWait],
        fingerprint: Some(0x8123_4567_89ab_cdef),
        since: Some(WALL),
        until: Some(WALL),
    };
    let runs = RunSelector {
        tenant: name("acme"),
        job: name("mail"),
        labels: env,
        statuses: vec![RunStatus::Failed],
        started_by: Some(StartedBy::Schedule),
        since: Some(WALL),
        until: None,
    };
    let jobs = vec![JobKey { tenant: name("acme"), name: name("mail") }];
    let tasks = |selector| Selection::Tasks(Box::new(selector));
    [
        bulk(BulkVerb::CancelTasks { stop_running: true }, tasks(selector), None, None),
        bulk(BulkVerb::RetryTasks, tasks(full_selector), Some(over.clone()), Some(300)),
        bulk(BulkVerb::RetryRuns, Selection::Runs(Box::new(runs)), Some(over), None),
        bulk(BulkVerb::PauseJobs, Selection::Jobs(jobs), None, Some(1)),
    ]
}

pub fn operation_events(id: TaskId, over: Actor) -> Vec<(&'static str, Event)> {
    let ([work, full_work, of_runs, of_jobs], process) = (works(), OperationId::new(300));
    let counts = StepCounts { looked: 20_000, handled: 990, refused: 3 };
    vec![
        ("process_started", Event::OperationStarted { id: process, work }),
        ("process_started_full", Event::OperationStarted { id: process, work: full_work }),
        ("process_started_runs", Event::OperationStarted { id: process, work: of_runs }),
        ("process_started_jobs", Event::OperationStarted { id: process, work: of_jobs }),
        (
            "process_advanced_memory",
            Event::OperationAdvanced {
                id: process,
                cursor: Cursor::Memory(20_000),
                counts,
                refusal: Some("TASK_ALREADY_RUNNING: it runs".into()),
            },
        ),
        (
            "process_advanced_parked",
            Event::OperationAdvanced {
                id: process,
                cursor: Cursor::Parked(id),
                counts: StepCounts::default(),
                refusal: None,
            },
        ),
        (
            "process_advanced_ended",
            Event::OperationAdvanced {
                id: process,
                cursor: Cursor::Ended(EndedPlace { day: 20_000, id }),
                counts,
                refusal: None,
            },
        ),
        ("process_ended", Event::OperationEnded { id: process, cancelled: None }),
        ("process_cancelled", Event::OperationEnded { id: process, cancelled: Some(Box::new(over)) }),
    ]
}
