//! Stories of backfills.

use std::sync::Arc;

use super::runs::{apply_with, flow, key as job, node, trigger, wide, with_words};
use super::{OK, Rig, failed};
use crate::backfill::decide::{BackfillAnswer, BackfillCommand, CreateBackfill};
use crate::backfill::{Backfill, BackfillRefusal, BackfillStatus, Only, Order, Windows};
use crate::calendar::Timetable;
use crate::decision::Rejection;
use crate::engine::{Answer, Command};
use crate::event::Event;
use crate::job::{Bounds, FailurePolicy, Plan};
use crate::run::decide::RunCommand;
use crate::run::{RunEvent, StartedBy};
use crate::schedule::decide::ScheduleCommand;
use crate::schedule::{Schedule, ScheduleKey, Spec, Target, Timing};
use crate::values::{
    BackfillId, Band, FailureClass, Millis, Name, NodeInstance, Pressure, RunId, RunStatus, ScheduleId, Seq,
    Wall,
};

const MINUTE: u64 = 60_000;
const ID: BackfillId = BackfillId::from_bits(77);
const OTHER: BackfillId = BackfillId::from_bits(78);
const FIRST: ScheduleId = ScheduleId::from_bits(1);

fn minutely() -> Spec {
    let every = Timetable::Every { every: Millis::new(MINUTE), anchor: Wall::ZERO };
    Spec::new(Target::Run { parameters: Arc::from(*b"{}"), priority: None }, Timing::Table(every))
}

fn key() -> ScheduleKey {
    ScheduleKey { tenant: Name::fixed("acme"), job: Name::fixed("flow"), name: Name::fixed("s") }
}

fn of_one_task(active_runs_max: u32) -> Plan {
    let bounds = Bounds { active_runs_max, ..wide() };
    Plan::new(vec![node("a", &[])], FailurePolicy::FailFast, bounds, None)
}

/// Job `flow` with a schedule for every minute, at minute 16.
fn story(active_runs_max: u32) -> Rig {
    let mut rig = with_words();
    apply_with(&mut rig, "flow", of_one_task(active_runs_max), vec![(Name::fixed("s"), minutely())]);
    rig
}

fn create(rig: &Rig, id: BackfillId, minutes: &[u64], order: Order, max_active: u32) -> CreateBackfill {
    let windows: Vec<Wall> = minutes.iter().map(|minute| Wall::from_millis(minute * MINUTE)).collect();
    CreateBackfill {
        id,
        key: key(),
        from: Wall::ZERO,
        to: Wall::from_millis(16 * MINUTE),
        only: Only::Missing,
        windows: Windows::new(&windows, order).expect("windows"),
        max_active,
        version: 1,
        plan: None,
        parameters: Arc::from(*b"{}"),
        written_back: rig.schedule_of_job().written_back(),
    }
}

fn say(rig: &mut Rig, command: BackfillCommand) -> Result<BackfillAnswer, Rejection> {
    match rig.tell(Command::Backfill(Box::new(command)))? {
        Answer::Backfill(answer) => Ok(answer),
        other => panic!("{other:?}"),
    }
}

fn begin(rig: &mut Rig, create: CreateBackfill) {
    say(rig, BackfillCommand::Create(Box::new(create))).expect("accepted");
    rig.pass(0);
}

fn refused(rig: &mut Rig, create: CreateBackfill) -> BackfillRefusal {
    match say(rig, BackfillCommand::Create(Box::new(create))) {
        Err(Rejection::Backfill(refusal)) => *refusal,
        other => panic!("{other:?}"),
    }
}

impl Rig {
    fn schedule_of_job(&self) -> &Schedule {
        self.engine.state().schedules().get(FIRST).expect("there is a schedule")
    }

    fn backfill(&self) -> &Backfill {
        self.engine.state().backfills().get(ID).expect("there is a backfill")
    }

    /// Minutes of the windows that were started, in that order, with their runs.
    fn started(&self) -> Vec<(u64, RunId)> {
        let started = self.events.iter().filter_map(Event::backfill_started);
        started.map(|started| (started.window.millis() / MINUTE, started.run)).collect()
    }

    fn minutes(&self) -> Vec<u64> {
        self.started().into_iter().map(|(minute, _)| minute).collect()
    }

    fn end(&mut self, run: RunId, well: bool) {
        let run = self.engine.state().job_runs().run(run).expect("it is in memory");
        let task = run.task_at(0, NodeInstance::WHOLE);
        self.report(task, if well { OK } else { failed(FailureClass::Transient) });
        self.pass(0);
    }
}

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
    (reborn.events, reborn.effects) = (rig.events, rig.effects);
    let tasks = reborn.engine.state().tasks().iter();
    let held: Vec<_> =
        tasks.filter(|(_, task)| task.status().is_leased()).map(|(_, task)| (task.id, task.fence)).collect();
    reborn.hello(1, 2, 1, &held);
    reborn.pass(0);
    reborn
}

