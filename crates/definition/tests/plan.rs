//! A job file becomes a plan: what is written is what runs.

use mainspring_core::job::{FailurePolicy, NodeWork, OnEmpty, Plan, Tolerance, TriggerRule};
use mainspring_core::values::Millis;
use mainspring_definition::{Definition, Options, read};

const FULL: &str = include_str!("full.yaml");

fn one(text: &str) -> Definition {
    match read("job.yaml", text, &Options::default()) {
        Ok(mut jobs) => jobs.remove(0),
        Err(mistakes) => panic!("{mistakes:#?}"),
    }
}

fn payload(plan: &Plan, name: &str) -> serde_json::Value {
    match plan.find(name).map(|index| &plan.node(index).work) {
        Some(NodeWork::Task(task)) => serde_json::from_slice(&task.payload).unwrap_or_default(),
        Some(NodeWork::Run { parameters, .. }) => serde_json::from_slice(parameters).unwrap_or_default(),
        None => panic!("no {name}"),
    }
}

#[test]
fn every_field_reaches_the_plan() {
    let job = one(FULL);
    let plan = &job.plan;
    assert_eq!((&*job.name, &*job.tenant, job.owner.as_str()), ("nightly-report", "reports", "data-team"));
    assert_eq!(plan.policy, FailurePolicy::FailAfterAll);
    assert_eq!(plan.bounds.active_runs_max, 2);
    assert_eq!(plan.bounds.timeout.map(Millis::get), Some(6 * 3_600_000));
    let names: Vec<&str> = plan.nodes().iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["list", "extract", "load", "poll", "notify", "sub", "cleanup"]);

    let extract = plan.node(1);
    assert_eq!(extract.needs, [0]);
    assert_eq!(extract.mentions, [0]);
    let each = extract.each.as_ref().unwrap_or_else(|| panic!("mapped"));
    assert_eq!((&*each.items, each.active_max), ("tasks.list.output.files", 8));
    assert_eq!((each.tolerance, each.on_empty), (Tolerance::Percent(5), OnEmpty::Succeed));
    assert!(plan.node(0).output_kept && !extract.output_kept);
    let NodeWork::Task(task) = &extract.work else { panic!("a task") };
    assert!(task.templated);
    assert_eq!(task.profile.retry.attempts_max, 4);
    assert_eq!(task.profile.requirements.resources.cpu_milli, 500);
    assert_eq!(task.profile.requirements.resources.memory_bytes, 512 << 20);
    assert_eq!(&*task.profile.requirements.pool, "big");
    assert_eq!(extract.limits.len(), 2);
    assert_eq!(extract.limits[1].max, Some(1));
    let argv = serde_json::json!({
        "argv": ["./extract", "{{ item }}"], "env": {"A": "1", "B": "3"}, "cwd": "/srv", "user": "reports"
    });
    assert_eq!(payload(plan, "extract"), argv);
    assert_eq!(payload(plan, "load")["user"], "1000:100");

    let load = plan.node(2);
    assert_eq!(load.condition.as_deref(), Some("params.day != '' and tasks.list.output.rows > 0"));
    assert!(load.undo.is_some());
    assert_eq!(plan.node(3).repeat.as_ref().map(|r| (r.rounds_max, r.pause.get())), Some((10, 5_000)));
    assert_eq!(payload(plan, "notify")["body"]["rows"], "{{ tasks.load.output.rows }}");
    let notify = plan.node(4);
    assert_eq!(notify.spawns.as_deref(), Some("output.body.tasks"));
    let times = |index: usize| {
        notify
            .needs_jobs
            .get(index)
            .map(|need| (&*need.job, need.within.map(Millis::get), need.timeout.map(Millis::get)))
    };
    assert_eq!(times(0), Some(("other-job", None, None)));
    assert_eq!(times(1), Some(("third", Some(86_400_000), Some(7_200_000))));
    assert!(
        matches!(&plan.node(5).work, NodeWork::Run { job, templated: true, .. } if &**job == "other-job")
    );
    assert_eq!(plan.node(6).rule, TriggerRule::OneFailed);
    assert_eq!(payload(plan, "cleanup")["shell"], true);
}

#[test]
fn the_canonical_text_gives_the_same_job() {
    let first = one(FULL);
    let text = String::from_utf8(first.source.to_vec()).unwrap_or_default();
    let again = one(&text);
    assert_eq!(first, again);
}

#[test]
fn only_content_changes_the_hash() {
    let yaml = one("job: a\ntasks:\n  x: {noop: {}}   # a comment\n  y: {needs: x, noop: {}}\n");
    let json = one(
        r#"{"tasks": {"x": {"noop": {}}, "y": {"noop": {}, "needs": "x"}}, "tenant": "default", "job": "a"}"#,
    );
    assert_eq!(yaml.hash, json.hash);
    let other = one("job: a\ntasks:\n  x: {noop: {}}\n  y: {needs: x, noop: {}, retries: 1}\n");
    assert_ne!(yaml.hash, other.hash);
}

