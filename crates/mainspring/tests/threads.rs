//! The real threads of a node, on a store whose journal can be held up like a slow disk.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use mainspring_core::engine::{Answer, Command};
use mainspring_core::key::{KeyClaim, KeyFact, KeyScope};
use mainspring_core::task::decide::{StartTime, Submit};
use mainspring_core::task::{Profile, ProfileSpec, TaskSpec};
use mainspring_core::values::{Bucket, Epoch, Group, Millis, Seq, TaskId, Wall};
use mainspring_runtime::node::{Node, Outlet, Part};
use mainspring_runtime::{Envelope, Replies, ShardConfig};
use mainspring_sim::SimStore;
use mainspring_store::{AppendError, Journal, OpenError, Opened, Record, Store};

/// Longer than anything here takes; a test that waits for so long has found a thread that is stuck.
const NEVER: Duration = Duration::from_mins(1);

/// Holds up whoever comes by while it is closed.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<GateState>, Condvar)>);

#[derive(Default)]
struct GateState {
    closed: bool,
    held: usize,
}

impl Gate {
    fn set(&self, closed: bool) {
        self.0.0.lock().expect("no panic").closed = closed;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let (state, changed) = &*self.0;
        let mut state = state.lock().expect("no panic");
        state.held += 1;
        changed.notify_all();
        while state.closed {
            state = changed.wait(state).expect("no panic");
        }
        state.held -= 1;
    }

    fn until_held(&self) {
        let (state, changed) = &*self.0;
        let state = state.lock().expect("no panic");
        let (_state, waited) =
            changed.wait_timeout_while(state, NEVER, |state| state.held == 0).expect("no panic");
        assert!(!waited.timed_out(), "nobody came to the gate");
    }
}

/// Opens the gate at the end of a test, also of one that failed: threads must be able to end.
impl Drop for Held {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

struct Held(Gate);

impl Held {
    fn new(gate: &Gate) -> Self {
        gate.set(true);
        Self(gate.clone())
    }
}

/// A store whose appends pass a gate.
#[derive(Clone, Default)]
struct SlowStore {
    store: SimStore,
    gate: Gate,
}

struct SlowJournal(<SimStore as Store>::Journal, Gate);

impl Store for SlowStore {
    type Journal = SlowJournal;
    type Tables = <SimStore as Store>::Tables;
    type Reader = <SimStore as Store>::Reader;
    type Recovery = <SimStore as Store>::Recovery;

    fn open(&self) -> Result<Opened<Self>, OpenError> {
        let Opened { epoch, journal, tables, reader, recovery, probe } = self.store.open()?;
        let journal = SlowJournal(journal, self.gate.clone());
        Ok(Opened { epoch, journal, tables, reader, recovery, probe })
    }
}

impl Journal for SlowJournal {
    fn append(&mut self, record: &Record) -> Result<(), AppendError> {
        self.1.pass();
        self.0.append(record)
    }

    fn renew(&mut self) -> Result<Epoch, AppendError> {
        self.0.renew()
    }

