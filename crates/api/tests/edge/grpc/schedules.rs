//! Schedules: every verb, and that REST sees the same.

use mainspring_proto::v1;
use prost_types::{Duration, Timestamp};
use tonic::Code;

use super::{Clients, reason, refused_alike, with_metadata};
use crate::rig::Rig;

const JOB: &str = r#"
job: report
parameters: { region: eu }
schedules:
  - { name: morning, cron: "0 9 * * MON-FRI", timezone: Europe/Berlin, overlap: forbid, jitter: 5m }
tasks: { x: { noop: {} } }
"#;
const BEAT: &str = "{ every: 90m, parameters: { region: us }, max_active: 3 }";

async fn with_job() -> (Rig, Clients) {
    let rig = Rig::start().await;
    assert_eq!(rig.call("POST", "/v1/jobs", JOB).await.status, 200);
    let grpc = Clients::of(&rig).await;
    (rig, grpc)
}

fn get(name: &str) -> v1::GetScheduleRequest {
    v1::GetScheduleRequest { job: "report".into(), name: name.into(), tenant: None }
}

fn put(text: &str) -> v1::PutScheduleRequest {
    v1::PutScheduleRequest {
        job: "report".into(),
        name: "beat".into(),
        schedule_file: text.into(),
        ..v1::PutScheduleRequest::default()
    }
}

