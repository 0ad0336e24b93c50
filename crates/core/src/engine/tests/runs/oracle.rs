//! Random graphs with random outcomes, run to their end in a random order, against a slow reading of the rules that
//! looks at finished upstream nodes only.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Succeeds,
    Fails,
    /// Its condition is false.
    Unwanted,
    /// Mapped: so many items, the last one fails if it is odd.
    Maps(u8),
}

#[derive(Clone, Debug)]
struct Shape {
    needs: Vec<prop::sample::Index>,
    rule: TriggerRule,
    fate: Fate,
}

fn shape() -> impl Strategy<Value = Shape> {
    let fate = prop_oneof![
        4 => Just(Fate::Succeeds),
        3 => Just(Fate::Fails),
        1 => Just(Fate::Unwanted),
        1 => (0..4_u8).prop_map(Fate::Maps),
    ];
    let rule = prop_oneof![Just(TriggerRule::AllSuccess), select(TriggerRule::ALL.to_vec())];
    (vec(any::<prop::sample::Index>(), 0..4), rule, fate).prop_map(|(needs, rule, fate)| Shape {
        needs,
        rule,
        fate,
    })
}

fn graph(shapes: &[Shape]) -> Vec<Node> {
    let node_of = |(at, shape): (usize, &Shape)| {
        let needs = shape.needs.iter().filter(|_| at > 0).map(|need| need.index(at.max(1)) as u32);
        let needs: std::collections::BTreeSet<u32> = needs.collect();
        let mapped = match shape.fate {
            Fate::Maps(items) => Some(Each {
                items: items.to_string().into(),
                active_max: 2,
                tolerance: Tolerance::NONE,
                on_empty: OnEmpty::Skip,
            }),
            _ => None,
        };
        Node {
            name: Name::new(&format!("n{at}")).expect("a good name"),
            needs: needs.into_iter().collect(),
            rule: shape.rule,
            condition: (shape.fate == Fate::Unwanted).then(|| "false".into()),
            each: mapped,
            ..node("x", &[])
        }
    };
    shapes.iter().enumerate().map(node_of).collect()
}

/// Tasks that are out, with whether they shall succeed.
fn open_tasks(story: &Story, shapes: &[Shape]) -> Vec<(TaskId, bool)> {
    let run = story.run();
    let mut open = vec![];
    for (at, shape) in (0..).zip(shapes) {
        if run.node(at).status != NodeStatus::Out {
            continue;
        }
        match run.groups.get(&at) {
            None => open.push((run.task_at(at, NodeInstance::WHOLE), shape.fate == Fate::Succeeds)),
            Some(group) => {
                let out = (0..).zip(&group.items).filter(|(_, item)| **item == NodeStatus::Out);
                let fine = |index: u32| index + 1 < group.count() || group.count() % 2 == 0;
                open.extend(out.map(|(index, _)| (run.task_at(at, index), fine(index))));
            }
        }
    }
    open
}

