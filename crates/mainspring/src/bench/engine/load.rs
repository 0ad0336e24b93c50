//! Tasks to submit and a worker that succeeds at once.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_channel::{Receiver, unbounded};
use mainspring_core::decision::{Effect, Start};
use mainspring_core::engine::Command;
use mainspring_core::task::decide::{Report, ReportKind, StartTime, Submit};
use mainspring_core::task::{Profile, ProfileSpec, TaskSpec};
use mainspring_core::values::{
    Bucket, Chance, Epoch, Incarnation, Name, Requirements, Session, TaskId, WorkerId, group_of,
};
use mainspring_core::worker::WorkerOffer;
use mainspring_core::worker::decide::{Hello, SessionCommand};
use mainspring_runtime::node::{Effects, Node};
use mainspring_runtime::{Envelope, ShardConfig};
use mainspring_store_local::{LocalOptions, LocalStore};

use super::machine;

pub(super) const TENANT: &str = "bench";
pub(super) const PAYLOAD_BYTES: usize = 200;
pub(super) const WORKER: WorkerId = WorkerId::from_bits(7);
pub(super) const SESSION: Session = Session::new(1);

/// Makes submissions of one kind.
pub(super) struct Source {
    profile: Arc<Profile>,
    chance: Chance,
}

impl Source {
    pub(super) fn new() -> Self {
        let requirements = Requirements { pool: Name::fixed("default"), ..Requirements::default() };
        let spec = ProfileSpec {
            tenant: Name::fixed(TENANT),
            job: Name::fixed("noop"),
            executor: Name::fixed("noop"),
            requirements,
            ..ProfileSpec::default()
        };
        Self { profile: Profile::new(spec), chance: Chance::new(1) }
    }

    pub(super) fn submit(&mut self, now_ms: u64) -> Command {
        let random = self.chance.draw();
        Command::Submit(Box::new(Submit {
            id: TaskId::new(
                now_ms,
                Bucket::spread(group_of(&self.profile.tenant), random),
                self.chance.draw(),
            ),
            task: TaskSpec::new(self.profile.clone(), [random as u8; PAYLOAD_BYTES].into()),
            start: StartTime::Now,
            key: None,
            resent: false,
        }))
    }

    pub(super) fn batch(&mut self, count: u64, now_ms: u64) -> Vec<Command> {
        (0..count).map(|_| self.submit(now_ms)).collect()
    }
}

pub(super) fn hello(slots: u32) -> Command {
    let offer = WorkerOffer { pool: Name::fixed("default"), slots, ..WorkerOffer::default() };
    Command::Session(SessionCommand::Hello(Box::new(Hello {
        worker: WORKER,
        epoch: Epoch::ZERO,
        session: SESSION,
        incarnation: Incarnation::new(1),
        offer,
        holding: Vec::new(),
    })))
}

pub(super) fn success(start: &Start) -> Command {
    Command::Report(Box::new(Report {
        worker: start.worker,
        session: start.session,
        task: start.task,
        fence: start.fence,
        what: ReportKind::Succeeded { output: None },
        details: None,
    }))
}

/// A node on real files with the effects it sends.
pub(super) struct Rig {
    pub(super) node: Node,
    pub(super) effects: Receiver<Vec<Effect>>,
}

impl Rig {
    pub(super) fn open(dir: &Path, config: &ShardConfig) -> anyhow::Result<Self> {
        let (sender, effects) = unbounded();
        let outlet = Box::new(move |batch: Effects| drop(sender.send(batch.effects)));
        let store = LocalStore::new(dir, LocalOptions::default());
        let (node, _) = Node::open(&store, *config, outlet)?;
        Ok(Self { node, effects })
    }

    pub(super) fn send(&self, commands: Vec<Command>) {
        self.node.send(Bucket::home(group_of(TENANT)), Envelope { commands, reply: Box::new(drop) });
    }

    /// Sends submissions and adds to `refused` how many were not accepted.
    pub(super) fn send_counting(&self, commands: Vec<Command>, refused: &Arc<AtomicU64>) {
        let refused = Arc::clone(refused);
        let reply = Box::new(move |replies: mainspring_runtime::Replies| {
            let count = replies.iter().filter(|reply| reply.is_err()).count() as u64;
            if count > 0 {
                refused.fetch_add(count, Ordering::Relaxed);
            }
        });
        self.node.send(Bucket::home(group_of(TENANT)), Envelope { commands, reply });
    }

    /// Sends and waits for the (durable) answer.
    pub(super) fn call(&self, commands: Vec<Command>) -> mainspring_runtime::Replies {
        let (sender, answer) = crossbeam_channel::bounded(1);
        let reply = Box::new(move |replies| drop(sender.send(replies)));
        self.node.send(Bucket::home(group_of(TENANT)), Envelope { commands, reply });
        answer.recv().unwrap_or_default()
    }
}

pub(super) fn now_ms() -> u64 {
    mainspring_runtime::node::RawClock::start().read().wall.millis()
}

/// Bytes that a server on this directory has in memory when it has started, and the most it had until then.
pub(super) fn server_memory(data: &Path) -> anyhow::Result<(u64, u64)> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.args(["server", "--listen", "127.0.0.1:0", "--data"]).arg(data);
    let mut server = command.stderr(std::process::Stdio::piped()).spawn()?;
    let mut line = String::new();
    if let Some(stderr) = server.stderr.take() {
        BufReader::new(stderr).read_line(&mut line)?;
    }
    let bytes = (machine::resident_bytes_of(server.id()), machine::peak_bytes_of(server.id()));
    server.kill()?;
    server.wait()?;
    anyhow::ensure!(line.contains("listening"), "the server did not start: {line}");
    Ok(bytes)
}
