//! Every limit at its most and one beyond.

use mainspring_api::{ApiConfig, KEY_BYTES_MAX};
use mainspring_core::engine::EngineConfig;
use mainspring_core::values::Limits;
use mainspring_runtime::ShardConfig;

use crate::rig::Rig;

fn with(field: &str) -> String {
    format!(r#"{{"task_type":"noop",{field}}}"#)
}

fn numbers(count: usize) -> String {
    vec!["1"; count].join(",")
}

fn pairs(count: usize, value: &str) -> String {
    (0..count).map(|n| format!(r#""k{n}":{value}"#)).collect::<Vec<_>>().join(",")
}

/// (what, body at the most, body one beyond, code)
fn rows() -> Vec<(&'static str, String, String, &'static str)> {
    let named = |field: &str, bytes: usize| with(&format!(r#""{field}":"{}""#, "x".repeat(bytes)));
    let delays = |count| with(&format!(r#""retry_policy":{{"delays_ms":[{}]}}"#, numbers(count)));
    let codes = |count| with(&format!(r#""retry_policy":{{"retry_on_codes":[{}]}}"#, numbers(count)));
    let labels = |count| with(&format!(r#""labels":{{{}}}"#, pairs(count, "\"v\"")));
    let custom = |count| with(&format!(r#""resources":{{"custom":{{{}}}}}"#, pairs(count, "1")));
    let placed = |count: usize| {
        let texts = (0..count).map(|n| format!("\"k{n}=v\"")).collect::<Vec<_>>().join(",");
        with(&format!(r#""placement":{{"worker_labels":[{texts}]}}"#))
    };
    let payload = |bytes: usize| with(&format!(r#""payload":"{}""#, "x".repeat(bytes - 2)));
    let retries = |count: u32| with(&format!(r#""retry_policy":{{"max_retries":{count}}}"#));
    let level = |level: u32| with(&format!(r#""priority":{{"band":"P1","level":{level}}}"#));
    let ahead = |ms: u64| with(&format!(r#""delay_ms":{ms}"#));
    vec![
        ("tenant", named("tenant", 200), named("tenant", 201), "NAME_TOO_LONG"),
        ("job", named("job", 200), named("job", 201), "NAME_TOO_LONG"),
        ("pool", named("pool", 200), named("pool", 201), "NAME_TOO_LONG"),
        (
            "key",
            named("idempotency_key", KEY_BYTES_MAX),
            named("idempotency_key", KEY_BYTES_MAX + 1),
            "IDEMPOTENCY_KEY_TOO_LONG",
        ),
        ("labels", labels(32), labels(33), "TOO_MANY_LABELS"),
        ("delays", delays(64), delays(65), "TOO_MANY_ENTRIES"),
        ("codes", codes(64), codes(65), "TOO_MANY_ENTRIES"),
        ("custom resources", custom(16), custom(17), "TOO_MANY_ENTRIES"),
        ("placement", placed(32), placed(33), "TOO_MANY_ENTRIES"),
        ("payload", payload(10_000), payload(10_001), "PAYLOAD_TOO_LARGE"),
        ("retries", retries(100_000), retries(100_001), "INVALID_FIELD"),
        ("level", level(10), level(11), "INVALID_FIELD"),
        ("far ahead", ahead(86_400_000), ahead(2 * 86_400_000), "TOO_FAR_AHEAD"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn each_limit_takes_its_most_and_refuses_one_beyond() {
    let limits = Limits {
        payload_bytes_max: 10_000,
        ahead_max: mainspring_core::values::Millis::from_secs(86_400),
        ..Limits::default()
    };
    let shard =
        ShardConfig { engine: EngineConfig { limits, ..EngineConfig::default() }, ..ShardConfig::default() };
    let config = ApiConfig { body_bytes_max: 20_000, ..ApiConfig::default() };
    let rig = Rig::start_with(config, shard).await;
    for (name, most, beyond, code) in rows() {
        let answer = rig.submit(&most).await;
        assert_eq!(answer.status, 202, "{name}: {}", answer.text);
        let answer = rig.submit(&beyond).await;
        assert!(answer.status == 400 || answer.status == 413, "{name}: {}", answer.text);
        assert_eq!(answer.code(), code, "{name}: {}", answer.text);
    }
    let whole = |bytes: usize| {
        let body = with("\"payload\":1");
        format!("{body}{}", " ".repeat(bytes - body.len()))
    };
    assert_eq!(rig.submit(&whole(20_000)).await.status, 202);
    let answer = rig.submit(&whole(20_001)).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "BODY_TOO_LARGE"));
    for (limit, status, code) in
        [("1000", 200, ""), ("1001", 400, "PAGE_TOO_LONG"), ("0", 400, "INVALID_QUERY")]
    {
        let answer = rig.get(&format!("/v1/tasks?limit={limit}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{limit}");
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_server_says_when_to_come_back() {
    let limits = Limits { tasks_max: 1, ..Limits::default() };
    let shard =
        ShardConfig { engine: EngineConfig { limits, ..EngineConfig::default() }, ..ShardConfig::default() };
    let rig = Rig::start_with(ApiConfig::default(), shard).await;
    assert_eq!(rig.submit(&with("\"payload\":1")).await.status, 202);
    let answer = rig.submit(&with("\"payload\":1")).await;
    assert_eq!((answer.status, answer.code().as_str()), (429, "TOO_MANY_TASKS"), "{}", answer.text);
    assert_eq!(answer.headers["retry-after"], "2");
    assert_eq!(answer.json()["retry_after_ms"], 2000);
    let batch = rig.call("POST", "/v1/tasks:batch", "[{\"task_type\":\"noop\"}]").await;
    assert_eq!((batch.status, &batch.headers["retry-after"]), (207, &"2".parse().unwrap()));
    rig.stop().await;
}
