//! Samples of what runs have beyond their plan.

use super::*;

pub fn growth_events() -> Vec<(&'static str, Event)> {
    let (run, node, flow) = (RUN, 2, Event::Run);
    vec![
        (
            "map_cut",
            flow(RunEvent::MapCut { run, node, why: Some("item 3: template: `x` is undefined".into()) }),
        ),
        ("job_awaited", flow(RunEvent::JobAwaited { run, node })),
        ("run_noted", noted(Subject::Run(run), "paused")),
        ("job_noted", noted(Subject::Job(job_key()), "applied as version 3")),
        ("run_reevaluated", flow(RunEvent::RunReevaluated { id: run, over: over() })),
        (
            "approval_decided",
            flow(RunEvent::ApprovalDecided(Box::new(ApprovalDecided {
                run,
                place: NodeInstance { node, index: NodeInstance::WHOLE, turn: 1 },
                approved: true,
                over: over(),
            }))),
        ),
        ("tasks_added", flow(RunEvent::TasksAdded(Box::new(TasksAdded { run, node, nodes: added_nodes() })))),
    ]
}

fn noted(of: Subject, what: &str) -> Event {
    Event::Run(RunEvent::Noted(Box::new(Noted { of, over: over(), what: what.into() })))
}

pub fn added_nodes() -> Vec<Node> {
    vec![
        Node { needs: vec![0], ..plain_node("sixth") },
        Node { needs: vec![5], mentions: vec![0], spawns: Some("x".into()), ..plain_node("seventh") },
    ]
}

/// With tasks of its own, and some that were taken away.
pub fn grown_run() -> Run {
    let added = |by, first, waits, removed| Added { by, first, count: 2, waits, removed };
    let gone = vec![plain_node("sixth"), plain_node("gone")];
    let kept =
        vec![Node { needs: vec![0], ..plain_node("sixth") }, Node { needs: vec![7], ..plain_node("ninth") }];
    let base = Arc::new(full_plan());
    let additions = vec![added(0, 5, vec![], true), added(0, 7, vec![1, 3], false)];
    let (plan, own) = Additions::restore(base, additions, [gone, kept].concat());
    assert_eq!(plan.node(3).needs, [0, 1, 8], "it waits for the leaf");
    Run { own: Some(Box::new(own)), ..run_of(plan) }
}

/// That others wait for, and that somebody paused.
pub fn job() -> Job {
    Job {
        id: job_key().id(),
        key: job_key(),
        version: 3,
        definition: definition(),
        paused: true,
        deleted: Some(WALL),
        created: WALL,
        changed: WALL,
        last: Some(LastRun { id: RUN, status: RunStatus::Cancelled, at: WALL }),
        touched: Seq::new(300),
        succeeded: Some(WALL),
        notes: vec![Note { at: WALL, over: over(), what: "paused".into() }],
        recent: vec![RecentRun { id: RUN, status: RunStatus::Cancelled, version: 3, took: Millis::new(300) }],
        lanes: Soft::default(),
    }
}

pub fn decision(turn: u32, approved: bool) -> ApprovalDecision {
    ApprovalDecision { turn, approved, over: over(), at: WALL }
}

pub fn tight_bounds() -> Bounds {
    Bounds {
        active_runs_max: 1,
        running_max: 300,
        fan_out_max: 70_000,
        release_per_second: 2,
        expected: Some(Millis::new(5)),
        timeout: Some(Millis::from_secs(60)),
    }
}
