//! Whatever the core can hold is read back as it was; whatever else is read ends in an error, not a panic.

#[path = "support/extras.rs"]
mod extras;
#[path = "support/operations.rs"]
mod operations;
#[path = "support/plans.rs"]
mod plans;
#[path = "support/drawn_waits.rs"]
mod waits;
#[path = "support/windows.rs"]
mod windows;

use std::sync::Arc;

use self::extras::{details, extra};
use self::operations::{operation, work};
use self::plans::{additions, grown, job, node, plan};
use self::windows::{backfill_event, fired_by, fired_window, schedule, schedule_event, window};
use mainspring_core::collections::Soft;
use mainspring_core::event::{AfterFailure, Event, Submitted};
use mainspring_core::job::{
    Bounds, Definition, Each, FailurePolicy, Job, JobKey, JobNeed, LastRun, LimitUse, Node, NodeEnd, OnEmpty,
    Plan, RecentRun, Repeat, TaskWork, Tolerance, TriggerRule,
};
use mainspring_core::key::{KeyClaim, KeyScope};
use mainspring_core::operation::{
    Bulk, BulkVerb, Cursor, EndedPlace, Operation, OperationKind, RunSelector, Selection, Selector,
    StepCounts,
};
use mainspring_core::retry::{Backoff, BudgetKind, ClassRule, Jitter, RetryOnly, RetryPolicy};
use mainspring_core::run::{
    Added, Additions, ApprovalDecided, ApprovalDecision, ItemsCleared, JobApplied, MapItems, NodeState,
    NodeStatus, Noted, Origin, Pause, Reused, Run, RunCleared, RunCreated, RunEnded, RunEvent, RunStop,
    StartedBy, Subject, TasksAdded,
};
use mainspring_core::schedule::ScheduleKey;
use mainspring_core::task::{
    AttemptRecord, Delivery, Extra, Lease, LeaseSoft, Profile, ProfileSpec, Status, Stop, StopReason, Task,
    TaskChange, TaskNote, TaskSpec, TaskState, TimeLimits,
};
use mainspring_core::values::{
    Actor, AttemptDetails, Band, Elapsed, Epoch, Failure, FailureClass, Fence, Group, InRun, Incarnation,
    LabelCondition, Millis, Name, NodeInstance, Note, OperationId, Permit, Permits, Priority, Requirements,
    Resources, RunId, RunStatus, Seq, Source, TaskId, Wall, WorkerId,
};
use mainspring_store::format::{
    EncodedProfiles, FormatError, ProfileCache, Reader, Writer, read_events, read_job, read_operation,
    read_plan, read_run, read_schedule, read_task, read_task_output, write_event, write_job, write_operation,
    write_operation_work, write_plan, write_run, write_schedule, write_task,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![Just(String::new()), "[a-z]{1,8}", "\\PC{0,40}"]
        .prop_map(|text| Name::new(&text).expect("printable and short"))
}

fn bytes() -> impl Strategy<Value = Arc<[u8]>> {
    vec(any::<u8>(), 0..300).prop_map(Arc::from)
}

/// Small numbers and great ones alike.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..200_u64, any::<u64>(), Just(u64::MAX)]
}

fn wall() -> impl Strategy<Value = Wall> {
    number().prop_map(Wall::from_millis)
}

fn delayed_by() -> impl Strategy<Value = Option<BudgetKind>> {
    option::of(select(BudgetKind::ALL.to_vec()))
}

fn elapsed() -> impl Strategy<Value = Elapsed> {
    number().prop_map(Elapsed::from_millis)
}

fn millis() -> impl Strategy<Value = Millis> {
    number().prop_map(Millis::new)
}

fn id() -> impl Strategy<Value = TaskId> {
    any::<u128>().prop_map(TaskId::from_bits)
}

fn worker() -> impl Strategy<Value = WorkerId> {
    any::<u128>().prop_map(WorkerId::from_bits)
}

fn fence() -> impl Strategy<Value = Fence> {
    any::<u64>().prop_map(Fence::from_bits)
}

fn priority() -> impl Strategy<Value = Priority> {
    (select(Band::ALL.to_vec()), 0..=10_u8)
        .prop_map(|(band, level)| Priority::new(band, level).expect("a level"))
}

