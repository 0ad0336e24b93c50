//! One run: submit while processes die, wait until all has ended, kill once more, and read everything.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mainspring_client::Client;
use mainspring_core::values::Chance;
use tokio::task::JoinSet;

use crate::client::{Caller, Counts};
use crate::history::{History, Submission};
use crate::ledger::{self, Ledger};
use crate::nemesis::{Killed, Nemesis};
use crate::plan::{Planned, Planner};
use crate::processes::{Service, free_port, verify};
use crate::reading;

pub struct Settings {
    pub seed: u64,
    pub tasks: usize,
    pub kills: usize,
}

/// What was met on the way; a run that met no trouble proves nothing.
#[derive(Debug)]
#[expect(dead_code, reason = "people read all of it in the output")]
pub struct Seen {
    pub killed: Killed,
    pub unknown: u64,
    pub replayed: u64,
    pub effects: usize,
    pub attempts_lost: usize,
    pub attempts_failed: usize,
    pub second_effects: usize,
    pub cancelled: usize,
    pub failed_at_most_once: usize,
    pub seconds: u64,
}

impl Seen {
    #[track_caller]
    pub fn must_not_be_void(&self, settings: &Settings) {
        if settings.tasks < 10_000 || settings.kills < 20 {
            return;
        }
        assert!(self.killed.servers >= 5 && self.killed.workers >= 5, "too few of one kind died: {self:?}");
        assert!(self.unknown > 0, "no request was ever of unknown outcome: {self:?}");
        assert!(self.attempts_lost > 0, "no attempt was ever lost: {self:?}");
        assert!(self.second_effects > 100, "nothing was ever repeated: {self:?}");
        assert!(self.cancelled > 100 && self.failed_at_most_once > 0, "a kind is missing: {self:?}");
    }
}

/// Tasks of one batch; every fourth request is for a single task.
const BATCH: usize = 40;
/// Requests under way at once.
const SUBMITTERS: usize = 8;
const SLOTS: u32 = 24;

/// Everything lies in `dir`: the server's data, the workers' and both ledgers.
pub fn run(settings: &Settings, dir: &Path) -> (History, Seen) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let start = Instant::now();
    let (history, mut seen) = runtime.block_on(play(settings, dir));
    seen.seconds = start.elapsed().as_secs();
    (history, seen)
}

async fn play(settings: &Settings, dir: &Path) -> (History, Seen) {
    let mut chance = Chance::new(settings.seed);
    let ledger = Ledger::start(dir.join("calls")).await.expect("a ledger");
    let lines = dir.join("lines");
    let address = format!("http://{}", ledger.address);
    let mut planner =
        Planner { chance: Chance::new(chance.draw()), ledger: &address, file: &lines, run: settings.seed };
    let planned = planner.tasks(settings.tasks);
    let port = free_port(&mut chance);
    let url = format!("http://127.0.0.1:{port}");
    let worker = |name: &str| Service::worker(&url, &dir.join(name), SLOTS);
    let mut nemesis = Nemesis {
        chance: Chance::new(chance.draw()),
        server: Service::server(&dir.join("data"), port),
        workers: [worker("a"), worker("b")],
        killed: Killed::default(),
    };
    nemesis.start_all();
    let caller = Caller { client: Client::new(&url).expect("an address"), counts: Arc::default() };
    let kills = settings.kills;
    let raging = tokio::task::spawn_blocking(move || {
        nemesis.rage(kills);
        nemesis
    });
    let start = Instant::now();
    let told = |what: &str| eprintln!("after {} s {what}", start.elapsed().as_secs());
    let submissions = submit_all(&caller, planned, &mut chance, Nemesis::expected(kills)).await;
    told("everything is submitted");
    let mut nemesis = raging.await.expect("the nemesis survives");
    told("nobody is killed any more");
    let ended = reading::all_ended(&caller).await;
    told("everything has ended");
    // What has ended has ended, whatever happens to the server now.
    nemesis.killed.servers += 1;
    nemesis.server.kill();
    verify(&dir.join("data")).expect("the journal is whole");
    nemesis.server.start();
    let history = read_all(&caller, submissions, &ledger, &lines).await;
    told("everything is read");
    if let Err(stats) = ended {
        eprintln!("not everything ended: {stats}");
    }
    for service in nemesis.workers.iter_mut().chain([&mut nemesis.server]) {
        service.kill();
    }
    let seen = sum_up(&history, &caller.counts, nemesis.killed);
    (history, seen)
}

