//! Samples of runs.

use super::*;

/// As it comes back from bytes: counters that follow from the nodes are derived.
pub fn run_of(plan: Plan) -> Run {
    Run {
        id: RUN,
        job: job_key(),
        version: 3,
        nodes: vec![NodeState::default(); plan.nodes().len()],
        unfinished: plan.len(),
        plan: Arc::new(plan),
        own: None,
        parameters: Arc::from(*b"{}"),
        status: RunStatus::Queued,
        pause: None,
        stop: None,
        priority: None,
        labels: None,
        origin: Origin::of(StartedBy::Manual),
        key: None,
        created: WALL,
        started: Wall::ZERO,
        ended: Wall::ZERO,
        changed: WALL,
        groups: BTreeMap::new(),
        outputs: BTreeMap::new(),
        output_bytes: 0,
        holds: BTreeMap::new(),
        whys: BTreeMap::new(),
        reused: vec![],
        undo: vec![],
        undone: 0,
        failed: 0,
        out: 0,
        output: None,
        why: None,
        forced: None,
        fan_out_allowed: 0,
        notes: vec![],
        decisions: BTreeMap::new(),
        touched: Seq::new(300),
        stored: Soft(false),
        soft: Soft::default(),
    }
}

pub fn full_run() -> Run {
    let node = |status, turn, rounds| NodeState {
        status,
        turn,
        rounds,
        started: 5,
        ended: 300,
        ..NodeState::default()
    };
    let items = vec![
        NodeStatus::Succeeded,
        NodeStatus::Failed,
        NodeStatus::Out,
        NodeStatus::Waiting,
        NodeStatus::Waiting,
    ];
    let group = MapItems::restore(items, (4, 1), (1, BTreeMap::from([(0, 2), (3, 4)])));
    Run {
        status: RunStatus::Running,
        pause: Some(Pause::FanOut { node: 1, count: 9, max: 8 }),
        stop: Some(RunStop::Timeout),
        priority: Priority::new(Band::P2, 9),
        labels: Some(labels()),
        origin: Origin {
            parent: Some(origin()),
            rerun_of: Some(RunId::from_bits(5)),
            ..Origin::of(StartedBy::Parent)
        },
        key: Some(key()),
        started: WALL,
        ended: WALL,
        nodes: vec![
            node(NodeStatus::Succeeded, 0, 0),
            node(NodeStatus::Out, 1, 0),
            node(NodeStatus::Cancelled, 0, 0),
            node(NodeStatus::Judged, 3, 2),
            NodeState::default(),
        ],
        unfinished: 3,
        failed: 1,
        groups: [(1, group)].into(),
        outputs: [((0, NodeInstance::WHOLE), Arc::from(*b"own"))].into(),
        output_bytes: 3,
        holds: [(4, WALL)].into(),
        whys: [(2, "the run had failed".into())].into(),
        reused: vec![0],
        undo: vec![0],
        undone: 1,
        out: 2,
        output: Some(Arc::from(*b"{}")),
        why: Some("why".into()),
        forced: Some(RunStatus::Succeeded),
        fan_out_allowed: 9,
        notes: vec![Note { at: WALL, over: over(), what: "cleared".into() }],
        decisions: [
            ((4, NodeInstance::WHOLE), growth::decision(1, true)),
            ((1, 2), growth::decision(0, false)),
        ]
        .into(),
        ..run_of(full_plan())
    }
}
