//! The frozen encodings of triggers, of their events, and of runs that an event began; and that they come back.
//! `MAINSPRING_GOLDEN=add cargo test -p mainspring-store --test triggers` writes files that are missing.

#[path = "support/frozen.rs"]
mod frozen;

use std::collections::BTreeSet;
use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::event::Event;
use mainspring_core::job::JobKey;
use mainspring_core::operation::{Announcement, Cursor, EndWaits, OperationKind, StepCounts};
use mainspring_core::run::{Origin, RunCreated, RunEvent, StartedBy};
use mainspring_core::trigger::{
    LastFired, Ledger, LedgerWindow, On, Skip, Succeeded, Trigger, TriggerEvent, TriggerFailed, TriggerKey,
    TriggerSpec, TriggerStored,
};
use mainspring_core::values::{
    Bucket, Cause, CloudEvent, FiredBy, Groups, Name, OperationId, Pattern, RunId, ScheduleId, Seq,
    TriggerId, Wall,
};
use mainspring_store::EntityFormat;
use mainspring_store::entity::{EntityError, ReadWith, entity_row};
use mainspring_store::format::{EncodedProfiles, FormatError, ProfileCache, read_events, write_event};

use self::frozen::{golden, hex};

const WALL: Wall = Wall::from_millis(1_790_000_000_123);
const RUN: RunId = RunId::from_bits(0x0199_0000_0002_7def_8000_0000_0000_0002);
const ID: TriggerId = TriggerId::from_bits(0x04d0_0000_0000_012c);
const SPAN: LedgerWindow =
    LedgerWindow { at: WALL, schedule: ScheduleId::from_bits(7), from: Wall::from_millis(1) };

fn key() -> Arc<TriggerKey> {
    Arc::new(TriggerKey {
        tenant: Name::fixed("acme"),
        job: Name::fixed("mail"),
        name: Name::fixed("orders"),
    })
}

fn spec(on: On) -> TriggerSpec {
    TriggerSpec {
        on,
        condition: None,
        parameters: Arc::from(*b"{}"),
        templated: false,
        active_max: 16,
        bucket: Bucket::from_bits(77).expect("a bucket"),
    }
}

