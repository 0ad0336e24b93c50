//! What people do to runs: cancel, pause, clear, run again, override.

use super::super::START;
use super::*;
use crate::key::{KeyClaim, KeyFact, KeyScope};
use crate::run::decide::{Clear, ClearItems, Rerun, RerunFrom, Signed};
use crate::run::{NOTES_MAX, RunRefusal};
use crate::values::{Group, Note};

fn chain() -> Plan {
    plan(vec![node("a", &[]), node("b", &[0]), node("c", &[1])], FailurePolicy::FailFast)
}

#[test]
fn the_same_content_is_no_new_version_and_a_run_keeps_its_own() {
    let mut rig = with_words();
    assert_eq!(apply(&mut rig, "flow", chain()), (1, true));
    assert_eq!(apply(&mut rig, "flow", chain()), (1, false));
    let run = trigger(&mut rig, "flow");
    assert_eq!(apply(&mut rig, "flow", plan(vec![node("z", &[])], FailurePolicy::FailFast)), (2, true));
    let run = rig.engine.state().job_runs().run(run).expect("in memory");
    assert_eq!((run.version, run.plan.len()), (1, 3));
}

#[test]
fn a_deleted_job_starts_nothing_and_can_come_back() {
    let mut rig = with_words();
    apply(&mut rig, "flow", chain());
    flow(&mut rig, RunCommand::DeleteJob { key: key("flow"), seen: None }).expect("deleted");
    let refused = flow(&mut rig, RunCommand::PauseJob { key: key("flow"), paused: true, seen: None });
    assert_eq!(refused.map_err(|refusal| refusal.code()), Err("JOB_NOT_FOUND"));
    assert_eq!(apply(&mut rig, "flow", chain()), (2, true));
    trigger(&mut rig, "flow");
}

#[test]
fn one_run_of_a_job_for_each_logical_time() {
    let mut rig = with_words();
    apply(&mut rig, "flow", chain());
    let mut ask = |at: u64, request: u128| {
        let number = rig.next_id().bits() as u64;
        let id = RunId::new(START, Bucket::home(Group::ZERO), number);
        let expires = Wall::from_millis(u64::MAX >> 8);
        let claim = KeyClaim { scope: KeyScope(at.into()), request, expires, group: Group::ZERO };
        let trigger = TriggerRun {
            id,
            job: key("flow"),
            parameters: Arc::from(*b"{}"),
            priority: None,
            labels: None,
            key: Some((claim, KeyFact::Absent)),
            trigger: StartedBy::Manual,
            logical_time: Some(Wall::from_millis(at)),
        };
        (id, flow(&mut rig, RunCommand::Trigger(Box::new(trigger))))
    };
    let (first, answer) = ask(60_000, 1);
    assert_eq!(answer, Ok(RunAnswer::Run { id: first, status: RunStatus::Queued }));
    assert_eq!(ask(60_000, 1).1, Ok(RunAnswer::AlreadyTriggered { id: first }));
    assert_eq!(ask(60_000, 2).1, Err(RunRefusal::LogicalTimeReused { existing: first }.into()));
    let (second, answer) = ask(120_000, 1);
    assert_eq!(answer, Ok(RunAnswer::Run { id: second, status: RunStatus::Queued }));
    let runs = rig.engine.state().job_runs().runs();
    let run = rig.engine.state().job_runs().run(first).expect("in memory");
    assert_eq!(run.origin.logical_time(), Some(Wall::from_millis(60_000)));
    assert_eq!((run.origin.window.as_ref(), run.origin.schedule(), runs.len()), (None, None, 2));
}

#[test]
fn cancel_stops_what_runs_and_ends_the_rest() {
    let mut story = story(chain());
    let run = story.run;
    flow(&mut story.rig, RunCommand::CancelRun { id: run }).expect("cancelled");
    assert_eq!(story.rig.stops(story.task("a")), 1);
    assert_eq!(story.node("c"), NodeStatus::Cancelled);
    story.fail("a");
    story.assert_ended(RunStatus::Cancelled);
    let again = flow(&mut story.rig, RunCommand::CancelRun { id: run });
    assert_eq!(again, Ok(RunAnswer::Run { id: run, status: RunStatus::Cancelled }));
}

#[test]
fn a_success_that_crosses_a_cancel_counts_but_starts_nothing() {
    let mut story = story(chain());
    let run = story.run;
    flow(&mut story.rig, RunCommand::CancelRun { id: run }).expect("cancelled");
    story.succeed("a");
    assert_eq!(story.node("a"), NodeStatus::Succeeded);
    assert!(!story.started("b"));
    story.assert_ended(RunStatus::Cancelled);
}

#[test]
fn a_paused_run_releases_nothing_and_loses_nothing() {
    let mut story = story(chain());
    let run = story.run;
    flow(&mut story.rig, RunCommand::PauseRun { id: run, paused: true }).expect("paused");
    story.succeed("a");
    assert!(!story.started("b"));
    crash(&mut story);
    assert!(!story.started("b"));
    flow(&mut story.rig, RunCommand::PauseRun { id: run, paused: false }).expect("resumed");
    assert!(story.started("b"));
}

