//! How many no-ops an agent does in a second, and what that costs it: `cargo run --release --example noop_rate`.

#[path = "../tests/double/mod.rs"]
mod double;

use std::time::{Duration, Instant};

use double::{Server, config, is_result, start};
use mainspring_agent::Agent;
use mainspring_proto::v1;
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::oneshot;

const TASKS: usize = 1_000_000;
const PER_MESSAGE: usize = 500;
/// Started and not yet acknowledged.
const AHEAD: usize = 20_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    for payload_bytes in [200, 1_000, 10_000] {
        let tasks = if payload_bytes > 1_000 { TASKS / 5 } else { TASKS };
        measure(tasks, payload_bytes).await;
    }
}

async fn measure(tasks: usize, payload_bytes: usize) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut server = Server::start();
    let settings = config(&server.url(), dir.path());
    let (shutdown, ordered) = oneshot::channel::<()>();
    let agent = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let leaving = async {
            let _ = ordered.await;
        };
        runtime.block_on(Agent::run(settings, leaving)).expect("no error");
        let spent = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(spent.tv_sec as u64, spent.tv_nsec as u32)
    });
    let mut talk = server.session().await;
    let payload = "x".repeat(payload_bytes);
    let began = Instant::now();
    let (mut sent, mut done) = (0, 0);
    while done < tasks {
        while sent < tasks && sent - done < AHEAD {
            let starts =
                (sent..sent + PER_MESSAGE).map(|number| start(number as u128, "noop", &payload)).collect();
            talk.send(v1::ServerMessage { starts, ..Default::default() }).await;
            sent += PER_MESSAGE;
        }
        assert!(talk.hear().await);
        let results = talk.reports.drain(..).filter(|report| report.what.as_ref().is_some_and(is_result));
        let acknowledgements: Vec<_> = results
            .map(|report| v1::Acknowledgement { task: report.task, fence: report.fence, ignored: false })
            .collect();
        done += acknowledgements.len();
        talk.send(v1::ServerMessage { acknowledgements, ..Default::default() }).await;
    }
    let took = began.elapsed();
    drop(shutdown);
    while talk.hear().await {}
    drop(talk);
    let spent = agent.join().expect("no panic");
    println!(
        "{payload_bytes} B payload: {tasks} no-ops in {took:.2?}: {:.0}/s; the agent used {:.2} µs of CPU each, {:.0} % of a core at 80,000/s",
        tasks as f64 / took.as_secs_f64(),
        spent.as_secs_f64() * 1e6 / tasks as f64,
        spent.as_secs_f64() / tasks as f64 * 80_000.0 * 100.0,
    );
}