fn event_spec() -> TriggerSpec {
    let kind = Pattern::parse("com.example.*").expect("a pattern");
    let source = Pattern::parse("/shop");
    TriggerSpec {
        condition: Some("event.data.amount > 10".into()),
        parameters: Arc::from(*br#"{"amount":"{{ event.data.amount }}"}"#),
        templated: true,
        active_max: 300,
        ..spec(On::Event { kind, source })
    }
}

fn after() -> On {
    On::After(vec![Name::fixed("load"), Name::fixed("clean")])
}

fn stored(spec: TriggerSpec) -> Event {
    let stored = TriggerStored { id: ID, key: key(), spec: Arc::new(spec) };
    Event::Trigger(TriggerEvent::Stored(Box::new(stored)))
}

fn fired() -> Event {
    let Event::Run(RunEvent::RunCreated(created)) = caused(StartedBy::Event, notice()) else {
        unreachable!()
    };
    let created = RunCreated { fired_by: Some(FiredBy::Trigger(ID)), ..*created };
    Event::Run(RunEvent::RunCreated(Box::new(created)))
}

fn caused(trigger: StartedBy, notice: CloudEvent) -> Event {
    let cause = Cause { trigger: Name::fixed("orders"), notice: Arc::new(notice), depth: 3 };
    let origin = Origin { cause: Some(Box::new(cause)), ..Origin::of(trigger) };
    let job = Arc::new(JobKey { tenant: Name::fixed("acme"), name: Name::fixed("mail") });
    let created = RunCreated::new(RUN, job, 3, Arc::from(*b"{}"), origin);
    Event::Run(RunEvent::RunCreated(Box::new(created)))
}

fn notice() -> CloudEvent {
    CloudEvent {
        id: "e-7".into(),
        source: "/shop".into(),
        kind: "x".into(),
        subject: None,
        time: None,
        data: None,
    }
}

fn events() -> Vec<(&'static str, Event)> {
    let full = CloudEvent {
        subject: Some("order 7".into()),
        time: Some(WALL),
        data: Some(Arc::from(*br#"{"amount":12}"#)),
        ..notice()
    };
    let waits = EndWaits { tenant: Name::fixed("acme"), notice: Arc::new(full.clone()), at: WALL };
    let failed = TriggerFailed { id: ID, what: "its condition: no".into(), window: None };
    let succeeded = Succeeded { id: ID, job: 1, window: SPAN };
    vec![
        ("trigger_stored_event", stored(event_spec())),
        ("trigger_stored_webhook", stored(spec(On::Webhook(Name::fixed("shop"))))),
        ("trigger_stored_after", stored(spec(after()))),
        ("trigger_deleted", Event::Trigger(TriggerEvent::Deleted { id: ID })),
        ("trigger_forgotten", Event::Trigger(TriggerEvent::Forgotten { id: ID })),
        ("trigger_fired", fired()),
        (
            "trigger_skipped",
            Event::Trigger(TriggerEvent::Skipped { id: ID, skip: Skip::Condition, window: Some(SPAN) }),
        ),
        ("trigger_failed", Event::Trigger(TriggerEvent::Failed(Box::new(failed)))),
        ("trigger_succeeded", Event::Trigger(TriggerEvent::Succeeded(Box::new(succeeded)))),
        ("run_created_by_event", caused(StartedBy::Event, full)),
        ("run_created_again_by_event", caused(StartedBy::Rerun, notice())),
        (
            "process_started_waits",
            Event::OperationStarted {
                id: OperationId::new(300),
                work: OperationKind::EndWaits(Arc::new(waits)),
            },
        ),
        ("process_advanced_listed", advanced()),
        ("process_started_announce", announced(Some(SPAN))),
        ("process_started_announce_bare", announced(None)),
    ]
}

fn advanced() -> Event {
    let counts = StepCounts { handled: 12, ..StepCounts::default() };
    let (id, cursor) = (OperationId::new(300), Cursor::Listed(300));
    Event::OperationAdvanced { id, cursor, counts, refusal: None }
}

fn announced(window: Option<LedgerWindow>) -> Event {
    let announcement = Announcement {
        tenant: Name::fixed("acme"),
        notice: Arc::new(notice()),
        ended: RUN.bits(),
        depth: 3,
        job: Name::fixed("load"),
        window,
        triggers: vec![ID, TriggerId::from_bits(7)],
        before: 2,
    };
    let work = OperationKind::Announce(Arc::new(announcement));
    Event::OperationStarted { id: OperationId::new(300), work }
}

fn hook(spec: TriggerSpec) -> Trigger {
    Trigger {
        id: ID,
        key: key(),
        spec: Arc::new(spec),
        deleted: None,
        forgotten: None,
        created: WALL,
        changed: WALL,
        fired: 0,
        skipped: 0,
        errors: 0,
        last_fired: None,
        last_skip: None,
        last_error: None,
        ledger: Ledger::default(),
        touched: Seq::new(300),
        soft: Soft::default(),
    }
}

fn full_hook() -> Trigger {
    let place = |ms, schedule| (Wall::from_millis(ms), ScheduleId::from_bits(schedule));
    Trigger {
        deleted: Some(WALL),
        forgotten: Some(Wall::from_millis(1_790_000_099_999)),
        fired: 1,
        skipped: 300,
        errors: u64::MAX,
        last_fired: Some(LastFired { at: WALL, source: "/jobs/load".into(), event: "e".into(), run: RUN }),
        last_skip: Some((WALL, Skip::FanOut)),
        last_error: Some((WALL, "no".into())),
        ledger: Ledger {
            open: [(place(5, 1), Wall::from_millis(4)), (place(5, 2), Wall::ZERO)].into(),
            done: vec![[place(3, 1), place(4, 1)].into(), BTreeSet::new()],
            begun: [place(1, 1)].into(),
            floor: Wall::from_millis(1),
        },
        ..hook(spec(after()))
    }
}

fn encode(event: &Event) -> Vec<u8> {
    let mut out = vec![];
    write_event(&mut out, event, &mut EncodedProfiles::default());
    out
}

fn decode(bytes: &[u8]) -> Result<Event, FormatError> {
    let mut events = vec![];
    let mut keep = |event| {
        events.push(event);
        Ok::<_, FormatError>(())
    };
    read_events(bytes, 1, &mut ProfileCache::default(), &mut keep)?;
    Ok(events.remove(0))
}

fn encode_hook(hook: &Trigger) -> Vec<u8> {
    entity_row(hook, Groups::default(), &mut EncodedProfiles::default()).bytes
}

fn read_hook(bytes: &[u8]) -> Result<Trigger, EntityError> {
    let row = entity_row(&full_hook(), Groups::default(), &mut EncodedProfiles::default());
    let row = mainspring_store::EntityRow { bytes: bytes.to_vec(), ..row };
    Trigger::read(&row, &mut ReadWith { profiles: &mut ProfileCache::default(), plans: &|_| None })
}

#[test]
fn events_are_written_and_read_as_ever() {
    let mut kinds = BTreeSet::new();
    for (name, event) in events() {
        let bytes = encode(&event);
        let frozen = golden(&format!("event_{name}.hex"), &bytes);
        assert_eq!(hex(&bytes), hex(&frozen), "{name} is written differently");
        assert_eq!(decode(&frozen).as_ref(), Ok(&event), "{name} is read differently");
        if matches!(event, Event::Trigger(_)) {
            assert_eq!(bytes[4], 24);
            kinds.insert(bytes[6]);
        }
    }
    assert!(kinds.into_iter().eq(1..=6), "a kind of event of triggers has no golden file");
}

#[test]
fn triggers_are_written_and_read_as_ever() {
    for (name, hook) in [("plain", hook(event_spec())), ("full", full_hook())] {
        let bytes = encode_hook(&hook);
        let frozen = golden(&format!("trigger_{name}.hex"), &bytes);
        assert_eq!(hex(&bytes), hex(&frozen), "{name} is written differently");
        assert_eq!(read_hook(&frozen), Ok(hook), "{name} is read differently");
    }
}

/// Every byte is looked at: none can be lost, or be another one, without being noticed or meaning something else.
#[test]
fn damage_is_noticed() {
    let whole = full_hook();
    let bytes = encode_hook(&whole);
    for end in 0..bytes.len() {
        assert!(read_hook(&bytes[..end]).is_err(), "cut at {end}");
    }
    assert!(read_hook(&[&bytes[..], &[0]].concat()).is_err(), "a byte too many");
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert_ne!(read_hook(&damaged).ok().as_ref(), Some(&whole), "byte {at} is not looked at");
    }
}

#[test]
fn windows_have_one_order() {
    let ordered = encode_hook(&full_hook());
    // (3, 1) and (4, 1), the other way round; between them is the bucket.
    let at = ordered.windows(6).position(|bytes| bytes == [3, 0, 1, 4, 0, 1]).expect("two windows");
    let mut swapped = ordered.clone();
    swapped[at..at + 6].copy_from_slice(&[4, 0, 1, 3, 0, 1]);
    let error = read_hook(&swapped).expect_err("out of order");
    assert!(error.to_string().contains("not in order"), "{error}");
}
