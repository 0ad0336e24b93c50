//! Plans of every shape, and what runs add to them.

use super::*;

fn each() -> impl Strategy<Value = Each> {
    let tolerance =
        prop_oneof![any::<u32>().prop_map(Tolerance::Count), any::<u8>().prop_map(Tolerance::Percent)];
    let on_empty = select(vec![OnEmpty::Skip, OnEmpty::Succeed]);
    (source(), any::<u32>(), tolerance, on_empty).prop_map(|(items, active_max, tolerance, on_empty)| Each {
        items,
        active_max,
        tolerance,
        on_empty,
    })
}

/// Needs and mentions are numbers that the plan brings into its range.
pub fn node() -> impl Strategy<Value = Node> {
    let repeat = (source(), any::<u32>(), millis()).prop_map(|(until, rounds_max, pause)| Repeat {
        until,
        rounds_max,
        pause,
    });
    let limit =
        (name(), source(), option::of(any::<u32>())).prop_map(|(name, key, max)| LimitUse { name, key, max });
    let named = (vec(any::<u32>(), 0..4), vec(any::<u32>(), 0..4), select(TriggerRule::ALL.to_vec()));
    let texts = (option::of(source()), option::of(each()), option::of(repeat));
    let job = (name(), option::of(millis()), option::of(millis()))
        .prop_map(|(job, within, timeout)| JobNeed { job, within, timeout });
    let rest = (
        option::of(node_work().boxed()),
        any::<bool>(),
        vec(limit, 0..3),
        (option::of(source()), vec(job, 0..3)),
    );
    (name(), node_work().boxed(), named, texts, rest).prop_map(
        |(
            name,
            work,
            (needs, mentions, rule),
            (condition, each, repeat),
            (undo, output_kept, limits, (spawns, needs_jobs)),
        )| {
            Node {
                name,
                work,
                needs,
                rule,
                condition,
                each,
                repeat,
                undo,
                mentions,
                output_kept,
                limits,
                spawns,
                needs_jobs,
            }
        },
    )
}

pub fn plan() -> impl Strategy<Value = Arc<Plan>> {
    let bounds = (any::<[u32; 4]>(), option::of(millis()), option::of(millis())).prop_map(
        |([active_runs_max, running_max, fan_out_max, release_per_second], expected, timeout)| Bounds {
            active_runs_max,
            running_max,
            fan_out_max,
            release_per_second,
            expected,
            timeout,
        },
    );
    let policy = select(FailurePolicy::ALL.to_vec());
    (vec(node().boxed(), 1..5), policy, bounds, option::of(source()), vec(name(), 0..3)).prop_map(
        |(mut nodes, policy, bounds, outputs, sensitive)| {
            let count = nodes.len() as u32;
            for node in &mut nodes {
                node.needs.iter_mut().chain(&mut node.mentions).for_each(|named| *named %= count);
            }
            Arc::new(Plan::new(nodes, policy, bounds, outputs).with_sensitive(sensitive))
        },
    )
}

pub type Addition = (u32, Vec<u32>, Vec<Node>);

/// Numbers that the plan brings into its range.
pub fn additions() -> impl Strategy<Value = Vec<Addition>> {
    let one = (any::<u32>(), vec(any::<u32>(), 0..3), vec(node().boxed(), 1..4));
    prop_oneof![Just(vec![]), vec(one, 0..3)]
}

pub fn grown(base: Arc<Plan>, additions: Vec<Addition>) -> (Arc<Plan>, Option<Box<Additions>>) {
    if additions.is_empty() {
        return (base, None);
    }
    let (mut first, mut added, mut all) = (base.len(), vec![], vec![]);
    for (by, waits, mut nodes) in additions {
        let count = nodes.len() as u32;
        for node in &mut nodes {
            node.needs.iter_mut().chain(&mut node.mentions).for_each(|named| *named %= first);
        }
        let waits = waits.into_iter().map(|node| node % first).collect();
        added.push(Added { by: by % first, first, count, waits, removed: by % 5 == 0 });
        all.append(&mut nodes);
        first += count;
    }
    let (plan, own) = Additions::restore(base, added, all);
    (Arc::new(plan), Some(Box::new(own)))
}

pub fn job() -> impl Strategy<Value = Job> {
    let last = (run_id(), run_status(), wall()).prop_map(|(id, status, at)| LastRun { id, status, at });
    let times = (option::of(wall()), wall(), wall(), number());
    let notes = vec((wall(), over(), text()).prop_map(|(at, over, what)| Note { at, over, what }), 0..3);
    (job_key(), any::<u32>(), definition().boxed(), any::<bool>(), times, option::of(last), notes).prop_map(
        |(key, version, definition, paused, (deleted, created, changed, touched), last, notes)| Job {
            id: key.id(),
            key,
            version,
            definition,
            paused,
            deleted,
            created,
            changed,
            last,
            touched: Seq::new(touched),
            succeeded: last.map(|last| last.at),
            recent: last
                .map(|last| RecentRun {
                    id: last.id,
                    status: last.status,
                    version,
                    took: Millis::new(touched),
                })
                .into_iter()
                .collect(),
            notes,
            lanes: Soft::default(),
        },
    )
}
