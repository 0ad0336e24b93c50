//! Jobs applied together, and edits by those who say what they have seen.

use super::*;
use crate::engine::{EngineConfig, Keyed};
use crate::key::{KeyClaim, KeyFact, KeyScope};
use crate::run::RunRefusal;
use crate::run::decide::StoredJob;
use crate::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use crate::schedule::{ScheduleHome, ScheduleKey, ScheduleRefusal, Spec, Target, Timing};
use crate::values::{Limits, Revision};

fn wanted(name: &'static str, hash: u128, seen: Option<Revision>) -> ApplyJob {
    let plan = Arc::new(plan(vec![node("a", &[])], FailurePolicy::FailFast));
    let definition = Definition { plan, source: Arc::from(*b"{}"), hash };
    ApplyJob { key: key(name), definition, schedules: Vec::new(), triggers: Vec::new(), seen }
}

fn hourly() -> Spec {
    let target = Target::Run { parameters: Arc::from(*b"{}"), priority: None };
    let cron = crate::calendar::Cron::parse("0 * * * *", 0).expect("a cron expression");
    let zone = crate::calendar::Zone::UTC;
    let table = crate::calendar::Timetable::Cron { cron, zone, dst: crate::calendar::Dst::default() };
    Spec::new(target, Timing::Table(table))
}

fn with_schedule(name: &'static str, schedule: &'static str) -> ApplyJob {
    let schedules = vec![(Name::fixed(schedule), hourly(), ScheduleHome::default())];
    ApplyJob { schedules, ..wanted(name, 1, None) }
}

fn apply_jobs(rig: &mut Rig, jobs: Vec<ApplyJob>) -> Result<Vec<StoredJob>, Rejection> {
    match flow(rig, RunCommand::ApplyJobs(jobs))? {
        RunAnswer::JobsApplied(stored) => Ok(stored),
        other => panic!("{other:?}"),
    }
}

fn revision(rig: &Rig, name: &'static str) -> Revision {
    rig.engine.state().job_runs().jobs().get(&key(name)).expect("there is one").revision()
}