#[test]
fn windows_run_in_order_a_few_at_a_time_in_the_lowest_band() {
    let mut rig = story(u32::MAX);
    let wish = create(&rig, ID, &[3, 4, 5, 6, 9], Order::Newest, 2);
    begin(&mut rig, wish);
    assert_eq!(rig.minutes(), [9, 6]);
    let (_, first) = rig.started()[0];
    let run = rig.engine.state().job_runs().run(first).expect("it is in memory").clone();
    assert_eq!((run.origin.started_by, run.version), (StartedBy::Backfill, 1));
    let task = rig.engine.state().tasks().by_id(run.task_at(0, NodeInstance::WHOLE)).expect("its task");
    assert_eq!(task.priority.band, Band::Backfill);
    let window = run.origin.window.as_ref().expect("a window");
    assert_eq!((window.at.millis() / MINUTE, window.from.millis() / MINUTE), (9, 8));
    assert_eq!(*rig.schedule_of_job().rare.active, [], "it is none of the live ones");
    rig.end(first, true);
    assert_eq!(rig.minutes(), [9, 6, 5]);
    for at in 1..5 {
        let (_, run) = rig.started()[at];
        rig.end(run, at != 3);
    }
    assert_eq!(rig.minutes(), [9, 6, 5, 4, 3]);
    let done = rig.backfill();
    assert_eq!((done.succeeded, done.failed, done.active.len()), (4, 1, 0));
    assert_eq!(done.status(), BackfillStatus::Completed);
    assert_eq!(rig.engine.state().backfills().unfinished(), 0);
}

#[test]
fn after_a_crash_it_goes_on_where_it_was() {
    let mut rig = story(u32::MAX);
    let wish = create(&rig, ID, &[1, 2, 3, 4], Order::Oldest, 1);
    begin(&mut rig, wish);
    for at in 0..4 {
        rig = crash(rig);
        let (_, run) = rig.started()[at];
        rig.end(run, true);
    }
    assert_eq!(rig.minutes(), [1, 2, 3, 4]);
    assert_eq!(rig.backfill().status(), BackfillStatus::Completed);
    assert_eq!(rig.backfill().succeeded, 4);
}

#[test]
fn a_paused_one_starts_nothing_and_goes_on() {
    let mut rig = story(u32::MAX);
    let wish = create(&rig, ID, &[1, 2, 3], Order::Oldest, 1);
    begin(&mut rig, wish);
    say(&mut rig, BackfillCommand::Pause { id: ID, paused: true }).expect("it goes on");
    let (_, run) = rig.started()[0];
    rig.end(run, true);
    rig = crash(rig);
    assert_eq!(rig.minutes(), [1]);
    assert_eq!(rig.backfill().status(), BackfillStatus::Paused);
    say(&mut rig, BackfillCommand::Pause { id: ID, paused: false }).expect("it is paused");
    rig.pass(0);
    assert_eq!(rig.minutes(), [1, 2]);
}

#[test]
fn a_cancelled_one_takes_its_runs_along() {
    let mut rig = story(u32::MAX);
    let wish = create(&rig, ID, &[1, 2, 3], Order::Oldest, 2);
    begin(&mut rig, wish);
    say(&mut rig, BackfillCommand::Cancel { id: ID }).expect("it goes on");
    rig.pass(0);
    assert_eq!(rig.backfill().status(), BackfillStatus::Cancelling);
    for (_, run) in rig.started() {
        rig.end(run, false);
    }
    assert_eq!(rig.backfill().status(), BackfillStatus::Cancelled);
    assert_eq!(rig.minutes(), [1, 2]);
    let again = say(&mut rig, BackfillCommand::Cancel { id: ID });
    assert!(
        matches!(&again, Err(Rejection::Backfill(refusal)) if refusal.code() == "BACKFILL_ALREADY_ENDED"),
        "{again:?}"
    );
}

#[test]
fn a_plan_that_is_out_of_date_is_refused() {
    let mut rig = story(u32::MAX);
    let old = create(&rig, OTHER, &[2, 3], Order::Oldest, 1);
    let wish = create(&rig, ID, &[1, 2], Order::Oldest, 2);
    begin(&mut rig, wish);
    assert_eq!(refused(&mut rig, old.clone()), BackfillRefusal::Active { id: ID, key: key() });
    for (_, run) in rig.started() {
        rig.end(run, true);
    }
    assert_eq!(refused(&mut rig, old), BackfillRefusal::PlanOld { key: key() }, "window 2 ran since");
    let ahead = create(&rig, OTHER, &[3, 17], Order::Oldest, 1);
    assert_eq!(refused(&mut rig, ahead), BackfillRefusal::PlanOld { key: key() }, "17 is the next one");
    let version = CreateBackfill { version: 2, ..create(&rig, OTHER, &[3], Order::Oldest, 1) };
    assert_eq!(refused(&mut rig, version), BackfillRefusal::PlanOld { key: key() });
    // The machine that comes after the crash counts records from the beginning again, so the plan is of an earlier one.
    let before = CreateBackfill { written_back: Seq::ZERO, ..create(&rig, OTHER, &[3], Order::Oldest, 1) };
    rig = crash(rig);
    assert_eq!(refused(&mut rig, before), BackfillRefusal::PlanOld { key: key() }, "made before the crash");
    let fresh = create(&rig, OTHER, &[3], Order::Oldest, 1);
    begin(&mut rig, fresh);
    assert_eq!(rig.minutes(), [1, 2, 3]);
}

