//! I30: histories that are broken on purpose, one way each; every checker must refuse its own, and the same
//! history without the flaw must pass.

use std::sync::Arc;

use mainspring_core::backfill::{BackfillEvent, BackfillSpec, Created, Only, Order, Windows};
use mainspring_core::decision::{Effect, Rejection, ReportVerdict, Start};
use mainspring_core::engine::Answer;
use mainspring_core::event::{AfterFailure, Event, Submitted};
use mainspring_core::job::{Bounds, FailurePolicy, JobKey, Plan};
use mainspring_core::key::{KeyClaim, KeyHolder, KeyScope};
use mainspring_core::retry::{Backoff, Jitter, RetryPolicy};
use mainspring_core::run::{Origin, RunCreated, RunEvent, StartedBy};
use mainspring_core::schedule::{ScheduleKey, WindowRow};
use mainspring_core::state::{State, fold};
use mainspring_core::task::{Delivery, Profile, ProfileSpec, TaskSpec};
use mainspring_core::trigger::{On, TriggerEvent, TriggerKey, TriggerSpec, TriggerStored};
use mainspring_core::values::{
    BackfillId, Band, Bucket, Elapsed, EntityKind, Epoch, Failure, FailureClass, Fence, FiredAs, FiredBy,
    Group, Incarnation, Millis, Name, Now, Priority, RunId, ScheduleId, Seq, Session, TaskId, TriggerId,
    Wall, Window, WorkerId,
};
use mainspring_core::worker::WorkerOffer;
use mainspring_store::entity::changed_entities;
use mainspring_store::format::{EncodedProfiles, write_event};
use mainspring_store::{Cut, EntityRow, LiveRow, Record, RunRow};

use super::tables::TableFold;
use super::{Asked, Broken, Check, Checkers, Over, Rules, journaled};
use crate::settings::GROUPS;
use crate::store::Disk;

const WORKER: WorkerId = WorkerId::from_bits(7);
const LEASE: Millis = Millis::new(1_000);

struct Rig {
    checkers: Checkers,
    epoch: u64,
    seq: u64,
    now: u64,
}

fn id(number: u64) -> TaskId {
    TaskId::new(1, Bucket::spread(GROUPS.of("acme"), 1), number)
}

fn fence(epoch: u64, counter: u32) -> Fence {
    Fence::new(Epoch::new(epoch), counter)
}

fn profile(delivery: Delivery) -> Arc<Profile> {
    let retry = RetryPolicy {
        attempts_max: 2,
        backoff: Backoff::Fixed(Millis::new(500)),
        jitter: Jitter::None,
        ..RetryPolicy::default()
    };
    Profile::new(ProfileSpec { tenant: Name::fixed("acme"), retry, delivery, ..ProfileSpec::default() })
}

fn task(number: u64) -> Submitted {
    Submitted { id: id(number), task: task_spec(Delivery::AtLeastOnce), due: None, key: None, window: None }
}

fn task_spec(delivery: Delivery) -> TaskSpec {
    TaskSpec::new(profile(delivery), Arc::from([1_u8].as_slice()))
}

fn submitted(task: Submitted) -> Event {
    Event::TaskSubmitted(Box::new(task))
}

fn claim(request: u128) -> KeyClaim {
    KeyClaim { scope: KeyScope(9), request, expires: Wall::from_millis(1 << 50), group: Group::ZERO }
}

/// Of the first attempt at the first task.
fn unassigned() -> Event {
    Event::TaskUnassigned { id: id(1), fence: fence(1, 1), reported: true }
}

fn assigned(number: u64, fence: Fence) -> Event {
    Event::TaskAssigned { id: id(number), fence, worker: WORKER, incarnation: Incarnation::new(1) }
}

fn failed(number: u64, fence: Fence, failure: Failure, then: AfterFailure) -> Event {
    Event::AttemptFailed { id: id(number), fence, failure, then, reported: true }
}

fn transient() -> Failure {
    Failure::new(FailureClass::Transient, 1, "no luck")
}

