//! Events, news, triggers and damaged rows: every verb, and that REST sees the same.

use mainspring_proto::v1;
use tonic::Code;

use super::{Clients, noop, reason, with_metadata};
use crate::rig::Rig;

const JOB: &str = r#"
job: orders
parameters: { amount: { type: number, default: 0 } }
triggers:
  - { name: big, event: { type: "com.example.order.*" }, if: event.data.amount > 10,
      parameters: { amount: "{{ event.data.amount }}" } }
tasks: { x: { noop: {} } }
"#;

fn event(id: &str, data: &str) -> v1::CloudEvent {
    v1::CloudEvent {
        id: id.into(),
        source: "/shop".into(),
        r#type: "com.example.order.created".into(),
        data_json: Some(data.into()),
        ..v1::CloudEvent::default()
    }
}

fn publish(events: Vec<v1::CloudEvent>) -> v1::PublishEventsRequest {
    v1::PublishEventsRequest { events, tenant: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_begin_runs_once_and_triggers_tell_of_it() {
    let rig = Rig::start().await;
    assert_eq!(rig.call("POST", "/v1/jobs", JOB).await.status, 200);
    let mut grpc = Clients::of(&rig).await;
    let both = || publish(vec![event("1", r#"{"amount": 12}"#), event("2", r#"{"amount": 3}"#)]);
    let taken = grpc.events.publish(both()).await.expect("taken").into_inner().results;
    assert_eq!((taken.len(), taken[0].runs.len(), taken[1].runs.len()), (2, 1, 0), "{taken:?}");
    assert_eq!(taken[0].runs[0].trigger.as_deref(), Some("big"));
    let run = rig.get(&format!("/v1/runs/{}", taken[0].runs[0].run_id)).await.json();
    assert_eq!(run["parameters"]["amount"], 12, "{run:#}");
    let again = grpc.events.publish(both()).await.expect("known").into_inner().results;
    assert!(again[0].duplicate && again[0].runs == taken[0].runs, "{again:?}");

    let get = v1::GetTriggerRequest { job: "orders".into(), name: "big".into(), tenant: None };
    let trigger = grpc.triggers.get(get).await.expect("there").into_inner();
    assert_eq!(trigger.event.map(|on| on.r#type).as_deref(), Some("com.example.order.*"));
    assert_eq!((trigger.fired, trigger.active), (1, 1));
    assert_eq!(trigger.last_fired.map(|last| last.event_id).as_deref(), Some("1"));
    let list = grpc.triggers.list(v1::ListTriggersRequest::default()).await.expect("a page").into_inner();
    assert_eq!((list.triggers.len(), list.next_cursor), (1, None));
    let get = v1::GetTriggerRequest { job: "orders".into(), name: "none".into(), tenant: None };
    let missing = grpc.triggers.get(get).await.expect_err("none");
    assert_eq!((missing.code(), reason(&missing).as_str()), (Code::NotFound, "TRIGGER_NOT_FOUND"));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_events_are_refused_as_on_rest() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let ours = v1::CloudEvent { r#type: "mainspring.x".into(), ..event("1", "1") };
    let rows = [
        ("no id", vec![event("", "1")], "EVENT_INVALID"),
        ("data is no JSON", vec![event("1", "{")], "EVENT_INVALID"),
        ("in the server's name", vec![event("1", "1"), ours], "EVENT_RESERVED"),
        ("many", vec![event("1", "1"); 101], "EVENT_BATCH_TOO_LONG"),
    ];
    for (name, events, code) in rows {
        let refused = grpc.events.publish(publish(events)).await.expect_err(name);
        assert_eq!(reason(&refused), code, "{name}");
    }
    let keyed = |amount: &str| with_metadata(publish(vec![event("9", amount)]), &[("idempotency-key", "k")]);
    grpc.events.publish(keyed("1")).await.expect("taken");
    let other = grpc.events.publish(keyed("2")).await.expect_err("another request");
    assert_eq!((other.code(), reason(&other).as_str()), (Code::AlreadyExists, "IDEMPOTENCY_KEY_REUSED"));
    let listen = v1::ListenToEventsRequest { kind: Some("x".into()), ..Default::default() };
    let refused = grpc.events.listen(listen).await.expect_err("no such kind");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, "INVALID_QUERY"));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn listeners_hear_of_tasks_until_the_server_stops() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let listen = v1::ListenToEventsRequest {
        kind: Some("task".into()),
        tenant: Some("acme".into()),
        ..v1::ListenToEventsRequest::default()
    };
    let mut news = grpc.events.listen(listen).await.expect("listens").into_inner();
    let task = grpc.submit(v1::TaskSpec { tenant: Some("acme".into()), ..noop() }).await.expect("taken");
    grpc.submit(noop()).await.expect("taken");
    let heard = news.message().await.expect("told").expect("one");
    assert_eq!(heard.r#type, "mainspring.task.queued");
    assert_eq!(heard.subject.as_deref(), Some(task.task_id.as_str()));
    let data: serde_json::Value = serde_json::from_str(&heard.data_json.expect("data")).expect("JSON");
    assert_eq!((&data["state"], &data["tenant"]), (&"queued".into(), &"acme".into()), "{data}");
    assert!(heard.time.is_some());
    let (_, rest) = tokio::join!(rig.stop(), news.message());
    assert!(!matches!(rest, Ok(Some(_))), "nothing of other tenants: {rest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_rows_are_listed_and_released() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let list = v1::ListQuarantinedRowsRequest {};
    assert_eq!(grpc.store.list_quarantined(list).await.expect("listed").into_inner().rows, []);
    let release = v1::ReleaseQuarantinedRowRequest { row: "task_7".into(), ..Default::default() };
    let refused = grpc.store.release(release).await.expect_err("none is quarantined");
    let rest = rig.call("POST", "/v1/store/quarantine/task_7:release", "").await;
    assert_eq!((reason(&refused), rest.code().as_str()), (rest.code(), "ROW_NOT_QUARANTINED"));
    rig.stop().await;
}
