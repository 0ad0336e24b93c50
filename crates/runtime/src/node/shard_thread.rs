//! The shard's own thread: waits, hands in what came, carries out what comes out.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Select, Sender};
use mainspring_core::engine::Command;
use mainspring_core::run::Run;
use mainspring_core::values::{Epoch, RunId, Seq, TaskId, Wall};
use mainspring_core::wait::FoundRun;
use mainspring_store::{AppendError, Cut, CutError, LiveRow, StoredTask};

use super::appender::AppendOrder;
use super::conditions::Source;
use super::health::{Health, Part};
use super::loader::LoaderOrder;
use super::queues::{Incoming, Outgoing};
use super::signs::Signs;
use super::{Effects, Followed, LOADS_KEPT_MAX, Measured, Meters, Outlet, RawClock, Reply, Told, news};
use crate::clock::{Doubt, Reading};
use crate::shard::{Envelope, FoundPage, Output, Shard, StopCause};

/// From the loader.
pub(super) enum Loaded {
    /// A caller's commands, with what the tables know of their keys.
    Commands(Envelope<Reply>),
    Task {
        command: Command,
        reply: Reply,
        found: Option<Box<StoredTask>>,
    },
    Run {
        command: Command,
        reply: Reply,
        found: Option<Box<Run>>,
    },
    Page(Vec<LiveRow>),
    PageFailed,
    /// `None`: it could not be read.
    PageFor(Option<FoundPage>),
    RunFound {
        task: TaskId,
        run: RunId,
        found: FoundRun,
    },
    /// A row that was asked for cannot be read.
    Damaged {
        row: String,
        why: String,
    },
    Barrier(u64),
}

/// What is taken in even while the record being built is full: none of it adds to a record.
pub(super) enum Control {
    Figures(Told),
    /// Calls it when the tables hold everything that anybody was told until now.
    Follow(Followed),
    /// Signs of life wait.
    Wake,
    Stop,
}

/// From the writers.
pub(super) enum Return {
    Appended {
        result: Result<(), AppendError>,
        took: Duration,
        events: u32,
        bytes: usize,
    },
    /// The next epoch, or why there is none.
    Renewed(Result<Epoch, AppendError>),
    /// `made`: when the cut was made.
    Cut {
        result: Result<(), CutError>,
        made: Wall,
    },
}

pub(super) struct ShardThread {
    pub(super) shard: Shard<Reply>,
    pub(super) inbox: Incoming<Envelope<Reply>>,
    pub(super) loaded: Incoming<Loaded>,
    pub(super) control: Incoming<Control>,
    pub(super) returns: Incoming<Return>,
    pub(super) appends: Outgoing<AppendOrder>,
    pub(super) cuts: Outgoing<Arc<Cut>>,
    pub(super) loads: Outgoing<LoaderOrder>,
    pub(super) meters: Meters,
    pub(super) signs: Arc<Signs>,
    pub(super) health: Arc<Health>,
    pub(super) stopped: Sender<Option<StopCause>>,
    pub(super) outlet: Outlet,
    pub(super) clock: RawClock,
}

/// Messages of each kind taken in before the shard makes its next step.
const TAKE_MAX: usize = 256;
/// The same in time: commands that take long do not keep the others from being answered.
const TAKE_TIME: Duration = Duration::from_millis(5);
/// Wait before a cut that could not be written is offered again; doubled with every failure that is not for want of
/// room.
const CUT_RETRY: Duration = Duration::from_millis(250);
const CUT_RETRY_MAX: Duration = Duration::from_secs(10);
/// Callers that wait for the tables; those beyond are dropped, and go on with what the tables hold.
const FOLLOWING_MAX: usize = 4 * super::MAILBOX_MAX;

/// What the loop keeps between turns.
#[derive(Default)]
struct Turn {
    retry_append: Option<Instant>,
    retry_cut: Option<Instant>,
    /// Cuts in a row that failed, but not for want of room.
    cuts_failed: u32,
    doubt: Option<Doubt>,
    /// Who waits until the tables hold a record, in the order of records.
    following: VecDeque<(Seq, Followed)>,
    stopping: bool,
    cause: Option<StopCause>,
}

impl Turn {
    fn cut_failed(&mut self, error: &CutError) {
        self.cuts_failed = if matches!(error, CutError::Full) { 0 } else { self.cuts_failed + 1 };
        let wait = CUT_RETRY * (1 << self.cuts_failed.saturating_sub(1).min(6));
        self.retry_cut = Some(Instant::now() + wait.min(CUT_RETRY_MAX));
    }
}

