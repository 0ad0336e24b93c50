//! The shard's own thread: waits, hands in what came, carries out what comes out.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, after, never, select};
use mainspring_core::command::Command;
use mainspring_core::id::{ProcessId, RunId, Seq, TaskId};
use mainspring_core::time::Wall;
use mainspring_core::wait::FoundRun;
use mainspring_core::workflow::Run;
use mainspring_store::{AppendError, Cut, CutError, LiveRow, StoredTask};

use super::appender::AppendOrder;
use super::loader::LoaderOrder;
use super::{Followed, Measured, Meters, Outlet, RawClock, Reply};
use crate::shard::{Envelope, Output, Shard, StopCause};

/// Into the shard's mailbox.
pub(super) enum Message {
    Commands(Envelope<Reply>),
    Loaded {
        command: Command,
        reply: Reply,
        found: Option<Box<StoredTask>>,
    },
    LoadedRun {
        command: Command,
        reply: Reply,
        found: Option<Box<Run>>,
    },
    Paged(Vec<LiveRow>),
    PageFailed,
    PagedFor {
        process: ProcessId,
        rows: Option<(Vec<LiveRow>, bool)>,
    },
    RunFound {
        task: TaskId,
        run: RunId,
        found: FoundRun,
    },
    Barrier(u64),
    Figures,
    /// Calls it when the tables hold everything that anybody was told until now.
    Follow(Followed),
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
    /// `made`: when the cut was made.
    Cut {
        result: Result<(), CutError>,
        made: Wall,
    },
}

pub(super) struct ShardThread {
    pub(super) shard: Shard<Reply>,
    pub(super) inbox: Receiver<Message>,
    pub(super) returns: Receiver<Return>,
    pub(super) appends: Sender<AppendOrder>,
    pub(super) cuts: Sender<Arc<Cut>>,
    pub(super) loader: Sender<LoaderOrder>,
    pub(super) figures: Sender<Box<Measured>>,
    pub(super) meters: Meters,
    pub(super) stopped: Sender<Option<StopCause>>,
    pub(super) outlet: Outlet,
    pub(super) clock: RawClock,
}

/// Messages taken in before the shard makes its next step.
const DRAIN_MAX: usize = 256;
/// Wait before a cut that could not be written is offered again.
const CUT_RETRY: Duration = Duration::from_millis(250);
/// Callers that wait for the tables; those beyond are dropped, and go on with what the tables hold.
const FOLLOWING_MAX: usize = 4 * super::MAILBOX_MAX;

/// What the loop keeps between turns.
#[derive(Default)]
struct Turn {
    retry_append: Option<Instant>,
    retry_cut: Option<Instant>,
    /// Who waits until the tables hold a record, in the order of records.
    following: VecDeque<(Seq, Followed)>,
    stopping: bool,
    cause: Option<StopCause>,
}

impl ShardThread {
    pub(super) fn run(mut self) {
        let stopped = self.stopped.clone();
        let cause = catch_unwind(AssertUnwindSafe(|| self.turns())).unwrap_or_else(|panic| {
            let what = panic.downcast_ref::<&str>().map(ToString::to_string);
            let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Some(StopCause::Apply(format!("after record {}: {what}", self.shard.figures().durable)))
        });
        let _ = stopped.send(cause.clone());
        if let Some(cause) = cause {
            tracing::error!(%cause, "the shard stopped");
        }
    }

    fn turns(&mut self) -> Option<StopCause> {
        let mut turn = Turn::default();
        loop {
            self.carry_out(&mut turn);
            if turn.cause.is_some() || turn.stopping && self.shard.is_settled() {
                return turn.cause;
            }
            self.wait(&mut turn);
            self.drain(&mut turn);
            self.shard.set_unread(!self.inbox.is_empty());
            self.retry(&mut turn);
            if turn.stopping {
                self.shard.hurry_cut();
            }
            self.shard.step(self.clock.read());
            self.tell_lost();
        }
    }

    fn tell_lost(&mut self) {
        for lost in self.shard.take_lost() {
            tracing::warn!(worker = %lost.id, held = lost.held, "a worker was lost: silent for a whole lease");
        }
    }

    fn measured(&self) -> Measured {
        Measured {
            figures: self.shard.figures(),
            meters: self.meters.clone(),
            tally: self.shard.machine().tally().clone(),
            epoch: self.shard.epoch().get(),
        }
    }

