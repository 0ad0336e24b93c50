//! Items of a mapped task that run again, one by one.

use super::*;
use crate::run::decide::{Clear, ClearItems};

/// `list` gives a list, `map` runs once for each item, `join` needs all.
fn mapped(count: &'static str, change: impl FnOnce(&mut Each)) -> Story {
    let mut each = each(count).expect("some");
    change(&mut each);
    let map = Node { each: Some(each), work: work("t"), ..node("map", &[0]) };
    let mut story = story(plan(vec![node("list", &[]), map, node("join", &[1])], FailurePolicy::FailFast));
    story.succeed("list");
    story
}

fn clear(story: &mut Story, nodes: &[&'static str], items: ClearItems) -> Result<RunAnswer, Rejection> {
    let nodes = nodes.iter().map(|name| Name::fixed(name)).collect();
    let clear = Clear { id: story.run, nodes, items, over: over(), fact: None };
    flow(&mut story.rig, RunCommand::Clear(Box::new(clear)))
}

fn give(story: &mut Story, item: u32, output: &str) {
    let output = Some(output.as_bytes().into());
    let task = story.item("map", item);
    story.rig.report(task, crate::task::decide::ReportKind::Succeeded { output });
}

fn fail(story: &mut Story, item: u32) {
    story.rig.report(story.item("map", item), failed(FailureClass::Permanent));
}

fn outputs(story: &Story) -> String {
    let outputs = story.run().outputs.range((1, 0)..(2, 0)).map(|(_, output)| output.to_vec());
    String::from_utf8(outputs.flatten().collect()).expect("text")
}

/// Five items, of which two fail.
fn two_of_five() -> Story {
    let mut story = mapped("5", |_| ());
    for item in [0, 2, 3] {
        give(&mut story, item, &item.to_string());
    }
    fail(&mut story, 1);
    fail(&mut story, 4);
    story.assert_ended(RunStatus::Failed);
    story
}

#[test]
fn failed_items_run_again_and_the_others_keep_state_and_output() {
    for items in [ClearItems::Failed, ClearItems::Named(vec![4, 1, 4])] {
        let mut story = two_of_five();
        let before: Vec<TaskId> = (0..5).map(|item| story.item("map", item)).collect();
        clear(&mut story, &["map"], items).expect("cleared");
        let after: Vec<TaskId> = (0..5).map(|item| story.item("map", item)).collect();
        for item in 0..5 {
            assert_eq!(before[item] == after[item], [0, 2, 3].contains(&item), "item {item}");
            assert_eq!(story.rig.starts(after[item]), 1, "item {item}");
        }
        assert_eq!(outputs(&story), "023");
        assert!(!story.started("join"));
        give(&mut story, 4, "4");
        crash(&mut story);
        give(&mut story, 1, "1");
        assert_eq!(outputs(&story), "01234");
        story.succeed("join");
        story.assert_ended(RunStatus::Succeeded);
    }
}

#[test]
fn an_item_can_be_repaired_again_and_the_whole_task_after_it() {
    let mut story = two_of_five();
    let mut seen = vec![story.item("map", 1)];
    for _ in 0..2 {
        clear(&mut story, &["map"], ClearItems::Named(vec![1])).expect("cleared");
        assert!(!seen.contains(&story.item("map", 1)), "another turn is another task");
        seen.push(story.item("map", 1));
        fail(&mut story, 1);
        story.assert_ended(RunStatus::Failed);
    }
    clear(&mut story, &["map"], ClearItems::All).expect("cleared");
    assert!(!seen.contains(&story.item("map", 1)));
    for item in 0..5 {
        assert_eq!(story.rig.starts(story.item("map", item)), 1);
        give(&mut story, item, "x");
    }
    story.succeed("join");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn items_that_a_failure_kept_from_running_count_as_failed() {
    let mut story = mapped("6", |each| each.active_max = 2);
    give(&mut story, 0, "0");
    fail(&mut story, 1);
    give(&mut story, 2, "2");
    story.assert_ended(RunStatus::Failed);
    clear(&mut story, &[], ClearItems::Failed).expect("cleared");
    for item in [1, 3, 4, 5] {
        assert_eq!(story.run().groups[&1].live, if item == 5 { 1 } else { 2 });
        give(&mut story, item, &item.to_string());
    }
    assert_eq!(outputs(&story), "012345");
    story.succeed("join");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn an_item_that_runs_is_stopped_and_its_late_end_counts_for_nothing() {
    let mut story = mapped("2", |_| ());
    let old = story.item("map", 0);
    clear(&mut story, &["map"], ClearItems::Named(vec![0])).expect("cleared");
    assert_eq!(story.rig.stops(old), 1);
    give(&mut story, 1, "1");
    assert_eq!(story.rig.starts(story.item("map", 0)), 1);
    story.rig.report(old, OK);
    assert_eq!(story.node("map"), NodeStatus::Out, "its successor goes on");
    give(&mut story, 0, "0");
    assert_eq!(outputs(&story), "01");
    story.succeed("join");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn what_cannot_be_cleared_is_refused_by_name() {
    let mut story = two_of_five();
    let rows = [
        (&["map"], ClearItems::Named(vec![5]), "TASK_HAS_NO_SUCH_ITEM"),
        (&["list"], ClearItems::Named(vec![0]), "TASK_HAS_NO_ITEMS"),
        (&["list"], ClearItems::Failed, "NOTHING_FAILED"),
    ];
    for (nodes, items, code) in rows {
        let refused = clear(&mut story, nodes, items);
        assert_eq!(refused.map_err(|refusal| refusal.code()), Err(code));
    }
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn items_are_cleared_one_after_the_other_while_the_run_waits_for_a_place() {
    let mut story = two_of_five();
    flow(&mut story.rig, RunCommand::PauseJob { key: key("flow"), paused: true, seen: None })
        .expect("paused");
    for item in [4, 1] {
        let status = RunStatus::Queued;
        let answer = clear(&mut story, &["map"], ClearItems::Named(vec![item]));
        assert_eq!(answer, Ok(RunAnswer::Run { id: story.run, status }));
        crash(&mut story);
    }
    flow(&mut story.rig, RunCommand::PauseJob { key: key("flow"), paused: false, seen: None })
        .expect("resumed");
    give(&mut story, 1, "1");
    give(&mut story, 4, "4");
    assert_eq!(outputs(&story), "01234");
    story.succeed("join");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_run_cancelled_before_it_went_on_can_be_repaired_all_the_same() {
    let mut story = two_of_five();
    flow(&mut story.rig, RunCommand::PauseJob { key: key("flow"), paused: true, seen: None })
        .expect("paused");
    clear(&mut story, &["map"], ClearItems::Failed).expect("cleared");
    let run = story.run;
    flow(&mut story.rig, RunCommand::CancelRun { id: run }).expect("cancelled");
    story.assert_ended(RunStatus::Cancelled);
    flow(&mut story.rig, RunCommand::PauseJob { key: key("flow"), paused: false, seen: None })
        .expect("resumed");
    clear(&mut story, &["map"], ClearItems::Failed).expect("cleared");
    give(&mut story, 1, "1");
    give(&mut story, 4, "4");
    story.succeed("join");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_dead_letter_of_a_run_is_put_away_and_the_run_stays_as_it_is() {
    let mut story = two_of_five();
    let (id, run) = (story.item("map", 1), story.run().clone());
    let discard = |rig: &mut Rig| rig.tell(Command::Discard { id, fact: None, over: over() });
    discard(&mut story.rig).expect("discarded");
    assert_eq!(story.rig.task(id).status(), Status::Skipped);
    assert_eq!((story.run().out, story.run().nodes.clone()), (0, run.nodes));
    discard(&mut story.rig).expect("a second time changes nothing");
    clear(&mut story, &["map"], ClearItems::Failed).expect("cleared");
    give(&mut story, 1, "1");
    give(&mut story, 4, "4");
    story.succeed("join");
    story.assert_ended(RunStatus::Succeeded);
}
