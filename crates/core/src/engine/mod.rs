//! The engine: the shard's state, its timers, its queues and its workers, moved by commands and by time.
//! Entry: [`Engine`]. The runtime and the simulator drive it the same way: [`Engine::begin`] a record, then
//! [`Engine::handle`] commands and [`Engine::step`].
//! - MA-1 the state changes only by applied events; timers, queues and workers follow every change (`follow`)
//! - MA-2 what the state owes the world (`owed`) is armed, after every step and after every recovery
//! - MA-3 effects and answers are outputs; the caller releases them when their record is durable
//!
//! Not here: bytes, threads, durability (`mainspring-runtime`).

// What comes in: a command, a report, a hello, an outside event, or only time.
mod attention;
mod by_actor;
mod command;
mod commands;
mod due;
mod handle;
mod keyed;
mod publish;
mod read_answer;
mod report;
mod run_commands;
mod schedule_edits;
mod session;
mod step;
mod timers;

// The one way through: a rule decides, its events are applied, and everything kept beside the state follows.
mod commit;
mod decide;
mod follow;
mod remedy;

// What goes on by itself: the work list, and what is taken in bounded steps.
mod advance;
mod announce;
mod backfills;
mod bulk;
mod place;
mod reap;
mod schedules;
mod wait;

// What the state owes, and who looks again.
mod derived;
mod owed;
mod paging;
mod quarantine;
mod sweep;
mod watch;

// What is told.
mod answer;
mod feed;
pub mod question;
mod queue_times;
mod tally;

#[cfg(test)]
mod tests;

pub use self::bulk::WantedPage;
pub use self::by_actor::ByActor;
pub use self::command::{Answer, Command, Configure};
pub use self::decide::{PanicSubject, Panicked};
pub use self::keyed::Keyed;
pub use self::owed::{Debt, Unpaid};
pub use self::quarantine::{QuarantineCommand, QuarantinedRow};
pub use self::queue_times::QueueTimes;
pub use self::reap::{BLAME_HELD_MAX, MASS_LOSS_MIN, REAP_STEP_MAX};
pub use self::tally::{AttemptEnd, Tally};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

use self::attention::Attention;
use self::place::RecentGrants;
use self::reap::Reaping;
use self::schedules::DueSchedules;
use self::sweep::Sweep;
use self::timers::Timers;
use crate::decision::{Effect, Mark, RetryState};
use crate::dispatch::Dispatcher;
use crate::event::Event;
use crate::retry::{RetryBudgets, RetryCounts, RetryRates};
use crate::run::{Evaluate, NoTexts, Pace};
use crate::state::State;
use crate::values::{Breaks, Chance, Elapsed, Epoch, Limits, Now, Pressure, Seq, TaskIndex, Wall, WorkerId};
use crate::wait::WaitIndex;
use crate::work::WorkList;
use crate::worker::Workers;

/// What the commands of one record have brought about so far.
#[derive(Debug, Default)]
pub struct Batch {
    pub events: Vec<Event>,
    pub effects: Vec<Effect>,
}

/// Things counted since the engine was made; the caller turns them into metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub stale_reports: u64,
    pub duplicate_reports: u64,
    pub workers_lost: u64,
    pub attempts_lost: u64,
    pub unassigned: u64,
    pub swept_up: u64,
    /// Decisions that panicked and were taken back.
    pub panics: u64,
    pub runs_late: u64,
    pub runs_overdue: u64,
    pub runs_quiet: u64,
    pub runs_stalled: u64,
    /// Schedules that were on and had no timer.
    pub schedules_unarmed: u64,
    pub retries: RetryCounts,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EngineConfig {
    pub limits: Limits,
    pub retry_rates: RetryRates,
    pub seed: u64,
    /// Whether live views of every change are wanted.
    pub watch: bool,
    pub breaks: Breaks,
}

#[derive(Debug)]
pub struct Engine {
    config: EngineConfig,
    state: State,
    dispatcher: Dispatcher,
    workers: Workers,
    timers: Timers,
    /// What must be looked at in the next steps.
    work: WorkList,
    /// What a decision wants noted in memory.
    marks: Vec<Mark>,
    /// How fast all runs together release tasks.
    pace: Pace,
    retry_state: RetryState,
    /// Since when words of workers may lie unread; `None` when everything that came was taken in.
    unread_since: Option<Elapsed>,
    attention: Attention,
    reaping: Reaping,
    recent: RecentGrants,
    sweep: Sweep,
    pressure: Pressure,
    /// The present instant; it goes on while the record being built, and with it `state.now`, stands still.
    present: Elapsed,
    counts: Counts,
    tally: Tally,
    /// Of the tasks placed in the record being built.
    queue_times: Box<QueueTimes>,
    /// Lost and not yet told of; see [`Engine::take_lost`].
    lost: Vec<LostWorker>,
    due_schedules: DueSchedules,
    wait_index: WaitIndex,
    /// Waits that events may still end in the record being built.
    event_waits_left: u32,
    /// Soft: how far the oldest of the deliveries in `state.operations` has come.
    delivered_to: TaskIndex,
    /// Ends that triggers and waits may want, in the record that has them.
    ends: VecDeque<announce::AnnouncedEnd>,
    /// Events that announcements may still make in the record being built.
    announced_left: u32,
    /// Bytes of texts that may still be parsed in this step.
    parse_left: usize,
    /// An event is being applied.
    is_applying: bool,
    /// Decisions that panicked and are not yet in the log.
    panics: Vec<Panicked>,
    evaluate: Arc<dyn Evaluate>,
    has_listeners: bool,
    /// Counts the news of this owner.
    told: Cell<u64>,
    /// When listeners were last told that an operation goes on.
    advanced_told: Cell<Elapsed>,
}