fn silent() -> Failure {
    Failure::new(FailureClass::WorkerLost, 0, "the worker was not heard of for a whole lease")
}

fn retry_at(due: u64) -> AfterFailure {
    AfterFailure::Retry { due: Elapsed::from_millis(due), spend: true, memory_bytes: None, delayed_by: None }
}

impl Rig {
    /// An owner that has been there for a while.
    fn new(rules: Rules) -> Self {
        let mut rig = Self { checkers: Checkers::new(rules), epoch: 1, seq: 0, now: 1_000 };
        rig.commit(&[Event::EpochStarted { epoch: Epoch::new(1) }]).expect("the first record");
        rig.now = 10_000;
        rig
    }

    fn record(&mut self, events: &[Event]) -> Record {
        let mut body = Vec::new();
        for event in events {
            write_event(&mut body, event, &mut EncodedProfiles::default());
        }
        self.seq += 1;
        let now = Now::new(self.now, 1_000_000 + self.now);
        Record {
            epoch: Epoch::new(self.epoch),
            seq: Seq::new(self.seq),
            now,
            events: events.len() as u32,
            body,
        }
    }

    fn commit(&mut self, events: &[Event]) -> Check {
        let record = self.record(events);
        self.checkers.committed(&record, Epoch::new(self.epoch)).map(drop)
    }

    /// A task that runs under the first fence.
    fn running(&mut self, task: Submitted) -> Check {
        self.commit(&[submitted(task), assigned(1, fence(1, 1))])
    }

    fn execute(&mut self, fence: Fence) -> Check {
        self.checkers.ledger.begin(id(1), fence, WORKER, &self.checkers.journal)
    }

    fn told(&self, asked: Asked, result: &Result<Answer, Rejection>) -> Check {
        self.checkers.answered(asked, result, (true, true)).map(drop)
    }

    fn order(&self, effect: &Effect) -> Check {
        self.checkers.ordered(Epoch::new(self.epoch), effect)
    }

    fn cut(&mut self, cut: &Cut) -> Check {
        let mut disk = Disk::new(true);
        let epoch = disk.next_epoch();
        disk.cut(&Cut { epoch, ..cut.clone() }).expect("a cut");
        self.checkers.cut(cut, &disk)
    }

    fn live_row(&self, number: u64) -> LiveRow {
        let task = self.checkers.journal.task(id(number)).expect("a task");
        LiveRow {
            id: task.id,
            group: GROUPS.of("acme"),
            touched: task.touched,
            parked_due: None,
            bytes: journaled(task),
        }
    }
}

fn bounded(tenant: u32, pool: u32, slots: u32) -> Rules {
    let mut rules = Rules { lease: LEASE, history: true, ..Rules::default() };
    rules.bounds.tenants.insert(Name::fixed("acme"), tenant);
    rules.bounds.pools.insert(Name::fixed(""), pool);
    rules.bounds.offers.insert(WORKER, WorkerOffer { slots, ..WorkerOffer::default() });
    rules
}

type Story = (&'static str, &'static str, fn(&mut Rig) -> Check);

#[track_caller]
fn check(rules: &Rules, stories: &[Story]) {
    for (name, invariant, story) in stories {
        let outcome = story(&mut Rig::new(rules.clone()));
        let found = outcome.as_ref().err().map_or("nothing", |Broken { invariant, .. }| *invariant);
        let wanted = if invariant.is_empty() { "nothing" } else { *invariant };
        assert_eq!(found, wanted, "{name}: {outcome:?}");
    }
}