#[test]
fn a_schedule_without_a_timetable_cannot_be_backfilled() {
    let mut rig = with_words();
    let spec = minutely().on(|terms| terms.timing = Timing::After(Millis::from_secs(5)));
    apply_with(&mut rig, "flow", of_one_task(1), vec![(Name::fixed("s"), spec)]);
    let wish = CreateBackfill { written_back: Seq::ZERO, ..create(&rig, ID, &[1], Order::Oldest, 1) };
    assert_eq!(refused(&mut rig, wish).code(), "SCHEDULE_NOT_BACKFILLABLE");
}

#[test]
fn what_is_live_goes_before_it() {
    for (places, for_backfills) in [(1, 1), (3, 2)] {
        let mut rig = story(places);
        let wish = create(&rig, ID, &[1, 2, 3, 4], Order::Oldest, 4);
        begin(&mut rig, wish);
        let status = |rig: &Rig, run| rig.engine.state().job_runs().run(run).map(|run| run.status);
        let runs: Vec<RunId> = rig.started().into_iter().map(|(_, run)| run).collect();
        let running = runs.iter().filter(|run| status(&rig, **run) == Some(RunStatus::Running)).count();
        assert_eq!(running, for_backfills, "of {places} places");
        let live = trigger(&mut rig, "flow");
        if places == 1 {
            assert_eq!(status(&rig, live), Some(RunStatus::Queued));
            rig = crash(rig);
            rig.end(runs[0], true);
        }
        assert_eq!(status(&rig, live), Some(RunStatus::Running), "before those of the backfill that wait");
    }
}

#[test]
fn it_ends_with_its_schedule_and_what_runs_goes_on() {
    let mut rig = story(u32::MAX);
    let wish = create(&rig, ID, &[1, 2, 3], Order::Oldest, 1);
    begin(&mut rig, wish);
    rig.tell(Command::Schedule(Box::new(ScheduleCommand::Delete { key: key(), seen: None })))
        .expect("there is one");
    rig.pass(0);
    assert_eq!(rig.backfill().status(), BackfillStatus::Cancelling);
    let (_, run) = rig.started()[0];
    rig.end(run, true);
    assert_eq!((rig.backfill().status(), rig.backfill().succeeded), (BackfillStatus::Cancelled, 1));
    assert_eq!(rig.minutes(), [1]);
}

#[test]
fn all_its_runs_have_the_version_it_began_with() {
    let mut rig = story(u32::MAX);
    let wish = create(&rig, ID, &[1, 2], Order::Oldest, 1);
    begin(&mut rig, wish);
    let two = Plan::new(vec![node("b", &[])], FailurePolicy::FailFast, wide(), None);
    apply_with(&mut rig, "flow", two, vec![(Name::fixed("s"), minutely())]);
    rig = crash(rig);
    let (_, run) = rig.started()[0];
    rig.end(run, true);
    let created = rig.events.iter().filter_map(|event| match event {
        Event::Run(RunEvent::RunCreated(created)) => Some((created.version, created.plan.is_some())),
        _ => None,
    });
    assert_eq!(created.collect::<Vec<_>>(), [(1, false), (1, true)]);
    let (_, run) = rig.started()[1];
    let run = rig.engine.state().job_runs().run(run).expect("it is in memory");
    assert_eq!(&*run.plan.node(0).name, "a");
}

#[test]
fn it_waits_while_the_store_lags() {
    let mut rig = story(u32::MAX);
    let wish = create(&rig, ID, &[1, 2], Order::Oldest, 1);
    rig.engine.set_pressure(Pressure::ShedP2);
    let early = say(&mut rig, BackfillCommand::Create(Box::new(wish.clone())));
    assert!(matches!(early, Err(Rejection::StoreBehind { .. })), "{early:?}");
    rig.engine.set_pressure(Pressure::None);
    say(&mut rig, BackfillCommand::Create(Box::new(wish))).expect("accepted");
    rig.engine.set_pressure(Pressure::ShedP2);
    rig.pass(0);
    assert_eq!(rig.minutes(), []);
    rig.engine.set_pressure(Pressure::None);
    rig.pass(1_000);
    assert_eq!(rig.minutes(), [1]);
}

#[test]
fn a_live_window_is_none_of_its_business() {
    let mut rig = story(u32::MAX);
    let wish = create(&rig, ID, &[14, 15, 16], Order::Oldest, 1);
    begin(&mut rig, wish);
    rig.pass(17 * MINUTE - rig.now.wall.millis());
    assert_eq!(rig.schedule_of_job().fired, 1);
    assert_eq!((rig.minutes(), rig.backfill().started), (vec![14], 1));
    assert_eq!(rig.backfill().active.len(), 1);
    flow(&mut rig, RunCommand::PauseJob { key: job("flow"), paused: true, seen: None })
        .expect("there is one");
}
