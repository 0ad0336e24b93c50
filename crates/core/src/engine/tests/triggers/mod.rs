//! Stories of triggers.

mod after;
mod announce;
mod fallback;
mod waits;

use std::sync::Arc;

use super::runs::{apply_all, flow, key as job, node, plan, trigger as by_hand, with_words};
use super::{OK, Rig};
use crate::engine::{Answer, Command};
use crate::event::Event;
use crate::job::FailurePolicy;
use crate::key::{KeyClaim, KeyFact, KeyScope};
use crate::run::decide::RunCommand;
use crate::run::{Run, RunCreated, RunEvent, StartedBy};
use crate::schedule::Spec;
use crate::trigger::decide::{Begun, Publish, Published};
use crate::trigger::{On, Skip, Trigger, TriggerEvent, TriggerKey, TriggerSpec};
use crate::values::{Bucket, CloudEvent, Group, Name, NodeInstance, Pattern, RunId, Wall};

const MINUTE: u64 = 60_000;

fn on(on: On) -> TriggerSpec {
    TriggerSpec {
        on,
        condition: None,
        parameters: Arc::from(*b"{}"),
        templated: false,
        active_max: 16,
        bucket: Bucket::home(Group::ZERO),
    }
}

pub(super) fn of_type(text: &str) -> TriggerSpec {
    on(On::Event { kind: Pattern::parse(text).expect("a pattern"), source: None })
}

