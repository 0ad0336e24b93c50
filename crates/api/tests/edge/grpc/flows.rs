//! Jobs and runs: every verb, and that REST sees the same.

use mainspring_api::ApiConfig;
use mainspring_proto::v1;
use mainspring_proto::v1::{JobState, RunState, TaskState};
use mainspring_runtime::ShardConfig;
use tonic::Code;

use super::{Clients, reason, refused_alike, with_metadata};
use crate::rig::Rig;
use crate::worker::FakeWorker;

const CHAIN: &str = "
job: chain
parameters: {day: today}
tasks:
  a: {noop: {}, retries: 0}
  b: {noop: {}, needs: a}
";

impl Clients {
    async fn apply(&mut self, job_file: &str) -> v1::AppliedJob {
        let request = v1::ApplyJobsRequest { job_file: job_file.into(), ..v1::ApplyJobsRequest::default() };
        self.jobs.apply(request).await.expect("applied").into_inner().jobs.remove(0)
    }

    async fn trigger(&mut self, job: &str) -> String {
        let request = v1::TriggerJobRequest { job: job.into(), ..v1::TriggerJobRequest::default() };
        self.jobs.trigger(request).await.expect("triggered").into_inner().run_id
    }

    async fn run(&mut self, run_id: &str) -> v1::Run {
        let request = v1::GetRunRequest { run_id: run_id.into(), ..v1::GetRunRequest::default() };
        self.runs.get(request).await.expect("there").into_inner()
    }