    fn trim(&mut self, through: Seq) -> Result<(), AppendError> {
        self.0.trim(through)
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// Tasks that are due later than a second from now leave memory at once.
fn config() -> ShardConfig {
    ShardConfig {
        cut_every: Millis::new(1),
        park_beyond: Millis::from_secs(1),
        stuck_after: Millis::ZERO,
        ..ShardConfig::default()
    }
}

fn open(store: &SlowStore, config: &ShardConfig, outlet: Outlet) -> Node {
    Node::open(store, *config, outlet).expect("opens").0
}

fn submit(number: u64, key: bool) -> Command {
    let claim = KeyClaim {
        scope: KeyScope(number.into()),
        request: 1,
        expires: Wall::from_millis(u64::MAX / 2),
        group: Group::ZERO,
    };
    Command::Submit(Box::new(Submit {
        id: TaskId::new(1, Bucket::spread(Group::ZERO, number), number),
        task: TaskSpec::new(Profile::new(ProfileSpec::default()), Arc::from(*b"x")),
        start: StartTime::After(Millis::from_secs(3_600)),
        key: key.then_some((claim, KeyFact::Absent)),
        resent: false,
    }))
}

/// Sends each command in an envelope of its own, from a thread of its own; answers come out of the receiver.
fn send(node: &Arc<Node>, commands: Vec<Command>) -> Receiver<Replies> {
    let (sender, receiver) = channel();
    let node = Arc::clone(node);
    std::thread::spawn(move || {
        for command in commands {
            let sender = sender.clone();
            let reply = Box::new(move |replies| drop(sender.send(replies)));
            assert!(
                node.send(Bucket::home(Group::ZERO), Envelope { commands: vec![command], reply }),
                "it takes commands"
            );
        }
    });
    receiver
}

#[track_caller]
fn answers(receiver: &Receiver<Replies>, count: usize, what: &str) -> Vec<Answer> {
    let one = |number| {
        let replies = receiver.recv_timeout(NEVER);
        let mut replies = replies.unwrap_or_else(|_| panic!("{what}: answer {number} of {count} never came"));
        replies.pop().expect("one answer").expect("not refused")
    };
    (0..count).map(one).collect()
}

/// Reads of tasks that are on disk go from the shard to the loader, keyed submissions from the loader to the shard. Both
/// threads once waited for room in each other's queue.
#[test]
fn a_stall_with_thousands_of_reads_and_keyed_submissions_ends() {
    const PARKED: u64 = 200;
    const EACH: u64 = 6_000;
    let store = SlowStore::default();
    let node = Arc::new(open(&store, &config(), Box::new(|_| {})));
    let parked = send(&node, (0..PARKED).map(|number| submit(number, false)).collect());
    answers(&parked, PARKED as usize, "the first submissions");
    while node.figures().expect("it runs").in_memory > 0 {
        std::thread::yield_now();
    }
    let stall = Held::new(&store.gate);
    let keyed = send(&node, (0..EACH).map(|number| submit(1_000_000 + number, true)).collect());
    store.gate.until_held();
    let id = |number: u64| TaskId::new(1, Bucket::spread(Group::ZERO, number), number);
    let reads = (0..EACH).map(|number| Command::Read { id: id(number % PARKED) });
    let reads = send(&node, reads.collect());
    let more_keyed = send(&node, (0..EACH).map(|number| submit(2_000_000 + number, true)).collect());
    drop(stall);
    for answer in answers(&reads, EACH as usize, "reads") {
        assert!(matches!(answer, Answer::Task(Some(_))), "{answer:?}");
    }
    for receiver in [keyed, more_keyed] {
        for answer in answers(&receiver, EACH as usize, "keyed submissions") {
            assert!(matches!(answer, Answer::Submitted { .. }), "{answer:?}");
        }
    }
    Arc::into_inner(node).expect("nobody else has it").stop();
}

/// The journal does not answer and the record being built is full: the shard still says how it stands, and a stop is
/// given up in time.
#[test]
fn a_journal_that_does_not_answer_stops_neither_questions_nor_the_stop() {
    let store = SlowStore::default();
    let node = Arc::new(open(&store, &ShardConfig { record_events_max: 2, ..config() }, Box::new(|_| {})));
    let stall = Held::new(&store.gate);
    let waiting = send(&node, (0..50).map(|number| submit(number, false)).collect());
    store.gate.until_held();
    assert!(node.figures().is_some());
    let journal = |trouble: &&mainspring_runtime::node::Trouble| trouble.part == Part::Journal;
    let troubles = node.health().troubles();
    let trouble = troubles.iter().find(journal).expect("an append is under way");
    assert_eq!((trouble.code(), trouble.needs_restart()), ("journal_slow", false));
    assert!(waiting.try_recv().is_err(), "nothing is answered before it is durable");
    let unfinished =
        into_inner(node).stop_within(Duration::from_millis(50)).expect_err("an append is under way");
    assert!(unfinished.troubles.iter().any(|trouble| trouble.part == Part::Journal), "{unfinished:?}");
    drop(stall);
    answers(&waiting, 50, "what was accepted before the stop");
}

#[test]
fn a_shard_that_makes_no_progress_is_told_apart_from_a_slow_disk() {
    let (store, gate) = (SlowStore::default(), Gate::default());
    let stuck = Held::new(&gate);
    let outlet = gate.clone();
    let config = ShardConfig { stuck_after: Millis::new(1), ..config() };
    let mut config = config;
    config.engine.watch = true;
    let node = Arc::new(open(&store, &config, Box::new(move |_| outlet.pass())));
    let waiting = send(&node, vec![submit(1, false)]);
    gate.until_held();
    let health = node.health();
    let stuck_turn = || health.troubles().into_iter().find(|trouble| trouble.part == Part::Shard);
    while stuck_turn().is_none() {
        std::thread::yield_now();
    }
    let first = stuck_turn().expect("it does not go on");
    assert_eq!((first.code(), first.needs_restart()), ("shard_not_progressing", true));
    assert_eq!(stuck_turn().map(|trouble| trouble.number), Some(first.number), "the same turn");
    assert!(into_inner(node).stop_within(Duration::from_millis(50)).is_err());
    drop(stuck);
    answers(&waiting, 1, "the submission");
}

/// The senders let go of it when they are through.
fn into_inner(mut node: Arc<Node>) -> Node {
    loop {
        match Arc::try_unwrap(node) {
            Ok(node) => return node,
            Err(shared) => node = shared,
        }
        std::thread::yield_now();
    }
}
