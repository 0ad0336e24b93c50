//! The frozen encodings. Each file in `tests/golden/` is what a value was, is and will be written as.
//! A new event or version adds files: `MAINSPRING_GOLDEN=add cargo test -p mainspring-store --test golden`
//! writes those that are missing. One that is there is never written again; to change it is to break
//! every journal out there.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use mainspring_core::event::{Event, Submitted, Then};
use mainspring_core::failure::{Failure, FailureClass};
use mainspring_core::id::{Epoch, Fence, Incarnation, ProcessId, Seq, Session, TaskId, WorkerId};
use mainspring_core::key::{KeyClaim, KeyScope};
use mainspring_core::name::Name;
use mainspring_core::priority::{Band, Priority};
use mainspring_core::process::{Cursor, Selector, Work};
use mainspring_core::profile::{Delivery, Profile, ProfileSpec, TimeLimits};
use mainspring_core::resources::{LabelCondition, Requirements, Resources};
use mainspring_core::retry::{Backoff, ClassRule, Jitter, RetryOnly, RetryPolicy};
use mainspring_core::task::{
    AttemptRecord, Extra, Labels, Lease, Override, State, Status, Stop, StopReason, Task,
};
use mainspring_core::time::{Elapsed, Millis, Wall};
use mainspring_store::format::{
    EncodedProfiles, FormatError, ProfileCache, read_events, read_task, write_event, write_task,
};

const ID: TaskId = TaskId::from_bits(0x0199_0000_0001_7abc_8000_0000_0000_0001);
const FENCE: Fence = Fence::new(Epoch::new(3), 70_000);
const WORKER: WorkerId = WorkerId::from_bits(0xfeed_0000_0000_0000_0000_0000_0000_beef);
const WALL: Wall = Wall::from_millis(1_790_000_000_123);

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
    KeyClaim { scope: KeyScope(7 << 100), request: u128::MAX, expires: WALL }
}

fn over() -> Override {
    Override { actor: name("ops"), reason: name("ticket 7") }
}

fn lease() -> Lease {
    Lease {
        fence: FENCE,
        worker: WORKER,
        incarnation: Incarnation::new(9),
        session: Session::ZERO,
        assigned: Elapsed::from_millis(77),
        assigned_wall: WALL,
        accepted: None,
        progressed: Elapsed::from_millis(77),
        extended: Millis::new(500),
        soft_told: false,
        checkpointed: None,
        stop: Some(Stop { reason: StopReason::Preempt, requested: Elapsed::from_millis(99) }),
    }
}

fn task(state: State) -> Task {
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
        stored: false,
        due: mainspring_core::task::DueSince::default(),
        extra: None,
    }
}

fn full_task() -> Task {
    let failure = Failure::new(FailureClass::WorkerLost, -7, "it went\naway");
    let attempt =
        AttemptRecord { number: 1, fence: FENCE, worker: WORKER, assigned: WALL, ended: WALL, failure };
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
            attempts: vec![attempt.clone(), AttemptRecord { number: 2, ..attempt }],
            attempts_dropped: 4,
            worker_kills: 1,
            checkpoint: Some(Arc::from(*b"saved")),
            output: Some(Arc::from(*b"")),
            memory_bytes: Some(1 << 33),
            forced: Some(over()),
        })),
        ..task(State::Quarantined)
    }
}

fn submitted() -> Submitted {
    Submitted {
        id: ID,
        profile: plain_profile(),
        payload: Arc::from(*b"{\"to\":1}"),
        priority: Priority::default(),
        due: None,
        labels: None,
        key: None,
    }
}

/// A plain one, and one with every field.
fn works() -> [Work; 2] {
    let env = vec![(name("env"), name("prod"))];
    let selector = Selector { tenant: name("acme"), labels: env.clone(), ..Selector::default() };
    let work = Work::BulkCancel { selector, before: WALL, stop_running: true };
    let full_selector = Selector {
        tenant: name("acme"),
        job: name("mail"),
        pool: name("batch"),
        executor: name("http"),
        labels: [env, vec![(name("team"), name("größe"))]].concat(),
        statuses: vec![Status::Pending, Status::Queued, Status::RetryWait],
    };
    let full_work = Work::BulkCancel { selector: full_selector, before: WALL, stop_running: false };
    [work, full_work]
}