#[test]
fn journals_that_contradict_themselves() {
    let stories: &[Story] = &[
        ("a whole life", "", |rig| {
            rig.running(task(1))?;
            rig.execute(fence(1, 1))?;
            rig.checkers.ledger.end(id(1), fence(1, 1), Over::Known);
            rig.commit(&[failed(1, fence(1, 1), transient(), retry_at(10_500))])?;
            rig.now = 10_500;
            rig.commit(&[Event::TaskDue { id: id(1) }, assigned(1, fence(1, 2))])?;
            rig.execute(fence(1, 2))?;
            let told = crate::worker::details((id(1), fence(1, 2)));
            let told = told.map(|details| Event::DetailsReported { id: id(1), fence: fence(1, 2), details });
            rig.commit(&told.into_iter().collect::<Vec<_>>())?;
            rig.commit(&[Event::TaskSucceeded { id: id(1), fence: fence(1, 2), output: None }])?;
            rig.checkers.ledger.check_explained(&rig.checkers.journal)?;
            rig.checkers.accounted_for(id(1))
        }),
        ("a gap in the sequence", "I15", |rig| {
            rig.seq += 1;
            rig.commit(&[submitted(task(1))])
        }),
        ("a record dated before the last", "I15", |rig| {
            rig.now = 500;
            rig.commit(&[submitted(task(1))])
        }),
        ("a record of a replaced owner", "I10", |rig| {
            let record = rig.record(&[submitted(task(1))]);
            rig.checkers.committed(&record, Epoch::new(2)).map(drop)
        }),
        ("an epoch used twice", "I8", |rig| rig.commit(&[Event::EpochStarted { epoch: Epoch::new(1) }])),
        ("a later owner that does not say so", "I10", |rig| {
            rig.epoch = 2;
            rig.commit(&[submitted(task(1))])
        }),
    ];
    check(&bounded(100, 100, 100), stories);
}

#[test]
fn events_that_may_not_follow() {
    let stories: &[Story] = &[
        ("an event about nobody's task", "I2", |rig| {
            rig.commit(&[Event::TaskAmended { id: id(5), due: None, priority: None, payload: None }])
        }),
        ("submitted twice", "I15", |rig| rig.commit(&[submitted(task(1)), submitted(task(1))])),
        ("two tasks under one key", "I3", |rig| {
            let keyed = |number| submitted(Submitted { key: Some(claim(1)), ..task(number) });
            rig.commit(&[keyed(1), keyed(2)])
        }),
        ("granted while granted", "I15", |rig| {
            rig.running(task(1))?;
            rig.commit(&[assigned(1, fence(1, 2))])
        }),
        ("a fence that does not grow", "I8", |rig| {
            rig.running(task(1))?;
            rig.commit(&[unassigned(), assigned(1, fence(1, 1))])
        }),
        ("an old fence believed", "I10", |rig| {
            rig.running(task(1))?;
            rig.commit(&[unassigned(), assigned(1, fence(1, 2))])?;
            rig.commit(&[Event::TaskSucceeded { id: id(1), fence: fence(1, 1), output: None }])
        }),
        ("completed twice", "I15", |rig| {
            rig.running(task(1))?;
            let done = Event::TaskSucceeded { id: id(1), fence: fence(1, 1), output: None };
            rig.commit(&[done.clone(), done])
        }),
        ("released before its time", "I14", |rig| {
            let due = Some(Wall::from_millis(2_000_000));
            rig.commit(&[submitted(Submitted { due, ..task(1) }), Event::TaskDue { id: id(1) }])
        }),
        ("one attempt too many", "I14", |rig| {
            rig.running(task(1))?;
            rig.commit(&[failed(1, fence(1, 1), transient(), retry_at(10_500))])?;
            rig.now = 11_000;
            rig.commit(&[Event::TaskDue { id: id(1) }, assigned(1, fence(1, 2))])?;
            rig.commit(&[failed(1, fence(1, 2), transient(), retry_at(12_000))])
        }),
        ("a backoff cut short", "I14", |rig| {
            rig.running(task(1))?;
            rig.commit(&[failed(1, fence(1, 1), transient(), retry_at(10_499))])
        }),
        ("a date no clock has shown", "I14", |rig| {
            rig.commit(&[submitted(task(1))])?;
            rig.checkers.journal.believes_only(Wall::from_millis(1_000_001))
        }),
    ];
    check(&bounded(100, 100, 100), stories);
}

