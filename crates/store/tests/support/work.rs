//! Big work, and a retry.

use mainspring_core::event::AfterFailure;
use mainspring_core::operation::{OperationKind, RunSelector, Selector};
use mainspring_core::task::Status;
use mainspring_core::values::{Actor, Elapsed, Name, Wall};

const WALL: Wall = Wall::from_millis(1_790_000_000_123);

fn name(text: &str) -> Name {
    Name::new(text).expect("a good name")
}

pub fn retry() -> AfterFailure {
    let due = Elapsed::from_millis(1000);
    AfterFailure::Retry { due, spend: true, memory_bytes: Some(1 << 31), delayed_by: None }
}

/// A plain one, and one with every field.
pub fn works() -> [OperationKind; 3] {
    let env = vec![(name("env"), name("prod"))];
    let selector = Selector { tenant: name("acme"), labels: env.clone(), ..Selector::default() };
    let work = OperationKind::BulkCancel { selector: Box::new(selector), before: WALL, stop_running: true };
    let full_selector = Selector {
        tenant: name("acme"),
        job: name("mail"),
        pool: name("batch"),
        executor: name("http"),
        labels: [env, vec![(name("team"), name("größe"))]].concat(),
        statuses: vec![Status::Pending, Status::Queued, Status::RetryWait],
    };
    let full_work =
        OperationKind::BulkCancel { selector: Box::new(full_selector), before: WALL, stop_running: false };
    let selector =
        RunSelector { tenant: name("acme"), job: name("mail"), label: Some((name("env"), name("prod"))) };
    let over = Actor { actor: name("ops"), reason: name("ticket 7") };
    let cancel_runs =
        OperationKind::CancelRuns { selector: Box::new(selector), before: WALL, over: Some(over) };
    [work, full_work, cancel_runs]
}