impl ShardThread {
    pub(super) fn run(mut self) {
        let stopped = self.stopped.clone();
        let cause = catch_unwind(AssertUnwindSafe(|| self.turns())).unwrap_or_else(|panic| {
            let what = panic.downcast_ref::<&str>().map(ToString::to_string);
            let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Some(self.shard.panicked(&what))
        });
        self.health.ended(Part::Shard);
        let _ = stopped.send(cause.clone());
        if let Some(cause) = cause {
            tracing::error!(%cause, "the shard stopped");
        }
    }

    fn turns(&mut self) -> Option<StopCause> {
        let mut turn = Turn::default();
        self.health.note_record(self.shard.figures().durable.get());
        loop {
            self.carry_out(&mut turn);
            if turn.cause.is_some() || turn.stopping && self.inbox.is_empty() && self.shard.is_settled() {
                return turn.cause;
            }
            self.health.ended(Part::Shard);
            self.wait(&turn);
            self.health.began(Part::Shard);
            let began = Instant::now();
            self.take_in(&mut turn, began);
            self.shard.set_unread(!self.inbox.is_empty());
            self.retry(&mut turn);
            if turn.stopping {
                self.shard.hurry_cut();
            }
            for (worker, session) in self.signs.take() {
                self.shard.heard(worker, session, self.clock.read());
            }
            self.shard.step(self.read_clock());
            self.tell_clock(&mut turn);
            news::lost(&self.shard.take_lost());
            news::panicked(self.shard.take_panics());
            news::quarantined(&self.shard.take_quarantined());
            self.meters.turn_us.observe(began.elapsed().as_micros() as u64);
        }
    }

    /// The kernel is asked about the clock only while that is in doubt.
    fn read_clock(&self) -> Reading {
        if self.shard.clock().is_in_doubt() { self.clock.read_verified() } else { self.clock.read() }
    }

    fn tell_clock(&self, turn: &mut Turn) {
        let doubt = self.shard.clock().doubt();
        if doubt == turn.doubt {
            return;
        }
        self.health.conditions.clock(doubt);
        news::clock(turn.doubt, doubt);
        turn.doubt = doubt;
    }

    fn measured(&self) -> Measured {
        Measured {
            figures: self.shard.figures(),
            meters: self.meters.clone(),
            tally: self.shard.engine().tally().clone(),
            epoch: self.shard.epoch().get(),
            doubt: self.shard.clock().doubt(),
        }
    }

    /// Sleeps until something can be taken in or sent, or is due. While the record being built is full, commands and
    /// what was loaded wait.
    fn wait(&self, turn: &Turn) {
        let sleep = self.shard.sleep().map(|span| Duration::from_millis(span.get()));
        let retries = [turn.retry_append, turn.retry_cut].into_iter().flatten();
        let retry = retries.map(|at| at.saturating_duration_since(Instant::now())).min();
        let mut select = Select::new();
        self.returns.wait_in(&mut select);
        self.control.wait_in(&mut select);
        if self.shard.has_room() {
            self.loaded.wait_in(&mut select);
        }
        if self.takes_commands() {
            self.inbox.wait_in(&mut select);
        }
        self.appends.wait_in(&mut select);
        self.cuts.wait_in(&mut select);
        self.loads.wait_in(&mut select);
        match [sleep, retry].into_iter().flatten().min() {
            Some(timeout) => drop(select.ready_timeout(timeout)),
            None => drop(select.ready()),
        }
    }

    /// A command may need the tables, so none is taken in while too much waits for the loader.
    fn takes_commands(&self) -> bool {
        self.shard.has_room() && self.loads.kept() < LOADS_KEPT_MAX
    }

    fn take_in(&mut self, turn: &mut Turn, began: Instant) {
        self.appends.flush();
        self.cuts.flush();
        self.loads.flush();
        for _ in 0..TAKE_MAX {
            let Some(control) = self.control.take() else { break };
            self.take_control(control, turn);
        }
        // Every handle is gone: nothing can come in any more.
        turn.stopping |= !self.control.is_open();
        for _ in 0..TAKE_MAX {
            let back = self.returns.take().map(|back| self.take_return(back, turn));
            let loaded = if self.shard.has_room() { self.loaded.take() } else { None };
            let loaded = loaded.map(|loaded| self.take_loaded(loaded));
            let envelope = if self.takes_commands() { self.inbox.take() } else { None };
            let envelope = envelope.map(|envelope| self.shard.accept(envelope, self.clock.read()));
            if back.or(loaded).or(envelope).is_none() || began.elapsed() > TAKE_TIME {
                return;
            }
        }
    }

    fn take_control(&mut self, control: Control, turn: &mut Turn) {
        match control {
            Control::Figures(told) => told(Box::new(self.measured())),
            Control::Follow(followed) => self.follow(followed, turn),
            Control::Wake => {}
            Control::Stop => turn.stopping = true,
        }
    }