    async fn until(&mut self, run_id: &str, wanted: RunState) -> v1::Run {
        for _ in 0..500 {
            let run = self.run(run_id).await;
            if run.state() == wanted {
                return run;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("{run_id} never was {wanted:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_applied_read_and_listed() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let dry =
        v1::ApplyJobsRequest { job_file: CHAIN.into(), dry_run: true, ..v1::ApplyJobsRequest::default() };
    let foreseen = grpc.jobs.apply(dry).await.expect("checked").into_inner();
    assert_eq!((foreseen.jobs[0].change.as_str(), foreseen.dry_run), ("created", true));
    let get = |job: &str| v1::GetJobRequest { job: job.into(), tenant: None };
    let missing = grpc.jobs.get(get("chain")).await.expect_err("only foreseen");
    assert_eq!((missing.code(), reason(&missing).as_str()), (Code::NotFound, "JOB_NOT_FOUND"));

    for (change, version) in [("created", 1), ("unchanged", 1)] {
        let applied = grpc.apply(CHAIN).await;
        assert_eq!((applied.change.as_str(), applied.version), (change, version));
        assert_eq!((applied.tenant.as_str(), applied.job.as_str()), ("default", "chain"));
    }
    let newer = CHAIN.replace("today", "yesterday");
    assert_eq!(grpc.apply(&newer).await.change, "updated");
    let elsewhere = v1::ApplyJobsRequest { job_file: CHAIN.into(), ..v1::ApplyJobsRequest::default() };
    grpc.jobs.apply(with_metadata(elsewhere, &[("x-mainspring-tenant", "acme")])).await.expect("applied");

    let job = grpc.jobs.get(get("chain")).await.expect("there").into_inner();
    let seen = rig.get("/v1/jobs/chain").await.json();
    assert_eq!((job.version, job.tasks, job.state()), (2, 2, JobState::Active));
    assert_eq!(seen["version"], job.version);
    let definition: serde_json::Value =
        serde_json::from_str(job.definition_json.as_deref().unwrap_or_default()).expect("JSON");
    assert_eq!(definition, seen["definition"]);
    assert!(job.created_at.is_some() && job.last_run.is_none());

    let list = |cursor, tenant: Option<&str>| v1::ListJobsRequest {
        tenant: tenant.map(str::to_owned),
        limit: Some(1),
        cursor,
        ..Default::default()
    };
    let first = grpc.jobs.list(list(None, None)).await.expect("a page").into_inner();
    assert_eq!((first.jobs[0].tenant.as_str(), &first.jobs[0].definition_json), ("acme", &None));
    let second = grpc.jobs.list(list(first.next_cursor, None)).await.expect("a page").into_inner();
    assert_eq!((second.jobs[0].tenant.as_str(), second.next_cursor), ("default", None));
    let one = grpc.jobs.list(list(None, Some("acme"))).await.expect("a page").into_inner();
    assert_eq!((one.jobs.len(), one.next_cursor), (1, None));

    let history = v1::JobHistoryRequest { job: "chain".into(), ..v1::JobHistoryRequest::default() };
    let history = grpc.jobs.history(history).await.expect("versions").into_inner().versions;
    assert_eq!(history.iter().map(|version| version.version).collect::<Vec<_>>(), [2, 1]);
    let version = v1::GetJobVersionRequest { job: "chain".into(), tenant: None, version: 1 };
    let version = grpc.jobs.get_version(version).await.expect("there").into_inner();
    assert!(version.definition_json.expect("it").contains("today"));

    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_paused_and_deleted_for_its_tenant_alone() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    grpc.apply(CHAIN).await;
    let elsewhere = v1::ApplyJobsRequest { job_file: CHAIN.into(), ..v1::ApplyJobsRequest::default() };
    grpc.jobs.apply(with_metadata(elsewhere, &[("x-mainspring-tenant", "acme")])).await.expect("applied");
    let get = |job: &str| v1::GetJobRequest { job: job.into(), tenant: None };
    let (job, tenant) = ("chain".to_owned(), Some("acme".to_owned()));
    let pause =
        v1::PauseJobRequest { job: job.clone(), tenant: tenant.clone(), ..v1::PauseJobRequest::default() };
    assert_eq!(grpc.jobs.pause(pause).await.expect("paused").into_inner().tenant, "acme");
    let of_acme = || v1::GetJobRequest { job: "chain".into(), tenant: Some("acme".into()) };
    assert_eq!(grpc.jobs.get(of_acme()).await.expect("there").into_inner().state(), JobState::Paused);
    let resume = v1::ResumeJobRequest {
        job: job.clone(),
        tenant: tenant.clone(),
        actor: None,
        reason: None,
        if_revision: None,
    };
    grpc.jobs.resume(resume).await.expect("resumed");
    assert_eq!(grpc.jobs.get(of_acme()).await.expect("there").into_inner().state(), JobState::Active);
    grpc.jobs
        .delete(v1::DeleteJobRequest { job, tenant, actor: None, reason: None, if_revision: None })
        .await
        .expect("deleted");
    let gone = grpc.jobs.get(of_acme()).await.expect("still readable").into_inner();
    assert!(gone.state() == JobState::Deleted && gone.deleted_at.is_some());
    assert_eq!(grpc.jobs.get(get("chain")).await.expect("there").into_inner().state(), JobState::Active);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_triggered_once_for_its_key_and_read_on_both_edges() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    grpc.apply(CHAIN).await;
    let request = v1::TriggerJobRequest {
        job: "chain".into(),
        parameters_json: Some(r#"{"day": "2026-01-31"}"#.into()),
        run_key: Some("2026-01-31".into()),
        priority: Some(v1::Priority { band: Some("P0".into()), level: None }),
        labels: [("team".to_owned(), "ops".to_owned())].into(),
        actor: Some("ann".into()),
        ..v1::TriggerJobRequest::default()
    };
    let first = grpc.jobs.trigger(request.clone()).await.expect("triggered").into_inner();
    let again = grpc.jobs.trigger(request.clone()).await.expect("triggered").into_inner();
    assert_eq!((&first.run_id, first.duplicate, again.duplicate), (&again.run_id, false, true));
    let notes = grpc.run(&first.run_id).await.notes;
    assert_eq!(notes.len(), 1, "a repeated request leaves none: {notes:?}");
    assert_eq!((notes[0].actor.as_str(), notes[0].what.as_str()), ("ann", "triggered"));
    let other = v1::TriggerJobRequest { parameters_json: None, ..request };
    let refused = grpc.jobs.trigger(other).await.expect_err("other parameters");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::AlreadyExists, "IDEMPOTENCY_KEY_REUSED"));
    let keyed = || {
        let request = v1::TriggerJobRequest { job: "chain".into(), ..v1::TriggerJobRequest::default() };
        with_metadata(request, &[("idempotency-key", "k")])
    };
    let by_metadata = grpc.jobs.trigger(keyed()).await.expect("triggered").into_inner().run_id;
    let repeated = grpc.jobs.trigger(keyed()).await.expect("triggered").into_inner();
    assert_eq!((&repeated.run_id, repeated.duplicate), (&by_metadata, true));
    assert_ne!(by_metadata, first.run_id);

    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    let start = worker.start().await;
    let of_run = grpc.get(&crate::worker::id_of(&start)).await;
    // One has the place of the worker, the task of the other waits for it, and says so.
    let held = of_run.run_id.expect("a task of a run");
    let waits = if held == first.run_id { &by_metadata } else { &first.run_id };
    for (run, state) in [(&held, TaskState::Assigned), (waits, TaskState::Queued)] {
        let run = grpc.run(run).await;
        let tasks: Vec<_> = run.tasks.iter().map(|task| (task.name.as_str(), task.state())).collect();
        assert_eq!(tasks, [("a", state), ("b", TaskState::Pending)]);
        let word = if state == TaskState::Queued { "queued" } else { "assigned" };
        assert_eq!((run.counts[word], run.counts["pending"], run.tasks_total), (1, 1, 2));
    }
    let run = grpc.run(&first.run_id).await;
    let seen = rig.get(&format!("/v1/runs/{}", first.run_id)).await.json();
    assert_eq!(run.parameters_json.as_deref(), Some(seen["parameters"].to_string().as_str()));
    assert_eq!((run.state(), run.trigger.as_str(), run.version), (RunState::Running, "manual", 1));
    assert_eq!(run.labels["team"], "ops");
    assert_eq!(run.tasks[1].needs, ["a"]);
    assert!(run.tasks[0].task_id.is_some() && run.tasks[1].task_id.is_none());
    let none = v1::GetRunRequest { run_id: first.run_id, tasks_offset: 0, tasks_limit: Some(0), wait: None };
    assert!(grpc.runs.get(none).await.expect("there").into_inner().tasks.is_empty());
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_one_run_for_an_instant_whatever_the_key() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let for_instant = |key, parameters_json| {
        let logical_time = Some(prost_types::Timestamp { seconds: 1_769_817_600, nanos: 0 });
        let job = "later".to_owned();
        let request = v1::TriggerJobRequest { job, logical_time, parameters_json, ..Default::default() };
        with_metadata(request, &[("idempotency-key", key)])
    };
    grpc.apply("{job: later, parameters: {day: today}, tasks: {a: {noop: {}, pool: none}}}").await;
    let later = grpc.jobs.trigger(for_instant("k1", None)).await.expect("triggered").into_inner().run_id;
    let repeated = grpc.jobs.trigger(for_instant("k2", None)).await.expect("triggered").into_inner();
    assert_eq!((&repeated.run_id, repeated.duplicate), (&later, true));
    let other = for_instant("k1", Some(r#"{"day": "other"}"#.into()));
    let refused = grpc.jobs.trigger(other).await.expect_err("other parameters");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::AlreadyExists, "LOGICAL_TIME_REUSED"));
    let seen = rig.get(&format!("/v1/runs/{later}")).await.json();
    assert_eq!(seen["logical_time"], "2026-01-31T00:00:00.000Z");
    assert_eq!(grpc.run(&later).await.logical_time.map(|at| at.seconds), Some(1_769_817_600));
    let rest = r#"{"logical_time": 1769817600}"#;
    let rest = rig.call("POST", "/v1/jobs/later:trigger", rest).await.json();
    assert_eq!((rest["run_id"].as_str(), &rest["duplicate"]), (Some(&*later), &true.into()), "{rest}");
    let both = r#"{"logical_time": "2026-01-31T00:00:00Z", "run_key": "k"}"#;
    let both = rig.call("POST", "/v1/jobs/later:trigger", both).await;
    assert_eq!((both.status, both.code().as_str()), (400, "INVALID_FIELD"), "{}", both.text);
    rig.stop().await;
}

/// With a worker that has it and does not answer.
async fn stops_when_cancelled(grpc: &mut Clients) {
    let run = grpc.trigger("chain").await;
    let request = v1::CancelRunRequest { run_id: run.clone(), ..v1::CancelRunRequest::default() };
    let asked = grpc.runs.cancel(request).await.expect("asked").into_inner();
    assert_eq!((asked.run_id.as_str(), asked.state()), (run.as_str(), RunState::Running));
    assert_eq!(grpc.run(&run).await.stopping.as_deref(), Some("cancelled"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_paused_cancelled_cleared_rerun_and_forced() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    grpc.apply(CHAIN).await;
    let run_id = grpc.trigger("chain").await;
    let id = || run_id.clone();
    let paused = grpc
        .runs
        .pause(v1::PauseRunRequest { run_id: id(), ..v1::PauseRunRequest::default() })
        .await
        .expect("paused")
        .into_inner();
    assert_eq!(paused.run_id, run_id);
    let run = grpc.run(&run_id).await;
    assert_eq!((run.state(), run.paused.as_deref()), (RunState::Running, Some("by hand")));
    grpc.runs
        .resume(v1::ResumeRunRequest { run_id: id(), ..v1::ResumeRunRequest::default() })
        .await
        .expect("resumed");
    assert_eq!(grpc.run(&run_id).await.state(), RunState::Running);

    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let start = worker.start().await;
    worker.fail(&start, "permanent", "no such table").await;
    grpc.until(&run_id, RunState::Failed).await;
    let clear = v1::ClearRunRequest {
        run_id: id(),
        tasks: vec!["a".into()],
        actor: Some("ann".into()),
        reason: Some("table made".into()),
        ..v1::ClearRunRequest::default()
    };
    grpc.runs.clear(clear).await.expect("cleared");
    let start = worker.start().await;
    let run = grpc.run(&run_id).await;
    assert_eq!((run.state(), run.tasks[0].turn), (RunState::Running, 1));
    assert_eq!((run.notes[0].actor.as_str(), run.notes[0].reason.as_str()), ("ann", "table made"));
    worker.fail(&start, "permanent", "still none").await;
    grpc.until(&run_id, RunState::Failed).await;

    let rerun = v1::RerunRequest {
        run_id: id(),
        from: Some("failure".into()),
        parameters_json: Some(r#"{"day":"monday"}"#.into()),
        ..v1::RerunRequest::default()
    };
    let new = grpc.runs.rerun(rerun).await.expect("again").into_inner();
    assert_eq!(new.rerun_of, run_id);
    let run = grpc.run(&new.run_id).await;
    assert_eq!((run.rerun_of.as_deref(), run.trigger.as_str()), (Some(run_id.as_str()), "rerun"));
    assert_eq!(run.parameters_json.as_deref(), Some(r#"{"day":"monday"}"#));
    worker.start().await;
    let force = v1::ForceRunStateRequest {
        run_id: new.run_id.clone(),
        state: RunState::Succeeded.into(),
        actor: Some("ann".into()),
        reason: Some("done by hand".into()),
    };
    grpc.runs.force_state(force.clone()).await.expect("forced");
    worker.stop().await;
    let shown = v1::ForceRunStateRequest { state: 6, ..force };
    let refused = grpc.runs.force_state(shown).await.expect_err("no end");
    assert_eq!(reason(&refused), "INVALID_FIELD");

    stops_when_cancelled(&mut grpc).await;
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_tells_who_added_a_task_what_jobs_are_missing_and_is_looked_at_again() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let file = "
job: grows
expected: 1ms
tasks:
  plan: {noop: {}, spawns: true}
  load: {noop: {}, needs_jobs: {job: extract, within: 1h, timeout: 2h}}
";
    grpc.apply(file).await;
    let run_id = grpc.trigger("grows").await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let start = worker.start().await;
    worker.succeed(&start, r#"{"tasks":{"part":{"noop":{}}}}"#).await;
    worker.start().await;
    let run = grpc.run(&run_id).await;
    let part = run.tasks.iter().find(|task| task.name == "part").expect("added");
    assert_eq!(part.added_by.as_deref(), Some("plan"));
    let wait = &run.tasks.iter().find(|task| task.name == "load").expect("there").waits_for_jobs[0];
    assert_eq!((wait.job.as_str(), wait.within.map(|span| span.seconds)), ("extract", Some(3600)));
    let (since, fails) = (wait.since.expect("since"), wait.fails_at.expect("an end"));
    assert_eq!((fails.seconds - since.seconds, fails.nanos), (7200, since.nanos));
    // A timer marks it.
    let late = loop {
        let run = grpc.run(&run_id).await;
        if !run.marks.is_empty() {
            break run.marks;
        }
    };
    let seen = rig.get(&format!("/v1/runs/{run_id}")).await.json();
    assert_eq!((late, &seen["marks"]), (vec!["late".to_owned()], &serde_json::json!(["late"])));

    let request = v1::ReevaluateRunRequest {
        run_id: run_id.clone(),
        actor: Some("ann".into()),
        reason: Some("it is quiet".into()),
    };
    let keyed = || with_metadata(request.clone(), &[("idempotency-key", "once")]);
    for _ in 0..2 {
        let changed = grpc.runs.reevaluate(keyed()).await.expect("looked at").into_inner();
        assert_eq!((changed.run_id.as_str(), changed.state()), (run_id.as_str(), RunState::Running));
    }
    let notes = grpc.run(&run_id).await.notes;
    assert_eq!((notes.len(), notes[0].reason.as_str()), (1, "it is quiet"));
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_changed_a_job_or_a_run_is_noted_with_it() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let (actor, reason) = (Some("ann".to_owned()), Some("tests".to_owned()));
    let file = v1::ApplyJobsRequest {
        job_file: CHAIN.into(),
        actor: actor.clone(),
        reason: reason.clone(),
        ..v1::ApplyJobsRequest::default()
    };
    for _ in 0..2 {
        grpc.jobs.apply(file.clone()).await.expect("applied");
    }
    let pause = v1::PauseJobRequest {
        job: "chain".into(),
        tenant: None,
        actor: None,
        reason: reason.clone(),
        if_revision: None,
    };
    grpc.jobs.pause(pause).await.expect("paused");
    rig.call("POST", "/v1/jobs/chain:resume", "").await;
    let get = v1::GetJobRequest { job: "chain".into(), tenant: None };
    let notes = grpc.jobs.get(get).await.expect("there").into_inner().notes;
    let told: Vec<_> = notes.iter().map(|note| (note.actor.as_str(), note.what.as_str())).collect();
    assert_eq!(told, [("ann", "applied as version 1"), ("api", "paused")], "nobody resumed it");
    let seen = rig.get("/v1/jobs/chain").await.json();
    assert_eq!((&seen["notes"][0]["reason"], &seen["notes"][1]["what"]), (&"tests".into(), &"paused".into()));
    assert!(rig.get("/v1/jobs").await.json()["jobs"][0]["notes"].is_null());

    let run_id = grpc.trigger("chain").await;
    rig.call("POST", &format!("/v1/runs/{run_id}:pause"), r#"{"actor":"bob"}"#).await;
    rig.call("POST", &format!("/v1/runs/{run_id}:resume"), "").await;
    let cancel =
        v1::CancelRunRequest { run_id: run_id.clone(), actor: actor.clone(), reason: reason.clone() };
    grpc.runs.cancel(cancel).await.expect("cancelled");
    let notes = grpc.until(&run_id, RunState::Cancelled).await.notes;
    let told: Vec<_> = notes.iter().map(|note| (note.actor.as_str(), note.what.as_str())).collect();
    assert_eq!(told, [("bob", "paused"), ("ann", "cancelled")]);
    let again = v1::RerunRequest { run_id: run_id.clone(), actor, reason, ..v1::RerunRequest::default() };
    let new = grpc.runs.rerun(again).await.expect("again").into_inner().run_id;
    let notes = grpc.run(&new).await.notes;
    assert_eq!((notes.len(), notes[0].what.as_str()), (1, format!("runs `{run_id}` again").as_str()));
    // They are rows, too.
    let dir = rig.stop().await;
    let rig = Rig::start_in(dir, ApiConfig::default(), ShardConfig::default()).await;
    let seen = rig.get("/v1/jobs/chain").await.json();
    assert_eq!(seen["notes"].as_array().map(Vec::len), Some(2), "{seen:#}");
    let seen = rig.get(&format!("/v1/runs/{run_id}")).await.json();
    assert_eq!(seen["notes"].as_array().map(Vec::len), Some(2), "{seen:#}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_listed_found_by_their_beginning_and_cancelled_together() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    grpc.apply(CHAIN).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(grpc.trigger("chain").await);
    }
    let list = |limit, cursor| v1::ListRunsRequest {
        job: Some("chain".into()),
        states: vec![RunState::Running.into()],
        limit: Some(limit),
        cursor,
        ..v1::ListRunsRequest::default()
    };
    let first = grpc.runs.list(list(2, None)).await.expect("a page").into_inner();
    let second = grpc.runs.list(list(2, first.next_cursor)).await.expect("a page").into_inner();
    assert_eq!((first.runs.len(), second.runs.len(), second.next_cursor), (2, 1, None));
    assert!(first.runs.iter().all(|run| run.tasks.is_empty() && run.parameters_json.is_none()));

    // The whole digits of an id begin one id only, whatever else there is.
    for id in &ids {
        let digits = id.strip_prefix("run_").expect("its kind");
        for prefix in [&digits[..31], id.as_str()] {
            let request =
                v1::ListRunsRequest { id_prefix: Some(prefix.into()), ..v1::ListRunsRequest::default() };
            let found = grpc.runs.list(request).await.expect("found").into_inner().runs;
            assert_eq!(found.iter().map(|run| &run.run_id).collect::<Vec<_>>(), [id]);
            let seen = rig.get(&format!("/v1/runs?id_prefix={prefix}")).await.json();
            assert_eq!(seen["runs"][0]["run_id"].as_str(), Some(id.as_str()));
        }
    }
    let common = v1::ListRunsRequest {
        id_prefix: Some(ids[0][..10].to_owned()),
        limit: Some(2),
        ..v1::ListRunsRequest::default()
    };
    let found = grpc.runs.list(common).await.expect("found").into_inner();
    assert_eq!((found.runs.len(), found.next_cursor), (2, None));

    let none = grpc.runs.cancel_many(v1::CancelRunsRequest::default()).await.expect_err("names nothing");
    assert_eq!(reason(&none), "INVALID_FIELD");
    let all = v1::CancelRunsRequest { job: Some("chain".into()), ..v1::CancelRunsRequest::default() };
    let cancelled = grpc.runs.cancel_many(all).await.expect("cancelled").into_inner();
    assert_eq!((cancelled.handled, cancelled.running), (Some(3), false));
    let process = rig.get(&format!("/v1/operations/{}", cancelled.operation_id)).await.json();
    assert_eq!((&process["state"], &process["handled"]), (&"ended".into(), &3.into()), "{process}");
    for id in &ids {
        grpc.until(id, RunState::Cancelled).await;
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_jobs_may_be_longer_than_other_messages() {
    let config = ApiConfig { body_bytes_max: 2_000, batch_bytes_max: 6_000, ..ApiConfig::default() };
    let rig = Rig::start_with(config, ShardConfig::default()).await;
    let mut grpc = Clients::of(&rig).await;
    let file = |bytes: usize| format!("description: {}{CHAIN}", "x".repeat(bytes));
    grpc.apply(&file(4_000)).await;
    let request = v1::ApplyJobsRequest { job_file: file(6_000), ..v1::ApplyJobsRequest::default() };
    let refused = grpc.jobs.apply(request).await.expect_err("too large");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "BODY_TOO_LARGE"));
    let labels = [("k".to_owned(), "x".repeat(3_000))].into();
    let request = v1::TriggerJobRequest { job: "chain".into(), labels, ..v1::TriggerJobRequest::default() };
    let refused = grpc.jobs.trigger(request).await.expect_err("too large");
    assert_eq!(reason(&refused), "BODY_TOO_LARGE");
    rig.stop().await;
}

/// The same mistake gets the same error code on both edges.
#[tokio::test(flavor = "multi_thread")]
async fn mistakes_about_jobs_and_runs_have_the_codes_of_rest() {
    const NONE: &str = "run_00000000000000000000000000000001";
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    grpc.apply(CHAIN).await;
    let run = grpc.trigger("chain").await;
    let job = |job: &str| v1::GetJobRequest { job: job.into(), tenant: None };
    let trigger = |json: &str| v1::TriggerJobRequest {
        job: "chain".into(),
        parameters_json: Some(json.into()),
        ..v1::TriggerJobRequest::default()
    };
    let list = v1::ListRunsRequest::default;
    #[rustfmt::skip]
    let rows = [
        ("no job", rig.get("/v1/jobs/none").await, grpc.jobs.get(job("none")).await.err()),
        ("empty name", rig.get("/v1/jobs/chain?tenant=").await, grpc.jobs.get(v1::GetJobRequest { job: "chain".into(), tenant: Some(String::new()) }).await.err()),
        ("no file", rig.call("POST", "/v1/jobs", "job: [").await, grpc.jobs.apply(v1::ApplyJobsRequest { job_file: "job: [".into(), ..v1::ApplyJobsRequest::default() }).await.err()),
        ("long page of jobs", rig.get("/v1/jobs?limit=5000").await, grpc.jobs.list(v1::ListJobsRequest { limit: Some(5000), ..v1::ListJobsRequest::default() }).await.err()),
        ("odd cursor of jobs", rig.get("/v1/jobs?cursor=x").await, grpc.jobs.list(v1::ListJobsRequest { cursor: Some("x".into()), ..v1::ListJobsRequest::default() }).await.err()),
        ("no version", rig.get("/v1/jobs/chain/versions/9").await, grpc.jobs.get_version(v1::GetJobVersionRequest { job: "chain".into(), tenant: None, version: 9 }).await.err()),
        ("unknown parameter", rig.call("POST", "/v1/jobs/chain:trigger", r#"{"parameters":{"x":1}}"#).await, grpc.jobs.trigger(trigger(r#"{"x":1}"#)).await.err()),
        ("no JSON", rig.call("POST", "/v1/jobs/chain:trigger", r#"{"parameters":{"#).await, grpc.jobs.trigger(trigger("{")).await.err()),
        ("no run", rig.get(&format!("/v1/runs/{NONE}")).await, grpc.runs.get(v1::GetRunRequest { run_id: NONE.into(), ..v1::GetRunRequest::default() }).await.err()),
        ("no id", rig.get("/v1/runs/x").await, grpc.runs.get(v1::GetRunRequest { run_id: "x".into(), ..v1::GetRunRequest::default() }).await.err()),
        ("long page of tasks", rig.get(&format!("/v1/runs/{run}?tasks_limit=20000")).await, grpc.runs.get(v1::GetRunRequest { run_id: run.clone(), tasks_limit: Some(20_000), ..v1::GetRunRequest::default() }).await.err()),
        ("diagnose none", rig.get(&format!("/v1/runs/{NONE}/diagnosis")).await, grpc.runs.diagnose(v1::DiagnoseRunRequest { run_id: NONE.into() }).await.err()),
        ("reevaluate none", rig.call("POST", &format!("/v1/runs/{NONE}:reevaluate"), "").await, grpc.runs.reevaluate(v1::ReevaluateRunRequest { run_id: NONE.into(), ..v1::ReevaluateRunRequest::default() }).await.err()),
        ("long reason", rig.call("POST", &format!("/v1/runs/{run}:reevaluate"), &format!(r#"{{"reason":"{}"}}"#, "x".repeat(5000))).await, grpc.runs.reevaluate(v1::ReevaluateRunRequest { run_id: run.clone(), actor: None, reason: Some("x".repeat(5000)) }).await.err()),
        ("empty page", rig.get("/v1/runs?limit=0").await, grpc.runs.list(v1::ListRunsRequest { limit: Some(0), ..list() }).await.err()),
        ("odd trigger", rig.get("/v1/runs?trigger=x").await, grpc.runs.list(v1::ListRunsRequest { trigger: Some("x".into()), ..list() }).await.err()),
        ("short beginning", rig.get("/v1/runs?id_prefix=run_01").await, grpc.runs.list(v1::ListRunsRequest { id_prefix: Some("run_01".into()), ..list() }).await.err()),
        ("beginning and more", rig.get("/v1/runs?id_prefix=run_01aaaa&job=x").await, grpc.runs.list(v1::ListRunsRequest { id_prefix: Some("run_01aaaa".into()), job: Some("x".into()), ..list() }).await.err()),
        ("rerun what runs", rig.call("POST", &format!("/v1/runs/{run}:rerun"), "").await, grpc.runs.rerun(v1::RerunRequest { run_id: run.clone(), ..v1::RerunRequest::default() }).await.err()),
        ("rerun from nowhere", rig.call("POST", &format!("/v1/runs/{run}:rerun"), r#"{"from":"x"}"#).await, grpc.runs.rerun(v1::RerunRequest { run_id: run.clone(), from: Some("x".into()), ..v1::RerunRequest::default() }).await.err()),
        ("clear no such task", rig.call("POST", &format!("/v1/runs/{run}:clear"), r#"{"tasks":["z"]}"#).await, grpc.runs.clear(v1::ClearRunRequest { run_id: run.clone(), tasks: vec!["z".into()], ..v1::ClearRunRequest::default() }).await.err()),
        ("force no end", rig.call("POST", &format!("/v1/runs/{run}:force-state"), r#"{"state":"running"}"#).await, grpc.runs.force_state(v1::ForceRunStateRequest { run_id: run.clone(), state: RunState::Running.into(), ..v1::ForceRunStateRequest::default() }).await.err()),
    ];
    refused_alike(rows);
    rig.stop().await;
}