/// What the ends of all upstream nodes mean, as the descriptions of the rules have it. Two where either is right: what
/// was skipped and what failed came in no certain order.
fn meaning(rule: TriggerRule, ends: &[NodeStatus]) -> Vec<Option<NodeStatus>> {
    use NodeStatus::{Failed, Skipped, Succeeded, UpstreamFailed};
    const RUNS: Option<NodeStatus> = None;
    let count = |of: &[NodeStatus]| ends.iter().filter(|end| of.contains(end)).count();
    let (good, skipped, bad) = (count(&[Succeeded]), count(&[Skipped]), count(&[Failed, UpstreamFailed]));
    let if_else = |met, other| vec![if met { RUNS } else { Some(other) }];
    if ends.is_empty() {
        return vec![RUNS];
    }
    match rule {
        TriggerRule::Always | TriggerRule::AllDone => vec![RUNS],
        TriggerRule::AllSuccess if bad > 0 && skipped > 0 => vec![Some(UpstreamFailed), Some(Skipped)],
        TriggerRule::AllSuccess if bad > 0 => vec![Some(UpstreamFailed)],
        TriggerRule::AllSuccess => if_else(skipped == 0, Skipped),
        TriggerRule::AllFailed => if_else(good + skipped == 0, Skipped),
        TriggerRule::AllSkipped => if_else(good + bad == 0, Skipped),
        TriggerRule::NoneSkipped => if_else(skipped == 0, Skipped),
        TriggerRule::AllDoneMinOneSuccess if skipped > 0 => vec![Some(Skipped)],
        TriggerRule::AllDoneMinOneSuccess => if_else(good > 0, UpstreamFailed),
        TriggerRule::OneSuccess if good + bad == 0 => vec![Some(Skipped)],
        TriggerRule::OneSuccess => if_else(good > 0, UpstreamFailed),
        TriggerRule::OneFailed => if_else(bad > 0, Skipped),
        TriggerRule::OneDone => if_else(good + count(&[Failed]) > 0, Skipped),
        TriggerRule::NoneFailed => if_else(bad == 0, UpstreamFailed),
        TriggerRule::NoneFailedMinOneSuccess if bad > 0 => vec![Some(UpstreamFailed)],
        TriggerRule::NoneFailedMinOneSuccess => if_else(good > 0, Skipped),
    }
}

fn after_running(fate: Fate) -> NodeStatus {
    match fate {
        Fate::Succeeds => NodeStatus::Succeeded,
        Fate::Fails => NodeStatus::Failed,
        Fate::Unwanted | Fate::Maps(0) => NodeStatus::Skipped,
        Fate::Maps(items) if items % 2 == 0 => NodeStatus::Succeeded,
        Fate::Maps(_) => NodeStatus::Failed,
    }
}

/// Everything that can be told from what is known, until nothing more can. `seen` settles what may be either.
fn expected(nodes: &[Node], shapes: &[Shape], seen: &[NodeStatus]) -> Vec<Option<NodeStatus>> {
    let mut known: Vec<Option<NodeStatus>> = vec![None; nodes.len()];
    loop {
        let before = known.clone();
        for (at, node) in nodes.iter().enumerate().filter(|(at, _)| before[*at].is_none()) {
            let ends: Option<Vec<NodeStatus>> = node.needs.iter().map(|need| known[*need as usize]).collect();
            let Some(ends) = ends else { continue };
            let may_be: Vec<NodeStatus> = meaning(node.rule, &ends)
                .into_iter()
                .map(|end| end.unwrap_or_else(|| after_running(shapes[at].fate)))
                .collect();
            known[at] = Some(if may_be.contains(&seen[at]) { seen[at] } else { may_be[0] });
        }
        if known == before {
            return known;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_node_ends_as_its_rule_says(
        shapes in vec(shape(), 1..25),
        order in vec(any::<prop::sample::Index>(), 100),
        crash_at in 0..40_usize,
    ) {
        let nodes = graph(&shapes);
        let mut story = story(plan(nodes.clone(), FailurePolicy::FailAfterAll));
        let mut session = 1;
        for (step, pick) in order.iter().enumerate() {
            let open = open_tasks(&story, &shapes);
            if open.is_empty() {
                break;
            }
            if step == crash_at {
                crash(&mut story);
                session = 2;
            }
            let (task, fine) = open[pick.index(open.len())];
            let start = story.rig.start_of(task);
            let what = if fine { OK } else { failed(FailureClass::Transient) };
            let session = crate::values::Session::new(session);
            story.rig.report_with(task, start.fence, start.worker, session, what);
        }
        let run = story.run();
        let seen: Vec<NodeStatus> = run.nodes.iter().map(|node| node.status).collect();
        let known: Vec<Option<NodeStatus>> = seen.iter().copied().map(Some).collect();
        prop_assert_eq!(known, expected(&nodes, &shapes, &seen));
        let bad = seen.contains(&NodeStatus::Failed);
        prop_assert_eq!(run.status, if bad { RunStatus::Failed } else { RunStatus::Succeeded });
    }
}