fn pause(name: &str) -> v1::PauseScheduleRequest {
    let (job, name) = ("report".into(), name.into());
    v1::PauseScheduleRequest { job, name, ..v1::PauseScheduleRequest::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn schedules_are_read_put_paused_and_deleted() {
    let (rig, mut grpc) = with_job().await;
    let morning = grpc.schedules.get(get("morning")).await.expect("there").into_inner();
    let seen = rig.get("/v1/schedules/report/morning").await.json();
    assert_eq!((morning.state.as_str(), morning.cron.as_deref()), ("on", Some("0 9 * * MON-FRI")));
    assert_eq!(morning.timezone.as_deref(), Some("Europe/Berlin"));
    assert_eq!(morning.jitter, Some(Duration { seconds: 300, nanos: 0 }));
    assert_eq!(morning.misfire_grace, Some(Duration { seconds: 300, nanos: 0 }));
    assert_eq!((morning.description.as_str(), morning.in_file), ("at 09:00 on weekdays", true));
    assert_eq!(seen["description"], morning.description.as_str());
    assert!(morning.next.is_some() && morning.next_begins_at.is_some() && morning.last.is_none());

    let keyed = || with_metadata(put(BEAT), &[("idempotency-key", "k1")]);
    let stored = grpc.schedules.put(keyed()).await.expect("stored").into_inner();
    let again = grpc.schedules.put(keyed()).await.expect("the first answer").into_inner();
    assert!(stored.changed && again == stored, "{again:?}");
    assert!(!grpc.schedules.put(put(BEAT)).await.expect("stored").into_inner().changed);
    let beat = grpc.schedules.get(get("beat")).await.expect("there").into_inner();
    assert_eq!((beat.every, beat.next), (Some(Duration { seconds: 5_400, nanos: 0 }), stored.next));
    assert_eq!((beat.parameters_json.as_deref(), beat.max_active), (Some(r#"{"region":"us"}"#), 3));

    let list = v1::ListSchedulesRequest { limit: Some(1), ..v1::ListSchedulesRequest::default() };
    let first = grpc.schedules.list(list.clone()).await.expect("a page").into_inner();
    let next = v1::ListSchedulesRequest { cursor: first.next_cursor.clone(), ..list };
    let second = grpc.schedules.list(next).await.expect("a page").into_inner();
    let names = [&first, &second].map(|page| page.schedules[0].name.as_str());
    assert_eq!((names, &second.next_cursor), (["beat", "morning"], &None));

    let ahead = v1::UpcomingWindowsRequest {
        within: Some(Duration { seconds: 86_400 * 7, nanos: 0 }),
        ..v1::UpcomingWindowsRequest::default()
    };
    let ahead = grpc.schedules.upcoming(ahead).await.expect("windows").into_inner().windows;
    assert_eq!((ahead.len(), ahead[0].job.as_str(), ahead[0].job_paused), (100, "report", false));

    grpc.schedules.pause(pause("beat")).await.expect("paused");
    assert_eq!(rig.get("/v1/schedules/report/beat").await.json()["state"], "paused");
    let v1::PauseScheduleRequest { job, name, .. } = pause("beat");
    let resume = v1::ResumeScheduleRequest { job, name, ..v1::ResumeScheduleRequest::default() };
    grpc.schedules.resume(resume).await.expect("resumed");
    assert_eq!(grpc.schedules.get(get("beat")).await.expect("there").into_inner().state, "on");
    let v1::PauseScheduleRequest { job, name, .. } = pause("beat");
    let delete = v1::DeleteScheduleRequest { job, name, ..v1::DeleteScheduleRequest::default() };
    assert_eq!(grpc.schedules.delete(delete).await.expect("deleted").into_inner().name, "beat");
    let gone = grpc.schedules.get(get("beat")).await.expect_err("gone");
    assert_eq!((gone.code(), reason(&gone).as_str()), (Code::NotFound, "SCHEDULE_NOT_FOUND"));
    let history = v1::ScheduleHistoryRequest {
        job: "report".into(),
        name: "beat".into(),
        ..v1::ScheduleHistoryRequest::default()
    };
    let history = grpc.schedules.history(history).await.expect("it outlives it").into_inner();
    let seen = rig.get("/v1/schedules/report/beat/history").await.json();
    assert_eq!(seen["windows"].as_array().map(Vec::len), Some(history.windows.len()));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cron_expressions_are_explained() {
    let rig = Rig::start().await;
    let mut grpc = Clients::of(&rig).await;
    let ask = v1::PreviewCronRequest {
        expr: "30 2 * * *".into(),
        timezone: Some("Europe/Berlin".into()),
        from: Some(Timestamp { seconds: 1_743_206_400, nanos: 0 }),
        count: Some(2),
        dst: Some(v1::Dst { missing: "after".into(), twice: String::new() }),
        hash: None,
    };
    let preview = grpc.schedules.preview_cron(ask.clone()).await.expect("explained").into_inner();
    assert_eq!(
        (preview.description.as_str(), preview.timezone.as_str()),
        ("at 02:30 every day", "Europe/Berlin")
    );
    let seconds: Vec<i64> = preview.next.iter().filter_map(|firing| firing.at).map(|at| at.seconds).collect();
    // The clock jumps from 02:00 to 03:00 on the second day.
    assert_eq!(seconds, [1_743_211_800, 1_743_296_400]);
    assert!(preview.next[1].local.starts_with("2025-03-30T03:00"), "{}", preview.next[1].local);
    let odd =
        v1::PreviewCronRequest { dst: Some(v1::Dst { missing: "x".into(), twice: String::new() }), ..ask };
    let refused = grpc.schedules.preview_cron(odd).await.expect_err("no such word");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_mistake_gets_the_same_code() {
    let (rig, mut grpc) = with_job().await;
    let cron = |expr: &str| v1::PreviewCronRequest { expr: expr.into(), ..v1::PreviewCronRequest::default() };
    let far = v1::UpcomingWindowsRequest {
        within: Some(Duration { seconds: 86_400 * 400, nanos: 0 }),
        ..v1::UpcomingWindowsRequest::default()
    };
    let list = |limit, cursor: Option<&str>| v1::ListSchedulesRequest {
        limit,
        cursor: cursor.map(str::to_owned),
        ..v1::ListSchedulesRequest::default()
    };
    let beat = "/v1/schedules/report/beat";
    let rows = [
        ("read none", rig.get(beat).await, grpc.schedules.get(get("beat")).await.err()),
        (
            "pause none",
            rig.call("POST", &format!("{beat}:pause"), "").await,
            grpc.schedules.pause(pause("beat")).await.err(),
        ),
        ("no timing", rig.call("PUT", beat, "{}").await, grpc.schedules.put(put("{}")).await.err()),
        (
            "long page",
            rig.get("/v1/schedules?limit=1001").await,
            grpc.schedules.list(list(Some(1001), None)).await.err(),
        ),
        (
            "cursor",
            rig.get("/v1/schedules?cursor=x").await,
            grpc.schedules.list(list(None, Some("x"))).await.err(),
        ),
        (
            "too far ahead",
            rig.get("/v1/schedules:upcoming?within=400d").await,
            grpc.schedules.upcoming(far).await.err(),
        ),
        (
            "no cron",
            rig.call("POST", "/v1/cron:preview", r#"{"expr":"x"}"#).await,
            grpc.schedules.preview_cron(cron("x")).await.err(),
        ),
    ];
    refused_alike(rows);
    rig.stop().await;
}
