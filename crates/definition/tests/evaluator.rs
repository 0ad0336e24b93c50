//! The evaluator sees a run as its texts should: tasks, items, rounds and parameters.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::job::{JobKey, Node, NodeWork};
use mainspring_core::run::{Evaluate, MapItems, NodeState, NodeStatus, Origin, Run, Scope, StartedBy};
use mainspring_core::values::{FiredAs, Name, NodeInstance, RunId, RunStatus, ScheduleId, Seq, Wall, Window};
use mainspring_definition::{Definition, Evaluator, Options, read};
use serde_json::{Value, json};

const JOB: &str = r#"
job: sample
parameters: { day: "2026-01-01", n: 3, names: [x, y] }
tasks:
  list: { run: [a] }
  broken: { run: [a] }
  each:
    needs: list
    for_each: tasks.list.output.files
    run: [do, "{{ item.name }}", "{{ index }}"]
    limits: [{ name: one, key: "{{ item.name }}" }]
  loop:
    needs: list
    repeat: { until: output.done and round == 2, max: 5 }
    run: [ask, "{{ round }}"]
  last:
    needs: [each, broken]
    trigger_rule: all_done
    shell: echo "{{ tasks.each.outputs | map(attribute='rows') | sum }}" {{ failed_upstream | join(',') }}
    undo: { run: [undo, "{{ tasks.last.output }}", "{{ tasks.each.state }}"] }
  sub:
    needs: list
    job: other
    parameters: { n: "{{ params.n }}" }
outputs: "{'rows': tasks.each.outputs[0].rows, 'state': tasks.broken.state, 'job': run.job}"
"#;

fn definition(text: &str) -> Definition {
    read("job", text, &Options::default()).map_or_else(|m| panic!("{m:?}"), |mut jobs| jobs.remove(0))
}

/// As the core holds it.
fn stored(job: &Definition) -> mainspring_core::job::Definition {
    let (plan, source) = (job.plan.clone(), job.source.clone());
    let hash = job.hash.first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
    mainspring_core::job::Definition { plan, source, hash }
}

fn run(job: &Definition) -> Run {
    let key = JobKey { tenant: job.tenant.clone(), name: job.name.clone() };
    let parameters = job.check_parameters(b"{}").unwrap_or_else(|m| panic!("{m:?}"));
    Run {
        id: RunId::from_bits(7),
        job: Arc::new(key),
        version: 1,
        plan: job.plan.clone(),
        own: None,
        parameters: parameters.into(),
        status: RunStatus::Running,
        pause: None,
        stop: None,
        priority: None,
        labels: None,
        origin: Origin::of(StartedBy::Manual),
        key: None,
        created: Wall::ZERO,
        started: Wall::ZERO,
        ended: Wall::ZERO,
        changed: Wall::ZERO,
        nodes: vec![NodeState::default(); job.plan.len() as usize],
        groups: BTreeMap::new(),
        outputs: BTreeMap::new(),
        output_bytes: 0,
        holds: BTreeMap::new(),
        whys: BTreeMap::new(),
        reused: Vec::new(),
        undo: Vec::new(),
        undone: 0,
        unfinished: job.plan.len(),
        failed: 0,
        out: 0,
        output: None,
        why: None,
        forced: None,
        fan_out_allowed: 0,
        notes: Vec::new(),
        decisions: BTreeMap::new(),
        touched: Seq::default(),
        stored: Soft(false),
        soft: Soft::default(),
    }
}

fn put(run: &mut Run, node: u32, index: u32, output: &Value) {
    run.outputs.insert((node, index), output.to_string().into_bytes().into());
}

