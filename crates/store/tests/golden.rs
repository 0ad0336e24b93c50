//! The frozen encodings. Each file in `tests/golden/` is what a value was, is and will be written as.
//! A new event or version adds files: `MAINSPRING_GOLDEN=add cargo test -p mainspring-store --test golden`
//! writes those that are missing. One that is there is never written again: that would break every journal out there.

#[path = "support/backfills.rs"]
mod backfills;
#[path = "support/frozen.rs"]
mod frozen;
#[path = "support/growth.rs"]
mod growth;
#[path = "support/runs.rs"]
mod runs;
#[path = "support/timing.rs"]
mod timing;
#[path = "support/waits.rs"]
mod waits;
#[path = "support/work.rs"]
mod work;

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::event::{AfterFailure, Event, Submitted};
use mainspring_core::job::{
    Bounds, Definition, Each, FailurePolicy, Job, JobKey, JobNeed, LastRun, LimitUse, Node, OnEmpty, Plan,
    RecentRun, Repeat, TaskWork, Tolerance, TriggerRule,
};
use mainspring_core::key::{KeyClaim, KeyScope};
use mainspring_core::retry::{Backoff, BudgetKind, ClassRule, Jitter, RetryOnly, RetryPolicy};
use mainspring_core::run::{
    Added, Additions, ApprovalDecided, ApprovalDecision, ItemsCleared, JobApplied, MapItems, NodeState,
    NodeStatus, Noted, Origin, Pause, Reused, Run, RunCleared, RunCreated, RunEnded, RunEvent, RunStop,
    StartedBy, Subject, TasksAdded,
};
use mainspring_core::task::{
    AttemptRecord, Delivery, Extra, Labels, Lease, LeaseSoft, Profile, ProfileSpec, Status, Stop, StopReason,
    Task, TaskChange, TaskNote, TaskSpec, TaskState, TimeLimits,
};
use mainspring_core::values::{
    Actor, AttemptDetails, BackfillId, Band, Elapsed, Epoch, Failure, FailureClass, Fence, FiredBy,
    FiredWindow, Group, InRun, Incarnation, LabelCondition, Millis, Name, NodeInstance, Note, Permit,
    Permits, Priority, Requirements, Resources, RunId, RunStatus, Seq, Session, TaskId, Wall, WorkerId,
};
use mainspring_store::format::{
    EncodedProfiles, FormatError, ProfileCache, VersionRef, job_version, read_events, read_job, read_plan,
    read_run, read_run_output, read_task, read_task_output, run_version, write_event, write_job, write_plan,
    write_run, write_task,
};

use self::frozen::{golden, hex};
use self::runs::{full_run, run_of};

const ID: TaskId = TaskId::from_bits(0x0199_0000_0001_7abc_8000_0000_0000_0001);
const FENCE: Fence = Fence::new(Epoch::new(3), 70_000);
const WORKER: WorkerId = WorkerId::from_bits(0xfeed_0000_0000_0000_0000_0000_0000_beef);
const WALL: Wall = Wall::from_millis(1_790_000_000_123);
const RUN: RunId = RunId::from_bits(0x0199_0000_0002_7def_8000_0000_0000_0002);

fn name(text: &str) -> Name {
    Name::new(text).expect("a good name")
}

fn plain_profile() -> Arc<Profile> {
    Profile::new(ProfileSpec { tenant: name("acme"), job: name("mail"), ..ProfileSpec::default() })
}

/// Every field away from its default.
fn full_profile() -> Arc<Profile> {
    let resources = Resources::default().with_custom([(name("licence"), 2), (name("arm"), 300)]);
    let mut resources = resources;
    (resources.cpu_milli, resources.memory_bytes) = (1500, 1 << 30);
    (resources.disk_bytes, resources.gpus) = (1 << 40, 1);
    let labels = vec![
        LabelCondition::Is(name("os"), name("linux")),
        LabelCondition::IsNot(name("tier"), name("spot")),
        LabelCondition::Has(name("ssd")),
    ];
    Profile::new(ProfileSpec {
        tenant: name("größe"),
        job: name("report"),
        executor: name("process"),
        requirements: Requirements { pool: name("batch"), resources, labels, zone: name("eu-1") },
        retry: RetryPolicy {
            attempts_max: 50_000,
            backoff: Backoff::List(vec![Millis::new(1), Millis::new(128), Millis::MAX]),
            cap: Millis::from_secs(60),
            jitter: Jitter::Percent(20),
            only: RetryOnly { classes: vec![FailureClass::Timeout], codes: vec![0, -1, i32::MAX, i32::MIN] },
            rules: [ClassRule::Free; 7],
            prefer_other_worker: false,
            memory_growth_percent: 300,
        },
        limits: TimeLimits {
            accept: Millis::new(5),
            soft: Some(Millis::new(6)),
            hard: Some(Millis::new(7)),
            progress: Some(Millis::new(8)),
            grace: Millis::new(9),
        },
        delivery: Delivery::AtMostOnce,
    })
}

