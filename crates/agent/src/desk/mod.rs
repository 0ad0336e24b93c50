//! The desk: everything this worker holds, and what it still has to say about it.
//! Entry: [`Desk`]; the session gives it what arrived and takes from it what to send.
//! - DK-1 an attempt is held from its Start until its result is acknowledged, and Hello names all that is held
//! - DK-2 a Start for a (task, fence) that is held changes nothing
//! - DK-3 a result leaves memory only when it was acknowledged
//! - DK-4 a result that was not acknowledged soon is on disk soon: see [`results::SPOOL_AFTER`]
//! - DK-5 work goes on without a session; only what is said about it waits
//! - DK-6 an attempt that runs longer than its hard limit is stopped, with or without a session
//!
//! What a crash of the worker loses: results younger than [`results::SPOOL_AFTER`] (and the spool's next fsync) that the server
//! had not acknowledged. The server then hears of a restarted worker that does not hold the attempt, and treats it as
//! one of unknown outcome: repeated, or failed if it must run at most once. A shutdown loses nothing.
//! Not here: the stream (`session`), doing the work (`executor`).

mod begin;
mod deadline;
mod floors;
mod hello;
mod lease;
mod logs;
mod outbox;
mod results;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use hashbrown::HashMap;
use mainspring_core::values::{AttemptDetails, FailureClass};
use mainspring_proto::v1;
use tokio::sync::{mpsc, watch};
use tracing::warn;

use self::floors::Floors;
use self::lease::Lease;
use self::logs::LogTails;
use self::outbox::Outbox;
use crate::attempt::{Event, Key, Outcome, StopOrder};
use crate::config::Capacity;
use crate::devices::{DeviceSet, Devices};
use crate::executor::Executors;
use crate::home::Places;
use crate::spool::Spool;

pub struct Desk {
    settings: Settings,
    executors: Executors,
    events: mpsc::UnboundedSender<Event>,
    held: HashMap<Key, Held, foldhash::fast::RandomState>,
    /// Accepted and not started, in the order they came.
    waiting: VecDeque<Key>,
    running: usize,
    /// Begun or waiting, and not yet said to be accepted; short work ends first and spares the message.
    accepted: VecDeque<(Instant, Key)>,
    /// Results in the order in which they may become due for the spool.
    fresh: VecDeque<(Instant, Key)>,
    /// Spooled results in the order in which they are sent again.
    late: VecDeque<(Instant, Key)>,
    unacknowledged: usize,
    swept: Instant,
    spool: Spool,
    outbox: Outbox,
    /// What there is to say may wait until then for more of the kind.
    hold: Option<Instant>,
    /// Results were sent, and the server has not answered since.
    awaits_answer: bool,
    logs: LogTails,
    lease: Lease,
    floors: Floors,
    /// When attempts with a hard limit must be stopped; those that were stopped are not in it.
    deadlines: BTreeSet<(Instant, Key)>,
    devices: Devices,
    is_open: bool,
    is_draining: bool,
}

pub struct Settings {
    pub slots: usize,
    pub capacity: Capacity,
    pub grace: Duration,
    pub leave_kept: bool,
    /// With so many programs running every processor has something to do: results may wait for each other.
    pub busy_from: usize,
}

enum Held {
    Waiting(Box<v1::Start>),
    Running(Box<Running>),
    Ended(Ended),
}

struct Running {
    stop: watch::Sender<Option<StopOrder>>,
    grace: Duration,
    /// Also of a process that an earlier agent began.
    began: Instant,
    /// When its hard limit has passed.
    deadline: Option<Instant>,
    devices: DeviceSet,
    /// The newest one, said again in every new session.
    checkpoint: Option<Vec<u8>>,
    /// As far as they are known: the last progress, and at the end what it used.
    details: Option<Box<AttemptDetails>>,
    /// Asked for while there was no session.
    extend_ms: u64,
    /// It survives this agent.
    kept: bool,
    program: bool,
    /// It must end with the lease, because nobody else may do it at the same time.
    exclusive: bool,
}

struct Ended {
    outcome: Outcome,
    details: Option<Box<AttemptDetails>>,
    /// The newest one of an attempt that did not succeed: said before the result, for the next attempt.
    checkpoint: Option<Vec<u8>>,
    spooled: bool,
}