    /// Sleeps until something comes in or is due. While the record being built is full, the mailbox waits.
    fn wait(&mut self, turn: &mut Turn) {
        let sleep = self.shard.sleep().map(|span| Duration::from_millis(span.get()));
        let retries = [turn.retry_append, turn.retry_cut].into_iter().flatten();
        let retry = retries.map(|at| at.saturating_duration_since(Instant::now())).min();
        let timeout = [sleep, retry].into_iter().flatten().min().map_or_else(never, after);
        let closed = never();
        let inbox = if self.shard.has_room() { &self.inbox } else { &closed };
        let mut came = None;
        select! {
            recv(self.returns) -> back => {
                if let Ok(back) = back {
                    self.take_return(back, turn);
                }
            }
            recv(inbox) -> message => came = Some(message),
            recv(timeout) -> _ => {}
        }
        match came {
            Some(Ok(message)) => self.take(message, turn),
            // Every handle is gone: nothing can come in any more.
            Some(Err(_)) => turn.stopping = true,
            None => {}
        }
    }

    fn drain(&mut self, turn: &mut Turn) {
        for _ in 0..DRAIN_MAX {
            if let Ok(back) = self.returns.try_recv() {
                self.take_return(back, turn);
            }
            if !self.shard.has_room() {
                return;
            }
            match self.inbox.try_recv() {
                Ok(message) => self.take(message, turn),
                Err(_) => return,
            }
        }
    }

    fn take(&mut self, message: Message, turn: &mut Turn) {
        let reading = self.clock.read();
        match message {
            Message::Commands(envelope) => self.shard.accept(envelope, reading),
            Message::Loaded { command, reply, found } => {
                self.shard.loaded(command, reply, found.map(|found| *found), reading);
            }
            Message::LoadedRun { command, reply, found } => {
                self.shard.loaded_run(command, reply, found, reading);
            }
            Message::Paged(rows) => self.shard.paged(rows, reading),
            Message::PageFailed => self.shard.page_failed(),
            Message::PagedFor { process, rows } => self.shard.paged_for(process, rows, reading),
            Message::RunFound { task, run, found } => self.shard.run_found(task, run, found, reading),
            Message::Barrier(barrier) => self.shard.barrier_passed(barrier),
            Message::Figures => {
                let _ = self.figures.try_send(Box::new(self.measured()));
            }
            Message::Follow(followed) => self.follow(followed, turn),
            Message::Stop => turn.stopping = true,
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
                    self.meters.appends_failed += 1;
                    let record = self.shard.figures().durable.get() + 1;
                    tracing::warn!(%error, record, events, bytes, "a record was refused by the journal");
                } else {
                    self.meters.appended(took, events, bytes);
                }
                self.shard.appended(result);
                if let Some(waits) = self.shard.take_waited() {
                    self.meters.released(&waits, self.clock.read().wall);
                }
            }
            Return::Cut { result, made } => {
                if let Err(error) = &result {
                    self.meters.cuts_failed += 1;
                    tracing::warn!(%error, "the tables could not be written");
                    turn.retry_cut = Some(Instant::now() + CUT_RETRY);
                } else {
                    self.meters.checkpoint_lag_ms.observe(self.clock.read().wall.since(made).get());
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
                Output::Append(record) => self.order(AppendOrder::Append(record)),
                Output::Trim(through) => self.order(AppendOrder::Trim(through)),
                Output::Cut(cut) => drop(self.cuts.send(cut)),
                Output::Load { id, command, reply } => self.load(LoaderOrder::Load { id, command, reply }),
                Output::LoadRun { id, command, reply } => {
                    self.load(LoaderOrder::LoadRun { id, command, reply });
                }
                Output::Page { after, until, limit } => self.load(LoaderOrder::Page { after, until, limit }),
                Output::PageFor { process, after, limit } => {
                    self.load(LoaderOrder::PageFor { process, after, limit });
                }
                Output::FindRun { task, run } => self.load(LoaderOrder::FindRun { task, run }),
                Output::Barrier(barrier) => self.load(LoaderOrder::Barrier(barrier)),
                Output::Answer { reply, results } => reply(results),
                Output::Effects(effects) => (self.outlet)(effects),
                Output::RetryAppend(wait) => {
                    turn.retry_append = Some(Instant::now() + Duration::from_millis(wait.get()));
                }
                Output::Stopped(cause) => turn.cause = Some(cause),
            }
        }
    }

    fn order(&self, order: AppendOrder) {
        // A writer that is gone has told why through its last return.
        let _ = self.appends.send(order);
    }

    fn load(&self, order: LoaderOrder) {
        let _ = self.loader.send(order);
    }
}