fn labels() -> Labels {
    vec![(name("env"), name("prod")), (name("empty"), name(""))].into()
}

fn key() -> KeyClaim {
    KeyClaim { scope: KeyScope(7 << 100), request: u128::MAX, expires: WALL, group: Group::new(200) }
}

fn over() -> Actor {
    Actor { actor: name("ops"), reason: name("ticket 7") }
}

fn lease() -> Lease {
    Lease {
        fence: FENCE,
        worker: WORKER,
        incarnation: Incarnation::new(9),
        assigned: Elapsed::from_millis(77),
        extended: Millis::new(500),
        stop: Some(Stop { reason: StopReason::Preempt, requested: Elapsed::from_millis(99) }),
        soft: Soft(LeaseSoft::at(Elapsed::from_millis(77))),
    }
}

fn task(state: TaskState) -> Task {
    let scheduled = if let TaskState::Pending { due } = state { due } else { Wall::ZERO };
    Task {
        id: ID,
        profile: plain_profile(),
        payload: Arc::from(*b"payload"),
        state,
        priority: Priority::default(),
        cancel_requested: false,
        fence: Fence::NONE,
        worker: WorkerId::from_bits(0),
        started: Wall::ZERO,
        attempts: 0,
        retries_spent: 0,
        version: 1,
        submitted: WALL,
        changed: WALL,
        touched: Seq::new(300),
        stored: Soft(false),
        scheduled,
        due: Soft::default(),
        in_run: None,
        extra: None,
    }
}

fn details() -> AttemptDetails {
    let waited_for = Some(name("warehouse"));
    AttemptDetails {
        memory_peak_bytes: Some(52 << 20),
        cpu_ms: Some(1_234),
        ran_ms: Some(2_345),
        progress: Some("3 of 7".into()),
        waited_for,
    }
}

fn full_task() -> Task {
    let failure = Failure::new(FailureClass::WorkerLost, -7, "it went\naway");
    let attempt = AttemptRecord {
        number: 1,
        fence: FENCE,
        worker: WORKER,
        assigned: WALL,
        ended: WALL,
        failure,
        left: Status::RetryWait,
        memory_bytes: Some(1 << 32),
        details: Some(Box::new(details())),
    };
    Task {
        profile: full_profile(),
        priority: Priority::new(Band::P0, 10).expect("a level"),
        cancel_requested: true,
        fence: FENCE,
        worker: WORKER,
        started: WALL,
        attempts: 3,
        retries_spent: 2,
        version: 17,
        extra: Some(Box::new(Extra {
            labels: Some(labels()),
            key: Some(key()),
            attempts: vec![
                attempt.clone(),
                AttemptRecord { number: 2, memory_bytes: None, details: None, ..attempt },
            ],
            attempts_dropped: 4,
            worker_kills: 1,
            checkpoint: Some(Arc::from(*b"saved")),
            output: Some(Arc::from(*b"")),
            memory_bytes: Some(1 << 33),
            forced: Some(over()),
            permits: Some(permits()),
            window: Some(Box::new(timing::window())),
            deadline: Some(WALL),
            details: Some(Box::new(AttemptDetails { cpu_ms: Some(0), ..AttemptDetails::default() })),
            notes: vec![TaskNote {
                at: WALL,
                change: TaskChange::Requeued,
                status: Status::Queued,
                over: over(),
            }],
        })),
        ..task(TaskState::Quarantined)
    }
}

fn submitted() -> Submitted {
    Submitted {
        id: ID,
        task: TaskSpec::new(plain_profile(), Arc::from(*b"{\"to\":1}")),
        due: None,
        key: None,
        window: None,
    }
}

