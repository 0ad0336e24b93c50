//! What an agent does in a second, and what that costs it: `cargo run --release -p mainspring-agent --example rates`.
//!
//! The server is a double in the same process, the agent has a thread of its own, whose CPU time is printed.

#[path = "../tests/double/mod.rs"]
mod double;

use std::process::Command;
use std::time::{Duration, Instant};

use bytes::Bytes;
use double::{Server, config, is_result, start};
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use mainspring_agent::{AddressRange, Agent};
use mainspring_proto::v1;
use rustix::time::{ClockId, clock_gettime};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

struct Load {
    name: String,
    executor: &'static str,
    payload: String,
    tasks: usize,
    per_message: usize,
    /// Started and not yet acknowledged.
    ahead: usize,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    for bytes in [200, 1_000, 10_000].into_iter().filter(|_| wanted("noop")) {
        let tasks = if bytes > 1_000 { 100_000 } else { 500_000 };
        let name = format!("no-op, {bytes} B payload");
        let payload = "x".repeat(bytes);
        measure(Load { name, executor: "noop", payload, tasks, per_message: 500, ahead: 20_000 }).await;
    }
    if wanted("process") {
        let bare = bare_loop(1_000);
        println!("bare fork and exec of /bin/true, one after the other on two threads: {bare:.0}/s");
    }
    for (name, keep) in
        [("process", false), ("process, kept", true)].into_iter().filter(|_| wanted("process"))
    {
        let payload = format!(r#"{{"argv":["/bin/true"],"keep":{keep}}}"#);
        let load =
            Load { name: name.into(), executor: "process", payload, tasks: 1_000, per_message: 4, ahead: 8 };
        measure(load).await;
    }
    if !wanted("webhook") {
        return;
    }
    let payload = format!(r#"{{"url":"http://{}/","body":"x"}}"#, target());
    let load =
        Load { name: "webhook".into(), executor: "http", payload, tasks: 50_000, per_message: 16, ahead: 64 };
    measure(load).await;
}

async fn measure(load: Load) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut server = Server::start();
    let mut settings = config(&server.url(), dir.path());
    settings.slots = load.ahead as u32;
    // As it is by default; tests like to look into theirs.
    settings.attempts_dir = None;
    settings.allow = AddressRange::loopback();
    let (shutdown, ordered) = oneshot::channel::<()>();
    let is_process = load.executor == "process";
    let agent = std::thread::spawn(move || {
        let runtime = if is_process {
            // Starting a process blocks its thread until the program runs.
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
        } else {
            tokio::runtime::Builder::new_current_thread().enable_all().build()
        };
        let runtime = runtime.expect("a runtime");
        let leaving = async {
            let _ = ordered.await;
        };
        runtime.block_on(Agent::run(settings, leaving)).expect("no error");
        let spent = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(spent.tv_sec as u64, spent.tv_nsec as u32)
    });
    let mut talk = server.session().await;
    let began = Instant::now();
    let (mut sent, mut done) = (0, 0);
    while done < load.tasks {
        while sent < load.tasks && sent + load.per_message - done <= load.ahead {
            let numbers = sent..sent + load.per_message;
            let starts = numbers.map(|number| start(number as u128, load.executor, &load.payload)).collect();
            talk.send(v1::ServerMessage { starts, ..Default::default() }).await;
            sent += load.per_message;
        }
        assert!(talk.hear().await);
        let results = talk.reports.drain(..).filter(|report| report.what.as_ref().is_some_and(is_result));
        let acknowledgements: Vec<_> = results
            .map(|report| {
                assert!(matches!(report.what, Some(v1::report::What::Success(_))), "{report:?}");
                v1::Acknowledgement { task: report.task, fence: report.fence, ignored: false, epoch: 1 }
            })
            .collect();
        done += acknowledgements.len();
        talk.send(v1::ServerMessage { acknowledgements, ..Default::default() }).await;
    }
    let took = began.elapsed();
    drop(shutdown);
    while talk.hear().await {}
    drop(talk);
    let spent = agent.join().expect("no panic");
    let rate = done as f64 / took.as_secs_f64();
    if is_process {
        println!("{}: {rate:.0}/s", load.name);
    } else {
        let each = spent.as_secs_f64() * 1e6 / done as f64;
        println!("{}: {rate:.0}/s; {each:.2} µs of the agent's CPU each", load.name);
    }
}

fn bare_loop(count: usize) -> f64 {
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                for _ in 0..count / 2 {
                    let status = Command::new("/bin/true").status().expect("it starts");
                    assert!(status.success());
                }
            });
        }
    });
    count as f64 / began.elapsed().as_secs_f64()
}

/// A trivial HTTP server on a thread of its own.
fn target() -> std::net::SocketAddr {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address");
            sender.send(listener.local_addr().expect("an address")).expect("the caller waits");
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).expect("a live socket");
                let service = service_fn(async |_| {
                    Ok::<_, std::convert::Infallible>(hyper::Response::new(Full::new(Bytes::new())))
                });
                tokio::spawn(async move {
                    let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
                    // Callers hang up when they are done.
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
    });
    receiver.recv().expect("the target runs")
}
