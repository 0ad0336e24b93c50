//! Tasks that wait for the approval of a person, over both edges.

use mainspring_proto::v1;
use serde_json::{Value, json};
use tonic::Code;

use crate::grpc::{Clients, reason};
use crate::rig::Rig;
use crate::worker::FakeWorker;

const JOB: &str = "
job: rollout
parameters: {host: db-1}
tasks:
  go: {approve: {by: [anna, dba], message: 'change {{ params.host }}?', timeout: 1d}}
  change: {noop: {}, needs: go, retries: 0}
";

async fn begun(rig: &Rig, file: &str) -> String {
    let answer = rig.call("POST", "/v1/jobs", file).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer = rig.call("POST", "/v1/jobs/rollout:trigger", "").await.json();
    answer["run_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

async fn run(rig: &Rig, id: &str) -> Value {
    rig.get(&format!("/v1/runs/{id}")).await.json()
}

async fn waits(rig: &Rig, id: &str) -> Value {
    for _ in 0..500 {
        let run = run(rig, id).await;
        if run["waits_for"] == "approval" {
            return run;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{:#}", run(rig, id).await);
}

async fn say(rig: &Rig, id: &str, verb: &str, body: &Value) -> (u16, Value) {
    let answer = rig.call("POST", &format!("/v1/runs/{id}:{verb}"), &body.to_string()).await;
    (answer.status, answer.json())
}

fn code((status, body): &(u16, Value)) -> (u16, &str) {
    (*status, body["error_code"].as_str().unwrap_or_default())
}

/// Who may not, what does not wait, and what would go past those who decide.
async fn refuses_others(rig: &Rig, id: &str, task: &str) {
    let rows = [
        (json!({"actor": "carl"}), (403, "APPROVER_NOT_ALLOWED")),
        (json!({"actor": "anna", "task": "change"}), (409, "NO_APPROVAL_OPEN")),
        (json!({"actor": "anna", "task": "nothing"}), (404, "RUN_HAS_NO_SUCH_TASK")),
        (json!({"actor": "anna", "item": 1}), (400, "INVALID_FIELD")),
    ];
    for (body, wanted) in rows {
        assert_eq!(code(&say(rig, id, "approve", &body).await), wanted, "{body}");
    }
    let past = format!("/v1/tasks/{task}:run-now");
    assert_eq!(rig.call("POST", &past, "").await.code(), "WAITS_FOR_APPROVAL");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_waits_for_whom_its_job_names_and_goes_on_with_their_word() {
    let rig = Rig::start().await;
    let mut feed = rig.stream("/v1/events?kind=run&for_ms=20000").await;
    let id = begun(&rig, JOB).await;
    let waiting = waits(&rig, &id).await;
    let open = &waiting["approvals"][0];
    assert_eq!(
        (&open["task"], &open["state"], &open["by"]),
        (&json!("go"), &json!("open"), &json!(["anna", "dba"]))
    );
    assert_eq!((&open["message"], &open["on_timeout"]), (&json!("change db-1?"), &json!("fail")), "{open}");
    assert_eq!(waiting["tasks"][0]["state"], "deferred");
    let listed = &rig.get("/v1/runs").await.json()["runs"][0];
    assert_eq!((&listed["waits_for"], &listed["approvals"]), (&json!("approval"), &waiting["approvals"]));

    let until = open["until"].as_str().expect("an instant");
    let command = format!("mainspring run approve {id} --task go");
    let whole = rig.get(&format!("/v1/runs/{id}/diagnosis")).await.json();
    let task =
        rig.get(&format!("/v1/tasks/{}/diagnosis", open["task_id"].as_str().expect("an id"))).await.json();
    for diagnosis in [&whole["tasks"][0], &task] {
        assert_eq!(diagnosis["reason"], "waits_for_approval", "{diagnosis}");
        assert_eq!(diagnosis["message"], format!("it waits for approval by `anna` or `dba` until {until}"));
        assert!(diagnosis["advice"].as_str().is_some_and(|advice| advice.contains(&command)), "{diagnosis}");
    }
    let findings = rig.get("/v1/attention").await.json()["findings"].clone();
    let found = findings.as_array().and_then(|all| all.iter().find(|one| one["kind"] == "approvals_open"));
    let found = found.unwrap_or_else(|| panic!("{findings:#}"));
    assert_eq!((&found["count"], &found["example"]["id"]), (&json!(1), &json!(id)));

    refuses_others(&rig, &id, open["task_id"].as_str().expect("an id")).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    let advised = &found["action"];
    let mut body = advised["body"].clone();
    (body["actor"], body["reason"]) = (json!("anna"), json!("seen"));
    let answer = rig.call("POST", advised["path"].as_str().expect("a path"), &body.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(say(&rig, &id, "approve", &json!({"actor": "dba"})).await.0, 200, "it agrees");
    let against = say(&rig, &id, "reject", &json!({"actor": "dba"})).await;
    assert_eq!(code(&against), (409, "APPROVAL_ALREADY_DECIDED"));
    let order = worker.start().await;
    worker.succeed(&order, "1").await;
    let ended = rig.get(&format!("/v1/runs/{id}?wait=20s")).await.json();
    assert_eq!(ended["state"], "succeeded", "{ended:#}");
    let said = &ended["approvals"][0];
    assert_eq!(
        (&said["state"], &said["actor"], &said["reason"]),
        (&json!("approved"), &json!("anna"), &json!("seen"))
    );
    assert_eq!(ended["notes"][0]["what"], "approved `go`");
    let task = rig.get(&format!("/v1/tasks/{}", said["task_id"].as_str().expect("an id"))).await.json();
    let output = &task["output"];
    assert_eq!(
        (&output["approved"], &output["by"], &output["reason"]),
        (&json!(true), &json!("anna"), &json!("seen"))
    );
    feed.until("mainspring.run.approval.wanted").await;
    feed.until("mainspring.run.approval.decided").await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_task_fails_for_good_and_asks_again_when_it_is_cleared() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let id = begun(&rig, JOB).await;
    waits(&rig, &id).await;
    let reject = |actor: &str| v1::RejectRunRequest {
        run_id: id.clone(),
        task: Some("go".into()),
        actor: Some(actor.into()),
        reason: Some("not on a Friday".into()),
        ..Default::default()
    };
    let refused = grpc.runs.reject(reject("carl")).await.expect_err("he is not on the list");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::PermissionDenied, "APPROVER_NOT_ALLOWED"));
    grpc.runs.reject(reject("dba")).await.expect("rejected");
    let ended = rig.get(&format!("/v1/runs/{id}?wait=20s")).await.json();
    assert_eq!((&ended["state"], &ended["approvals"][0]["state"]), (&json!("failed"), &json!("rejected")));
    let whole = rig.get(&format!("/v1/runs/{id}/diagnosis")).await.json();
    let error = &whole["tasks"][0]["last_error"];
    assert_eq!(
        (&error["class"], &error["message"]),
        (&json!("permanent"), &json!("rejected by `dba`: not on a Friday"))
    );

    // Also when the run is no longer in memory: history speaks for it.
    assert_eq!(
        code(&say(&rig, &id, "approve", &json!({"actor": "dba"})).await).1,
        "APPROVAL_ALREADY_DECIDED"
    );
    assert_eq!(rig.call("POST", &format!("/v1/runs/{id}:clear"), "").await.status, 200);
    waits(&rig, &id).await;
    let get = v1::GetRunRequest { run_id: id.clone(), ..Default::default() };
    let seen = grpc.runs.get(get).await.expect("there").into_inner();
    assert_eq!((seen.waits_for.as_deref(), seen.approvals[0].state.as_str()), (Some("approval"), "open"));
    let approve =
        v1::ApproveRunRequest { run_id: id.clone(), actor: Some("anna".into()), ..Default::default() };
    grpc.runs.approve(approve).await.expect("approved");
    assert_eq!(run(&rig, &id).await["approvals"][0]["state"], "approved");
    rig.stop().await;
}
