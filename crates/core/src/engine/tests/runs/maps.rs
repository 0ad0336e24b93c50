//! Dynamic mapping.

use super::*;

fn mapped(items: &'static str, change: impl FnOnce(&mut Each)) -> Node {
    let mut each = each(items).expect("some");
    change(&mut each);
    Node { each: Some(each), work: work("t"), ..node("map", &[0]) }
}

fn mapped_plan(map: Node) -> Plan {
    plan(vec![node("list", &[]), map, node("join", &[1])], FailurePolicy::FailFast)
}

#[test]
fn items_run_in_order_within_their_bound_and_the_join_runs_once() {
    let mut story = story(mapped_plan(mapped("5", |each| each.active_max = 2)));
    story.succeed("list");
    for item in 0..5 {
        assert_eq!(story.run().groups[&1].live, 2.min(5 - item));
        let task = story.item("map", item);
        assert_eq!(&*story.rig.task(task).payload, format!("t{item}").as_bytes());
        assert!(!story.started("join"));
        let output = Some(item.to_string().into_bytes().into());
        story.rig.report(task, crate::task::decide::ReportKind::Succeeded { output });
    }
    assert_eq!(story.rig.starts(story.task("join")), 1);
    let outputs: Vec<u8> = story.run().outputs.values().flat_map(|output| output.to_vec()).collect();
    assert_eq!(outputs, b"01234");
    story.succeed("join");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn an_empty_list_skips_or_succeeds() {
    for (on_empty, status) in
        [(OnEmpty::Skip, NodeStatus::Skipped), (OnEmpty::Succeed, NodeStatus::Succeeded)]
    {
        let mut story = story(mapped_plan(mapped("0", |each| each.on_empty = on_empty)));
        story.succeed("list");
        assert_eq!(story.node("map"), status);
        assert_eq!(story.started("join"), on_empty == OnEmpty::Succeed);
    }
}

#[test]
fn a_tolerated_share_may_fail() {
    for (failures, status) in [(1, NodeStatus::Succeeded), (2, NodeStatus::Failed)] {
        let mut story = story(mapped_plan(mapped("20", |each| each.tolerance = Tolerance::Percent(5))));
        story.succeed("list");
        for item in 0..20 {
            let what = if item < failures { failed(FailureClass::Permanent) } else { OK };
            story.rig.report(story.item("map", item), what);
        }
        assert_eq!(story.node("map"), status, "{failures} failed");
    }
}

#[test]
fn a_group_that_cannot_succeed_any_more_releases_nothing_more() {
    let mut story = story(mapped_plan(mapped("100", |each| each.active_max = 3)));
    story.succeed("list");
    story.rig.report(story.item("map", 0), failed(FailureClass::Permanent));
    assert_eq!(story.run().groups[&1].live, 2);
    assert_eq!(story.rig.starts(story.item("map", 3)), 0);
    story.rig.report(story.item("map", 1), OK);
    story.rig.report(story.item("map", 2), OK);
    assert_eq!(story.node("map"), NodeStatus::Failed);
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn too_many_items_pause_the_run_until_somebody_allows_them() {
    let bounds = Bounds { fan_out_max: 10, ..wide() };
    let nodes = vec![node("list", &[]), mapped("11", |_| ())];
    let mut story = story(Plan::new(nodes, FailurePolicy::FailFast, bounds, None));
    story.succeed("list");
    let pause = crate::run::Pause::FanOut { node: 1, count: 11, max: 10 };
    assert_eq!(story.run().pause, Some(pause));
    assert_eq!(story.run().out, 0);
    let run = story.run;
    flow(&mut story.rig, RunCommand::PauseRun { id: run, paused: false }).expect("resumed");
    assert_eq!((story.run().out, story.run().pause.clone()), (11, None));
}

#[test]
fn a_crash_in_the_middle_of_a_group_releases_each_item_once() {
    let mut story = story(mapped_plan(mapped("30", |each| each.active_max = 10)));
    story.succeed("list");
    for item in 0..7 {
        story.rig.report(story.item("map", item), OK);
    }
    crash(&mut story);
    for item in 7..30 {
        let task = story.item("map", item);
        let start = story.rig.start_of(task);
        story.rig.report_with(task, start.fence, start.worker, crate::values::Session::new(2), OK);
    }
    for item in 0..30 {
        assert_eq!(story.rig.starts(story.item("map", item)), 1, "item {item}");
    }
    assert_eq!(story.rig.starts(story.task("join")), 1);
}