#[test]
fn leases_that_run_out_too_soon() {
    let stories: &[Story] = &[
        ("a whole lease of silence", "", |rig| {
            rig.running(task(1))?;
            rig.checkers.words.heard(Epoch::new(1), WORKER, Elapsed::from_millis(10_000));
            rig.now = 11_000;
            rig.commit(&[failed(1, fence(1, 1), silent(), AfterFailure::Requeue)])
        }),
        ("heard a moment ago", "FL-3", |rig| {
            rig.running(task(1))?;
            rig.checkers.words.heard(Epoch::new(1), WORKER, Elapsed::from_millis(10_500));
            rig.now = 11_000;
            rig.commit(&[failed(1, fence(1, 1), silent(), AfterFailure::Requeue)])
        }),
        ("an owner that has just begun", "FL-3", |rig| {
            rig.running(task(1))?;
            rig.epoch = 2;
            rig.commit(&[Event::EpochStarted { epoch: Epoch::new(2) }])?;
            rig.now = 10_900;
            rig.commit(&[failed(1, fence(1, 1), silent(), AfterFailure::Requeue)])
        }),
    ];
    check(&bounded(100, 100, 100), stories);
}

#[test]
fn limits_that_are_overrun() {
    let two = |rig: &mut Rig| {
        rig.commit(&[
            submitted(task(1)),
            submitted(task(2)),
            assigned(1, fence(1, 1)),
            assigned(2, fence(1, 2)),
        ])
    };
    check(&bounded(2, 2, 2), &[("room for both", "", two)]);
    check(&bounded(1, 9, 9), &[("one above the tenant's limit", "I21", two)]);
    check(&bounded(9, 1, 9), &[("one above the pool's limit", "I21", two)]);
    check(&bounded(9, 9, 1), &[("one above the worker's slots", "I21", two)]);
    let urgent_waits: Story = ("a lower band goes ahead", "I22", |rig| {
        let mut urgent = task(2);
        urgent.task.priority = Priority::of(Band::P0);
        rig.commit(&[submitted(task(1)), submitted(urgent), assigned(1, fence(1, 1))])
    });
    check(&bounded(9, 9, 9), &[urgent_waits]);
}

#[test]
fn executions_without_an_explanation() {
    let stories: &[Story] = &[
        ("never granted", "I13", |rig| {
            rig.commit(&[submitted(task(1))])?;
            rig.execute(fence(1, 1))
        }),
        ("twice under one fence", "I13", |rig| {
            rig.running(task(1))?;
            rig.execute(fence(1, 1))?;
            rig.execute(fence(1, 1))
        }),
        ("withdrawn as never begun, but executed", "I13", |rig| {
            rig.running(task(1))?;
            rig.execute(fence(1, 1))?;
            rig.checkers.ledger.disclaimed(Epoch::new(1), id(1), fence(1, 1));
            rig.commit(&[unassigned()])
        }),
        ("withdrawn as never begun, executed later", "I13", |rig| {
            rig.running(task(1))?;
            rig.checkers.ledger.disclaimed(Epoch::new(1), id(1), fence(1, 1));
            rig.commit(&[unassigned()])?;
            rig.execute(fence(1, 1))
        }),
        ("at most once, after an unknown end", "I13", |rig| {
            rig.running(Submitted { task: task_spec(Delivery::AtMostOnce), ..task(1) })?;
            rig.execute(fence(1, 1))?;
            rig.checkers.ledger.end(id(1), fence(1, 1), Over::Lost);
            rig.commit(&[failed(1, fence(1, 1), silent(), AfterFailure::Requeue), assigned(1, fence(1, 2))])?;
            rig.execute(fence(1, 2))
        }),
        ("at most once, after a known failure", "", |rig| {
            rig.running(Submitted { task: task_spec(Delivery::AtMostOnce), ..task(1) })?;
            rig.execute(fence(1, 1))?;
            rig.checkers.ledger.end(id(1), fence(1, 1), Over::Known);
            rig.commit(&[
                failed(1, fence(1, 1), transient(), AfterFailure::Requeue),
                assigned(1, fence(1, 2)),
            ])?;
            rig.execute(fence(1, 2))
        }),
    ];
    check(&bounded(9, 9, 9), stories);
}