fn full_submitted() -> Submitted {
    let (labels, permits) = (Some(labels()), Some(permits()));
    Submitted {
        task: TaskSpec { profile: full_profile(), labels, permits, ..submitted().task },
        due: Some(WALL),
        key: Some(key()),
        window: Some(Box::new(FiredWindow { window: timing::window(), next: Some(WALL) })),
        ..submitted()
    }
}

fn permits() -> Permits {
    let permit = |limit, key, max| Permit { limit: name(limit), key: name(key), max };
    Arc::from([permit("db", "", None), permit("customer", "acme", Some(300))])
}

fn events() -> Vec<(&'static str, Event)> {
    let (id, fence) = (ID, FENCE);
    let failed = |then| Event::AttemptFailed {
        id,
        fence,
        failure: Failure::new(FailureClass::Resource, 137, "killed"),
        then,
        reported: false,
    };
    let retry = work::retry();
    vec![
        ("epoch_started", Event::EpochStarted { epoch: Epoch::new(3) }),
        ("task_submitted", Event::TaskSubmitted(Box::new(submitted()))),
        ("task_submitted_full", Event::TaskSubmitted(Box::new(full_submitted()))),
        ("task_due", Event::TaskDue { id }),
        (
            "task_assigned",
            Event::TaskAssigned { id, fence, worker: WORKER, incarnation: Incarnation::new(9) },
        ),
        ("task_unassigned", Event::TaskUnassigned { id, fence, reported: true }),
        ("task_succeeded", Event::TaskSucceeded { id, fence, output: None }),
        ("task_succeeded_output", Event::TaskSucceeded { id, fence, output: Some(Arc::from(*b"42")) }),
        ("attempt_failed_retry", failed(retry)),
        ("attempt_failed_requeue", failed(AfterFailure::Requeue)),
        ("attempt_failed_fail", failed(AfterFailure::Fail)),
        ("attempt_failed_quarantine", failed(AfterFailure::Quarantine)),
        ("attempt_failed_cancel", failed(AfterFailure::Cancel)),
        ("task_deferred", Event::TaskDeferred { id, fence, due: Elapsed::from_millis(1 << 40) }),
        ("stop_requested", Event::StopRequested { id, fence, reason: StopReason::NoProgress }),
        ("task_cancelled", Event::TaskCancelled { id }),
        (
            "task_amended",
            Event::TaskAmended {
                id,
                due: Some(WALL),
                priority: Priority::new(Band::P2, 0),
                payload: Some(Arc::from(*b"new")),
            },
        ),
        ("checkpoint_saved", Event::CheckpointSaved { id, fence, bytes: Arc::from(*b"saved") }),
        ("details_reported", Event::DetailsReported { id, fence, details: Box::new(details()) }),
        ("deadline_extended", Event::DeadlineExtended { id, fence, by: Millis::new(60_000) }),
        ("poll_began", Event::PollBegan { id, deadline: WALL }),
        ("force_requested", Event::ForceRequested { id, fence, status: Status::Skipped, over: over() }),
        ("task_forced", Event::TaskForced { id, status: Status::Succeeded, over: over(), reported: true }),
        ("task_noted", Event::TaskNoted { id, change: TaskChange::RunNow, over: over() }),
        ("task_revived", Event::TaskRevived { ended: Box::new(full_task()), over: over() }),
        ("key_bound", Event::KeyBound { claim: key(), entity: ID }),
    ]
    .into_iter()
    .chain(work::operation_events(ID, over()))
    .chain(flow_events())
    .chain(cleared_events())
    .chain(growth::growth_events())
    .chain(timing::schedule_events())
    .chain(backfills::backfill_events())
    .chain(waits::wait_events())
    .collect()
}

