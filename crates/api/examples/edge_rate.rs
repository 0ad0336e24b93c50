//! How fast the edges are, with client, server and worker in one process on one machine; durable.
//! usage: `cargo run --release -p mainspring-api --example edge_rate -- [seconds] [connections]`
//! Prints single submissions a second over keep-alive connections, and batch submissions run by a worker.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mainspring_api::{ApiConfig, EffectRouter, LogStorage, Readers, Server};
use mainspring_proto::v1;
use mainspring_proto::v1::worker_service_client::WorkerServiceClient;
use mainspring_runtime::ShardConfig;
use mainspring_runtime::node::Node;
use mainspring_store_local::{LocalLogs, LocalOptions, LocalStore, LogOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const BATCH: usize = 1_000;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let (seconds, connections) = (arguments.next().unwrap_or(5), arguments.next().unwrap_or(64));
    let dir = tempfile::tempdir_in(".").expect("a directory on a real disk");
    let address = serve(dir.path()).await;

    let payload = format!(r#"{{"task_type":"noop","payload":"{}"}}"#, "x".repeat(198));
    let single = request("/v1/tasks", &payload);
    let spent = cpu_micros();
    let rate = load(address, &single, 1, connections, seconds).await;
    let each = (cpu_micros() - spent) / (rate * seconds as f64);
    println!("single submissions: {rate:.0}/s over {connections} connections, {each:.1} µs of CPU each");

    let done = Arc::new(AtomicU64::new(0));
    tokio::spawn(work(address, Arc::clone(&done)));
    let spent = cpu_micros();
    let before = (done.load(Ordering::Relaxed), Instant::now());
    let batch = format!("[{}]", vec![payload.as_str(); BATCH].join(","));
    let rate = load(address, &request("/v1/tasks:batch", &batch), BATCH as u64, 2, seconds).await;
    let ran = done.load(Ordering::Relaxed) - before.0;
    println!("batch submissions: {rate:.0} tasks/s in batches of {BATCH} over 2 connections");
    let each = (cpu_micros() - spent) / ran as f64;
    let rate = ran as f64 / before.1.elapsed().as_secs_f64();
    println!("run by a worker meanwhile: {rate:.0} tasks/s, {each:.1} µs of CPU each, submission included");
}

/// CPU time of client, server and worker together; unlike the rates it says something on a busy machine too.
fn cpu_micros() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let (_, fields) = text.rsplit_once(") ").expect("a name in brackets");
    let ticks = fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() * 10_000.0
}

async fn serve(dir: &std::path::Path) -> SocketAddr {
    let config = ApiConfig::default();
    let effects = EffectRouter::new(config.session_queue_max);
    let store = LocalStore::new(dir, LocalOptions::default());
    let (node, _, reader) = Node::open_with_reader(
        &store,
        ShardConfig::default(),
        effects.outlet(),
        Arc::new(mainspring_core::run::NoTexts),
    )
    .expect("a new store opens");
    let logs = LocalLogs::new(dir, LogOptions::default());
    let logs = LogStorage::new(logs.writer().expect("a writer"), logs.reader());
    let server = Server::new(Arc::new(node), Readers::new(reader), logs, &effects, config);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(server.serve(listener, std::future::pending()));
    address
}

fn request(path: &str, body: &str) -> Arc<[u8]> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body.as_bytes()].concat().into()
}

/// Sends the same request over and over; gives accepted tasks a second.
async fn load(address: SocketAddr, request: &Arc<[u8]>, tasks: u64, connections: u64, seconds: u64) -> f64 {
    let begun = Instant::now();
    let end = begun + Duration::from_secs(seconds);
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..connections {
        clients.spawn(client(address, Arc::clone(request), end));
    }
    let answers: u64 = clients.join_all().await.iter().sum();
    (answers * tasks) as f64 / begun.elapsed().as_secs_f64()
}

async fn client(address: SocketAddr, request: Arc<[u8]>, end: Instant) -> u64 {
    let mut stream = TcpStream::connect(address).await.expect("connects");
    stream.set_nodelay(true).expect("a socket");
    let mut buffer = vec![0; 1 << 20];
    let mut accepted = 0;
    while Instant::now() < end {
        stream.write_all(&request).await.expect("the server lives");
        accepted += u64::from(answer(&mut stream, &mut buffer).await.starts_with("HTTP/1.1 202"));
    }
    accepted
}

/// Reads one whole answer and gives its head.
async fn answer(stream: &mut TcpStream, buffer: &mut [u8]) -> String {
    let mut filled = 0;
    let head_end = loop {
        filled += stream.read(&mut buffer[filled..]).await.expect("the server lives");
        if let Some(at) = buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8_lossy(&buffer[..head_end]).into_owned();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
    let length: usize = length.and_then(|text| text.parse().ok()).expect("a length");
    while filled < head_end + length {
        filled += stream.read(&mut buffer[filled..]).await.expect("the server lives");
    }
    head
}

/// A worker that reports success at once.
async fn work(address: SocketAddr, done: Arc<AtomicU64>) {
    let client = WorkerServiceClient::connect(format!("http://{address}")).await.expect("connects");
    let mut client = client.max_decoding_message_size(64 << 20);
    let (to, messages) = tokio::sync::mpsc::channel(64);
    let offer = v1::Offer { pool: "default".into(), slots: 4_000, ..v1::Offer::default() };
    let hello = v1::Hello { worker: vec![1; 16], session: 1, offer: Some(offer), ..v1::Hello::default() };
    let first = v1::WorkerMessage { hello: Some(hello), ..v1::WorkerMessage::default() };
    to.send(first).await.expect("open");
    let stream = tokio_stream::wrappers::ReceiverStream::new(messages);
    let mut orders = client.session(stream).await.expect("a session").into_inner();
    while let Ok(Some(message)) = orders.message().await {
        done.fetch_add(message.acknowledgements.len() as u64, Ordering::Relaxed);
        let reports: Vec<v1::Report> = message.starts.into_iter().map(success).collect();
        if !reports.is_empty() {
            let message = v1::WorkerMessage { reports, ..v1::WorkerMessage::default() };
            to.send(message).await.expect("the session lives");
        }
    }
}

fn success(start: v1::Start) -> v1::Report {
    let what = Some(v1::report::What::Success(v1::Success { output: None }));
    v1::Report { task: start.task, fence: start.fence, what, details: None }
}
