//! Jobs after jobs, window by window.

use super::*;
use crate::calendar::{Cron, Dst, Timetable, Zone};
use crate::run::decide::{Rerun, RerunFrom};
use crate::schedule::{Target, Timing};
use crate::values::{Group, RunStatus};

fn every(minutes: u32) -> Vec<(Name, Spec)> {
    let cron = Cron::parse(&format!("*/{minutes} * * * *"), 0).expect("a cron expression");
    let table = Timetable::Cron { cron, zone: Zone::UTC, dst: Dst::default() };
    let target = Target::Run { parameters: Arc::from(*b"{}"), priority: None };
    vec![(Name::fixed("s"), Spec::new(target, Timing::Table(table)))]
}

fn after(jobs: &[&'static str]) -> TriggerSpec {
    on(On::After(jobs.iter().map(|job| Name::fixed(job)).collect()))
}

impl Rig {
    fn until(&mut self, minute: u64) {
        while self.now.wall.millis() < minute * MINUTE {
            self.pass((minute * MINUTE - self.now.wall.millis()).min(1_000));
            self.heartbeat(1, 1);
        }
    }

    /// Runs of a job for windows, by the minute of their window.
    fn windows(&self, job: &str) -> Vec<u64> {
        let begun = self.begun(job).into_iter();
        begun.filter_map(|run| Some(run.origin.window?.at.millis() / MINUTE)).collect()
    }

    fn finish_window(&mut self, job: &str, minute: u64) {
        let at = |run: &RunCreated| {
            run.origin.window.as_ref().is_some_and(|one| one.at.millis() == minute * MINUTE)
        };
        let run = self.begun(job).into_iter().rfind(at).expect("a run for this window");
        self.finish(run.id);
    }
}

#[test]
fn a_window_of_one_job_begins_the_same_window_of_another_once() {
    let mut rig = with_words();
    store(&mut rig, "load", Vec::new(), every(1));
    store(&mut rig, "flow", vec![("t", after(&["load"]))], Vec::new());
    rig.until(18);
    rig.finish_window("load", 18);
    rig.finish_window("load", 17);
    assert_eq!(rig.windows("flow"), [18, 17]);
    let run = rig.begun("flow")[0].clone();
    let window = run.origin.window.expect("a window");
    assert_eq!(window.from.millis(), 17 * MINUTE, "the data interval is that of the first job");
    assert_eq!(rig.engine.state().schedules().get(window.schedule).map(|one| one.rare.active.len()), Some(0));
    // The same window once more is no news.
    let of = rig.begun("load")[0].id;
    let id = RunId::new(crate::engine::tests::START, Bucket::home(Group::ZERO), 77);
    let rerun =
        Rerun { of, id, from: RerunFrom::Start, parameters: None, newest: true, over: None, fact: None };
    flow(&mut rig, RunCommand::Rerun(Box::new(rerun))).expect("it has ended");
    rig.finish(id);
    assert_eq!(rig.run_of(id).status, RunStatus::Succeeded);
    assert_eq!(rig.windows("flow"), [18, 17]);
}

#[test]
fn a_failed_window_begins_nothing_until_it_is_repeated() {
    let mut rig = with_words();
    store(&mut rig, "load", Vec::new(), every(1));
    store(&mut rig, "flow", vec![("t", after(&["load"]))], Vec::new());
    rig.until(17);
    let failed = rig.begun("load")[0].id;
    let task = rig.run_of(failed).task_at(0, NodeInstance::WHOLE);
    rig.report(task, crate::engine::tests::failed(crate::values::FailureClass::Permanent));
    assert_eq!(rig.run_of(failed).status, RunStatus::Failed);
    assert_eq!(rig.windows("flow"), []);
    let id = RunId::new(crate::engine::tests::START, Bucket::home(Group::ZERO), 77);
    let rerun = Rerun {
        of: failed,
        id,
        from: RerunFrom::Start,
        parameters: None,
        newest: true,
        over: None,
        fact: None,
    };
    flow(&mut rig, RunCommand::Rerun(Box::new(rerun))).expect("it has ended");
    rig.finish(id);
    assert_eq!(rig.windows("flow"), [17]);
}

#[test]
fn all_of_several_must_have_succeeded_for_what_lies_in_the_window() {
    let mut rig = with_words();
    store(&mut rig, "slow", Vec::new(), every(3));
    store(&mut rig, "fast", Vec::new(), every(1));
    store(&mut rig, "flow", vec![("t", after(&["slow", "fast"]))], Vec::new());
    rig.until(21);
    rig.finish_window("slow", 21);
    assert_eq!(rig.hook("flow", "t").ledger.open.len(), 1);
    for minute in [21, 19] {
        rig.finish_window("fast", minute);
        assert_eq!(rig.windows("flow"), []);
    }
    let mut rig = crash(rig);
    rig.hello(1, 2, 1, &held(&rig));
    rig.finish_window("fast", 20);
    assert_eq!(rig.windows("flow"), [21]);
    assert_eq!(rig.hook("flow", "t").ledger.open.len(), 0);
}

fn held(rig: &Rig) -> Vec<(crate::values::TaskId, crate::values::Fence)> {
    let tasks = rig.engine.state().tasks().iter();
    tasks.filter(|(_, task)| task.status().is_leased()).map(|(_, task)| (task.id, task.fence)).collect()
}

#[test]
fn a_job_without_windows_of_its_own_must_have_had_this_one() {
    let mut rig = with_words();
    store(&mut rig, "load", Vec::new(), every(1));
    store(&mut rig, "clean", vec![("t", after(&["load"]))], Vec::new());
    store(&mut rig, "flow", vec![("t", after(&["load", "clean"]))], Vec::new());
    rig.until(17);
    rig.finish_window("load", 17);
    assert_eq!((rig.windows("clean"), rig.windows("flow")), (vec![17], vec![]));
    rig.finish_window("clean", 17);
    assert_eq!(rig.windows("flow"), [17]);
}

#[test]
fn a_run_without_a_window_counts_only_alone() {
    let mut rig = with_words();
    store(&mut rig, "load", Vec::new(), Vec::new());
    store(&mut rig, "one", vec![("t", after(&["load"]))], Vec::new());
    store(&mut rig, "two", vec![("t", after(&["load", "one"]))], Vec::new());
    let run = by_hand(&mut rig, "load");
    rig.finish(run);
    assert_eq!((rig.begun("one").len(), rig.begun("two").len()), (1, 0));
    assert_eq!(rig.begun("one")[0].origin.window, None);
}