#[test]
fn answers_that_are_not_true() {
    let stories: &[Story] = &[
        ("acknowledged and not there", "I1", |rig| {
            let (status, at) = (mainspring_core::task::Status::Queued, Wall::ZERO);
            let answer = Answer::Submitted { id: id(1), status, at };
            rig.told(Asked::Submit { id: id(1), key: None }, &Ok(answer))
        }),
        ("acknowledged and not ended", "I1", |rig| {
            rig.commit(&[submitted(task(1))])?;
            rig.checkers.accounted_for(id(1))
        }),
        ("refused and there", "I2", |rig| {
            rig.commit(&[submitted(task(1))])?;
            rig.checkers.never_accepted(id(1))
        }),
        ("another request under the key", "I3", |rig| {
            rig.commit(&[submitted(Submitted { key: Some(claim(1)), ..task(1) })])?;
            let asked = Asked::Submit { id: id(2), key: Some(claim(2)) };
            rig.told(asked, &Ok(Answer::AlreadySubmitted { id: id(1) }))
        }),
        ("the same request refused", "I3", |rig| {
            rig.commit(&[submitted(Submitted { key: Some(claim(1)), ..task(1) })])?;
            let asked = Asked::Submit { id: id(2), key: Some(claim(1)) };
            rig.told(asked, &Err(Rejection::KeyReused { existing: KeyHolder::Task(id(1)) }))
        }),
        ("cancelled, says the answer alone", "I1", |rig| {
            rig.commit(&[submitted(task(1))])?;
            rig.told(Asked::Cancel { id: id(1) }, &Ok(Answer::Stopping { id: id(1) }))
        }),
        ("known and not found", "I1", |rig| {
            rig.commit(&[submitted(task(1))])?;
            rig.told(Asked::Read { id: id(1) }, &Ok(Answer::Task(None)))
        }),
    ];
    check(&bounded(9, 9, 9), stories);
}

fn start(fence: Fence) -> Effect {
    Effect::Start(Start {
        worker: WORKER,
        session: Session::new(1),
        task: id(1),
        fence,
        attempt: 1,
        profile: profile(Delivery::AtLeastOnce),
        payload: Arc::from([1_u8].as_slice()),
        checkpoint: None,
        memory_bytes: None,
        exclusive: false,
        sensitive: None,
    })
}

fn acknowledge(verdict: ReportVerdict) -> Effect {
    let session = Session::new(1);
    Effect::Acknowledge { worker: WORKER, session, task: id(1), fence: fence(1, 1), verdict }
}

#[test]
fn orders_that_come_too_soon() {
    let stories: &[Story] = &[
        ("started as granted", "", |rig| {
            rig.running(task(1))?;
            rig.order(&start(fence(1, 1)))
        }),
        ("started before the grant", "I10", |rig| {
            rig.commit(&[submitted(task(1))])?;
            rig.order(&start(fence(1, 1)))
        }),
        ("acknowledged before the record", "I10", |rig| {
            rig.running(task(1))?;
            rig.order(&acknowledge(ReportVerdict::Recorded))
        }),
        ("the live grant called stale", "I10", |rig| {
            rig.running(task(1))?;
            rig.order(&acknowledge(ReportVerdict::Stale))
        }),
        ("the live grant killed", "I10", |rig| {
            rig.running(task(1))?;
            let (session, grace) = (Session::new(1), Millis::ZERO);
            rig.order(&Effect::Stop {
                worker: WORKER,
                session,
                task: id(1),
                fence: fence(1, 1),
                grace,
                reason: None,
            })
        }),
    ];
    check(&bounded(9, 9, 9), stories);
}