fn flow_events() -> Vec<(&'static str, Event)> {
    let (id, run, node) = (RUN, RUN, 2);
    let whole = NodeInstance { node, index: NodeInstance::WHOLE, turn: 0 };
    let item = NodeInstance { node: 300, index: 7, turn: 2 };
    let spawned = |place, due, payload| Event::TaskSpawned { run, place, due, payload, permits: None };
    let seated = Event::TaskSpawned { run, place: whole, due: None, payload: None, permits: Some(permits()) };
    let flow = Event::Run;
    let paused = |pause| Event::Run(RunEvent::RunPaused { id, pause });
    let stopping = |stop| Event::Run(RunEvent::RunStopping { id, stop });
    vec![
        ("task_spawned", spawned(whole, None, None)),
        ("task_spawned_item", spawned(item, Some(WALL), Some(Arc::from(*b"filled in")))),
        ("task_spawned_undo", spawned(NodeInstance { index: NodeInstance::UNDO, ..whole }, None, None)),
        ("task_spawned_seated", seated),
        (
            "job_applied",
            flow(RunEvent::JobApplied(Box::new(JobApplied {
                key: job_key(),
                version: 3,
                definition: definition(),
            }))),
        ),
        ("job_paused", flow(RunEvent::JobPaused { key: job_key(), paused: true })),
        ("job_deleted", flow(RunEvent::JobDeleted { key: job_key() })),
        ("run_created", flow(RunEvent::RunCreated(Box::new(created())))),
        ("run_created_full", flow(RunEvent::RunCreated(Box::new(full_created())))),
        ("run_started", flow(RunEvent::RunStarted { id })),
        ("node_ended", flow(RunEvent::NodeEnded { run, node, status: NodeStatus::Skipped, why: None })),
        (
            "node_ended_why",
            flow(RunEvent::NodeEnded { run, node, status: NodeStatus::Failed, why: Some("größe".into()) }),
        ),
        ("map_expanded", flow(RunEvent::MapExpanded { run, node, count: 10_000 })),
        ("run_paused", paused(Pause::ByHand)),
        ("run_paused_fan_out", paused(Pause::FanOut { node, count: 20_000, max: 10_000 })),
        ("run_resumed", flow(RunEvent::RunResumed { id })),
        ("run_stopping_failed", stopping(RunStop::Failed)),
        ("run_stopping_cancel", stopping(RunStop::Cancel)),
        ("run_stopping_timeout", stopping(RunStop::Timeout)),
        ("run_forced", flow(RunEvent::RunForced { id, status: RunStatus::Succeeded, over: over() })),
        ("undo_skipped", flow(RunEvent::UndoSkipped { run, node, why: "no such value".into() })),
        (
            "run_ended",
            flow(RunEvent::RunEnded(Box::new(RunEnded {
                id,
                status: RunStatus::Failed,
                output: Some(Arc::from(*b"[1]")),
                why: Some("it took too long".into()),
            }))),
        ),
    ]
}

fn cleared_events() -> Vec<(&'static str, Event)> {
    let id = RUN;
    let flow = Event::Run;
    vec![
        (
            "run_cleared",
            flow(RunEvent::RunCleared(Box::new(RunCleared {
                id,
                nodes: vec![1, 2],
                items: Vec::new(),
                over: over(),
                ended: None,
            }))),
        ),
        (
            "run_cleared_items",
            flow(RunEvent::RunCleared(Box::new(RunCleared {
                id,
                nodes: vec![5],
                items: vec![ItemsCleared { node: 4, items: vec![7, 8, 14] }],
                over: over(),
                ended: None,
            }))),
        ),
        (
            "run_cleared_ended",
            flow(RunEvent::RunCleared(Box::new(RunCleared {
                id,
                nodes: vec![0],
                items: Vec::new(),
                over: over(),
                ended: Some(Box::new(full_run())),
            }))),
        ),
    ]
}

fn job_key() -> Arc<JobKey> {
    Arc::new(JobKey { tenant: name("größe"), name: name("etl") })
}

fn definition() -> Definition {
    Definition { plan: Arc::new(full_plan()), source: Arc::from(*b"{\"name\":\"etl\"}"), hash: u128::MAX / 3 }
}

fn plain_node(text: &str) -> Node {
    Node {
        name: name(text),
        work: mainspring_core::job::NodeWork::Task(TaskWork {
            profile: plain_profile(),
            payload: Arc::from(*b"{}"),
            priority: Priority::default(),
            labels: None,
            templated: false,
        }),
        needs: vec![],
        rule: TriggerRule::AllSuccess,
        condition: None,
        each: None,
        repeat: None,
        undo: None,
        mentions: vec![],
        output_kept: false,
        limits: vec![],
        spawns: None,
        needs_jobs: vec![],
    }
}

fn plain_plan() -> Plan {
    Plan::new(vec![plain_node("only")], FailurePolicy::FailFast, Bounds::default(), None)
}

