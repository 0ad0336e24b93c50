//! One key, one task: fifty at once through the real binary, another body under the same key, and a kill -9.

use mainspring_client::{Client, ClientError};
use mainspring_core::values::Chance;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::processes::{Service, free_port};

const KEY: [(&str, &str); 1] = [("idempotency-key", "order-77")];

async fn submit(client: &Client, body: &Value) -> Result<Value, ClientError> {
    client.call(http::Method::POST, "/v1/tasks", Some(body), &KEY).await
}

/// The id that all of fifty simultaneous submissions were answered with.
async fn fifty(client: &Client, body: &Value) -> String {
    let mut calls = JoinSet::new();
    for _ in 0..50 {
        let (client, body) = (client.clone(), body.clone());
        calls.spawn(async move { submit(&client, &body).await.expect("accepted")["task_id"].clone() });
    }
    let mut ids = calls.join_all().await;
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
    ids[0].as_str().expect("an id").to_owned()
}

async fn refused(client: &Client, body: &Value) {
    match submit(client, body).await {
        Err(ClientError::Refused { status, code, .. }) => {
            assert_eq!((status.as_u16(), code.as_str()), (422, "IDEMPOTENCY_KEY_REUSED"));
        }
        other => panic!("another body under a used key was answered with {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_duplicates_exist_once_and_another_body_is_refused_over_a_kill() {
    let dir = tempfile::tempdir().expect("a directory");
    let port = free_port(&mut Chance::new(u64::from(std::process::id())));
    let mut server = Service::server(&dir.path().join("data"), port);
    server.start();
    server.until_ready();
    let client = Client::new(&format!("http://127.0.0.1:{port}")).expect("an address");
    let body = json!({ "task_type": "noop", "payload": { "a": 1 } });
    let other = json!({ "task_type": "noop", "payload": { "a": 2 } });
    let id = fifty(&client, &body).await;
    refused(&client, &other).await;
    server.kill();
    server.start();
    server.until_ready();
    assert_eq!(fifty(&client, &body).await, id, "the key is remembered");
    refused(&client, &other).await;
    let list = client.get("/v1/tasks").await.expect("a list");
    assert_eq!(list["tasks"].as_array().map(Vec::len), Some(1), "{list}");
    assert_eq!(list["tasks"][0]["task_id"], id);
}