impl Desk {
    pub fn new(
        settings: Settings,
        executors: Executors,
        events: mpsc::UnboundedSender<Event>,
        places: Places,
        (spool, spooled): (Spool, Vec<v1::Report>),
    ) -> Self {
        let (now, devices) = (Instant::now(), Devices::new(&settings.capacity));
        let mut desk = Self {
            settings,
            executors,
            events,
            held: HashMap::default(),
            waiting: VecDeque::new(),
            running: 0,
            accepted: VecDeque::new(),
            fresh: VecDeque::new(),
            late: VecDeque::new(),
            unacknowledged: 0,
            swept: now,
            spool,
            outbox: Outbox::default(),
            hold: None,
            awaits_answer: false,
            logs: LogTails::new(places),
            lease: Lease::new(),
            floors: Floors::default(),
            deadlines: BTreeSet::new(),
            devices,
            is_open: false,
            is_draining: false,
        };
        desk.owe_spooled(spooled, now);
        desk
    }

    /// Everything of one message, in an order that lets an acknowledgement make room for a start.
    pub fn receive(&mut self, mut message: v1::ServerMessage, now: Instant) {
        let floors = &self.floors;
        let admit = |task: &[u8], fence, epoch| {
            Key::from_wire(task, fence).is_none_or(|key| floors.admit(key, epoch))
        };
        message.acknowledgements.retain(|order| admit(&order.task, order.fence, order.epoch));
        message.stops.retain(|order| admit(&order.task, order.fence, order.epoch));
        message.starts.retain(|order| admit(&order.task, order.fence, order.epoch));
        if !message.acknowledgements.is_empty() {
            self.awaits_answer = false;
        }
        for acknowledged in message.acknowledgements {
            self.acknowledged(&acknowledged);
        }
        for stop in message.stops {
            self.stop(stop, now);
        }
        for start in message.starts {
            self.begin(start, now);
        }
        if !self.awaits_answer && self.running < self.settings.busy_from {
            self.hold = None;
        }
        if message.heartbeat > 0 {
            self.logs.confirm(message.heartbeat);
            self.lease.heartbeat_answered(message.heartbeat);
        }
    }

    pub fn happened(&mut self, event: Event, now: Instant) {
        match event {
            Event::Progress(key, text) => {
                if let Some(Held::Running(running)) = self.held.get_mut(&key) {
                    if !text.is_empty() {
                        running.details.get_or_insert_default().progress = Some(text.as_str().into());
                    }
                    self.say(key, v1::report::What::Progress(text));
                }
            }
            Event::Used(key, AttemptDetails { memory_peak_bytes, cpu_ms, ran_ms, .. }) => {
                if let Some(Held::Running(running)) = self.held.get_mut(&key) {
                    let details = running.details.get_or_insert_default();
                    (details.memory_peak_bytes, details.cpu_ms, details.ran_ms) =
                        (memory_peak_bytes, cpu_ms, ran_ms);
                }
            }
            Event::Checkpoint(key, bytes) => {
                if let Some(Held::Running(running)) = self.held.get_mut(&key) {
                    running.checkpoint = Some(bytes.clone());
                    self.say(key, v1::report::What::Checkpoint(bytes));
                }
            }
            Event::ExtendMs(key, ms) => {
                self.extend_deadline(key, ms);
                match self.held.get_mut(&key) {
                    Some(Held::Running(running)) if !self.is_open => running.extend_ms += ms,
                    Some(Held::Running(_)) => self.say(key, v1::report::What::ExtendMs(ms)),
                    _ => {}
                }
            }
            Event::LogGrew(key, len) => self.logs.grew(key, len),
            Event::Kept(key) => {
                if let Some(Held::Running(running)) = self.held.get_mut(&key) {
                    running.kept = true;
                }
            }
            Event::Ended(key, outcome) => self.ended(key, outcome, now),
        }
    }

