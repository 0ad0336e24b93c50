//! The whole engine in a real process, killed with SIGKILL again and again: whatever it acknowledged is there
//! when it is opened the next time, and whatever had ended stays ended.
//!
//! The child is this test binary itself, told by an environment variable to play the engine.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use mainspring_core::decision::{Effect, Start};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::task::decide::{Report, ReportKind, StartTime, Submit};
use mainspring_core::task::{Profile, ProfileSpec, Status, TaskSpec};
use mainspring_core::values::{
    Bucket, Chance, Epoch, Group, Incarnation, Name, Requirements, Session, TaskId, WorkerId,
};
use mainspring_core::worker::WorkerOffer;
use mainspring_core::worker::decide::{Hello, SessionCommand};
use mainspring_runtime::node::{Node, RawClock};
use mainspring_runtime::{Envelope, Replies, ShardConfig};
use mainspring_store_local::{LocalOptions, LocalStore};

const CHILD: &str = "MAINSPRING_TEST_ENGINE";
const LIVES: u64 = 40;
const WORKER: WorkerId = WorkerId::from_bits(1);

#[test]
fn what_was_acknowledged_survives_kill_9() {
    if let Ok(dir) = std::env::var(CHILD) {
        play_engine(Path::new(&dir));
    }
    let dir = tempfile::tempdir().expect("a directory");
    let mut acknowledged: BTreeMap<TaskId, Said> = BTreeMap::new();
    let mut chance = Chance::new(11);
    let mut killed_at_work = 0;
    for life in 0..LIVES {
        let before = acknowledged.len();
        let mut child = spawn(dir.path(), life);
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let reader = std::thread::spawn(move || lines.map_while(Result::ok).collect::<Vec<_>>());
        // Anywhere between the middle of recovery and well into the work.
        std::thread::sleep(Duration::from_millis(5 + chance.below(250)));
        child.kill().expect("kill -9");
        child.wait().expect("gone");
        for line in reader.join().expect("the reader ends with the pipe") {
            note(&mut acknowledged, &line);
        }
        killed_at_work += u64::from(acknowledged.len() > before);
    }
    assert!(killed_at_work > LIVES / 4, "the kills must hit work: {killed_at_work} of {LIVES} lives did any");
    let ended = acknowledged.values().filter(|said| **said == Said::Ended).count();
    assert!(ended > 100, "only {ended} tasks were acknowledged as ended");
    check(dir.path(), &acknowledged);
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Said {
    Accepted,
    Ended,
}

fn spawn(dir: &Path, life: u64) -> Child {
    let me = std::env::current_exe().expect("this binary");
    Process::new(me)
        .args(["what_was_acknowledged_survives_kill_9", "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, dir)
        .env("MAINSPRING_TEST_LIFE", life.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("this binary starts")
}

fn note(acknowledged: &mut BTreeMap<TaskId, Said>, line: &str) {
    let said = match line.split_once(' ') {
        Some(("accepted", id)) => id.parse().map(|id| (id, Said::Accepted)),
        Some(("ended", id)) => id.parse().map(|id| (id, Said::Ended)),
        _ => return,
    };
    // The last line may have been cut by the kill.
    if let Ok((id, said)) = said {
        let entry = acknowledged.entry(id).or_insert(said);
        *entry = said.max(*entry);
    }
}

/// Every acknowledged task is known, and what was acknowledged as ended has succeeded.
fn check(dir: &Path, acknowledged: &BTreeMap<TaskId, Said>) {
    let (node, _) = open(dir, Box::new(|_| {}));
    for (id, said) in acknowledged {
        match call(&node, vec![Command::Read { id: *id }]).pop() {
            Some(Ok(Answer::Task(Some(task)))) => {
                assert!(
                    *said == Said::Accepted || task.status() == Status::Succeeded,
                    "{id}: {:?}",
                    task.status()
                );
            }
            other => panic!("{id} was acknowledged ({said:?}) and is lost: {other:?}"),
        }
    }
    node.stop();
}

fn open(
    dir: &Path,
    outlet: mainspring_runtime::node::Outlet,
) -> (Node, mainspring_runtime::shard::Recovered) {
    // Small segments, so that lives end in the middle of a roll-over and of a trim too.
    let options = LocalOptions { segment_bytes: 1 << 20, ..LocalOptions::default() };
    Node::open(&LocalStore::new(dir, options), ShardConfig::default(), outlet).expect("opens after any kill")
}

fn call(node: &Node, commands: Vec<Command>) -> Replies {
    let (sender, answer) = channel();
    let reply = Box::new(move |replies| drop(sender.send(replies)));
    node.send(Bucket::home(Group::ZERO), Envelope { commands, reply });
    answer.recv().unwrap_or_default()
}

/// Submits, runs and reports without end, and prints what was acknowledged, until it is killed.
fn play_engine(dir: &Path) -> ! {
    let (sender, effects) = channel::<Vec<Effect>>();
    let (node, _) = open(dir, outlet(sender));
    let life: u64 =
        std::env::var("MAINSPRING_TEST_LIFE").ok().and_then(|life| life.parse().ok()).unwrap_or(0);
    call(&node, vec![hello(life)]);
    let mut ids = Chance::new(life + 1);
    let profile = profile();
    loop {
        let submissions: Vec<Command> = (0..20).map(|_| submit(&mut ids, &profile)).collect();
        for reply in call(&node, submissions) {
            if let Ok(Answer::Submitted { id, .. }) = reply {
                say("accepted", id);
            }
        }
        let mut reports = Vec::new();
        for effect in effects.try_iter().flatten() {
            match effect {
                Effect::Start(start) => reports.push(success(&start)),
                Effect::Acknowledge { task, .. } => say("ended", task),
                Effect::Stop { .. }
                | Effect::SessionLost { .. }
                | Effect::Drain { .. }
                | Effect::Alert { .. }
                | Effect::RunAlert { .. }
                | Effect::ScheduleAlert { .. }
                | Effect::RunEnded { .. }
                | Effect::JobDeleted { .. }
                | Effect::Changed { .. }
                | Effect::News(_) => {}
            }
        }
        call(&node, reports);
    }
}

fn outlet(sender: Sender<Vec<Effect>>) -> mainspring_runtime::node::Outlet {
    Box::new(move |batch| drop(sender.send(batch.effects)))
}

/// One write per line: a kill cuts lines, it does not mix them.
fn say(what: &str, id: TaskId) {
    let line = format!("{what} {id}\n");
    std::io::stdout().lock().write_all(line.as_bytes()).expect("the parent listens");
}

fn hello(life: u64) -> Command {
    let offer = WorkerOffer { pool: Name::fixed("default"), slots: 1000, ..WorkerOffer::default() };
    Command::Session(SessionCommand::Hello(Box::new(Hello {
        worker: WORKER,
        epoch: Epoch::ZERO,
        session: Session::new(life + 1),
        incarnation: Incarnation::new(life),
        offer,
        holding: Vec::new(),
    })))
}

fn profile() -> std::sync::Arc<Profile> {
    let requirements = Requirements { pool: Name::fixed("default"), ..Requirements::default() };
    Profile::new(ProfileSpec { tenant: Name::fixed("test"), requirements, ..ProfileSpec::default() })
}

fn submit(ids: &mut Chance, profile: &std::sync::Arc<Profile>) -> Command {
    let random = ids.draw();
    Command::Submit(Box::new(Submit {
        id: TaskId::new(
            RawClock::start().read().wall.millis(),
            Bucket::spread(Group::ZERO, random),
            ids.draw(),
        ),
        task: TaskSpec::new(profile.clone(), vec![7; 300].into()),
        start: StartTime::Now,
        key: None,
        resent: false,
    }))
}

fn success(start: &Start) -> Command {
    Command::Report(Box::new(Report {
        worker: start.worker,
        session: start.session,
        task: start.task,
        fence: start.fence,
        what: ReportKind::Succeeded { output: None },
        details: None,
    }))
}
