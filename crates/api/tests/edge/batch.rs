//! Many tasks in one call, each with its own result.

use mainspring_api::ApiConfig;
use mainspring_runtime::ShardConfig;

use crate::rig::Rig;

const MIXED: [(&str, &str); 5] = [
    (r#"{"task_type":"noop"}"#, ""),
    (r#"{"task_type":"noop","prioritie":1}"#, "INVALID_FIELD"),
    (r#"{"task_type":"EMAIL"}"#, "UNKNOWN_EXECUTOR"),
    (r#"{"task_type":"noop","delay_ms":60000}"#, ""),
    (r#"{"task_type":"sleep","payload":{}}"#, "INVALID_FIELD"),
];

#[tokio::test(flavor = "multi_thread")]
async fn each_task_of_a_batch_has_its_own_result() {
    let rig = Rig::start().await;
    let array = format!("[{}]", MIXED.map(|(body, _)| body).join(","));
    let lines = MIXED.map(|(body, _)| body).join("\n");
    for (name, body) in [("array", array), ("lines", lines)] {
        let answer = rig.call("POST", "/v1/tasks:batch", &body).await;
        assert_eq!(answer.status, 207, "{name}: {}", answer.text);
        let answer = answer.json();
        assert_eq!((&answer["accepted"], &answer["refused"]), (&2.into(), &3.into()), "{name}");
        for (result, (_, code)) in answer["results"].as_array().expect("a list").iter().zip(MIXED) {
            assert_eq!(result["error_code"].as_str().unwrap_or_default(), code, "{name}: {result}");
            if code.is_empty() {
                let id = result["task_id"].as_str().expect("an id");
                assert_eq!(rig.status(id).await, result["state"], "{name}");
            }
        }
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_at_once_and_the_bounds_of_a_batch() {
    let config = ApiConfig { batch_tasks_max: 1_000, ..ApiConfig::default() };
    let rig = Rig::start_with(config, ShardConfig::default()).await;
    let batch =
        |count: usize| format!("[{}]", vec![r#"{"task_type":"noop","payload":"x"}"#; count].join(","));
    let rows = [
        ("at most", batch(1_000), 202, ""),
        ("one more", batch(1_001), 413, "BATCH_TOO_LONG"),
        ("one more, in lines", "{}\n".repeat(1_001), 413, "BATCH_TOO_LONG"),
        ("none", batch(0), 400, "INVALID_FIELD"),
        ("no body", String::new(), 400, "INVALID_FIELD"),
        ("broken", "[{\"task_type\":".to_owned(), 400, "INVALID_JSON"),
        ("all wrong", "[{},{}]".to_owned(), 207, ""),
    ];
    for (name, body, status, code) in rows {
        let answer = rig.call("POST", "/v1/tasks:batch", &body).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{name}: {:.300}", answer.text);
        if status == 202 {
            assert_eq!(answer.json()["results"].as_array().map(Vec::len), Some(1_000));
        }
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_sent_twice_under_one_key_makes_its_tasks_once() {
    let rig = Rig::start().await;
    let body = r#"[{"task_type":"noop"},{"task_type":"noop"}]"#;
    let key = [("idempotency-key", "batch-1")];
    let first = rig.call_with("POST", "/v1/tasks:batch", body, &key).await.json();
    let second = rig.call_with("POST", "/v1/tasks:batch", body, &key).await.json();
    assert_eq!(first, second);
    assert_ne!(first["results"][0]["task_id"], first["results"][1]["task_id"]);
    rig.stop().await;
}
