//! Who acts and why can be said on every request that changes something, in headers or in the body.

use crate::rig::Rig;

const SAID: [(&str, &str); 2] = [("mainspring-actor", "Jürgen"), ("mainspring-reason", "schöner so")];

#[tokio::test(flavor = "multi_thread")]
async fn headers_say_who_and_a_body_goes_before_them() {
    let rig = Rig::start().await;
    let id = rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await.task_id();
    let force = format!("/v1/tasks/{id}:force-state");
    let forced = rig.call_with("POST", &force, r#"{"state":"failed","reason":"broken"}"#, &SAID).await;
    assert_eq!(forced.status, 200, "{}", forced.text);
    let task = rig.get(&format!("/v1/tasks/{id}")).await.json();
    assert_eq!(
        (&task["forced_by"]["actor"], &task["forced_by"]["reason"]),
        (&"Jürgen".into(), &"broken".into())
    );

    let file = r#"{"job":"etl","tasks":{"x":{"noop":{}}}}"#;
    assert_eq!(rig.call_with("POST", "/v1/jobs", file, &SAID).await.status, 200);
    let job = rig.get("/v1/jobs/etl").await.json();
    assert_eq!(job["notes"][0]["actor"], "Jürgen", "{job:#}");
    let run = rig.call_with("POST", "/v1/jobs/etl:trigger", "", &SAID).await.json();
    let run = rig.get(&format!("/v1/runs/{}", run["run_id"].as_str().expect("a run"))).await.json();
    assert_eq!(run["notes"][0]["what"], "triggered", "{run:#}");
    assert_eq!(run["notes"][0]["reason"], "schöner so", "{run:#}");
    let unsigned = rig.call("POST", "/v1/jobs/etl:trigger", "").await.json();
    let unsigned = rig.get(&format!("/v1/runs/{}", unsigned["run_id"].as_str().expect("a run"))).await.json();
    assert!(unsigned["notes"].as_array().is_none_or(Vec::is_empty), "nobody said who: {unsigned:#}");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_actor_is_refused_before_anything_happens() {
    let rig = Rig::start().await;
    let long = "x".repeat(201);
    let too_long = [("mainspring-actor", long.as_str())];
    let refused = rig.call_with("POST", "/v1/tasks", r#"{"task_type":"noop"}"#, &too_long).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "NAME_TOO_LONG"), "{}", refused.text);
    assert_eq!(rig.get("/v1/tasks").await.json()["tasks"], serde_json::json!([]));
    rig.stop().await;
}
