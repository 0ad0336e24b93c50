//! Submits a task, waits for its end and lists it: `cargo run --example round_trip`, with the address of a server in
//! `MAINSPRING_SERVER` if it is not `http://127.0.0.1:7070`.

use mainspring_client::operations::{self, GetTaskQuery, ListTasksQuery};
use mainspring_client::types::{SubmitTaskAnswer, TaskBody};
use mainspring_client::{Client, ClientError};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), ClientError> {
    let server = std::env::var("MAINSPRING_SERVER").unwrap_or_else(|_| "http://127.0.0.1:7070".to_owned());
    let client = Client::new(&server)?;

    let body = TaskBody {
        task_type: "wait".to_owned(),
        payload: Some(json!({ "for_ms": 300 })),
        labels: Some([("client".to_owned(), "rust".to_owned())].into()),
        ..TaskBody::default()
    };
    let answer = client.send(operations::submit_task(&body)).await?.into_value();
    let SubmitTaskAnswer::Accepted(accepted) = answer else { panic!("it does not recur: {answer:?}") };

    let wait = GetTaskQuery { wait: Some("30s".to_owned()) };
    let task = client.send(operations::get_task(&accepted.task_id, &wait)).await?;
    assert_eq!(task.state, "succeeded");

    let wanted = ListTasksQuery { label: Some("client=rust".to_owned()), ..ListTasksQuery::default() };
    let page = client.send(operations::list_tasks(&wanted)).await?;
    assert!(page.tasks.iter().any(|listed| listed.task_id == accepted.task_id), "{:?}", page.json());

    let none = operations::get_task("task_00000000000000000000000000000000", &GetTaskQuery::default());
    let refused = client.send(none).await.expect_err("there is no such task");
    assert_eq!(refused.code(), Some("TASK_NOT_FOUND"));
    println!("rust: submitted, waited, listed");
    Ok(())
}