fn clear(story: &mut Story, nodes: &[&'static str]) -> Result<RunAnswer, Rejection> {
    let nodes = nodes.iter().map(|name| Name::fixed(name)).collect();
    let clear = Clear { id: story.run, nodes, items: ClearItems::All, over: over(), fact: None };
    flow(&mut story.rig, RunCommand::Clear(Box::new(clear)))
}

#[test]
fn clearing_runs_a_node_and_what_follows_again_and_keeps_the_rest() {
    let mut story = story(chain());
    story.succeed("a");
    story.succeed("b");
    story.fail("c");
    story.assert_ended(RunStatus::Failed);
    let (a, old_b) = (story.task("a"), story.task("b"));
    clear(&mut story, &["b"]).expect("cleared");
    assert_ne!(story.task("b"), old_b);
    assert_eq!(story.rig.starts(a), 1);
    story.succeed("b");
    story.succeed("c");
    story.assert_ended(RunStatus::Succeeded);
    assert_eq!(story.run().notes.len(), 1);
    assert_eq!(&*story.run().notes[0].over.actor, "ann");
}

#[test]
fn clearing_nothing_in_particular_clears_what_failed() {
    let mut story = story(chain());
    story.succeed("a");
    story.fail("b");
    clear(&mut story, &[]).expect("cleared");
    story.succeed("b");
    story.succeed("c");
    story.assert_ended(RunStatus::Succeeded);
    assert_eq!(clear(&mut story, &["q"]).map_err(|refusal| refusal.code()), Err("RUN_HAS_NO_SUCH_TASK"));
}

#[test]
fn clearing_a_node_that_runs_stops_it_and_starts_another_turn() {
    let mut story = story(chain());
    let old = story.task("a");
    clear(&mut story, &["a"]).expect("cleared");
    assert_eq!(story.rig.stops(old), 1);
    assert!(story.started("a"));
    story.rig.report(old, OK);
    assert_eq!(story.node("a"), NodeStatus::Out, "the old turn no longer counts");
    story.succeed("a");
    story.succeed("b");
    story.succeed("c");
    story.assert_ended(RunStatus::Succeeded);
}

fn rerun(story: &mut Story, from: RerunFrom, newest: bool) -> RunId {
    let number = story.rig.next_id().bits() as u64;
    let id = RunId::new(START, Bucket::home(Group::ZERO), number);
    let rerun = Rerun { of: story.run, id, from, parameters: None, newest, over: Some(over()), fact: None };
    flow(&mut story.rig, RunCommand::Rerun(Box::new(rerun))).expect("accepted");
    id
}

#[test]
fn a_rerun_from_failure_takes_over_what_went_well() {
    let mut story = story(chain());
    let output = Some(Arc::from(*b"7"));
    story.rig.report(story.task("a"), crate::task::decide::ReportKind::Succeeded { output });
    story.fail("b");
    story.run = rerun(&mut story, RerunFrom::Failure, false);
    assert_eq!(story.node("a"), NodeStatus::Succeeded);
    assert_eq!(&*story.run().outputs[&(0, NodeInstance::WHOLE)], b"7");
    assert!(!story.started("a") && story.started("b"));
    crash(&mut story);
    assert_eq!(&*story.run().outputs[&(0, NodeInstance::WHOLE)], b"7");
    let task = story.task("b");
    let start = story.rig.start_of(task);
    story.rig.report_with(task, start.fence, start.worker, crate::values::Session::new(2), OK);
    story.succeed("c");
    story.assert_ended(RunStatus::Succeeded);
    story.run = rerun(&mut story, RerunFrom::Task(Name::fixed("c")), false);
    assert!(!story.started("b") && story.started("c"));
    story.succeed("c");
    story.run = rerun(&mut story, RerunFrom::Start, false);
    assert!(story.started("a"));
}

#[test]
fn a_rerun_on_the_newest_version_runs_what_is_new() {
    let mut story = story(chain());
    story.succeed("a");
    story.fail("b");
    let nodes = vec![node("a", &[]), node("new", &[]), node("b", &[0, 1])];
    apply(&mut story.rig, "flow", plan(nodes, FailurePolicy::FailFast));
    story.run = rerun(&mut story, RerunFrom::Failure, true);
    assert_eq!(story.run().version, 2);
    assert!(!story.started("a") && story.started("new") && !story.started("b"));
}

#[test]
fn an_operator_says_how_a_run_ends() {
    let mut story = story(chain());
    let force = RunCommand::ForceRun { id: story.run, status: RunStatus::Succeeded, over: over() };
    flow(&mut story.rig, force).expect("forced");
    assert_eq!(story.rig.stops(story.task("a")), 1);
    story.fail("a");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_task_of_a_run_is_not_revived_behind_its_back() {
    let mut story = story(chain());
    story.fail("a");
    let revive = Command::Revive { id: story.task("a"), fact: None, over: over(), dead_only: false };
    assert_eq!(story.rig.tell(revive).map_err(|refusal| refusal.code()), Err("TASK_OF_RUN"));
}

#[test]
fn a_paused_run_begins_no_further_round() {
    let again = Node { repeat: repeat("rounds 2", 5, 0), ..node("loop", &[]) };
    let mut story = story(plan(vec![again], FailurePolicy::FailFast));
    let id = story.run;
    flow(&mut story.rig, RunCommand::PauseRun { id, paused: true }).expect("paused");
    story.succeed("loop");
    assert_eq!((story.node("loop"), story.run().out), (NodeStatus::Judged, 0));
    flow(&mut story.rig, RunCommand::PauseRun { id, paused: false }).expect("resumed");
    assert_eq!(story.node("loop"), NodeStatus::Out);
    story.succeed("loop");
    story.assert_ended(RunStatus::Succeeded);
}

fn signed(rig: &mut Rig, command: RunCommand) -> Result<RunAnswer, Rejection> {
    flow(rig, RunCommand::Signed(Box::new(Signed { over: over(), command })))
}

fn whats(notes: &[Note]) -> Vec<&str> {
    assert!(notes.iter().all(|note| note.over == over()));
    notes.iter().map(|note| &*note.what).collect()
}

#[test]
fn who_changed_a_run_stays_with_it_if_something_changed() {
    let mut story = story(chain());
    let id = story.run;
    for paused in [true, true, false, false] {
        signed(&mut story.rig, RunCommand::PauseRun { id, paused }).expect("done");
    }
    flow(&mut story.rig, RunCommand::PauseRun { id, paused: true }).expect("paused by nobody");
    assert_eq!(whats(&story.run().notes), ["paused", "resumed"]);
    for _ in 0..2 {
        signed(&mut story.rig, RunCommand::CancelRun { id }).expect("cancelled");
    }
    story.fail("a");
    signed(&mut story.rig, RunCommand::CancelRun { id }).expect("it is");
    story.assert_ended(RunStatus::Cancelled);
    assert_eq!(whats(&story.run().notes), ["paused", "resumed", "cancelled"]);
    let refused = signed(&mut story.rig, RunCommand::PauseRun { id, paused: true });
    assert_eq!(refused.map_err(|refusal| refusal.code()), Err("RUN_ALREADY_ENDED"));
    let new = rerun(&mut story, RerunFrom::Start, false);
    let run = story.rig.engine.state().job_runs().run(new).expect("in memory");
    assert_eq!(whats(&run.notes), [format!("runs `{id}` again")]);
}

#[test]
fn a_run_that_never_began_keeps_who_cancelled_it() {
    let mut rig = with_words();
    apply(&mut rig, "flow", chain());
    flow(&mut rig, RunCommand::PauseJob { key: key("flow"), paused: true, seen: None }).expect("paused");
    let run = trigger(&mut rig, "flow");
    signed(&mut rig, RunCommand::CancelRun { id: run }).expect("cancelled");
    let story = Story { rig, run };
    story.assert_ended(RunStatus::Cancelled);
    assert_eq!(whats(&story.run().notes), ["cancelled"]);
}

#[test]
fn who_changed_a_job_stays_with_it_up_to_a_bound_and_over_a_crash() {
    let mut story = story(chain());
    let job = || key("flow");
    let definition =
        story.rig.engine.state().job_runs().jobs().get(&job()).expect("there").definition.clone();
    let applied = |hash| {
        let definition = Definition { hash, ..definition.clone() };
        let (schedules, triggers) = Default::default();
        RunCommand::ApplyJobs(vec![ApplyJob { key: job(), definition, schedules, triggers, seen: None }])
    };
    let commands = [
        applied(77),
        applied(77),
        RunCommand::PauseJob { key: job(), paused: true, seen: None },
        RunCommand::PauseJob { key: job(), paused: true, seen: None },
        RunCommand::PauseJob { key: job(), paused: false, seen: None },
        RunCommand::DeleteJob { key: job(), seen: None },
        applied(77),
    ];
    for command in commands {
        signed(&mut story.rig, command).expect("done");
    }
    crash(&mut story);
    let notes =
        |story: &Story| story.rig.engine.state().job_runs().jobs().get(&job()).expect("there").notes.clone();
    let expected = ["applied as version 2", "paused", "resumed", "deleted", "applied as version 3"];
    assert_eq!(whats(&notes(&story)), expected);
    for hash in 0..NOTES_MAX as u128 {
        signed(&mut story.rig, applied(100 + hash)).expect("applied");
    }
    assert_eq!((notes(&story).len(), &*notes(&story)[0].what), (NOTES_MAX, "applied as version 4"));
}