fn events() -> Vec<(&'static str, Event)> {
    let (id, fence) = (ID, FENCE);
    let full = Submitted {
        profile: full_profile(),
        due: Some(WALL),
        labels: Some(labels()),
        key: Some(key()),
        ..submitted()
    };
    let failed = |then| Event::AttemptFailed {
        id,
        fence,
        failure: Failure::new(FailureClass::Resource, 137, "killed"),
        then,
    };
    let retry = Then::Retry { due: Elapsed::from_millis(1000), spend: true, memory_bytes: Some(1 << 31) };
    let [work, full_work] = works();
    let process = ProcessId::new(300);
    vec![
        ("epoch_started", Event::EpochStarted { epoch: Epoch::new(3) }),
        ("task_submitted", Event::TaskSubmitted(Box::new(submitted()))),
        ("task_submitted_full", Event::TaskSubmitted(Box::new(full))),
        ("task_released", Event::TaskReleased { id }),
        (
            "task_assigned",
            Event::TaskAssigned { id, fence, worker: WORKER, incarnation: Incarnation::new(9) },
        ),
        ("task_unassigned", Event::TaskUnassigned { id, fence }),
        ("task_succeeded", Event::TaskSucceeded { id, fence, output: None }),
        ("task_succeeded_output", Event::TaskSucceeded { id, fence, output: Some(Arc::from(*b"42")) }),
        ("attempt_failed_retry", failed(retry)),
        ("attempt_failed_requeue", failed(Then::Requeue)),
        ("attempt_failed_fail", failed(Then::Fail)),
        ("attempt_failed_quarantine", failed(Then::Quarantine)),
        ("attempt_failed_cancel", failed(Then::Cancel)),
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
        ("deadline_extended", Event::DeadlineExtended { id, fence, by: Millis::new(60_000) }),
        ("task_forced", Event::TaskForced { id, status: Status::Succeeded, over: over() }),
        ("task_revived", Event::TaskRevived { ended: Box::new(full_task()), over: over() }),
        ("process_started", Event::ProcessStarted { id: process, work }),
        ("process_started_full", Event::ProcessStarted { id: process, work: full_work }),
        (
            "process_advanced_memory",
            Event::ProcessAdvanced { id: process, cursor: Cursor::Memory(20_000), handled: 990 },
        ),
        (
            "process_advanced_parked",
            Event::ProcessAdvanced { id: process, cursor: Cursor::Parked(ID), handled: 0 },
        ),
        ("process_ended", Event::ProcessEnded { id: process }),
        ("key_bound", Event::KeyBound { claim: key(), entity: ID }),
    ]
}

fn tasks() -> Vec<(&'static str, Task)> {
    let due = Elapsed::from_millis(5000);
    vec![
        ("state_pending", task(State::Pending { due: WALL })),
        ("state_queued", task(State::Queued)),
        ("state_assigned", task(State::Assigned(Box::new(lease())))),
        ("state_retry_wait", task(State::RetryWait { due })),
        ("state_deferred", task(State::Deferred { due })),
        ("state_succeeded", task(State::Succeeded)),
        ("state_failed", task(State::Failed)),
        ("state_cancelled", task(State::Cancelled)),
        ("state_skipped", task(State::Skipped)),
        ("state_upstream_failed", task(State::UpstreamFailed)),
        ("state_quarantined", task(State::Quarantined)),
        ("full", full_task()),
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

/// The bytes of a golden file; written first if it is missing and that was asked for.
fn golden(file: &str, written_today: &[u8]) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    if !path.exists() && std::env::var("MAINSPRING_GOLDEN").is_ok_and(|value| value == "add") {
        std::fs::write(&path, hex(written_today)).expect("a new golden file");
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; if the value is new, add it with MAINSPRING_GOLDEN=add", path.display())
    });
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("a hexadecimal digit") as u8;
    digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Thirty-two bytes a line.
fn hex(bytes: &[u8]) -> String {
    let line = |chunk: &[u8]| chunk.iter().map(|byte| format!("{byte:02x}")).chain(["\n".into()]).collect();
    bytes.chunks(32).map(line).collect::<Vec<String>>().concat()
}

#[test]
fn events_are_written_and_read_as_ever() {
    let mut kinds = BTreeSet::new();
    for (name, event) in events() {
        let bytes = encode_event(&event);
        let frozen = golden(&format!("event_{name}.hex"), &bytes);
        assert_eq!(hex(&bytes), hex(&frozen), "{name} is written differently");
        assert_eq!(decode_event(&frozen).as_ref(), Ok(&event), "{name} is read differently");
        kinds.insert(bytes[4]);
    }
    assert!(kinds.into_iter().eq(1..=19), "an event type has no golden file");
}

#[test]
fn tasks_are_written_and_read_as_ever() {
    for (name, task) in tasks() {
        let bytes = encode_task(&task);
        let frozen = golden(&format!("task_{name}.hex"), &bytes);
        assert_eq!(hex(&bytes), hex(&frozen), "{name} is written differently");
        let read = read_task(&frozen, &mut ProfileCache::default());
        assert_eq!(read.as_ref(), Ok(&task), "{name} is read differently");
    }
}

#[test]
fn a_frame_is_written_as_ever() {
    use mainspring_core::time::Now;
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
    running.session = Session::new(4);
    running.accepted = Some(Elapsed::from_millis(80));
    running.progressed = Elapsed::from_millis(90);
    running.soft_told = true;
    running.checkpointed = Some(Elapsed::from_millis(91));
    let soft = Task { stored: true, ..task(State::Running(Box::new(running))) };
    let read = read_task(&encode_task(&soft), &mut ProfileCache::default());
    assert_eq!(read, Ok(task(State::Assigned(Box::new(lease())))));
}

#[test]
fn what_is_newer_is_named() {
    let released = encode_event(&Event::TaskReleased { id: ID });
    let with = |at: usize, byte: u8| {
        let mut bytes = released.clone();
        bytes[at] = byte;
        decode_event(&bytes)
    };
    let newer = |what, at, found, known| Err(FormatError::Newer { what, at, found, known });
    assert_eq!(with(4, 20), newer("event type", 4, 20, 19));
    assert_eq!(with(5, 2), newer("event version", 5, 2, 1));
    let mut bytes = encode_task(&task(State::Queued));
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
    let first = read_task(&bytes, &mut cache).expect("a task");
    let second = read_task(&bytes, &mut cache).expect("a task");
    assert!(Arc::ptr_eq(&first.profile, &second.profile));
}