fn failure() -> impl Strategy<Value = Failure> {
    (select(FailureClass::ALL.to_vec()), any::<i32>(), ".{0,60}")
        .prop_map(|(class, code, message)| Failure::new(class, code, &message))
}

fn over() -> impl Strategy<Value = Actor> {
    (name(), name()).prop_map(|(actor, reason)| Actor { actor, reason })
}

fn key() -> impl Strategy<Value = KeyClaim> {
    (any::<u128>(), any::<u128>(), wall(), any::<u8>()).prop_map(|(scope, request, expires, group)| {
        KeyClaim { scope: KeyScope(scope), request, expires, group: Group::new(group) }
    })
}

fn labels() -> impl Strategy<Value = Arc<[(Name, Name)]>> {
    vec((name(), name()), 0..4).prop_map(Arc::from)
}

fn retry() -> impl Strategy<Value = RetryPolicy> {
    let backoff = prop_oneof![
        Just(Backoff::None),
        millis().prop_map(Backoff::Fixed),
        millis().prop_map(Backoff::Linear),
        (millis(), any::<u32>()).prop_map(|(first, percent)| Backoff::Exponential { first, percent }),
        vec(millis(), 0..5).prop_map(Backoff::List),
    ];
    let jitter = prop_oneof![Just(Jitter::None), Just(Jitter::Full), any::<u8>().prop_map(Jitter::Percent)];
    let only = (vec(select(FailureClass::ALL.to_vec()), 0..3), vec(any::<i32>(), 0..3));
    let rule = select(vec![ClassRule::Spend, ClassRule::Free, ClassRule::Fail]);
    let rules = proptest::array::uniform7(rule);
    (any::<u32>(), backoff, millis(), jitter, only, rules, any::<bool>(), any::<u16>()).prop_map(
        |(attempts_max, backoff, cap, jitter, (classes, codes), rules, prefer_other_worker, percent)| {
            RetryPolicy {
                attempts_max,
                backoff,
                cap,
                jitter,
                only: RetryOnly { classes, codes },
                rules,
                prefer_other_worker,
                memory_growth_percent: percent,
            }
        },
    )
}

fn requirements() -> impl Strategy<Value = Requirements> {
    let condition = prop_oneof![
        (name(), name()).prop_map(|(key, value)| LabelCondition::Is(key, value)),
        (name(), name()).prop_map(|(key, value)| LabelCondition::IsNot(key, value)),
        name().prop_map(LabelCondition::Has),
    ];
    let amounts = (number(), number(), number(), number());
    (name(), amounts, vec((name(), number()), 0..3), vec(condition, 0..4), name()).prop_map(
        |(pool, (cpu, memory, disk, gpus), custom, labels, zone)| {
            let mut resources = Resources::default().with_custom(custom);
            (resources.cpu_milli, resources.memory_bytes) = (cpu, memory);
            (resources.disk_bytes, resources.gpus) = (disk, gpus);
            Requirements { pool, resources, labels, zone }
        },
    )
}

fn profile() -> impl Strategy<Value = Arc<Profile>> {
    let limits = (millis(), option::of(millis()), option::of(millis()), option::of(millis()), millis())
        .prop_map(|(accept, soft, hard, progress, grace)| TimeLimits { accept, soft, hard, progress, grace });
    let delivery = select(vec![Delivery::AtLeastOnce, Delivery::AtMostOnce]);
    (name(), name(), name(), requirements(), retry(), limits, delivery).prop_map(
        |(tenant, job, executor, requirements, retry, limits, delivery)| {
            Profile::new(ProfileSpec { tenant, job, executor, requirements, retry, limits, delivery })
        },
    )
}

fn lease() -> impl Strategy<Value = Box<Lease>> {
    let stop = (select(StopReason::ALL.to_vec()), elapsed())
        .prop_map(|(reason, requested)| Stop { reason, requested });
    (fence(), worker(), number(), elapsed(), millis(), option::of(stop)).prop_map(
        |(fence, worker, incarnation, assigned, extended, stop)| {
            Box::new(Lease {
                fence,
                worker,
                incarnation: Incarnation::new(incarnation),
                assigned,
                extended,
                stop,
                soft: Soft(LeaseSoft::at(assigned)),
            })
        },
    )
}