    fn take_loaded(&mut self, loaded: Loaded) {
        let reading = self.clock.read();
        match loaded {
            Loaded::Commands(envelope) => self.shard.accept(envelope, reading),
            Loaded::Task { command, reply, found } => {
                self.shard.loaded(command, reply, found.map(|found| *found), reading);
            }
            Loaded::Run { command, reply, found } => self.shard.loaded_run(command, reply, found, reading),
            Loaded::Page(rows) => self.shard.paged(rows, reading),
            Loaded::PageFailed => self.shard.page_failed(),
            Loaded::PageFor(found) => self.shard.paged_for(found, reading),
            Loaded::RunFound { task, run, found } => self.shard.run_found(task, run, found, reading),
            Loaded::Damaged { row, why } => drop(self.shard.quarantine(row, why)),
            Loaded::Barrier(barrier) => self.shard.barrier_passed(barrier),
        }
    }

    fn follow(&mut self, followed: Followed, turn: &mut Turn) {
        let record = self.shard.want_tables();
        if self.shard.tables_hold(record) {
            followed();
        } else if turn.following.len() < FOLLOWING_MAX {
            turn.following.push_back((record, followed));
        }
    }

    fn take_return(&mut self, back: Return, turn: &mut Turn) {
        match back {
            Return::Appended { result, took, events, bytes } => {
                if let Err(error) = &result {
                    self.health.conditions.append_failed(error);
                    self.meters.appends_failed += 1;
                    let record = self.shard.figures().durable.get() + 1;
                    tracing::warn!(%error, record, events, bytes, "a record was refused by the journal");
                } else {
                    self.health.conditions.well(Source::Journal);
                    self.meters.appended(took, events, bytes);
                }
                self.shard.appended(result);
                // Before the answers of the record leave.
                self.health.note_record(self.shard.figures().durable.get());
                if let Some(waits) = self.shard.take_waited() {
                    self.meters.released(&waits, self.shard.tell_time(self.clock.read()).wall);
                }
            }
            Return::Renewed(result) => {
                if let Ok(epoch) = &result {
                    tracing::info!(%epoch, "fences of the old epoch were used up: a new one was taken");
                }
                self.shard.renewed(result);
            }
            Return::Cut { result, made } => {
                if let Err(error) = &result {
                    self.meters.cuts_failed += 1;
                    self.health.conditions.cut_failed(error);
                    tracing::warn!(%error, "the tables could not be written");
                    turn.cut_failed(error);
                } else {
                    self.health.conditions.well(Source::Tables);
                    turn.cuts_failed = 0;
                    let now = self.shard.tell_time(self.clock.read()).wall;
                    self.meters.checkpoint_lag_ms.observe(now.since(made).get());
                }
                self.shard.cut_done(result);
                let held = |(record, _): &mut _| self.shard.tables_hold(*record);
                while let Some((_, followed)) = turn.following.pop_front_if(held) {
                    followed();
                }
            }
        }
    }

    fn retry(&mut self, turn: &mut Turn) {
        let now = Instant::now();
        if turn.retry_append.is_some_and(|at| at <= now) {
            turn.retry_append = None;
            self.shard.retry_append();
        }
        if turn.retry_cut.is_some_and(|at| at <= now) {
            turn.retry_cut = None;
            self.shard.retry_cut();
        }
    }

    fn carry_out(&mut self, turn: &mut Turn) {
        while let Some(output) = self.shard.poll() {
            match output {
                Output::Append(record) => self.appends.send(AppendOrder::Append(record)),
                Output::Renew => self.appends.send(AppendOrder::Renew),
                Output::Trim(through) => self.appends.send(AppendOrder::Trim(through)),
                Output::Cut(cut) => self.cuts.send(cut),
                Output::Load { id, command, reply } => {
                    self.loads.send(LoaderOrder::Load { id, command, reply });
                }
                Output::LoadRun { id, command, reply } => {
                    self.loads.send(LoaderOrder::LoadRun { id, command, reply });
                }
                Output::Page { after, until, limit } => {
                    self.loads.send(LoaderOrder::Page { after, until, limit });
                }
                Output::PageFor { wanted, limit } => self.loads.send(LoaderOrder::PageFor { wanted, limit }),
                Output::FindRun { task, run } => self.loads.send(LoaderOrder::FindRun { task, run }),
                Output::Barrier(barrier) => self.loads.send(LoaderOrder::Barrier(barrier)),
                Output::Answer { reply, results } => reply(results),
                Output::Effects(effects) => {
                    let (epoch, record) = (self.shard.epoch(), self.shard.durable());
                    (self.outlet)(Effects { epoch, record, effects });
                }
                Output::RetryAppend(wait) => {
                    turn.retry_append = Some(Instant::now() + Duration::from_millis(wait.get()));
                }
                Output::Stopped(cause) => turn.cause = Some(cause),
            }
        }
    }
}