/// Every field away from its default somewhere.
fn full_plan() -> Plan {
    use mainspring_core::job::NodeWork;
    let undo = NodeWork::Task(TaskWork {
        profile: full_profile(),
        payload: Arc::from(*b"undo"),
        priority: Priority::new(Band::P0, 3).expect("a level"),
        labels: Some(labels()),
        templated: true,
    });
    let each = |tolerance, on_empty| Some(Each { items: "list".into(), active_max: 9, tolerance, on_empty });
    let nodes = vec![
        Node { undo: Some(undo), output_kept: true, ..plain_node("first") },
        Node {
            needs: vec![0],
            rule: TriggerRule::AllDoneMinOneSuccess,
            condition: Some("a > 1".into()),
            each: each(Tolerance::Count(300), OnEmpty::Succeed),
            mentions: vec![0],
            limits: vec![
                LimitUse { name: name("db"), key: "{{ x }}".into(), max: Some(2) },
                LimitUse { name: name("api"), key: "".into(), max: None },
            ],
            ..plain_node("second")
        },
        Node { each: each(Tolerance::Percent(20), OnEmpty::Skip), ..plain_node("third") },
        Node {
            needs: vec![0, 1],
            rule: TriggerRule::Always,
            repeat: Some(Repeat { until: "done".into(), rounds_max: 5, pause: Millis::new(250) }),
            ..plain_node("fourth")
        },
        Node {
            work: NodeWork::Run { job: name("other"), parameters: Arc::from(*b"{\"a\":1}"), templated: true },
            spawns: Some("output.tasks".into()),
            needs_jobs: vec![
                JobNeed {
                    job: name("extract"),
                    within: Some(Millis::new(300)),
                    timeout: Some(Millis::new(70_000)),
                },
                JobNeed { job: name("any"), within: None, timeout: None },
            ],
            ..plain_node("fifth")
        },
    ];
    let sensitive = vec![Name::new("token").expect("a name")];
    Plan::new(nodes, FailurePolicy::SkipFailed, growth::tight_bounds(), Some("x.y".into()))
        .with_sensitive(sensitive)
}

fn created() -> RunCreated {
    RunCreated::new(RUN, job_key(), 3, Arc::from(*b"{}"), Origin::of(StartedBy::Manual))
}

fn origin() -> InRun {
    InRun { run: RUN, place: NodeInstance { node: 4, index: NodeInstance::WHOLE, turn: 1 } }
}

fn full_created() -> RunCreated {
    RunCreated {
        plan: Some(Arc::new(full_plan())),
        priority: Priority::new(Band::P0, 1),
        labels: Some(labels()),
        key: Some(key()),
        origin: Origin {
            parent: Some(origin()),
            rerun_of: Some(RunId::from_bits(77)),
            window: Some(Box::new(timing::window())),
            logical_time: Some(WALL),
            ..Origin::of(StartedBy::Backfill)
        },
        fired_by: Some(FiredBy::Backfill(BackfillId::from_bits(0x0123_4567_89ab_cdef))),
        reused: vec![
            Reused {
                node: 0,
                status: NodeStatus::Succeeded,
                outputs: vec![(NodeInstance::WHOLE, Arc::from(*b"7"))],
                items: None,
            },
            Reused { node: 2, status: NodeStatus::Succeeded, outputs: vec![], items: Some(300) },
        ],
        ..created()
    }
}

fn tasks() -> Vec<(&'static str, Task)> {
    let due = Elapsed::from_millis(5000);
    vec![
        ("state_pending", task(TaskState::Pending { due: WALL })),
        ("state_queued", task(TaskState::Queued)),
        ("state_assigned", task(TaskState::Leased(Box::new(lease())))),
        ("state_retry_wait", task(TaskState::RetryWait { due, delayed_by: Some(BudgetKind::Job) })),
        ("state_deferred", task(TaskState::Deferred { due })),
        waits::waiting(),
        ("state_succeeded", task(TaskState::Succeeded)),
        ("state_failed", task(TaskState::Failed)),
        ("state_cancelled", task(TaskState::Cancelled)),
        ("state_skipped", task(TaskState::Skipped)),
        ("state_upstream_failed", task(TaskState::UpstreamFailed)),
        ("state_quarantined", task(TaskState::Quarantined)),
        ("full", full_task()),
        ("of_an_instant", Task { scheduled: WALL, ..task(TaskState::Succeeded) }),
        ("of_a_run", Task { in_run: Some(Box::new(origin())), ..task(TaskState::Queued) }),
    ]
}