fn trigger_stored(group: Group) -> Event {
    let name = Name::fixed("told");
    let spec = TriggerSpec {
        on: On::Webhook(name.clone()),
        condition: None,
        parameters: Arc::from(*b"{}"),
        templated: false,
        active_max: 1,
        bucket: Bucket::home(group),
    };
    let key = TriggerKey { tenant: Name::fixed("acme"), job: Name::fixed("report"), name };
    let id = TriggerId::new(Bucket::home(group), 1);
    let stored = TriggerStored { id, key: Arc::new(key), spec: Arc::new(spec) };
    Event::Trigger(TriggerEvent::Stored(Box::new(stored)))
}

fn entity_row(group: Group) -> EntityRow {
    EntityRow {
        kind: EntityKind::Trigger,
        id: 1,
        group,
        tenant: Name::fixed("acme"),
        parent: Name::fixed("report"),
        ended: None,
        fixed: None,
        bytes: Vec::new(),
    }
}

#[test]
fn tables_that_differ_from_the_journal() {
    fn through(rig: &Rig) -> Cut {
        Cut { epoch: Epoch::new(1), through: Seq::new(rig.seq), ..Cut::default() }
    }
    let stories: &[Story] = &[
        ("as the journal says", "", |rig| {
            rig.commit(&[submitted(task(1))])?;
            let cut = Cut { live: vec![rig.live_row(1)], ..through(rig) };
            rig.cut(&cut)
        }),
        ("a row in another group than its tenant", "BK-2", |rig| {
            rig.commit(&[submitted(task(1))])?;
            let row = LiveRow { group: GROUPS.of("beta"), ..rig.live_row(1) };
            let cut = Cut { live: vec![row], ..through(rig) };
            rig.cut(&cut)
        }),
        ("an id in another group than its tenant", "BK-2", |rig| {
            let id = TaskId::new(1, Bucket::spread(GROUPS.of("beta"), 1), 1);
            rig.commit(&[submitted(Submitted { id, ..task(1) })])?;
            let cut = through(rig);
            rig.cut(&cut)
        }),
        ("a trigger's id in another group than its tenant", "BK-2", |rig| {
            rig.commit(&[trigger_stored(GROUPS.of("beta"))])?;
            let cut = through(rig);
            rig.cut(&cut)
        }),
        ("an entity's row in another group than its tenant", "BK-2", |rig| {
            let cut = Cut { entities: vec![entity_row(GROUPS.of("beta"))], ..through(rig) };
            rig.cut(&cut)
        }),
        ("an anonymous task among those with names", "BK-1", |rig| {
            let id = TaskId::new(1, Bucket::home(GROUPS.of("acme")), 1);
            rig.commit(&[submitted(Submitted { id, ..task(1) })])?;
            let cut = through(rig);
            rig.cut(&cut)
        }),
        ("past the end of the journal", "I16", |rig| {
            let cut = Cut { through: Seq::new(5), ..through(rig) };
            rig.cut(&cut)
        }),
        ("a row is missing", "I16", |rig| {
            rig.commit(&[submitted(task(1))])?;
            let cut = through(rig);
            rig.cut(&cut)
        }),
        ("a row of an older state", "I16", |rig| {
            rig.commit(&[submitted(task(1))])?;
            let old = rig.live_row(1);
            rig.commit(&[assigned(1, fence(1, 1))])?;
            let cut = Cut { live: vec![old], ..through(rig) };
            rig.cut(&cut)
        }),
        ("a row twice", "I16", |rig| {
            rig.commit(&[submitted(task(1))])?;
            let cut = Cut { live: vec![rig.live_row(1), rig.live_row(1)], ..through(rig) };
            rig.cut(&cut)
        }),
        ("an ended task with a live row", "I16", |rig| {
            rig.commit(&[submitted(task(1))])?;
            let old = rig.live_row(1);
            rig.commit(&[Event::TaskCancelled { id: id(1) }])?;
            let cut = Cut { live: vec![old], ..through(rig) };
            rig.cut(&cut)
        }),
    ];
    check(&bounded(9, 9, 9), stories);
}