fn store(
    rig: &mut Rig,
    name: &'static str,
    specs: Vec<(&'static str, TriggerSpec)>,
    schedules: Vec<(Name, Spec)>,
) {
    let specs = specs.into_iter().map(|(name, spec)| (Name::fixed(name), spec)).collect();
    apply_all(rig, name, plan(vec![node("a", &[])], FailurePolicy::FailFast), schedules, specs);
}

/// A job with one trigger, `t`.
pub(super) fn with(spec: TriggerSpec) -> Rig {
    let mut rig = with_words();
    store(&mut rig, "flow", vec![("t", spec)], Vec::new());
    rig
}

pub(super) fn notice(kind: &str, id: &str) -> CloudEvent {
    CloudEvent {
        id: id.into(),
        source: "/shop".into(),
        kind: kind.into(),
        subject: None,
        time: None,
        data: None,
    }
}

pub(super) fn send(rig: &mut Rig, notice: CloudEvent) -> Published {
    let scope = notice.id.bytes().fold(1, |hash: u128, byte| hash * 257 + u128::from(byte));
    let claim = KeyClaim {
        scope: KeyScope(scope),
        request: 0,
        expires: Wall::from_millis(u64::MAX >> 8),
        group: Group::ZERO,
    };
    let base = RunId::from_bits(rig.next_id().bits() << 20);
    let publish =
        Publish { tenant: job("flow").tenant, notice: Arc::new(notice), key: (claim, KeyFact::Absent), base };
    match rig.tell(Command::Publish(Box::new(publish))) {
        Ok(Answer::Published(published)) => *published,
        other => panic!("{other:?}"),
    }
}

/// The runs that an event began, and what it was refused with.
pub(super) fn taken(published: Published) -> (Vec<RunId>, Vec<String>) {
    match published {
        Published::Taken { runs, skipped, errors } => {
            let declined = skipped.into_iter().chain(errors).map(|declined| declined.what.to_string());
            (runs.into_iter().map(|Begun { run, .. }| run).collect(), declined.collect())
        }
        Published::Duplicate { .. } => panic!("it did not come before"),
    }
}

impl Rig {
    fn hook(&self, job: &'static str, name: &'static str) -> &Trigger {
        let key = TriggerKey {
            tenant: super::runs::key(job).tenant,
            job: Name::fixed(job),
            name: Name::fixed(name),
        };
        self.engine.state().triggers().find(&key).expect("there is a trigger")
    }

    fn run_of(&self, id: RunId) -> &Run {
        self.engine.state().job_runs().run(id).expect("the run is in memory")
    }

    fn finish(&mut self, id: RunId) {
        let task = self.run_of(id).task_at(0, NodeInstance::WHOLE);
        self.report(task, OK);
    }

    /// Runs of a job so far, in the order in which they began.
    fn begun(&self, job: &str) -> Vec<RunCreated> {
        let created = self.events.iter().filter_map(|event| match event {
            Event::Run(RunEvent::RunCreated(created)) if &*created.job.name == job => {
                Some((**created).clone())
            }
            _ => None,
        });
        created.collect()
    }
}

/// Puts the journal so far into a new engine, as after a crash.
fn crash(rig: Rig) -> Rig {
    let mut reborn = Rig::with(crate::engine::EngineConfig::default());
    reborn.engine.set_evaluate(Arc::new(super::runs::Words));
    (reborn.now, reborn.ids) = (rig.now, rig.ids);
    reborn.begin();
    for event in &rig.events {
        crate::state::fold(&mut reborn.engine.state, event);
        crate::state::fold(&mut reborn.shadow, event);
    }
    reborn.start_epoch(2);
    reborn.engine.recover();
    reborn.events = rig.events;
    reborn.effects = rig.effects;
    reborn.check();
    reborn
}

#[test]
fn an_event_begins_a_run_that_knows_it() {
    let mut rig = with(TriggerSpec { templated: true, ..of_type("order.created") });
    let (runs, declined) = taken(send(&mut rig, notice("order.created", "7")));
    assert_eq!((runs.len(), declined.len()), (1, 0));
    let run = rig.run_of(runs[0]);
    let cause = run.origin.cause.as_ref().expect("it knows its event");
    assert_eq!((run.origin.started_by, &*cause.notice.id, &*cause.trigger), (StartedBy::Event, "7", "t"));
    assert_eq!(&*run.parameters, b"{}7", "templates are filled in");
    assert_eq!(run.id.bucket(), RunId::from_bits(run.id.bits()).bucket());
    let hook = rig.hook("flow", "t");
    assert_eq!((hook.fired, hook.soft.active), (1, 1));
    rig.finish(runs[0]);
    assert_eq!(rig.hook("flow", "t").soft.active, 0);
}

#[test]
fn an_event_is_taken_once_also_over_a_crash() {
    let mut rig = with(of_type("order.*"));
    let (first, _) = taken(send(&mut rig, notice("order.created", "7")));
    let again = send(&mut rig, notice("order.created", "7"));
    assert_eq!(again, Published::Duplicate { runs: first.clone() });
    let mut rig = crash(rig);
    assert_eq!(rig.hook("flow", "t").soft.active, 1);
    let again = send(&mut rig, notice("order.created", "7"));
    assert_eq!(again, Published::Duplicate { runs: first });
    assert_eq!(rig.begun("flow").len(), 1);
    let (nothing, _) = taken(send(&mut rig, notice("other", "8")));
    assert_eq!(nothing, []);
    assert_eq!(send(&mut rig, notice("other", "8")), Published::Duplicate { runs: nothing });
}

/// In steps of a minute, so that sweeps come and end.
fn hours(rig: &mut Rig, hours: u64) {
    for _ in 0..hours * 60 {
        rig.pass(MINUTE);
    }
}

#[test]
fn a_deleted_trigger_is_forgotten_after_a_day_and_its_number_never_given_away_again() {
    let mut rig = with(of_type("order.*"));
    let first = rig.hook("flow", "t").id;
    let (runs, _) = taken(send(&mut rig, notice("order.created", "7")));
    let forgotten = |rig: &Rig| {
        let events = rig.events.iter();
        events.filter(|event| matches!(event, Event::Trigger(TriggerEvent::Forgotten { .. }))).count()
    };
    store(&mut rig, "flow", vec![], vec![]);
    hours(&mut rig, 23);
    assert_eq!(forgotten(&rig), 0, "not yet a day");
    hours(&mut rig, 2);
    assert_eq!(forgotten(&rig), 0, "a run of it is at work");
    flow(&mut rig, RunCommand::CancelRun { id: runs[0] }).expect("at work");
    hours(&mut rig, 1);
    assert_eq!(forgotten(&rig), 1);
    let key = TriggerKey { tenant: job("flow").tenant, job: Name::fixed("flow"), name: Name::fixed("t") };
    assert!(rig.engine.state().triggers().find(&key).is_none());
    store(&mut rig, "flow", vec![("t", of_type("order.*"))], vec![]);
    let second = rig.hook("flow", "t");
    assert_eq!((second.id.number(), second.fired), (first.number() + 1, 0));
    let rig = crash(rig);
    assert_eq!(rig.engine.state().triggers().next_id(first.bucket(), 0).number(), first.number() + 2);
}

#[test]
fn ids_of_triggers_lie_in_the_bucket_of_their_tenant_and_their_numbers_rise() {
    let mut rig = with_words();
    let mut numbers = Vec::new();
    for (job, group) in [("a", 3), ("b", 77), ("c", 255)] {
        let bucket = Bucket::home(Group::new(group));
        let spec = TriggerSpec { bucket, ..of_type("order.*") };
        store(&mut rig, job, vec![("t", spec.clone()), ("u", spec)], Vec::new());
        for name in ["t", "u"] {
            let id = rig.hook(job, name).id;
            assert_eq!(id.bucket(), bucket, "{id}");
            numbers.push(id.number());
        }
    }
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn patterns_find_what_they_mean_and_nothing_else() {
    let source = |text: &str| Some(Pattern::parse(text).expect("a pattern"));
    let typed = |kind: &str, source| on(On::Event { kind: Pattern::parse(kind).expect("a pattern"), source });
    let rows: [(&str, TriggerSpec, &str, usize); 9] = [
        ("exact", typed("a.b", None), "a.b", 1),
        ("exact, longer", typed("a.b", None), "a.b.c", 0),
        ("prefix", typed("a.*", None), "a.b", 1),
        ("prefix, itself", typed("a.b*", None), "a.b", 1),
        ("prefix, other", typed("b.*", None), "a.b", 0),
        ("everything", typed("*", None), "a.b", 1),
        ("its source", typed("a.b", source("/sh*")), "a.b", 1),
        ("another source", typed("a.b", source("/bank")), "a.b", 0),
        ("another way in", on(On::Webhook(Name::fixed("shop"))), "a.b", 0),
    ];
    for (name, spec, kind, count) in rows {
        let mut rig = with(spec);
        assert_eq!(taken(send(&mut rig, notice(kind, "1"))).0.len(), count, "{name}");
    }
    let mut rig = with(on(On::Webhook(Name::fixed("shop"))));
    let signed = CloudEvent { source: "/webhooks/shop".into(), ..notice("anything", "1") };
    assert_eq!(taken(send(&mut rig, signed)).0.len(), 1);
}

#[test]
fn what_is_not_begun_is_counted_and_told() {
    type Row = (&'static str, TriggerSpec, &'static [&'static str], (u64, u64, u64));
    let spec = of_type("order.created");
    let subject = Some("has a subject".into());
    let rows: [Row; 5] = [
        ("condition", TriggerSpec { condition: subject, ..spec.clone() }, &[], (0, 0, 0)),
        (
            "bad condition",
            TriggerSpec { condition: Some("nonsense".into()), ..spec.clone() },
            &["its condition: `nonsense` is no condition"; 2],
            (0, 0, 2),
        ),
        (
            "bad template",
            TriggerSpec { templated: true, parameters: Arc::from(*b"undefined"), ..spec.clone() },
            &["its parameters: `x` is undefined"; 2],
            (0, 0, 2),
        ),
        ("max active", TriggerSpec { active_max: 1, ..spec.clone() }, &["max_active"], (1, 1, 0)),
        ("room for all", spec, &[], (2, 0, 0)),
    ];
    for (name, spec, words, (fired, skipped, errors)) in rows {
        let mut rig = with(spec);
        let mut declined = taken(send(&mut rig, notice("order.created", "1"))).1;
        declined.extend(taken(send(&mut rig, notice("order.created", "2"))).1);
        assert_eq!(declined, words, "{name}");
        let hook = rig.hook("flow", "t");
        assert_eq!((hook.fired, hook.skipped, hook.errors), (fired, skipped, errors), "{name}");
    }
}

#[test]
fn a_paused_job_takes_no_event_and_a_deleted_one_listens_for_none() {
    let mut rig = with(of_type("x"));
    flow(&mut rig, RunCommand::PauseJob { key: job("flow"), paused: true, seen: None })
        .expect("there is one");
    assert_eq!(taken(send(&mut rig, notice("x", "1"))), (vec![], vec![Skip::Paused.label().to_owned()]));
    flow(&mut rig, RunCommand::DeleteJob { key: job("flow"), seen: None }).expect("there is one");
    assert_eq!(taken(send(&mut rig, notice("x", "2"))), (vec![], vec![]));
    store(&mut rig, "flow", vec![("t", of_type("x"))], Vec::new());
    assert_eq!(taken(send(&mut rig, notice("x", "3"))).0.len(), 1);
    // A file without it takes it away.
    store(&mut rig, "flow", vec![("other", of_type("y"))], Vec::new());
    assert_eq!(taken(send(&mut rig, notice("x", "4"))), (vec![], vec![]));
    assert!(rig.hook("flow", "t").deleted.is_some());
}

#[test]
fn one_event_begins_a_bounded_number_of_runs() {
    let mut rig = with_words();
    let names: Vec<&'static str> = (0..300).map(|n| &*format!("t{n}").leak()).collect();
    store(&mut rig, "flow", names.iter().map(|name| (*name, of_type("x"))).collect(), Vec::new());
    let before = rig.events.len();
    let (runs, declined) = taken(send(&mut rig, notice("x", "1")));
    assert_eq!((runs.len(), declined.len()), (256, 44));
    assert!(declined.iter().all(|why| why == "fan_out"));
    let says = |event: &&Event| matches!(event, Event::Trigger(_)) || event.trigger_fired().is_some();
    let own = rig.events[before..].iter().filter(says).count();
    assert_eq!(own, 300, "every trigger says what it did");
    let again = send(&mut rig, notice("x", "1"));
    assert_eq!(again, Published::Duplicate { runs });
}

#[test]
fn the_end_of_a_run_is_an_event() {
    let mut rig = with(of_type("mainspring.run.succeeded"));
    store(&mut rig, "other", Vec::new(), Vec::new());
    let run = by_hand(&mut rig, "other");
    assert_eq!(rig.begun("flow").len(), 0);
    rig.finish(run);
    let begun = rig.begun("flow");
    assert_eq!(begun.len(), 1);
    let cause = begun[0].origin.cause.as_ref().expect("an event began it");
    let subject = run.to_string();
    assert_eq!((&*cause.notice.source, cause.notice.subject.as_deref()), ("/jobs/other", Some(&*subject)));
    assert_eq!(cause.notice.data.as_deref(), Some(&b"succeeded"[..]));
}

#[test]
fn a_task_outside_of_runs_tells_its_end_and_one_of_a_run_does_not() {
    let mut rig = with(of_type("mainspring.task.*"));
    store(&mut rig, "other", Vec::new(), Vec::new());
    let run = by_hand(&mut rig, "other");
    rig.finish(run);
    assert_eq!(rig.begun("flow").len(), 0);
    let task = rig.submit();
    rig.pass(0);
    rig.report(task, OK);
    let begun = rig.begun("flow");
    let kinds: Vec<&str> =
        begun.iter().filter_map(|run| Some(&*run.origin.cause.as_ref()?.notice.kind)).collect();
    assert_eq!(kinds, ["mainspring.task.succeeded"]);
}

#[test]
fn jobs_that_begin_each_other_end() {
    let mut rig = with(of_type("mainspring.run.succeeded"));
    let first = by_hand(&mut rig, "flow");
    rig.finish(first);
    for _ in 0..100 {
        let Some(open) = rig.begun("flow").into_iter().find(|run| !rig.run_of(run.id).status.is_ended())
        else {
            break;
        };
        rig.finish(open.id);
    }
    assert_eq!(rig.begun("flow").len(), 1 + 32);
    let hook = rig.hook("flow", "t");
    assert_eq!(hook.errors, 1);
    assert!(hook.last_error.as_ref().is_some_and(|(_, what)| what.contains("loop")), "{hook:?}");
}

#[test]
fn a_pattern_for_everything_does_not_mean_our_own_ends() {
    let mut rig = with(of_type("*"));
    let run = by_hand(&mut rig, "flow");
    rig.finish(run);
    assert_eq!(rig.begun("flow").len(), 1);
    assert!(!rig.events.iter().any(|event| event.trigger_fired().is_some()));
}