fn encode_event(event: &Event) -> Vec<u8> {
    let mut out = vec![];
    write_event(&mut out, event, &mut EncodedProfiles::default());
    out
}

fn encode_task(task: &Task) -> Vec<u8> {
    let mut out = vec![];
    write_task(&mut out, task, &mut EncodedProfiles::default());
    out
}

fn decode_event(bytes: &[u8]) -> Result<Event, FormatError> {
    let mut events = vec![];
    let mut keep = |event| {
        events.push(event);
        Ok::<_, FormatError>(())
    };
    read_events(bytes, 1, &mut ProfileCache::default(), &mut keep)?;
    Ok(events.remove(0))
}

#[test]
fn events_are_written_and_read_as_ever() {
    let (mut kinds, mut flows, mut schedules) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut backfills = BTreeSet::new();
    for (name, event) in events() {
        let bytes = encode_event(&event);
        let frozen = golden(&format!("event_{name}.hex"), &bytes);
        assert_eq!(hex(&bytes), hex(&frozen), "{name} is written differently");
        assert_eq!(decode_event(&frozen).as_ref(), Ok(&event), "{name} is read differently");
        kinds.insert(bytes[4]);
        if matches!(event, Event::Run(_)) {
            flows.insert(bytes[6]);
        }
        if matches!(event, Event::Schedule(_)) {
            schedules.insert(bytes[6]);
        }
        if matches!(event, Event::Backfill(_)) {
            backfills.insert(bytes[6]);
        }
    }
    // Those of triggers (24) and of other entities (29) are in files of their own.
    assert!(
        kinds.into_iter().eq((1..=31).filter(|kind| ![24, 29].contains(kind))),
        "an event type has no golden file"
    );
    assert!(flows.into_iter().eq(1..=21), "a kind of event of jobs and runs has no golden file");
    assert!(backfills.into_iter().eq(1..=4), "a kind of event of backfills has no golden file");
    assert!(schedules.into_iter().eq(1..=7), "a kind of event of schedules has no golden file");
}

#[test]
fn plans_jobs_and_runs_are_written_and_read_as_ever() {
    for (name, plan) in [("plain", plain_plan()), ("full", full_plan())] {
        let mut bytes = vec![];
        write_plan(&mut bytes, &plan, &mut EncodedProfiles::default());
        let frozen = golden(&format!("plan_{name}.hex"), &bytes);
        assert_eq!(hex(&bytes), hex(&frozen), "{name} is written differently");
        assert_eq!(read_plan(&frozen, &mut ProfileCache::default()), Ok(plan), "{name} is read differently");
    }
    let mut bytes = vec![];
    write_job(&mut bytes, &growth::job());
    let frozen = golden("job.hex", &bytes);
    assert_eq!(hex(&bytes), hex(&frozen), "a job is written differently");
    let read = read_job(&frozen, |of| {
        assert_eq!((&of.key()?, of.version), (&*job_key(), 3));
        Ok::<_, FormatError>((job_key(), definition()))
    });
    assert_eq!(job_version(&frozen).map(|of| of.version), Ok(3));
    assert_eq!(read, Ok(growth::job()), "a job is read differently");
    for (name, run) in [("plain", run_of(plain_plan())), ("full", full_run()), ("grown", growth::grown_run())]
    {
        let mut bytes = vec![];
        write_run(&mut bytes, &run, &mut EncodedProfiles::default());
        let frozen = golden(&format!("run_{name}.hex"), &bytes);
        assert_eq!(hex(&bytes), hex(&frozen), "{name} is written differently");
        assert_eq!(read_run_output(&frozen), Ok(run.output.clone()));
        assert_eq!(run_version(&frozen).map(|of| of.version), Ok(run.version));
        let read = read_run(&frozen, &mut ProfileCache::default(), |of| {
            Ok::<_, FormatError>((of.key()?.into(), run.base().clone()))
        })
        .expect("a run");
        assert_eq!((read.run, read.outputs), (run, vec![]), "{name} is read differently");
    }
}

