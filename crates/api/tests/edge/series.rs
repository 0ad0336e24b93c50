//! Figures over time.

use std::time::Duration;

use serde_json::Value;

use crate::rig::Rig;

fn sum(series: &Value, column: &str) -> u64 {
    series[column].as_array().expect("a column").iter().filter_map(Value::as_u64).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_seen_in_every_step_length() {
    let rig = Rig::start().await;
    let first = async |path: &str| {
        for _ in 0..1_000 {
            let series = rig.get(path).await.json();
            if !series["queued"].as_array().expect("a column").is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("nobody looked");
    };
    first("/v1/stats/series?step=1s").await;
    for _ in 0..3 {
        rig.submit(r#"{"task_type":"noop"}"#).await;
    }
    let mut last = Value::Null;
    for _ in 0..1_000 {
        last = rig.get("/v1/stats/series?step=1s&points=3600").await.json();
        if sum(&last, "submitted") == 3 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(sum(&last, "submitted"), 3, "{last}");
    assert_eq!(
        last["queued"].as_array().and_then(|all| all.last()).and_then(Value::as_u64),
        Some(3),
        "{last}"
    );
    let columns = ["queued", "running", "submitted", "started", "succeeded", "failed", "retried"];
    let lengths: Vec<_> = columns.map(|name| last[name].as_array().map(Vec::len)).into_iter().collect();
    assert!(lengths.iter().all(|length| *length == lengths[0]), "{lengths:?}");
    for step in ["10s", "5m"] {
        let series = rig.get(&format!("/v1/stats/series?step={step}&points=10")).await.json();
        assert_eq!(sum(&series, "submitted"), 3, "{step}: {series}");
    }
    for query in ["step=2s", "points=0", "points=8641", "points=x"] {
        assert_eq!(rig.get(&format!("/v1/stats/series?{query}")).await.code(), "INVALID_QUERY", "{query}");
    }
    rig.stop().await;
}
