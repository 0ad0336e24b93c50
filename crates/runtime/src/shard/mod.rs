//! A shard without I/O: inputs are calls, outputs are taken with [`Shard::poll`]. Whoever drives it (threads
//! or the simulator) carries the outputs out and reports back.
//!
//! ```text
//! accept ─▶ engine: decide, apply ──▶ record being built ─▶ Append ─▶ appended ─▶ answers, effects
//!                                            └▶ cut at a record's end ─▶ Cut ─▶ cut_done ─▶ Trim, Barrier
//! ```

mod checkpoint;
mod commit;
mod entities;
mod held;
mod load;
mod operations;
mod paging;
mod quarantine;
mod recover;
mod recover_runs;
mod renew;
mod retention;
mod run_rows;
mod runs;
#[cfg(test)]
mod tests;
mod unwritten;

use std::collections::VecDeque;
use std::sync::Arc;

use mainspring_core::decision::{Effect, Rejection};
use mainspring_core::engine::{Answer, Batch, Command, Engine, LostWorker, Panicked, QueueTimes, WantedPage};
use mainspring_core::values::{Epoch, Millis, Now, RunId, Seq, Session, TaskId, Wall, WorkerId};
use mainspring_core::worker::decide::SessionCommand;
use mainspring_store::format::{EncodedProfiles, ProfileCache};
use mainspring_store::{Cut, Record};

use self::{
    checkpoint::Checkpoints, commit::Building, commit::InFlight, paging::Pager, quarantine::Quarantine,
    renew::Renewal, retention::Retention,
};
pub use self::{
    held::Replies,
    operations::{FoundPage, find_page},
    recover::Recovered,
    runs::{LoadError, find_run, load_runs},
};
use crate::clock::{Reading, ShardClock};
use crate::config::ShardConfig;

/// A clock in doubt is looked at this often, also if nothing else happens.
const DOUBT_EVERY: Millis = Millis::from_secs(1);

/// Commands that are answered together.
#[derive(Debug)]
pub struct Envelope<R> {
    pub commands: Vec<Command>,
    pub reply: R,
}

/// What the driver must do. `Append`, `Cut`, `Load`, `Page` and `Barrier` are answered with a call.
#[derive(Debug)]
pub enum Output<R> {
    /// Make the record durable, then call [`Shard::appended`]. At most one at a time.
    Append(Arc<Record>),
    /// Write the cut, then call [`Shard::cut_done`]. At most one at a time.
    Cut(Arc<Cut>),
    /// Records at or before this one are no longer needed.
    Trim(Seq),
    /// Look the task up in the tables, then call [`Shard::loaded`].
    Load {
        id: TaskId,
        command: Command,
        reply: R,
    },
    /// Look the run up in the tables, then call [`Shard::loaded_run`].
    LoadRun {
        id: RunId,
        command: Command,
        reply: R,
    },
    /// Read a page of parked tasks by due time, then call [`Shard::paged`].
    Page {
        after: (Wall, TaskId),
        until: Wall,
        limit: usize,
    },
    /// Read a page of rows for an operation with [`find_page`], then call [`Shard::paged_for`].
    PageFor {
        wanted: WantedPage,
        limit: usize,
    },
    /// Look up how this run ended, for a task that waits for it, then call [`Shard::run_found`].
    FindRun {
        task: TaskId,
        run: RunId,
    },
    /// Call [`Shard::barrier_passed`] once every load and page that was begun before has been answered.
    Barrier(u64),
    Answer {
        reply: R,
        results: Replies,
    },
    Effects(Vec<Effect>),
    /// Take the next epoch from the journal, then call [`Shard::renewed`]. No append is under way.
    Renew,
    /// The journal cannot be written for now; offer the same record again after this long.
    RetryAppend(Millis),
    /// The shard has another owner, or cannot go on; its memory must be dropped.
    Stopped(StopCause),
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StopCause {
    #[error("a newer owner has taken over (epoch {newest})")]
    NotOwner { newest: Epoch },
    #[error("the journal could not be written for good: {0}")]
    Broken(String),
    #[error("the tables could not be written for good: {0}")]
    Tables(String),
    /// A row could not be read, or a panic came while a record was applied.
    #[error("journal and tables contradict each other, or a rule is wrong: {0}")]
    Apply(String),
    /// Outside of any record that was being applied.
    #[error("the engine panicked, which is a bug: {0}")]
    Panicked(String),
}

pub struct Shard<R> {
    config: ShardConfig,
    engine: Engine,
    clock: ShardClock,
    epoch: Epoch,
    renewal: Renewal,
    building: Building<R>,
    in_flight: Option<InFlight<R>>,
    durable: Seq,
    checkpoints: Checkpoints,
    retention: Retention,
    pager: Pager,
    quarantine: Quarantine,
    profiles_out: EncodedProfiles,
    profiles_in: ProfileCache,
    outputs: VecDeque<Output<R>>,
    /// Room that is used again: what a command brought about, and the bytes of a record.
    batch: Batch,
    spare_body: Vec<u8>,
    waited: Option<Box<QueueTimes>>,
    stopped: bool,
}

/// Figures for metrics and for the simulator.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ShardFigures {
    pub durable: Seq,
    pub checkpointed: Seq,
    pub lag_events: u64,
    pub lag_bytes: u64,
    pub in_memory: usize,
    pub recent_keys: usize,
    pub schedules_armed: usize,
    /// Everything due at or before this is in memory; later tasks may be parked.
    pub paged_until: Wall,
}