/// Spread over the time of the kills, so that they hit submissions, work, and everything between.
async fn submit_all(
    caller: &Caller,
    planned: Vec<Planned>,
    chance: &mut Chance,
    time: Duration,
) -> Vec<Submission> {
    let start = Instant::now();
    let count = planned.len().max(1) as u32;
    let (sender, requests) = tokio::sync::mpsc::channel::<Vec<Planned>>(SUBMITTERS);
    let requests = Arc::new(tokio::sync::Mutex::new(requests));
    let mut submitters = JoinSet::new();
    for _ in 0..SUBMITTERS {
        let (caller, requests) = (caller.clone(), Arc::clone(&requests));
        submitters.spawn(async move {
            let mut done = Vec::new();
            loop {
                let Some(request) = requests.lock().await.recv().await else { return done };
                done.push(tokio::spawn(see_through(caller.clone(), request)).await.expect("it goes through"));
            }
        });
    }
    let mut left = planned.into_iter();
    let mut sent = 0;
    loop {
        let size = if chance.below(4) == 0 { 1 } else { 1 + chance.below(2 * BATCH as u64) as usize };
        let request: Vec<Planned> = left.by_ref().take(size).collect();
        if request.is_empty() {
            break;
        }
        sent += request.len() as u32;
        sender.send(request).await.expect("somebody submits");
        tokio::time::sleep_until((start + time * sent / count).into()).await;
    }
    drop(sender);
    let all: Vec<(Vec<Submission>, Option<CancelSet>)> =
        submitters.join_all().await.into_iter().flatten().collect();
    let mut submissions = Vec::new();
    for (mut done, cancels) in all {
        if let Some(cancels) = cancels {
            for (at, submission) in cancels.join_all().await {
                done[at] = submission;
            }
        }
        submissions.extend(done);
    }
    submissions
}

type CancelSet = JoinSet<(usize, Submission)>;

/// Submits, repeats some of it, and begins to cancel what is to be cancelled.
async fn see_through(caller: Caller, request: Vec<Planned>) -> (Vec<Submission>, Option<CancelSet>) {
    let mut submissions = caller.submit(&request).await;
    // One in each request comes twice, as from a client that lost its memory.
    caller.repeat(&request[0], &mut submissions[0]).await;
    let mut cancels = JoinSet::new();
    for (at, planned) in request.into_iter().enumerate().filter(|(_, planned)| planned.promise.cancelled) {
        let (caller, mut submission) = (caller.clone(), submissions[at].clone());
        cancels.spawn(async move {
            caller.cancel(&planned, &mut submission).await;
            (at, submission)
        });
    }
    (submissions, (!cancels.is_empty()).then_some(cancels))
}

async fn read_all(caller: &Caller, submissions: Vec<Submission>, ledger: &Ledger, lines: &Path) -> History {
    let mut ids: Vec<String> = submissions.iter().flat_map(|s| s.acknowledged.iter().cloned()).collect();
    ids.sort_unstable();
    ids.dedup();
    let listed = reading::listed(caller, ids.len()).await;
    let tasks = reading::tasks(caller, ids).await.into_iter().collect();
    let mut effects = ledger.effects();
    effects.extend(ledger::read_lines(lines).expect("the ledger's file is whole"));
    History { submissions, tasks, listed, effects }
}

fn sum_up(history: &History, counts: &Counts, killed: Killed) -> Seen {
    let attempts = || history.tasks.values().flat_map(|task| &task.attempts);
    let failed_with = |class: &str| attempts().filter(|a| a.failed.as_deref() == Some(class)).count();
    let with_status = |status: &str| history.tasks.values().filter(|task| task.state == status).count();
    let mut touched: Vec<&str> = history.effects.iter().map(|effect| effect.task.as_str()).collect();
    touched.sort_unstable();
    touched.dedup();
    Seen {
        killed,
        unknown: counts.unknown.load(Ordering::Relaxed),
        replayed: counts.replayed.load(Ordering::Relaxed),
        effects: history.effects.len(),
        attempts_lost: failed_with("worker_lost"),
        attempts_failed: attempts().filter(|attempt| attempt.failed.is_some()).count(),
        second_effects: history.effects.len() - touched.len(),
        cancelled: with_status("cancelled"),
        failed_at_most_once: with_status("failed"),
        seconds: 0,
    }
}