fn state() -> impl Strategy<Value = TaskState> {
    prop_oneof![
        wall().prop_map(|due| TaskState::Pending { due }),
        Just(TaskState::Queued),
        lease().prop_map(TaskState::Leased),
        (elapsed(), delayed_by()).prop_map(|(due, delayed_by)| TaskState::RetryWait { due, delayed_by }),
        elapsed().prop_map(|due| TaskState::Deferred { due }),
        waits::wait().prop_map(|wait| TaskState::Waiting(Box::new(wait))),
        Just(TaskState::Succeeded),
        Just(TaskState::Failed),
        Just(TaskState::Cancelled),
        Just(TaskState::Skipped),
        Just(TaskState::UpstreamFailed),
        Just(TaskState::Quarantined),
    ]
}

fn task() -> impl Strategy<Value = Task> {
    let made = (id(), profile().boxed(), bytes(), state(), priority(), any::<bool>(), fence());
    let counted = (any::<[u32; 3]>(), wall(), wall(), number(), worker(), (wall(), wall()));
    (made, counted, option::of(extra()), option::of(origin())).prop_map(
        |((id, profile, payload, state, priority, cancel_requested, fence), counted, extra, origin)| {
            let ([attempts, retries_spent, version], submitted, changed, touched, worker, at) = counted;
            let (started, scheduled) = match state {
                TaskState::Pending { due } => (at.0, due),
                _ => at,
            };
            Task {
                id,
                profile,
                payload,
                state,
                priority,
                cancel_requested,
                fence,
                worker,
                started,
                attempts,
                retries_spent,
                version,
                submitted,
                changed,
                touched: Seq::new(touched),
                stored: Soft(false),
                scheduled,
                due: Soft::default(),
                in_run: origin.map(Box::new),
                extra,
            }
        },
    )
}

fn submitted() -> impl Strategy<Value = Event> {
    let given = (option::of(wall()), option::of(labels()), option::of(key()), option::of(permits()));
    (id(), profile().boxed(), bytes(), priority(), given, option::of(fired_window())).prop_map(
        |(id, profile, payload, priority, (due, labels, key, permits), window)| {
            let task = TaskSpec { profile, payload, priority, labels, permits };
            let submitted = Submitted { id, task, due, key, window };
            Event::TaskSubmitted(Box::new(submitted))
        },
    )
}

fn permits() -> impl Strategy<Value = Permits> {
    let permit = (name(), name(), option::of(any::<u32>()));
    vec(permit.prop_map(|(limit, key, max)| Permit { limit, key, max }), 0..3).prop_map(Arc::from)
}

fn attempt_event() -> impl Strategy<Value = Event> {
    let then = prop_oneof![
        (elapsed(), any::<bool>(), option::of(number()), delayed_by()).prop_map(
            |(due, spend, memory_bytes, delayed_by)| AfterFailure::Retry {
                due,
                spend,
                memory_bytes,
                delayed_by
            }
        ),
        select(vec![
            AfterFailure::Requeue,
            AfterFailure::Fail,
            AfterFailure::Quarantine,
            AfterFailure::Cancel
        ]),
    ];
    prop_oneof![
        (id(), fence(), worker(), number()).prop_map(|(id, fence, worker, n)| Event::TaskAssigned {
            id,
            fence,
            worker,
            incarnation: Incarnation::new(n)
        }),
        (id(), fence(), any::<bool>()).prop_map(|(id, fence, reported)| Event::TaskUnassigned {
            id,
            fence,
            reported
        }),
        (id(), fence(), option::of(bytes())).prop_map(|(id, fence, output)| Event::TaskSucceeded {
            id,
            fence,
            output
        }),
        (id(), fence(), failure(), then, any::<bool>()).prop_map(|(id, fence, failure, then, reported)| {
            Event::AttemptFailed { id, fence, failure, then, reported }
        }),
        (id(), fence(), elapsed()).prop_map(|(id, fence, due)| Event::TaskDeferred { id, fence, due }),
        (id(), waits::wait()).prop_map(|(id, wait)| Event::TaskWaits { id, wait: Box::new(wait) }),
        (id(), waits::wait_end()).prop_map(|(id, end)| Event::WaitEnded { id, end }),
        (id(), fence(), select(StopReason::ALL.to_vec()))
            .prop_map(|(id, fence, reason)| Event::StopRequested { id, fence, reason }),
        (id(), fence(), bytes()).prop_map(|(id, fence, bytes)| Event::CheckpointSaved { id, fence, bytes }),
        (id(), fence(), details()).prop_map(|(id, fence, details)| Event::DetailsReported {
            id,
            fence,
            details
        }),
        (id(), fence(), millis()).prop_map(|(id, fence, by)| Event::DeadlineExtended { id, fence, by }),
    ]
}