/// A worker of which nothing was heard for a whole lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LostWorker {
    pub id: WorkerId,
    /// Attempts that it held.
    pub held: u32,
}

/// When the engine next wants to be woken; either clock may come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wake {
    pub elapsed: Option<Elapsed>,
    pub wall: Option<Wall>,
}

impl Engine {
    pub fn new(config: EngineConfig) -> Self {
        Self::with_state(config, State::default())
    }

    /// With what was loaded and replayed. [`Engine::start_epoch`] and [`Engine::recover`] follow.
    pub fn with_state(config: EngineConfig, state: State) -> Self {
        Self {
            config,
            state,
            dispatcher: Dispatcher::new(config.seed),
            workers: Workers::default(),
            timers: Timers::default(),
            work: WorkList::default(),
            marks: Vec::new(),
            pace: Pace::default(),
            retry_state: RetryState::new(Chance::new(config.seed), RetryBudgets::new(config.retry_rates)),
            unread_since: None,
            attention: Attention::default(),
            reaping: Reaping::default(),
            recent: RecentGrants::default(),
            sweep: Sweep::default(),
            pressure: Pressure::None,
            present: Elapsed::ZERO,
            counts: Counts::default(),
            tally: Tally::default(),
            queue_times: Box::default(),
            lost: Vec::new(),
            due_schedules: DueSchedules::default(),
            wait_index: WaitIndex::new(config.breaks.own_event_wait),
            event_waits_left: config.limits.event_waits_per_record,
            delivered_to: TaskIndex::default(),
            ends: VecDeque::new(),
            announced_left: config.limits.announced_per_record,
            parse_left: 0,
            is_applying: false,
            panics: Vec::new(),
            evaluate: Arc::new(NoTexts),
            has_listeners: false,
            told: Cell::new(0),
            advanced_told: Cell::new(Elapsed::ZERO),
        }
    }

    /// Who understands the texts of plans.
    pub fn set_evaluate(&mut self, evaluate: Arc<dyn Evaluate>) {
        self.retry_state.set_evaluate(evaluate.clone());
        self.evaluate = evaluate;
    }

    /// Begins a record; its commands share `now`.
    pub fn begin(&mut self, seq: Seq, now: Now) {
        self.state.begin(seq, now);
        self.event_waits_left = self.config.limits.event_waits_per_record;
        self.announced_left = self.config.limits.announced_per_record;
        self.set_present(now.elapsed);
    }

    /// An owner takes the shard, or goes on under its next epoch.
    pub fn start_epoch(&mut self, epoch: Epoch, batch: &mut Batch) {
        self.commit_one(Event::EpochStarted { epoch }, batch);
    }

    /// Says how late it is when no record is begun. A worker that is heard while the journal is slow is heard now,
    /// not when the record was begun.
    pub fn set_present(&mut self, elapsed: Elapsed) {
        self.present = self.present.max(elapsed);
    }

    /// The present instant, as far as the engine was told.
    pub fn present(&self) -> Elapsed {
        self.present
    }

    /// Whether messages are left that were not taken in. A worker whose heartbeat may be among them is not judged, for
    /// one lease at most: after a stall of ours nobody is lost for it.
    pub fn set_unread(&mut self, unread: bool) {
        self.unread_since = unread.then(|| self.unread_since.unwrap_or(self.present));
    }

    /// Whether an event was being applied when a panic ended it all.
    pub fn is_applying(&self) -> bool {
        self.is_applying
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    pub fn limits(&self) -> &Limits {
        &self.config.limits
    }

    pub fn counts(&self) -> Counts {
        Counts { retries: self.retry_state.retry_counts(), ..self.counts }
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How long the tasks had waited that were placed since this was last asked.
    pub fn take_queue_times(&mut self) -> Box<QueueTimes> {
        std::mem::take(&mut self.queue_times)
    }

    /// Workers lost since this was last asked, for the log; of very many only the first.
    pub fn take_lost(&mut self) -> Vec<LostWorker> {
        std::mem::take(&mut self.lost)
    }

    pub fn set_pressure(&mut self, pressure: Pressure) {
        self.pressure = pressure;
    }

    pub fn next_wake(&self) -> Wake {
        // When the next record begins there is room for them.
        let operations = &self.state.operations;
        let waits_for_room = operations.has_deliveries() || operations.has_announcements();
        if self.has_work() || waits_for_room {
            return Wake { elapsed: Some(self.state.now.elapsed), wall: None };
        }
        let sweep = self.sweep.next_at(&self.state, &self.config.limits);
        let (elapsed, wall) = self.timers.next_wake();
        let retry = self.state.backfills.next_retry();
        let wall = [wall, retry].into_iter().flatten().min();
        Wake { elapsed: [elapsed, sweep].into_iter().flatten().min(), wall }
    }

    /// Whether a further step would do something at once, without any command or timer.
    pub fn has_work(&self) -> bool {
        let listed = self.work.has_runs() || self.has_schedule_work() || self.has_backfill_work();
        let announcements = self.has_announcements();
        !self.reaping.is_empty() || self.has_bulk_work() || listed || self.has_wait_work() || announcements
    }
}
