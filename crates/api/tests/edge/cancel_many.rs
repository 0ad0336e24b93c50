//! Bulk cancel by selector, and how far it is.

use std::time::Duration;

use serde_json::{Value, json};

use crate::rig::Rig;

async fn until_ended(rig: &Rig, process: &Value) -> Value {
    let path = format!("/v1/operations/{}", process["operation_id"]);
    for _ in 0..500 {
        let progress = rig.get(&path).await.json();
        if progress["state"] == "ended" {
            return progress;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_matches_is_cancelled_near_and_far_and_nothing_else() {
    let rig = Rig::start().await;
    let submit = async |body: &str| rig.submit(body).await.task_id();
    let near = submit(r#"{"task_type":"noop","tenant":"a"}"#).await;
    let far = submit(r#"{"task_type":"noop","tenant":"a","delay_ms":86400000}"#).await;
    let other = submit(r#"{"task_type":"noop","tenant":"b","labels":{"team":"x"}}"#).await;
    // The far one has left memory when the list of parked ones has it; either way it must be found.
    let key = [("idempotency-key", "once")];
    let body = r#"{"tenant":"a"}"#;
    let begun = rig.call_with("POST", "/v1/tasks:cancel", body, &key).await;
    assert_eq!(begun.status, 202, "{}", begun.text);
    let ended = until_ended(&rig, &begun.json()).await;
    assert_eq!(ended["handled"], 2, "{ended}");
    assert_eq!(
        (rig.status(&near).await.as_str(), rig.status(&far).await.as_str()),
        ("cancelled", "cancelled")
    );
    assert_eq!(rig.status(&other).await, "queued");

    let later = submit(r#"{"task_type":"noop","tenant":"a"}"#).await;
    let again = rig.call_with("POST", "/v1/tasks:cancel", body, &key).await.json();
    assert_eq!(again["operation_id"], begun.json()["operation_id"], "the same key begins nothing new");
    assert_eq!(rig.status(&later).await, "queued");
    let by_label = rig.call("POST", "/v1/tasks:cancel", r#"{"labels":{"team":"x"}}"#).await.json();
    assert_eq!(until_ended(&rig, &by_label).await["handled"], 1);
    let all = rig.call("POST", "/v1/tasks:cancel", r#"{"all":true}"#).await.json();
    assert_eq!(until_ended(&rig, &all).await["handled"], 1);
    assert_eq!(rig.status(&later).await, "cancelled");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_named_thing_narrows() {
    let rig = Rig::start().await;
    let submit = async |more: &str| rig.submit(&format!(r#"{{"task_type":{more}}}"#)).await.task_id();
    let both = r#""labels":{"env":"prod","team":"ops"}"#;
    let all = [
        submit(&format!(r#""noop",{both}"#)).await,
        submit(r#""noop","labels":{"env":"prod"}"#).await,
        submit(&format!(r#""noop",{both},"delay_ms":60000"#)).await,
        submit(&format!(r#""noop",{both},"delay_ms":86400000"#)).await,
        submit(&format!(r#""sleep","payload":{{"ms":1}},{both}"#)).await,
    ];
    // What each selector takes of what the ones before have left.
    let rows: [(&str, &[usize]); 4] = [
        (r#"{"labels":{"env":"prod","team":"ops"},"state":["queued"],"task_type":"noop"}"#, &[0]),
        (r#"{"labels":{"env":"prod","team":"ops"},"state":["pending","retry_wait"]}"#, &[2, 3]),
        (r#"{"task_type":"SLEEP"}"#, &[4]),
        (r#"{"labels":{"env":"prod"}}"#, &[1]),
    ];
    let mut left: Vec<usize> = (0..all.len()).collect();
    for (body, taken) in rows {
        let process = rig.call("POST", "/v1/tasks:cancel", body).await.json();
        assert_eq!(until_ended(&rig, &process).await["handled"], taken.len(), "{body}");
        left.retain(|index| !taken.contains(index));
        for (index, id) in all.iter().enumerate() {
            let cancelled = rig.status(id).await == "cancelled";
            assert_eq!(cancelled, !left.contains(&index), "{body}: {index}");
        }
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_selected_by_mistake() {
    let rig = Rig::start().await;
    let id = rig.submit(r#"{"task_type":"noop"}"#).await.task_id();
    let labels: Vec<String> = (0..33).map(|n| format!(r#""k{n}":"v""#)).collect();
    let rows = [
        ("", "INVALID_FIELD"),
        ("{}", "INVALID_FIELD"),
        (r#"{"tenant":""}"#, "INVALID_FIELD"),
        (r#"{"all":true,"tenant":"default"}"#, "INVALID_FIELD"),
        (r#"{"tenant":"","job":"x"}"#, "INVALID_FIELD"),
        (r#"{"state":"queued"}"#, "INVALID_FIELD"),
        (r#"{"state":["DONE"]}"#, "INVALID_FIELD"),
        (r#"{"state":["queued","succeeded"]}"#, "INVALID_FIELD"),
        (r#"{"state":["running"]}"#, "INVALID_FIELD"),
        (r#"{"state":[]}"#, "INVALID_FIELD"),
        (r#"{"all":true,"state":["queued"]}"#, "INVALID_FIELD"),
        (r#"{"task_type":"email"}"#, "UNKNOWN_EXECUTOR"),
        (&format!(r#"{{"labels":{{{}}}}}"#, labels.join(",")), "TOO_MANY_ENTRIES"),
        (&format!(r#"{{"state":["queued"{}]}}"#, ",\"QUEUED\"".repeat(12)), "TOO_MANY_ENTRIES"),
        ("[", "INVALID_JSON"),
    ];
    for (body, code) in rows {
        let answer = rig.call("POST", "/v1/tasks:cancel", body).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, code), "{body}");
    }
    assert_eq!(rig.status(&id).await, "queued");
    for path in ["/v1/operations/1", "/v1/operations/x"] {
        let unknown = rig.get(path).await;
        assert_eq!(
            (unknown.status, unknown.json()["error_code"].clone()),
            (404, json!("OPERATION_NOT_FOUND"))
        );
    }
    rig.stop().await;
}
