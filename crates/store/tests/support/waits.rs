//! Samples of tasks that only wait.

use mainspring_core::values::Pattern;
use mainspring_core::wait::{Approval, Awaited, EventMask, Late, Wait, WaitEnd};

use super::*;

fn waits(what: Awaited, late: Late) -> Wait {
    Wait { what, since: WALL, deadline: WALL + Millis::from_secs(60), late }
}

fn for_a_run() -> Wait {
    waits(Awaited::Run(RUN), Late::Fail)
}

pub fn waiting() -> (&'static str, Task) {
    ("state_waiting", task(TaskState::Waiting(Box::new(for_a_run()))))
}

fn for_an_event() -> Wait {
    let pattern = |text: &str, prefix| Pattern { text: text.into(), prefix };
    let mask = EventMask {
        kind: pattern("order.", true),
        source: Some(pattern("/shop", false)),
        subject: Some("größe".into()),
        condition: Some("event.data.n > 1".into()),
    };
    waits(Awaited::Event(Arc::new(mask)), Late::Skip)
}

fn for_approval() -> Wait {
    let by = ["anna", "release"].map(|name| Name::new(name).expect("a name")).into();
    let approval = Approval { by, message: Some("ausrollen?".into()) };
    waits(Awaited::Approval(Arc::new(approval)), Late::Reject)
}

pub fn wait_events() -> Vec<(&'static str, Event)> {
    let id = ID;
    let begun = |wait| Event::TaskWaits { id, wait: Box::new(wait) };
    let ended = |end| Event::WaitEnded { id, end };
    let failure = Failure::new(FailureClass::Timeout, 0, "zu spät");
    vec![
        ("task_waits_until", begun(waits(Awaited::Until(WALL), Late::Fail))),
        ("task_waits_run", begun(for_a_run())),
        ("task_waits_event", begun(for_an_event())),
        ("task_waits_approval", begun(for_approval())),
        ("wait_met", ended(WaitEnd::Met(Some(Arc::from(*b"{}"))))),
        ("wait_skipped", ended(WaitEnd::Skipped)),
        ("wait_failed", ended(WaitEnd::Failed(Box::new(failure)))),
    ]
}