/// A backfill of one window, from its first word to its last.
fn backfilled(number: u128, window: Wall) -> Vec<Event> {
    let bits = TaskId::new(1, Bucket::home(GROUPS.of("acme")), number as u64).bits();
    let (id, run) = (BackfillId::from_bits(bits), RunId::from_bits(bits));
    let name = Name::fixed;
    let spec = BackfillSpec {
        key: Arc::new(ScheduleKey { tenant: name("acme"), job: name("report"), name: name("nightly") }),
        from: Wall::ZERO,
        to: Wall::from_millis(window.millis() + 1),
        only: Only::All,
        windows: Windows::new(&[window], Order::Oldest).expect("a window"),
        max_active: 1,
        version: 1,
        parameters: Arc::from(*b"{}"),
    };
    let plan = Plan::new(Vec::new(), FailurePolicy::default(), Bounds::default(), None);
    let (spec, plan) = (Arc::new(spec), Some(Arc::new(plan)));
    let schedule = ScheduleId::from_bits(1);
    let created = Created { id, schedule, spec, plan: plan.clone() };
    let job = Arc::new(JobKey { tenant: name("acme"), name: name("report") });
    let what_for =
        Window { schedule, name: name("nightly"), at: window, from: Wall::ZERO, fired_as: FiredAs::Backfill };
    let origin = Origin { window: Some(Box::new(what_for)), ..Origin::of(StartedBy::Backfill) };
    let run = RunCreated {
        plan,
        fired_by: Some(FiredBy::Backfill(id)),
        ..RunCreated::new(run, job, 1, Arc::from(*b"{}"), origin)
    };
    vec![
        Event::Backfill(BackfillEvent::Created(Box::new(created))),
        Event::Run(RunEvent::RunCreated(Box::new(run))),
        Event::Backfill(BackfillEvent::Ended { id }),
    ]
}

/// Two backfills ran one window, each in a record of its own, and one cut holds both. `rows` says which rows of the
/// window the tables get.
fn window_ran_twice(rows: fn(&[WindowRow]) -> Vec<WindowRow>) -> Check {
    let (mut tables, mut state) = (TableFold::default(), State::default());
    for number in 1..=2 {
        let (seq, now) = (Seq::new(number), Now::new(number, number));
        let events = backfilled(number.into(), Wall::from_millis(7));
        state.begin(seq, now);
        for event in &events {
            fold(&mut state, event);
        }
        let record = Record { epoch: Epoch::new(1), seq, now, events: events.len() as u32, body: Vec::new() };
        tables.waiting(&record, events);
    }
    let entities = changed_entities(state.entity_tables(), GROUPS, &mut EncodedProfiles::default());
    let changed = state.take_changed(Seq::new(2));
    let runs = changed.runs.runs.iter().filter_map(|index| state.job_runs().runs().get(*index));
    let runs = runs.map(|run| RunRow::of(run, GROUPS, &mut EncodedProfiles::default())).collect();
    let windows = rows(&changed.windows);
    let mut disk = Disk::new(true);
    let (epoch, through) = (disk.next_epoch(), Seq::new(2));
    let cut = Cut { epoch, through, entities, runs, windows, ..Cut::default() };
    disk.cut(&cut).expect("a cut");
    tables.cut(&cut, &disk, true)?;
    tables.whole(&disk, true)
}

#[test]
fn windows_that_ran_twice_between_two_cuts() {
    type Rows = fn(&[WindowRow]) -> Vec<WindowRow>;
    let rows: [(&str, bool, Rows); 5] = [
        ("in their order", true, <[_]>::to_vec),
        ("only the newer one", true, |rows| vec![rows[1]]),
        ("the older one over the newer one", false, |rows| vec![rows[1], rows[0]]),
        ("none", false, |_| Vec::new()),
        ("one more than was decided", false, |rows| {
            vec![rows[1], WindowRow { first: Wall::from_millis(6), ..rows[1] }]
        }),
    ];
    for (name, holds, rows) in rows {
        let outcome = window_ran_twice(rows);
        let broken = outcome.as_ref().err().map(|broken| broken.invariant);
        assert_eq!(broken, (!holds).then_some("I16"), "{name}: {outcome:?}");
    }
}