/// A row leaves out outputs that are in the rows of the tasks that gave them, and names their places.
#[test]
fn a_run_names_the_outputs_of_others() {
    let mut run = full_run();
    run.outputs.insert((1, 0), Arc::from(*b"an item's"));
    let mut bytes = vec![];
    write_run(&mut bytes, &run, &mut EncodedProfiles::default());
    let plan = |_: VersionRef<'_>| Ok::<_, FormatError>((run.job.clone(), run.base().clone()));
    let read = read_run(&bytes, &mut ProfileCache::default(), plan).expect("a run");
    assert_eq!(read.outputs, [(1, 0)]);
    assert_eq!(read.run, full_run());
}

#[test]
fn a_plan_that_names_a_node_it_does_not_have_is_refused() {
    let mut bytes = vec![];
    write_plan(&mut bytes, &full_plan(), &mut EncodedProfiles::default());
    let needs = [2, 0, 1, TriggerRule::Always as u8];
    let at = bytes.windows(4).position(|window| window == needs).expect("the needs of the fourth");
    bytes[at + 2] = 9;
    let read = read_plan(&bytes, &mut ProfileCache::default());
    assert!(matches!(read, Err(FormatError::Bad { what: "plan", .. })), "{read:?}");
}

#[test]
fn tasks_are_written_and_read_as_ever() {
    for (name, task) in tasks() {
        let bytes = encode_task(&task);
        let frozen = golden(&format!("task_{name}.hex"), &bytes);
        assert_eq!(hex(&bytes), hex(&frozen), "{name} is written differently");
        let read = read_task(&frozen, &mut ProfileCache::default());
        let output = task.extra.as_ref().and_then(|extra| extra.output.clone());
        assert_eq!(read_task_output(&frozen), Ok(output), "{name}");
        assert_eq!(read.as_ref(), Ok(&task), "{name} is read differently");
    }
}

#[test]
fn a_frame_is_written_as_ever() {
    use mainspring_core::values::Now;
    use mainspring_store::{Record, frame};
    let mut body = encode_event(&events()[0].1);
    body.extend(encode_event(&events()[1].1));
    let (epoch, seq) = (Epoch::new(3), Seq::new(0x0102_0304_0506));
    let record = Record { epoch, seq, now: Now::new(77, WALL.millis()), events: 2, body };
    let mut bytes = vec![];
    let hash = frame::encode(&record, 0x1122_3344_5566_7788, &[9; 32], &mut bytes);
    bytes.extend(hash);
    assert_eq!(hex(&bytes), hex(&golden("frame_and_its_hash.hex", &bytes)));
}

#[test]
fn what_is_soft_comes_back_as_after_a_recovery() {
    let mut running = lease();
    running.soft = Soft(LeaseSoft {
        session: Session::new(4),
        accepted: Some(Elapsed::from_millis(80)),
        progressed: Elapsed::from_millis(90),
        progress: Some("3 of 7".into()),
        soft_told: true,
        checkpointed: Some(Elapsed::from_millis(91)),
        pending_checkpoint: None,
    });
    let soft = Task { stored: Soft(true), ..task(TaskState::Leased(Box::new(running))) };
    let read = read_task(&encode_task(&soft), &mut ProfileCache::default()).expect("readable");
    assert_eq!(read, task(TaskState::Leased(Box::new(lease()))));
    assert!(!*read.stored);
    assert_eq!(*read.lease().expect("leased").soft, LeaseSoft::at(Elapsed::from_millis(77)));
}

#[test]
fn what_is_newer_is_named() {
    let released = encode_event(&Event::TaskDue { id: ID });
    let with = |at: usize, byte: u8| {
        let mut bytes = released.clone();
        bytes[at] = byte;
        decode_event(&bytes)
    };
    let newer = |what, at, found, known| Err(FormatError::Newer { what, at, found, known });
    assert_eq!(with(4, 32), newer("event type", 4, 32, 31));
    assert_eq!(with(5, 2), newer("event version", 5, 2, 1));
    let mut bytes = encode_task(&task(TaskState::Queued));
    bytes[0] = 9;
    assert_eq!(
        read_task(&bytes, &mut ProfileCache::default()),
        Err(FormatError::Newer { what: "task version", at: 0, found: 9, known: 1 })
    );
}

#[test]
fn tasks_of_one_kind_share_a_profile() {
    let mut cache = ProfileCache::default();
    let bytes = encode_task(&full_task());
    let mut profile = || read_task(&bytes, &mut cache).expect("a task").profile;
    assert!(Arc::ptr_eq(&profile(), &profile()));
}
