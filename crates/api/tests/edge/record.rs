//! `Mainspring-Record`: whoever was told of something reads it afterwards.

use mainspring_proto::v1;

use crate::grpc::{Clients, reason, with_metadata};
use crate::rig::{Answered, Rig};

const RECORD: &str = "mainspring-record";
const SEEN: &str = "mainspring-record-seen";

fn record(answer: &Answered) -> u64 {
    answer.headers[RECORD].to_str().expect("text").parse().expect("a number")
}

/// Of what the answer shows for certain.
fn seen(answer: &Answered) -> u64 {
    answer.headers[SEEN].to_str().expect("text").parse().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_says_which_record_it_reflects_and_a_reader_gets_at_least_that() {
    let rig = Rig::start().await;
    let before = record(&rig.get("/v1/stats").await);
    let submitted = rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await;
    let told = record(&submitted);
    assert!(seen(&submitted) < told, "what was durable before a change cannot have it");
    assert!(told > before, "a change makes a record: {told} after {before}");
    let path = format!("/v1/tasks/{}", submitted.task_id());
    for path in [path.as_str(), "/v1/tasks", "/v1/runs", "/v1/jobs", "/v1/stats"] {
        let answer = rig.call_with("GET", path, "", &[(RECORD, &told.to_string())]).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        assert!(record(&answer) >= told, "{path}");
        assert!(seen(&answer) >= told && seen(&answer) <= record(&answer), "{path}");
    }
    let refused = rig.call_with("GET", "/v1/tasks/task_00000000000000000000000000000000", "", &[]).await;
    assert!(refused.status == 404 && record(&refused) >= told, "so does a refusal");
    let health = rig.get("/healthz").await;
    assert!(health.headers.get(RECORD).is_none(), "it is about the server, not about its data");

    // A record that this server has not seen: its data are older than what the caller was told.
    let ahead = (told + 1_000_000).to_string();
    for (method, path) in [("GET", path.as_str()), ("GET", "/v1/runs"), ("DELETE", path.as_str())] {
        let refused = rig.call_with(method, path, "", &[(RECORD, &ahead)]).await;
        assert_eq!((refused.status, refused.code().as_str()), (503, "STORE_BEHIND"), "{method} {path}");
    }
    assert_eq!(rig.status(&submitted.task_id()).await, "pending", "what was refused did nothing");
    let older = rig.call_with("GET", "/v1/tasks?older=true", "", &[(RECORD, &ahead)]).await;
    assert_eq!(older.status, 200, "whoever allows an older answer gets it: {}", older.text);
    for path in ["/v1/tasks", "/v1/tasks?older=true"] {
        let odd = rig.call_with("GET", path, "", &[(RECORD, "newest")]).await;
        assert_eq!((odd.status, odd.code().as_str()), (400, "INVALID_QUERY"), "{path}");
    }
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_of_grpc_has_the_same() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let told = record(&rig.submit(r#"{"task_type":"noop","delay_ms":3600000}"#).await);
    let list = |record: u64| with_metadata(v1::ListTasksRequest::default(), &[(RECORD, &record.to_string())]);
    let answer = grpc.tasks.list(list(told)).await.expect("there");
    let number = answer.metadata().get(RECORD).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    assert!(number.is_some_and(|number| number >= told), "{number:?}");
    assert!(answer.metadata().get(SEEN).is_some());
    let refused = grpc.tasks.list(list(told + 1_000_000)).await.expect_err("behind");
    assert_eq!(reason(&refused), "STORE_BEHIND");
    rig.stop().await;
}