fn cursor() -> impl Strategy<Value = Cursor> {
    prop_oneof![
        any::<u32>().prop_map(Cursor::Memory),
        id().prop_map(Cursor::Parked),
        any::<u32>().prop_map(Cursor::Listed),
        (any::<u32>(), id()).prop_map(|(day, id)| Cursor::Ended(EndedPlace { day, id })),
        option::of(any::<u128>().prop_map(RunId::from_bits)).prop_map(Cursor::EndedRuns),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let process = || number().prop_map(OperationId::new);
    prop_oneof![
        number().prop_map(|n| Event::EpochStarted { epoch: Epoch::new(n) }),
        submitted(),
        attempt_event().boxed(),
        id().prop_map(|id| Event::TaskDue { id }),
        id().prop_map(|id| Event::TaskCancelled { id }),
        (id(), option::of(wall()), option::of(priority()), option::of(bytes()))
            .prop_map(|(id, due, priority, payload)| Event::TaskAmended { id, due, priority, payload }),
        (id(), select(Status::ALL.to_vec()), over(), any::<bool>())
            .prop_map(|(id, status, over, reported)| Event::TaskForced { id, status, over, reported }),
        (id(), fence(), select(Status::ALL.to_vec()), over())
            .prop_map(|(id, fence, status, over)| { Event::ForceRequested { id, fence, status, over } }),
        (id(), select(TaskChange::ALL.to_vec()), over()).prop_map(|(id, change, over)| Event::TaskNoted {
            id,
            change,
            over
        }),
        (id(), wall()).prop_map(|(id, deadline)| Event::PollBegan { id, deadline }),
        (task().boxed(), over()).prop_map(|(task, over)| Event::TaskRevived { ended: Box::new(task), over }),
        (process(), work()).prop_map(|(id, work)| Event::OperationStarted { id, work }),
        (process(), cursor(), any::<[u32; 3]>(), option::of(".{0,20}")).prop_map(
            |(id, cursor, [looked, handled, refused], refusal)| Event::OperationAdvanced {
                id,
                cursor,
                counts: StepCounts { looked, handled, refused },
                refusal: refusal.map(Into::into),
            }
        ),
        (process(), option::of(over()))
            .prop_map(|(id, by)| Event::OperationEnded { id, cancelled: by.map(Box::new) }),
        (key(), id()).prop_map(|(claim, entity)| Event::KeyBound { claim, entity }),
        (run_id(), place(), option::of(wall()), option::of(bytes()), option::of(permits())).prop_map(
            |(run, place, due, payload, permits)| Event::TaskSpawned { run, place, due, payload, permits }
        ),
        flow_event().boxed().prop_map(Event::Run),
        schedule_event().boxed().prop_map(Event::Schedule),
        backfill_event().boxed().prop_map(Event::Backfill),
    ]
}

fn run_id() -> impl Strategy<Value = RunId> {
    any::<u128>().prop_map(RunId::from_bits)
}

fn place() -> impl Strategy<Value = NodeInstance> {
    let index = prop_oneof![any::<u32>(), Just(NodeInstance::WHOLE), Just(NodeInstance::UNDO), 0..9_u32];
    (any::<u32>(), index, any::<u32>()).prop_map(|(node, index, turn)| NodeInstance { node, index, turn })
}

fn origin() -> impl Strategy<Value = InRun> {
    (run_id(), place()).prop_map(|(run, place)| InRun { run, place })
}

fn job_key() -> impl Strategy<Value = Arc<JobKey>> {
    (name(), name()).prop_map(|(tenant, name)| Arc::new(JobKey { tenant, name }))
}

fn source() -> impl Strategy<Value = Source> {
    ".{0,20}".prop_map(|text| Source::from(text.as_str()))
}

fn node_work() -> impl Strategy<Value = mainspring_core::job::NodeWork> {
    use mainspring_core::job::NodeWork;
    let task = (profile().boxed(), bytes(), priority(), option::of(labels()), any::<bool>()).prop_map(
        |(profile, payload, priority, labels, templated)| {
            NodeWork::Task(TaskWork { profile, payload, priority, labels, templated })
        },
    );
    let run = (name(), bytes(), any::<bool>()).prop_map(|(job, parameters, templated)| NodeWork::Run {
        job,
        parameters,
        templated,
    });
    prop_oneof![2 => task, 1 => run]
}

fn definition() -> impl Strategy<Value = Definition> {
    (plan(), bytes(), any::<u128>()).prop_map(|(plan, source, hash)| Definition { plan, source, hash })
}

fn node_status() -> impl Strategy<Value = NodeStatus> {
    select(NodeStatus::ALL.to_vec())
}

fn run_status() -> impl Strategy<Value = RunStatus> {
    select(RunStatus::ALL.to_vec())
}

fn run_stop() -> impl Strategy<Value = RunStop> {
    select(vec![RunStop::Failed, RunStop::Cancel, RunStop::Timeout])
}

fn pause() -> impl Strategy<Value = Pause> {
    let fan_out = any::<[u32; 3]>().prop_map(|[node, count, max]| Pause::FanOut { node, count, max });
    prop_oneof![Just(Pause::ByHand), fan_out]
}

fn text() -> impl Strategy<Value = Arc<str>> {
    ".{0,30}".prop_map(|text| Arc::from(text.as_str()))
}

fn group() -> impl Strategy<Value = MapItems> {
    let turns = (any::<u32>(), prop::collection::btree_map(0_u32..9, any::<u32>(), 0..4));
    let bounds = any::<[prop::sample::Index; 2]>();
    (vec(node_status(), 0..9), bounds, turns).prop_map(|(items, [released, live], (turn, mut turns))| {
        let released = released.index(items.len() + 1);
        let live = live.index(released + 1) as u32;
        turns.retain(|item, _| (*item as usize) < items.len());
        MapItems::restore(items, (released as u32, live), (turn, turns))
    })
}

/// Outputs, groups, whys and undos of a run, by numbers that a plan brings into its range.
type Kept = (Vec<(u32, MapItems)>, Vec<(u32, Arc<str>)>, Vec<(u32, u32, Arc<[u8]>)>, Vec<u32>, Said);

type Said = (Vec<Note>, Vec<((u32, u32), ApprovalDecision)>);

fn kept() -> impl Strategy<Value = Kept> {
    let note = (wall(), over(), text()).prop_map(|(at, over, what)| Note { at, over, what });
    (
        vec((any::<u32>(), group()), 0..3),
        vec((any::<u32>(), text()), 0..3),
        vec((any::<u32>(), any::<u32>(), bytes()), 0..3),
        vec(any::<u32>(), 0..3),
        (vec(note, 0..2), vec(waits::decision(), 0..2)),
    )
}

fn with_kept(run: Run, (groups, whys, outputs, undo, (notes, decisions)): Kept) -> Run {
    let count = run.plan.len();
    let within = |node: u32| node % count;
    let outputs: std::collections::BTreeMap<_, _> =
        outputs.into_iter().map(|(node, index, output)| ((within(node), index), output)).collect();
    // Those of reused nodes are in the row itself.
    let reused: std::collections::BTreeSet<u32> = outputs.keys().map(|(node, _)| *node).collect();
    Run {
        groups: groups.into_iter().map(|(node, group)| (within(node), group)).collect(),
        output_bytes: outputs.values().map(|output| output.len() as u64).sum(),
        outputs,
        whys: whys.into_iter().map(|(node, why)| (within(node), why)).collect(),
        reused: reused.into_iter().collect(),
        undo: undo.into_iter().map(within).collect(),
        notes,
        decisions: decisions.into_iter().map(|((node, index), made)| ((within(node), index), made)).collect(),
        ..run
    }
}

/// As it comes back from bytes: what follows from the nodes is derived.
fn run() -> impl Strategy<Value = Run> {
    // Large parts are boxed, here and elsewhere: unoptimised, their generators overflow the stack of a test.
    (bare_run().boxed(), kept().boxed()).prop_map(|(run, kept)| with_kept(run, kept))
}

fn bare_run() -> impl Strategy<Value = Run> {
    let state = (node_status(), any::<[u32; 4]>()).prop_map(|(status, [turn, rounds, started, ended])| {
        NodeState { status, turn, rounds, started, ended, ..NodeState::default() }
    });
    let state = prop_oneof![Just(NodeState::default()), state];
    let made =
        (run_created().boxed(), (plan().boxed(), additions().boxed()), run_status(), vec(state, 13..14));
    let wanted = (option::of(pause()), option::of(run_stop()), option::of(run_status()));
    let said = (option::of(bytes()), option::of(text()));
    let counted = (proptest::array::uniform4(wall()), any::<[u32; 3]>(), said, number());
    (made, wanted, counted).prop_map(|((made, (plan, additions), status, mut nodes), wanted, counted)| {
        let (plan, own) = grown(plan, additions);
        nodes.truncate(plan.nodes().len());
        let (pause, stop, forced) = wanted;
        let ([created, started, ended, changed], [undone, out, fan_out_allowed], said, touched) = counted;
        let (output, why) = said;
        Run {
            id: made.id,
            job: made.job,
            version: made.version,
            own,
            parameters: made.parameters,
            status,
            pause,
            stop,
            priority: made.priority,
            labels: made.labels,
            origin: made.origin,
            key: made.key,
            created,
            started,
            ended,
            changed,
            unfinished: nodes.iter().filter(|node| node.status.end().is_none()).count() as u32,
            failed: nodes.iter().filter(|node| node.status.end() == Some(NodeEnd::Failed)).count() as u32,
            nodes,
            groups: std::collections::BTreeMap::new(),
            outputs: std::collections::BTreeMap::new(),
            output_bytes: 0,
            holds: [(0, started)].into(),
            whys: std::collections::BTreeMap::new(),
            reused: vec![],
            undo: vec![],
            undone,
            out,
            output,
            why,
            forced,
            fan_out_allowed,
            notes: vec![],
            decisions: std::collections::BTreeMap::new(),
            plan,
            touched: Seq::new(touched),
            stored: Soft(false),
            soft: Soft::default(),
        }
    })
}

fn run_created() -> impl Strategy<Value = RunCreated> {
    let reused = (any::<u32>(), node_status(), vec((any::<u32>(), bytes()), 0..3), option::of(any::<u32>()))
        .prop_map(|(node, status, outputs, items)| Reused { node, status, outputs, items });
    let made =
        (run_id(), job_key(), any::<u32>(), option::of(plan().boxed()), bytes(), option::of(priority()));
    let from =
        (option::of(labels()), option::of(key()), select(StartedBy::ALL.to_vec()), option::of(origin()));
    let how = (option::of(window()), option::of(fired_by()), option::of(wall()));
    (made, from, option::of(run_id()), vec(reused, 0..3), how).prop_map(
        |(
            (id, job, version, plan, parameters, priority),
            (labels, key, trigger, parent),
            rerun_of,
            reused,
            (window, fired_by, logical_time),
        )| RunCreated {
            id,
            job,
            version,
            plan,
            parameters,
            priority,
            labels,
            key,
            origin: Origin { started_by: trigger, parent, rerun_of, window, logical_time, cause: None },
            fired_by,
            reused,
        },
    )
}

fn items_cleared() -> impl Strategy<Value = Vec<ItemsCleared>> {
    let of_node = (any::<u32>(), prop::collection::btree_set(any::<u32>(), 0..5));
    vec(of_node.prop_map(|(node, items)| ItemsCleared { node, items: items.into_iter().collect() }), 0..3)
}

fn flow_event() -> impl Strategy<Value = RunEvent> {
    let big = prop_oneof![
        (job_key(), any::<u32>(), definition().boxed()).prop_map(|(key, version, definition)| {
            RunEvent::JobApplied(Box::new(JobApplied { key, version, definition }))
        }),
        run_created().boxed().prop_map(|created| RunEvent::RunCreated(Box::new(created))),
        (run_id(), vec(any::<u32>(), 0..5), items_cleared(), over(), option::of(run())).prop_map(
            |(id, nodes, items, over, ended)| {
                let ended = ended.map(Box::new);
                RunEvent::RunCleared(Box::new(RunCleared { id, nodes, items, over, ended }))
            }
        ),
        (run_id(), run_status(), option::of(bytes()), option::of(text())).prop_map(
            |(id, status, output, why)| RunEvent::RunEnded(Box::new(RunEnded { id, status, output, why }))
        ),
    ];
    let on_node = || (run_id(), any::<u32>());
    prop_oneof![
        big,
        (job_key(), any::<bool>()).prop_map(|(key, paused)| RunEvent::JobPaused { key, paused }),
        job_key().prop_map(|key| RunEvent::JobDeleted { key }),
        run_id().prop_map(|id| RunEvent::RunStarted { id }),
        run_id().prop_map(|id| RunEvent::RunResumed { id }),
        (on_node(), node_status(), option::of(text()))
            .prop_map(|((run, node), status, why)| RunEvent::NodeEnded { run, node, status, why }),
        (on_node(), any::<u32>()).prop_map(|((run, node), count)| RunEvent::MapExpanded { run, node, count }),
        (on_node(), option::of(text())).prop_map(|((run, node), why)| RunEvent::MapCut { run, node, why }),
        on_node().prop_map(|(run, node)| RunEvent::JobAwaited { run, node }),
        (run_id(), over()).prop_map(|(id, over)| RunEvent::RunReevaluated { id, over }),
        (on_node(), any::<[u32; 2]>(), any::<bool>(), over()).prop_map(
            |((run, node), [index, turn], approved, over)| {
                let place = NodeInstance { node, index, turn };
                RunEvent::ApprovalDecided(Box::new(ApprovalDecided { run, place, approved, over }))
            }
        ),
        (subject(), over(), text())
            .prop_map(|(of, over, what)| { RunEvent::Noted(Box::new(Noted { of, over, what })) }),
        (on_node(), vec(node().boxed(), 0..3)).prop_map(|((run, node), nodes)| {
            RunEvent::TasksAdded(Box::new(TasksAdded { run, node, nodes }))
        }),
        (on_node(), text()).prop_map(|((run, node), why)| RunEvent::UndoSkipped { run, node, why }),
        (run_id(), pause()).prop_map(|(id, pause)| RunEvent::RunPaused { id, pause }),
        (run_id(), run_stop()).prop_map(|(id, stop)| RunEvent::RunStopping { id, stop }),
        (run_id(), run_status(), over()).prop_map(|(id, status, over)| RunEvent::RunForced {
            id,
            status,
            over
        }),
    ]
}

fn subject() -> impl Strategy<Value = Subject> {
    prop_oneof![job_key().prop_map(Subject::Job), run_id().prop_map(Subject::Run)]
}

fn body(events: &[Event]) -> Vec<u8> {
    let mut out = vec![];
    let mut profiles = EncodedProfiles::default();
    for event in events {
        write_event(&mut out, event, &mut profiles);
    }
    out
}

fn decoded(body: &[u8], count: u32) -> Result<Vec<Event>, FormatError> {
    let mut events = vec![];
    let mut keep = |event| {
        events.push(event);
        Ok::<_, FormatError>(())
    };
    read_events(body, count, &mut ProfileCache::default(), &mut keep)?;
    Ok(events)
}

proptest! {
    #[test]
    fn events_come_back(events in vec(event(), 0..8)) {
        prop_assert_eq!(decoded(&body(&events), events.len() as u32), Ok(events));
    }

    #[test]
    fn tasks_come_back(task in task()) {
        let mut out = vec![];
        write_task(&mut out, &task, &mut EncodedProfiles::default());
        prop_assert_eq!(read_task_output(&out), Ok(task.extra.as_ref().and_then(|extra| extra.output.clone())));
        prop_assert_eq!(read_task(&out, &mut ProfileCache::default()), Ok(task));
    }

    #[test]
    fn plans_come_back(plan in plan()) {
        let mut out = vec![];
        write_plan(&mut out, &plan, &mut EncodedProfiles::default());
        let read = read_plan(&out, &mut ProfileCache::default());
        prop_assert_eq!(read.as_ref(), Ok(&*plan));
    }

    #[test]
    fn jobs_come_back(job in job()) {
        let mut out = vec![];
        write_job(&mut out, &job);
        let read = read_job(&out, |of| Ok::<_, FormatError>((of.key()?.into(), job.definition.clone())));
        prop_assert_eq!(read, Ok(job));
    }

    #[test]
    fn schedules_come_back(schedule in schedule(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut out = vec![];
        write_schedule(&mut out, &schedule, &mut EncodedProfiles::default());
        prop_assert_eq!(read_schedule(&out, &mut ProfileCache::default()), Ok(schedule));
        let at = at.index(out.len());
        out[at] = byte;
        let _ = read_schedule(&out, &mut ProfileCache::default());
    }

    #[test]
    fn runs_come_back(run in run()) {
        let mut out = vec![];
        write_run(&mut out, &run, &mut EncodedProfiles::default());
        let read = read_run(&out, &mut ProfileCache::default(), |of| Ok::<_, FormatError>((of.key()?.into(), run.base().clone()))).expect("a run");
        prop_assert!(read.outputs.is_empty());
        prop_assert_eq!(read.run, run);
    }

    #[test]
    fn a_changed_byte_of_a_run_never_panics(run in run(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut out = vec![];
        write_run(&mut out, &run, &mut EncodedProfiles::default());
        let at = at.index(out.len());
        out[at] = byte;
        let _ = read_run(&out, &mut ProfileCache::default(), |of| Ok::<_, FormatError>((of.key()?.into(), run.base().clone())));
    }

    #[test]
    fn operations_come_back(operation in operation()) {
        let (mut work, mut out) = (vec![], vec![]);
        write_operation_work(&mut work, &operation.work);
        write_operation(&mut out, &operation);
        prop_assert_eq!(read_operation(&work, &out), Ok(operation));
    }

    #[test]
    fn a_missing_or_extra_byte_is_an_error(event in event(), cut in any::<prop::sample::Index>()) {
        let bytes = body(&[event]);
        prop_assert!(decoded(&bytes[..cut.index(bytes.len())], 1).is_err());
        prop_assert!(decoded(&[bytes.as_slice(), &[0]].concat(), 1).is_err());
    }

    #[test]
    fn a_changed_byte_never_panics(task in task(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut out = vec![];
        write_task(&mut out, &task, &mut EncodedProfiles::default());
        let at = at.index(out.len());
        out[at] = byte;
        let _ = read_task(&out, &mut ProfileCache::default());
    }

    #[test]
    fn any_bytes_never_panic(bytes in vec(any::<u8>(), 0..200), count in 0..5_u32) {
        let _ = decoded(&bytes, count);
        let _ = read_task(&bytes, &mut ProfileCache::default());
        let _ = read_operation(&bytes, &bytes);
        let _ = read_plan(&bytes, &mut ProfileCache::default());
        let _ = read_schedule(&bytes, &mut ProfileCache::default());
    }

    #[test]
    fn every_number_has_one_form(value in number(), signed in any::<i32>()) {
        let mut out = vec![];
        let mut w = Writer::new(&mut out);
        w.varint(value);
        w.signed(signed);
        let mut r = Reader::new(&out);
        prop_assert_eq!((r.varint("value"), r.signed("signed")), (Ok(value), Ok(signed)));
        prop_assert!(r.is_at_end());
    }
}

#[test]
fn other_forms_of_a_number_are_refused() {
    let rows: [(&str, &[u8], &str); 4] = [
        ("zero in two bytes", &[0x80, 0x00], "is not in its shortest form"),
        ("one in two bytes", &[0x81, 0x00], "is not in its shortest form"),
        (
            "more than 64 bits",
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
            "does not fit into 64 bits",
        ),
        ("eleven bytes", &[0x80; 11], "does not fit into 64 bits"),
    ];
    for (case, bytes, why) in rows {
        let outcome = Reader::new(bytes).varint("number");
        assert_eq!(outcome, Err(FormatError::Bad { what: "number", at: 0, why }), "{case}");
    }
}

#[test]
fn a_length_that_lies_takes_no_memory() {
    // A list of 2^40 elements and a string of 2^60 bytes, in a handful of bytes.
    let mut out = vec![];
    let mut w = Writer::new(&mut out);
    w.varint(1 << 40);
    w.varint(1 << 60);
    assert!(matches!(Reader::new(&out).list("list", |r| r.byte("element")), Err(FormatError::Short { .. })));
    assert!(matches!(Reader::new(&out[6..]).bytes("string"), Err(FormatError::Short { .. })));
}