    fn ended(&mut self, key: Key, outcome: Outcome, now: Instant) {
        let Some(Held::Running(running)) = self.held.get_mut(&key) else {
            // Left to the successor.
            return;
        };
        let succeeded = matches!(outcome, Outcome::Success { .. });
        let checkpoint = running.checkpoint.take().filter(|_| !succeeded);
        let details = running.details.take();
        let (program, deadline, exclusive) = (running.program, running.deadline, running.exclusive);
        self.devices.give_back(&running.devices, &self.settings.capacity);
        let was_silent = !self.has_something_to_say();
        if let Some(at) = deadline {
            self.deadlines.remove(&(at, key));
        }
        self.lease.ended(exclusive);
        self.logs.ended(key);
        self.running -= 1;
        self.owe_with(key, Ended { outcome, details, checkpoint, spooled: false }, now);
        while self.running < self.settings.slots
            && let Some(next) = self.waiting.pop_front()
        {
            self.launch_waiting(next, now);
        }
        if !program || (self.running < self.settings.busy_from && !self.awaits_answer) {
            self.hold = None;
        } else if was_silent {
            self.hold = Some(now + results::HOLD);
        }
    }

    fn stop(&mut self, stop: v1::Stop, now: Instant) {
        let Some(key) = Key::from_wire(&stop.task, stop.fence) else {
            warn!("a stop names no task; ignored");
            return;
        };
        let order = StopOrder {
            grace: Duration::from_millis(stop.grace_ms),
            class: class_of(&stop.reason),
            reason: stop.reason,
        };
        match self.held.get(&key) {
            Some(Held::Running(running)) => running.order(order),
            Some(Held::Waiting(start)) => {
                self.lease.ended(start.exclusive);
                self.waiting.retain(|waiting| *waiting != key);
                self.owe(key, order.outcome(0), now);
            }
            // It has ended, or never came: the result or the next Hello says so.
            Some(Held::Ended(_)) | None => {}
        }
    }

    /// Takes nothing new, and gives back what has not begun.
    pub fn drain(&mut self) {
        self.is_draining = true;
        self.hold = None;
        self.outbox.say_draining();
        for key in std::mem::take(&mut self.waiting) {
            if let Some(Held::Waiting(start)) = self.held.remove(&key) {
                self.lease.ended(start.exclusive);
            }
            self.refuse(key, "the worker is leaving");
        }
        if self.settings.leave_kept {
            let (lease, deadlines) = (&mut self.lease, &mut self.deadlines);
            self.held.retain(|key, held| match held {
                Held::Running(running) if running.kept => {
                    lease.ended(running.exclusive);
                    if let Some(at) = running.deadline {
                        deadlines.remove(&(at, *key));
                    }
                    false
                }
                _ => true,
            });
            self.running = self.held.values().filter(|held| matches!(held, Held::Running(_))).count();
        }
    }

    /// Ends all that runs; gives the longest time that it may take.
    pub fn stop_all(&mut self) -> Duration {
        let mut longest = Duration::ZERO;
        for held in self.held.values() {
            if let Held::Running(running) = held {
                longest = longest.max(running.grace);
                running.order(StopOrder {
                    grace: running.grace,
                    class: FailureClass::Preempted,
                    reason: "the worker is leaving".into(),
                });
            }
        }
        longest
    }

    pub fn running(&self) -> usize {
        self.running
    }

    /// Nothing left to say, and every result acknowledged.
    pub fn is_settled(&self) -> bool {
        self.running == 0 && self.unacknowledged == 0 && !self.has_message()
    }

    fn say(&mut self, key: Key, what: v1::report::What) {
        if self.is_open {
            self.hold = None;
            self.outbox.say(key, what);
        }
    }

    fn refuse(&mut self, key: Key, why: &str) {
        self.say(key, v1::report::What::Refused(why.to_owned()));
    }
}

impl Running {
    fn order(&self, order: StopOrder) {
        // The first order counts: a second one must not prolong the grace.
        self.stop.send_if_modified(|known| {
            let is_first = known.is_none();
            known.get_or_insert(order);
            is_first
        });
    }
}

/// The server keeps its own reason; this is what a reader of the worker's report sees.
fn class_of(reason: &str) -> FailureClass {
    match reason {
        "hard_timeout" | "no_progress" | "timeout" => FailureClass::Timeout,
        "preempt" | "preempted" => FailureClass::Preempted,
        _ => FailureClass::Cancelled,
    }
}