impl<R> Shard<R> {
    pub fn poll(&mut self) -> Option<Output<R>> {
        self.outputs.pop_front()
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The newest record that is durable.
    pub fn durable(&self) -> Seq {
        self.durable
    }

    pub fn figures(&self) -> ShardFigures {
        ShardFigures {
            durable: self.durable,
            checkpointed: self.checkpoints.done(),
            lag_events: self.checkpoints.lag_events(),
            lag_bytes: self.checkpoints.lag_bytes(),
            in_memory: self.engine.state().tasks().len(),
            recent_keys: self.engine.state().keys().len(),
            schedules_armed: self.engine.schedules_armed(),
            paged_until: self.pager.holds_until(),
        }
    }

    /// How long the tasks had waited whose start orders left with the record that became durable last; once.
    pub fn take_waited(&mut self) -> Option<Box<QueueTimes>> {
        self.waited.take()
    }

    /// Decisions that panicked since this was last asked.
    pub fn take_panics(&mut self) -> Vec<Panicked> {
        self.engine.take_panics()
    }

    /// Why the shard cannot go on after a panic.
    pub fn panicked(&self, message: &str) -> StopCause {
        if self.engine.is_applying() {
            StopCause::Apply(format!("while record {} was applied: {message}", self.building.seq))
        } else {
            StopCause::Panicked(format!("after record {}: {message}", self.durable))
        }
    }

    /// Workers that were lost since this was last asked.
    pub fn take_lost(&mut self) -> Vec<LostWorker> {
        self.engine.take_lost()
    }

    /// Whether the record being built has room for more commands.
    pub fn has_room(&self) -> bool {
        !self.stopped
            && self.renewal == Renewal::None
            && self.building.events < self.config.record_events_max as u32
            && self.building.body.len() < self.config.record_bytes_max
            && self.building.held.answers() < self.config.record_events_max
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Handles commands; their answers come out when everything they saw is durable.
    pub fn accept(&mut self, envelope: Envelope<R>, reading: Reading) {
        if self.stopped {
            return;
        }
        self.refresh(reading);
        let greets = matches!(envelope.commands.first(), Some(Command::Session(SessionCommand::Hello(_))));
        let mut results = Replies::with_capacity(envelope.commands.len());
        let mut commands = envelope.commands.into_iter();
        // A lone command on a task that is not in memory may need the tables; in a batch it is refused as unknown.
        if commands.len() == 1
            && let Some(command) = commands.next()
        {
            if let Some(id) = self.needs_run(&command) {
                self.outputs.push_back(Output::LoadRun { id, command, reply: envelope.reply });
                return;
            }
            match self.needs_load(&command) {
                Some(id) => {
                    self.outputs.push_back(Output::Load { id, command, reply: envelope.reply });
                    return;
                }
                None => results.push(self.handle(command)),
            }
        }
        results.extend(commands.map(|command| self.handle_in_batch(command)));
        if greets {
            // Sessions are in no record: a worker that waits for its welcome must not wait for a slow journal.
            self.outputs.push_back(Output::Answer { reply: envelope.reply, results });
        } else {
            self.hold_answer(envelope.reply, results);
        }
    }

    fn handle_in_batch(&mut self, command: Command) -> Result<Answer, Rejection> {
        if matches!(command, Command::Submit(_)) && self.needs_load(&command).is_some() {
            return Err(Rejection::Internal { what: "a submission that is sent again must come alone" });
        }
        self.handle(command)
    }

    /// Runs what time has made due, places tasks, seals a record if the journal is free, and cuts if it is time.
    pub fn step(&mut self, reading: Reading) {
        if self.stopped {
            return;
        }
        self.refresh(reading);
        self.renew_if_due();
        self.engine.listen(self.listens());
        let room = self.config.record_events_max.saturating_sub(self.building.events as usize);
        if room > 0 && self.renewal == Renewal::None {
            let mut batch = std::mem::take(&mut self.batch);
            self.engine.step(&mut batch, room);
            self.absorb(batch);
        }
        self.seal_if_free();
        self.cut_if_due();
        self.page_if_due();
    }

    /// A worker has spoken over its session. Called before [`Shard::step`] judges who was silent, and not held up by the
    /// journal: it adds nothing to a record.
    pub fn heard(&mut self, worker: WorkerId, session: Session, reading: Reading) {
        if self.stopped {
            return;
        }
        self.refresh(reading);
        // Never refused, answered to no one.
        let _ = self.handle(Command::Session(SessionCommand::Heartbeat { worker, session }));
    }

    /// Not while commands must wait because the record being built is full, and not while the journal is slow: start
    /// orders and what workers are told wait for it.
    fn listens(&self) -> bool {
        let (present, pause_max) = (self.engine.present(), self.engine.pause_max());
        let slow = |in_flight: &InFlight<R>| present.since(in_flight.sealed) > pause_max;
        self.has_room() && !self.in_flight.as_ref().is_some_and(slow)
    }

    /// The instant that is believed.
    pub fn tell_time(&mut self, reading: Reading) -> Now {
        self.clock.now(reading)
    }

    /// Tells how far the wall clock is believed, and when to ask the kernel about it.
    pub fn clock(&self) -> &ShardClock {
        &self.clock
    }

    /// Whether messages are left in the mailbox; see `Engine::set_unread`.
    pub fn set_unread(&mut self, unread: bool) {
        self.engine.set_unread(unread);
    }

    /// How long the driver may sleep if nothing comes in. `None` = until something comes in.
    pub fn sleep(&self) -> Option<Millis> {
        if self.is_renewing() {
            // What is waited for comes from the journal and the tables.
            return None;
        }
        let own = if self.building.events == 0 {
            let wake = self.engine.next_wake();
            self.clock.until(wake.elapsed, wake.wall)
        } else {
            // The instant stands still until this record is sealed, and so do the timers: waking for one would be a
            // loop without end. Work that needs no timer goes on while there is room.
            let room = (self.building.events as usize) < self.config.record_events_max;
            (room && self.engine.has_work()).then_some(Millis::ZERO)
        };
        // Turns follow each other closely enough that a longer pause is a stall.
        let listen = self.engine.must_listen().then(|| Millis::new(self.engine.pause_max().get() / 2));
        let doubt = self.clock.is_in_doubt().then_some(DOUBT_EVERY);
        let page = self.pager.next_in(self.engine.state().now.wall);
        [own, listen, doubt, self.cut_in(), page].into_iter().flatten().min()
    }

    pub(crate) fn handle(&mut self, command: Command) -> Result<Answer, Rejection> {
        if let Command::Quarantine(command) = &command {
            return self.on_quarantine(command);
        }
        let mut batch = std::mem::take(&mut self.batch);
        let result = self.engine.handle(command, &mut batch);
        self.absorb(batch);
        result
    }

    /// The instant of the record being built stands still once it holds an event.
    fn refresh(&mut self, reading: Reading) {
        let now = self.clock.now(reading);
        if self.building.events == 0 {
            self.engine.begin(self.building.seq, now);
        }
        self.engine.set_present(now.elapsed);
        self.engine.set_pressure(self.pressure());
    }

    fn stop(&mut self, cause: StopCause) {
        self.stopped = true;
        self.in_flight = None;
        self.outputs.clear();
        self.outputs.push_back(Output::Stopped(cause));
    }
}