fn rendered(evaluator: &Evaluator, run: &Run, node: u32, scope: &Scope<'_>) -> Result<Value, String> {
    let (payload, executor) = match &run.plan.node(node).work {
        NodeWork::Task(task) => (&task.payload, task.profile.executor.clone()),
        NodeWork::Run { parameters, .. } => (parameters, Name::fixed("job")),
    };
    let bytes = evaluator.render(payload, &executor, scope)?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

/// A run in which everything before the last task has ended.
fn advanced() -> Run {
    let mut run = run(&definition(JOB));
    run.nodes[0].status = NodeStatus::Succeeded;
    run.nodes[1].status = NodeStatus::Failed;
    run.nodes[2].status = NodeStatus::Succeeded;
    put(&mut run, 0, NodeInstance::WHOLE, &json!({"files": [{"name": "a"}, {"name": "b"}]}));
    run.groups.insert(2, MapItems::new(2, 0));
    put(&mut run, 2, 0, &json!({"rows": 4}));
    put(&mut run, 2, 1, &json!({"rows": 5}));
    run
}

#[test]
fn items_are_counted_and_read_one_by_one() {
    let (evaluator, run) = (Evaluator::default(), advanced());
    let each = run.plan.node(2).each.clone().unwrap_or_else(|| panic!("mapped"));
    assert_eq!(evaluator.count(&each.items, &Scope::of_node(&run, 2)), Ok(2));
    for evaluator in [evaluator, Evaluator::default()] {
        let scope = Scope::of_item(&run, 2, 1);
        let payload = rendered(&evaluator, &run, 2, &scope).unwrap_or_else(|what| panic!("{what}"));
        assert_eq!(payload["argv"], json!(["do", "b", "1"]));
        assert_eq!(evaluator.text(&run.plan.node(2).limits[0].key, &scope).as_deref(), Ok("b"));
    }
}

#[test]
fn a_cleared_node_gets_its_new_list() {
    let (evaluator, mut run) = (Evaluator::default(), advanced());
    let each = run.plan.node(2).each.clone().unwrap_or_else(|| panic!("mapped"));
    assert_eq!(evaluator.count(&each.items, &Scope::of_node(&run, 2)), Ok(2));
    put(&mut run, 0, NodeInstance::WHOLE, &json!({"files": [{"name": "c"}]}));
    run.nodes[2].turn += 1;
    let payload =
        rendered(&evaluator, &run, 2, &Scope::of_item(&run, 2, 0)).unwrap_or_else(|what| panic!("{what}"));
    assert_eq!(payload["argv"][1], "c");
    assert_eq!(evaluator.count(&each.items, &Scope::of_node(&run, 2)), Ok(1));
}

#[test]
fn rounds_count_from_one_and_templates_are_for_the_next() {
    let (evaluator, mut run) = (Evaluator::default(), advanced());
    let round = |run: &Run| {
        rendered(&evaluator, run, 3, &Scope::of_node(run, 3)).map(|payload| payload["argv"][1].clone())
    };
    assert_eq!(round(&run), Ok(json!("1")));
    run.nodes[3].status = NodeStatus::Judged;
    put(&mut run, 3, NodeInstance::WHOLE, &json!({"done": true}));
    assert_eq!(round(&run), Ok(json!("2")));
    let until = run.plan.node(3).repeat.clone().unwrap_or_else(|| panic!("a loop")).until;
    assert_eq!(evaluator.condition(&until, &Scope::of_node(&run, 3)), Ok(false));
    run.nodes[3].rounds = 1;
    assert_eq!(evaluator.condition(&until, &Scope::of_node(&run, 3)), Ok(true));
    run.outputs.remove(&(3, NodeInstance::WHOLE));
    assert!(evaluator.condition(&until, &Scope::of_node(&run, 3)).is_err());
}

#[test]
fn outputs_states_and_failures_upstream_are_seen() {
    let (evaluator, mut run) = (Evaluator::default(), advanced());
    let payload =
        rendered(&evaluator, &run, 4, &Scope::of_node(&run, 4)).unwrap_or_else(|what| panic!("{what}"));
    assert_eq!(payload["env"], json!({"MAINSPRING_VALUE_1": "9", "MAINSPRING_VALUE_2": "broken"}));
    put(&mut run, 4, NodeInstance::WHOLE, &json!("out"));
    let Some(NodeWork::Task(undo)) = run.plan.node(4).undo.clone() else { panic!("an undo") };
    let undo = evaluator.render(&undo.payload, &undo.profile.executor, &Scope::of_node(&run, 4));
    let undo: Value =
        undo.map(|bytes| serde_json::from_slice(&bytes).unwrap_or_default()).unwrap_or_default();
    assert_eq!(undo["argv"], json!(["undo", "out", "succeeded"]));
    let outputs = run.plan.outputs.clone().unwrap_or_else(|| panic!("outputs"));
    let value = evaluator
        .value(&outputs, &Scope::of_run(&run))
        .map(|bytes| serde_json::from_slice(&bytes).unwrap_or_default());
    assert_eq!(value, Ok(json!({"rows": 4, "state": "failed", "job": "sample"})));
}

#[test]
fn parameters_of_other_jobs_keep_their_types_and_are_checked() {
    let (evaluator, run) = (Evaluator::default(), advanced());
    assert_eq!(rendered(&evaluator, &run, 5, &Scope::of_node(&run, 5)), Ok(json!({"n": 3})));
    let other = definition("job: other\nparameters: {n: 1, m: x}\ntasks: {x: {noop: {}}}");
    for _ in 0..2 {
        let filled = evaluator.parameters(&stored(&other), &Arc::from(&br#"{"n": 3}"#[..]));
        assert_eq!(filled.as_deref(), Ok(&br#"{"m":"x","n":3}"#[..]));
    }
    let refused = evaluator.parameters(&stored(&other), &Arc::from(&br#"{"n": "3", "k": 1}"#[..]));
    let told =
        "parameters.n: the type `integer` is expected, not `string`; parameters.k: there is no parameter `k`";
    assert_eq!(refused, Err(told.to_owned()));
}

const GROWING: &str = r#"
job: growing
parameters: { day: monday }
tasks:
  fetch: { noop: {} }
  hidden: { noop: {} }
  plan: { needs: [fetch, hidden], run: [echo, "{{ tasks.fetch.output }}"], spawns: true }
  report: { needs: plan, noop: {} }
  end: { needs: report, noop: {} }
"#;

/// What `plan` adds when its output has these tasks.
fn added(tasks: &Value) -> Result<Vec<Node>, String> {
    let job = definition(GROWING);
    let mut run = run(&job);
    put(&mut run, 2, NodeInstance::WHOLE, &json!({"tasks": tasks}));
    let source = run.plan.node(2).spawns.clone().unwrap_or_else(|| panic!("it spawns"));
    Evaluator::default().tasks(&source, &Scope::of_node(&run, 2))
}

#[test]
fn tasks_that_a_task_gives_become_nodes_of_its_run() {
    let nodes = added(&json!({
        "a": {"run": ["echo", "{{ params.day }} {{ tasks.plan.output.x }}"]},
        "b": {"noop": {}, "needs": ["a", "fetch"], "when": "tasks.a.output == 1"},
        "c": {"noop": {}, "spawns": "output.more", "needs": "hidden"},
    }));
    let nodes = nodes.unwrap_or_else(|what| panic!("{what}"));
    let shape: Vec<(&str, &[u32], &[u32])> =
        nodes.iter().map(|node| (&*node.name, &*node.needs, &*node.mentions)).collect();
    assert_eq!(shape, [("a", &[2][..], &[2][..]), ("b", &[0, 5], &[5]), ("c", &[1], &[])]);
    assert_eq!(nodes.iter().map(|node| node.output_kept).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(nodes[2].spawns.as_deref(), Some("output.more"));
    assert_eq!(added(&json!([])), Ok(vec![]));
    assert_eq!(added(&json!({})), Ok(vec![]));
}

#[test]
fn mistakes_in_what_a_task_gives_are_told() {
    let many: Vec<Value> =
        (0..1_001).map(|number| json!({"name": format!("n{number}"), "noop": {}})).collect();
    let rows = [
        (json!({"report": {"noop": {}}}), "the run has a task `report` already"),
        (json!({"a": {"noop": {}, "needs": "report"}}), "tasks wait for each other: report → a → report"),
        (json!({"a": {"noop": {}, "needs": "end"}}), "tasks wait for each other"),
        (
            json!({"a": {"noop": {}, "needs": "b"}, "b": {"noop": {}, "needs": "a"}}),
            "tasks wait for each other",
        ),
        (json!({"a": {"noop": {}, "needs": "a"}}), "a task cannot need itself"),
        (json!({"a": {"noop": {}, "needs": "fech"}}), "there is no task `fech` (did you mean `fetch`?)"),
        (json!({"a": {"noop": {}, "color": 1}}), "there is no field `color`"),
        (json!({"a": {"run": ["x", "{{ tasks.hidden.output }}"]}}), "the output of `hidden` was not kept"),
        (json!({"a": {"run": ["x", "{{ tasks.end.output }}"]}}), "`end` is not upstream of `a`"),
        (json!({"a": {"run": ["x", "{{ params.night }}"]}}), "there is no parameter `night`"),
        (json!([{"noop": {}}]), "the task has no `name`"),
        (json!(many), "there may be 1 to 1000 tasks, here are 1001"),
        (json!("a"), "gives neither a list nor an object of tasks"),
        (json!(null), "gives neither a list nor an object of tasks"),
    ];
    for (tasks, wanted) in rows {
        let told = added(&tasks).expect_err(wanted);
        assert!(told.contains(wanted), "{told}");
    }
}

#[test]
fn a_run_that_a_schedule_began_sees_its_window() {
    let mut run = run(&definition(JOB));
    let evaluator = Evaluator::default();
    let value = |run: &Run, source: &str| {
        let value = evaluator.value(&Arc::from(source), &Scope::of_run(run))?;
        serde_json::from_slice::<Value>(&value).map_err(|error| error.to_string())
    };
    assert_eq!(value(&run, "window is none"), Ok(json!(true)), "by hand");
    assert_eq!(value(&run, "'by hand' if window is none else window.at"), Ok(json!("by hand")));
    assert_eq!(value(&run, "run.logical_time"), Ok(json!(null)));
    assert!(value(&run, "window.at").is_err(), "what is not there is an error, not an empty text");
    run.origin.window = Some(Box::new(Window {
        schedule: ScheduleId::from_bits(0),
        name: Name::fixed("morning"),
        at: Wall::from_millis(1_767_225_600_000),
        from: Wall::from_millis(1_767_139_200_500),
        fired_as: FiredAs::CatchUp,
    }));
    let all = "[window.at, window.start, window.end, window.schedule, window.catch_up, window.late]";
    let at = "2026-01-01T00:00:00Z";
    assert_eq!(value(&run, all), Ok(json!([at, "2025-12-31T00:00:00.5Z", at, "morning", true, false])));
    assert_eq!(value(&run, "run.logical_time"), Ok(json!(at)));
    assert!(value(&run, "window.day").unwrap_err().contains("no field of `window` `day`"));
}

#[test]
fn parameters_of_many_jobs_are_parsed_once() {
    let evaluator = Evaluator::default();
    let job = |number| {
        let name = format!("job-{number}");
        definition(&format!(
            "job: {name}\nparameters: {{n: {number}, m: {{type: string}}}}\ntasks: {{x: {{noop: {{}}}}}}"
        ))
    };
    let jobs: Vec<_> = (0..3_000).map(|number| stored(&job(number))).collect();
    let fill = || {
        for (number, job) in jobs.iter().enumerate() {
            let filled = evaluator.parameters(job, &Arc::from(&br#"{"m": "x"}"#[..]));
            let expected = format!(r#"{{"m":"x","n":{number}}}"#);
            assert_eq!(filled.as_deref(), Ok(expected.as_bytes()));
        }
        evaluator.take_parsed()
    };
    let all: usize = jobs.iter().map(|job| job.source.len()).sum();
    assert_eq!((fill(), fill()), (all, 0));
}