#[test]
fn jobs_applied_together_are_stored_together_or_not_at_all() {
    let limits = Limits { jobs_max: 2, ..Limits::default() };
    let mut rig = Rig::with(EngineConfig { limits, ..EngineConfig::default() });
    let three = vec![wanted("a", 1, None), wanted("b", 1, None), wanted("c", 1, None)];
    let refused = apply_jobs(&mut rig, three);
    assert_eq!(refused, Err(RunRefusal::TooManyJobs { held: 2, max: 2 }.into()));
    assert!(rig.engine.state().job_runs().jobs().is_empty() && rig.events.is_empty());
    let stored =
        apply_jobs(&mut rig, vec![with_schedule("a", "s"), with_schedule("b", "t")]).expect("stored");
    let now = Revision::new(rig.now.wall.millis());
    let first = StoredJob { version: 1, changed: true, revision: now };
    assert_eq!(stored, [first, first]);
    let ids: Vec<_> = rig.engine.state().schedules().iter().map(|schedule| schedule.id).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{ids:?}");
    // The last one of them fails the others.
    let stale = Some(Revision::new(7));
    let mixed = vec![wanted("a", 2, None), wanted("b", 2, stale)];
    assert!(apply_jobs(&mut rig, mixed).is_err());
    let versions = rig.engine.state().job_runs().jobs().after(None).map(|job| job.version);
    assert_eq!(versions.collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn one_job_twice_in_a_command_is_refused() {
    let mut rig = with_words();
    let refused = apply_jobs(&mut rig, vec![wanted("a", 1, None), wanted("a", 2, None)]);
    assert!(matches!(refused, Err(Rejection::Internal { .. })), "{refused:?}");
    assert!(rig.engine.state().job_runs().jobs().is_empty());
}

#[test]
fn who_saw_an_older_revision_of_a_job_changes_nothing() {
    let mut rig = with_words();
    let none = Some(Revision::NONE);
    let first = apply_jobs(&mut rig, vec![wanted("a", 1, none)]).expect("it is new")[0].revision;
    let again = apply_jobs(&mut rig, vec![wanted("a", 2, none)]);
    let refused = RunRefusal::JobChanged { key: key("a"), seen: Revision::NONE, revision: first };
    assert_eq!(again, Err(refused.into()));
    assert_eq!(revision(&rig, "a"), first);
    // In one millisecond, each edit is told from the one before.
    let pause = |paused, seen| RunCommand::PauseJob { key: key("a"), paused, seen: Some(seen) };
    flow(&mut rig, pause(true, first)).expect("nobody was faster");
    let paused = revision(&rig, "a");
    assert!(paused > first, "{paused} {first}");
    assert!(flow(&mut rig, pause(false, first)).is_err(), "it was seen before it was paused");
    flow(&mut rig, pause(false, paused)).expect("nobody was faster");
    let resumed = revision(&rig, "a");
    let told = apply_jobs(&mut rig, vec![wanted("a", 2, Some(resumed))]).expect("nobody was faster");
    assert_eq!(told[0].revision, revision(&rig, "a"));
    // What runs of it do is no edit.
    let before = revision(&rig, "a");
    let run = trigger(&mut rig, "a");
    flow(&mut rig, RunCommand::CancelRun { id: run }).expect("cancelled");
    assert_eq!(revision(&rig, "a"), before);
    let delete = |seen| RunCommand::DeleteJob { key: key("a"), seen: Some(seen) };
    assert!(flow(&mut rig, delete(resumed)).is_err());
    flow(&mut rig, delete(before)).expect("nobody was faster");
    assert_eq!(revision(&rig, "a"), Revision::NONE);
    apply_jobs(&mut rig, vec![wanted("a", 2, none)]).expect("it is not there any more");
}

#[test]
fn who_saw_an_older_revision_of_a_schedule_changes_nothing() {
    let mut rig = with_words();
    apply_jobs(&mut rig, vec![wanted("a", 1, None)]).expect("it is new");
    let named = || ScheduleKey { tenant: key("a").tenant, job: key("a").name, name: Name::fixed("s") };
    let say = |rig: &mut Rig, command| match rig.tell(Command::Schedule(Box::new(command)))? {
        Answer::Schedule(answer) => Ok(answer),
        other => panic!("{other:?}"),
    };
    let put =
        |seen| ScheduleCommand::Put { key: named(), spec: hourly(), own: ScheduleHome::default(), seen };
    let Ok(ScheduleAnswer::Stored { revision: first, .. }) = say(&mut rig, put(Some(Revision::NONE))) else {
        panic!("it is new");
    };
    let now = |rig: &Rig| rig.engine.state().schedules().find(&named()).expect("stored").revision();
    assert_eq!(now(&rig), first);
    let pause = |seen| ScheduleCommand::Pause { key: named(), paused: true, seen: Some(seen) };
    say(&mut rig, pause(first)).expect("nobody was faster");
    let paused = now(&rig);
    assert!(paused > first);
    let refused: Rejection = ScheduleRefusal::Changed { key: named(), seen: first, revision: paused }.into();
    for command in
        [put(Some(first)), pause(first), ScheduleCommand::Delete { key: named(), seen: Some(first) }]
    {
        assert_eq!(say(&mut rig, command), Err(refused.clone()));
    }
    assert_eq!(now(&rig), paused);
    say(&mut rig, ScheduleCommand::Delete { key: named(), seen: Some(paused) }).expect("nobody was faster");
    assert_eq!(now(&rig), Revision::NONE);
    say(&mut rig, put(Some(Revision::NONE))).expect("it is not there any more");
}

#[test]
fn several_jobs_under_a_key_are_applied_once() {
    let mut rig = with_words();
    let keyed = |jobs| {
        let (scope, expires) = (KeyScope(5), Wall::from_millis(1 << 40));
        let claim = KeyClaim { scope, request: 1 << 8, expires, group: Group::ZERO };
        let command = Command::Run(Box::new(RunCommand::ApplyJobs(jobs)));
        Command::Keyed(Box::new(Keyed { key: (claim, KeyFact::Absent), command }))
    };
    let both = || vec![wanted("a", 1, None), wanted("b", 1, None)];
    let first = rig.tell(keyed(both()));
    assert!(matches!(first, Ok(Answer::Run(RunAnswer::JobsApplied(stored))) if stored.len() == 2));
    apply(&mut rig, "a", plan(vec![node("other", &[])], FailurePolicy::FailFast));
    let events = rig.events.len();
    assert_eq!(rig.tell(keyed(both())), Ok(Answer::Run(RunAnswer::JobsApplied(Vec::new()))));
    assert_eq!(rig.events.len(), events, "the later version of `a` stays");
}