#[test]
fn several_jobs_in_one_text() {
    let text = "job: a\ntasks: {x: {noop: {}}}\n---\njobs:\n- {job: b, tasks: {x: {noop: {}}}}\n- {job: c, tasks: [{name: x, sleep: 5s}]}\n---\n";
    let jobs = read("f", text, &Options::default()).map_err(|m| m.len());
    let names = jobs.map(|jobs| jobs.iter().map(|job| job.name.to_string()).collect::<Vec<_>>());
    assert_eq!(names, Ok(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]));
}

#[test]
fn parameters_are_checked_and_filled_in() {
    let job = one("job: a
parameters:
  day: '2026-01-01'
  count: {type: integer, minimum: 1, maximum: 5, default: 2}
  mode: {type: string, enum: [fast, slow], default: fast}
  who: {type: string}
  ratio: {type: number, required: false}
tasks: {x: {noop: {}}}");
    let filled = job.check_parameters(br#"{"who": "me", "count": 5}"#);
    let expected = br#"{"count":5,"day":"2026-01-01","mode":"fast","ratio":null,"who":"me"}"#;
    assert_eq!(filled.as_deref(), Ok(&expected[..]));
    let rows = [
        (r"{}", "missing_parameter"),
        (r#"{"who": 1}"#, "bad_parameter"),
        (r#"{"who": null}"#, "bad_parameter"),
        (r#"{"who": "x", "count": 6}"#, "bad_parameter"),
        (r#"{"who": "x", "count": 1.5}"#, "bad_parameter"),
        (r#"{"who": "x", "mode": "fats"}"#, "bad_parameter"),
        (r#"{"who": "x", "dya": "y"}"#, "unknown_parameter"),
        (r"[1]", "wrong_type"),
        (r"{", "syntax"),
    ];
    for (given, code) in rows {
        let mistakes = job.check_parameters(given.as_bytes()).err().unwrap_or_default();
        assert_eq!(mistakes.iter().map(|m| m.code.label()).collect::<Vec<_>>(), [code], "{given}");
    }
}

#[test]
fn tasks_of_one_kind_share_a_profile() {
    let job = one(
        "job: a\ndefaults: {retries: 5}\ntasks:\n  x: {run: [a]}\n  y: {run: [b]}\n  z: {run: [b], retries: 1}\n",
    );
    let profile = |index| match &job.plan.node(index).work {
        NodeWork::Task(task) => task.profile.clone(),
        NodeWork::Run { .. } => panic!("a task"),
    };
    assert!(std::sync::Arc::ptr_eq(&profile(0), &profile(1)));
    assert_eq!(profile(2).retry.attempts_max, 2);
}

#[test]
fn on_failure_is_a_task_that_needs_all_others() {
    let text = "job: a\ndefaults: {retries: 4}\non_failure: {run: [./tell, '{{ failed_upstream }}'], pool: calls}\n\
                tasks:\n  x: {noop: {}}\n  y: {needs: [x], noop: {}}\n";
    let job = one(text);
    assert_eq!(job.plan.len(), 3);
    let told = job.plan.node(2);
    assert_eq!(
        (&*told.name, told.rule, &told.needs[..]),
        ("on_failure", TriggerRule::OneFailed, &[0, 1][..])
    );
    let NodeWork::Task(task) = &told.work else { panic!("a task") };
    assert_eq!((&*task.profile.requirements.pool, task.profile.retry.attempts_max), ("calls", 5));
    assert!(task.templated);
    let text = String::from_utf8(job.source.to_vec()).unwrap_or_default();
    assert_eq!(one(&text), job, "the canonical text has it too");
}

#[test]
fn a_wait_is_for_the_server_or_for_a_worker_that_polls() {
    let rows = [
        ("{for: 10m}", "wait", r#"{"for_ms":600000}"#),
        (
            "{until: '{{ window.end }}', on_timeout: skip}",
            "wait",
            r#"{"until":"{{ window.end }}","on_timeout":"skip"}"#,
        ),
        ("{run: '{{ params.r }}', timeout: 1h}", "wait", r#"{"run":"{{ params.r }}","timeout_ms":3600000}"#),
        (
            "{event: {type: paid, subject: '{{ params.r }}', if: event.data.ok}}",
            "wait",
            r#"{"event":{"type":"paid","subject":"{{ params.r }}","if":"event.data.ok"}}"#,
        ),
        (
            "{file: {path: /x, min_bytes: 1KiB}, every: 5s}",
            "poll",
            r#"{"file":{"path":"/x","min_bytes":1024},"every_ms":5000}"#,
        ),
        (
            "{http: {url: 'http://x/', status: 200, contains: ok}}",
            "poll",
            r#"{"http":{"url":"http://x/","status":[200],"contains":"ok"}}"#,
        ),
    ];
    for (text, executor, expected) in rows {
        let job = one(&format!("job: a\nparameters: {{r: ''}}\ntasks: {{x: {{wait: {text}}}}}\n"));
        let NodeWork::Task(task) = &job.plan.node(0).work else { panic!("a task") };
        assert_eq!(&*task.profile.executor, executor, "{text}");
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap_or_default();
        assert_eq!(payload(&job.plan, "x"), expected, "{text}");
    }
}
