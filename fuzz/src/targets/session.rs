//! The session of a worker: bytes become messages, messages go over a real stream into a real shard.
//! - a message that can be read is written back and read again as the same
//! - whatever a worker says, the server goes on to serve others, and its data can be opened again
//!
//! An input is a list of messages, each with its length in two bytes, as protobuf.

use std::cell::RefCell;
use std::time::Duration;

use axum::body::Body;
use http::Request;
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use mainspring_proto::v1::worker_service_client::WorkerServiceClient;
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::server::World;

/// Sessions with one server; then its data is opened by the next.
const SESSIONS_MAX: u32 = 100;
const MESSAGES_MAX: usize = 16;
/// A shard that does not answer in this time has stopped.
const PATIENCE: Duration = Duration::from_secs(20);
/// A session that says nothing more is left alone after this.
const SILENCE: Duration = Duration::from_millis(20);

thread_local! {
    static WORLD: RefCell<Option<(World, u32)>> = const { RefCell::new(None) };
}

pub fn run(bytes: &[u8]) {
    let messages = messages(bytes);
    if messages.is_empty() {
        return;
    }
    WORLD.with_borrow_mut(|bucket| {
        let (world, used) = bucket.get_or_insert_with(|| (World::new(), 0));
        feed(world);
        world
            .runtime
            .block_on(async { tokio::time::timeout(PATIENCE, play(world, messages, *used)).await })
            .expect("a session ends");
        assert_eq!(world.get("/v1/stats").status, 200, "the shard goes on");
        assert_eq!(world.get("/v1/workers").status, 200, "the shard goes on");
        *used += 1;
        if *used >= SESSIONS_MAX {
            let (world, _) = bucket.take().expect("just used");
            *bucket = Some((World::open(world.close()), 0));
        }
    });
}

/// Something to give out, so that reports can be about attempts that there are.
fn feed(world: &World) {
    let body = r#"[{"task_type":"noop"},{"task_type":"noop","delivery":"at_most_once","timeouts":{"progress_ms":60000}}]"#;
    let request = Request::post("/v1/tasks:batch").body(Body::from(body)).expect("a request");
    assert_eq!(world.call(request).status, 202);
}

fn messages(bytes: &[u8]) -> Vec<v1::WorkerMessage> {
    let mut messages = Vec::new();
    let mut rest = bytes;
    while let Some((len, after)) = rest.split_first_chunk::<2>() {
        let len = usize::from(u16::from_le_bytes(*len)).min(after.len());
        let (body, after) = after.split_at(len);
        rest = after;
        let Ok(message) = v1::WorkerMessage::decode(body) else { continue };
        let again = v1::WorkerMessage::decode(message.encode_to_vec().as_slice());
        assert_eq!(again.as_ref(), Ok(&message), "written back differently");
        messages.push(message);
        if messages.len() >= MESSAGES_MAX {
            break;
        }
    }
    messages
}

/// Sends all of them. A report about nobody is made one about the newest attempt that this session was given.
async fn play(world: &World, messages: Vec<v1::WorkerMessage>, number: u32) {
    let Ok(mut client) = WorkerServiceClient::connect(format!("http://{}", world.address)).await else {
        panic!("the server takes no connection");
    };
    let (out, outbound) = mpsc::channel(MESSAGES_MAX + 1);
    let Ok(answer) = client.session(ReceiverStream::new(outbound)).await else { return };
    let mut inbound = answer.into_inner();
    let mut newest: Option<v1::Start> = None;
    for (at, mut message) in messages.into_iter().enumerate() {
        if let Some(hello) = message.hello.as_mut().filter(|_| at == 0) {
            // Sessions of a worker only count upwards; without this most would end at the door.
            hello.session = hello.session.max(u64::from(number) + 1);
        }
        for report in &mut message.reports {
            if let Some(start) = newest.as_ref().filter(|_| report.task.len() < 16) {
                (report.task, report.fence) = (start.task.clone(), start.fence);
            }
        }
        if out.send(message).await.is_err() {
            return;
        }
        while let Ok(received) = tokio::time::timeout(SILENCE, inbound.message()).await {
            match received {
                Ok(Some(received)) => newest = received.starts.last().cloned().or(newest),
                Ok(None) | Err(_) => return,
            }
        }
    }
}

fn hello(worker: u8) -> v1::WorkerMessage {
    let capacity = v1::Resources { cpu_milli: 4_000, memory_bytes: 1 << 30, ..v1::Resources::default() };
    let offer = v1::Offer {
        pool: "default".into(),
        slots: 8,
        capacity: Some(capacity),
        labels: [("os".to_owned(), "linux".to_owned())].into(),
        zone: "eu".into(),
        executors: vec!["process".into()],
    };
    let held = v1::Holding { task: vec![1; 16], fence: 1 << 32 | 1, ran_ms: Some(1) };
    let hello = v1::Hello {
        worker: vec![worker; 16],
        session: 1,
        incarnation: 1,
        offer: Some(offer),
        holding: vec![held],
        name: "fuzz".into(),
        version: "1".into(),
        epoch: 0,
        link: 1,
    };
    v1::WorkerMessage { hello: Some(hello), heartbeat: 1, ..v1::WorkerMessage::default() }
}

fn about_the_newest(what: Vec<What>) -> v1::WorkerMessage {
    let reports =
        what.into_iter().map(|what| v1::Report { what: Some(what), ..v1::Report::default() }).collect();
    v1::WorkerMessage { reports, ..v1::WorkerMessage::default() }
}

pub fn corpus() -> Vec<Vec<u8>> {
    let failure =
        v1::Failure { class: "transient".into(), code: 3, message: "boom".into(), outcome_unknown: false };
    let extend = vec![
        What::Accepted(true),
        What::ExtendMs(u64::MAX),
        What::ExtendMs(1000),
        What::Progress("half".into()),
    ];
    let log =
        v1::LogChunk { task: vec![1; 16], attempt: 1, offset: 0, bytes: b"line\n".to_vec(), last: true };
    let scripts = [
        vec![
            hello(1),
            about_the_newest(extend),
            about_the_newest(vec![What::Success(v1::Success { output: None })]),
        ],
        vec![hello(2), about_the_newest(vec![What::Failure(failure)])],
        vec![hello(3), about_the_newest(vec![What::Checkpoint(vec![9; 100]), What::DeferMs(u64::MAX)])],
        vec![hello(4), about_the_newest(vec![What::DeferMs(10), What::Refused("no".into())])],
        vec![
            hello(5),
            v1::WorkerMessage { draining: true, logs: vec![log], ..v1::WorkerMessage::default() },
            hello(5),
        ],
        vec![about_the_newest(vec![What::Accepted(true)])],
    ];
    let encode = |script: &Vec<v1::WorkerMessage>| {
        let framed = script.iter().map(|message| {
            let body = message.encode_to_vec();
            [(body.len() as u16).to_le_bytes().to_vec(), body].concat()
        });
        framed.collect::<Vec<_>>().concat()
    };
    scripts.iter().map(encode).collect()
}
