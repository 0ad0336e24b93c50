//! A shard without I/O: inputs are calls, outputs are taken with [`Shard::poll`]. Whoever drives it (threads
//! or the simulator) carries the outputs out and reports back.
//!
//! ```text
//! accept ─▶ machine: decide, apply ─▶ record being built ─▶ Append ─▶ appended ─▶ answers, effects
//!                                            └▶ cut at a record's end ─▶ Cut ─▶ cut_done ─▶ Trim, Barrier
//! ```

mod backfills;
mod checkpoint;
mod commit;
mod flows;
mod held;
mod load;
mod paging;
mod recover;
mod schedules;
#[cfg(test)]
mod tests;
mod triggers;

use std::collections::VecDeque;
use std::sync::Arc;

use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::effect::Effect;
use mainspring_core::id::{Epoch, ProcessId, RunId, Seq, TaskId};
use mainspring_core::machine::{Batch, LostWorker, Machine, Waits};
use mainspring_core::time::{Millis, Wall};
use mainspring_store::format::{EncodedProfiles, ProfileCache};
use mainspring_store::{Cut, Record};

use self::{checkpoint::Checkpoints, commit::Building, commit::InFlight, paging::Pager};
pub use self::{
    flows::{LoadError, find_run},
    held::Replies,
    recover::Recovered,
};
use crate::clock::{Reading, ShardClock};
use crate::config::ShardConfig;

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
    /// Read a page of parked tasks by id for this process, then send it `ContinueProcess`.
    PageFor {
        process: ProcessId,
        after: TaskId,
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
    #[error("journal and tables contradict each other: {0}")]
    Apply(String),
}

pub struct Shard<R> {
    config: ShardConfig,
    machine: Machine,
    clock: ShardClock,
    epoch: Epoch,
    building: Building<R>,
    in_flight: Option<InFlight<R>>,
    durable: Seq,
    checkpoints: Checkpoints,
    pager: Pager,
    profiles_out: EncodedProfiles,
    profiles_in: ProfileCache,
    outputs: VecDeque<Output<R>>,
    /// Room that is used again: what a command brought about, and the bytes of a record.
    batch: Batch,
    spare_body: Vec<u8>,
    waited: Option<Box<Waits>>,
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

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    pub fn figures(&self) -> ShardFigures {
        ShardFigures {
            durable: self.durable,
            checkpointed: self.checkpoints.done(),
            lag_events: self.checkpoints.lag_events(),
            lag_bytes: self.checkpoints.lag_bytes(),
            in_memory: self.machine.state().tasks().len(),
            recent_keys: self.machine.state().keys().len(),
            schedules_armed: self.machine.schedules_armed(),
            paged_until: self.pager.holds_until(),
        }
    }

    /// How long the tasks had waited whose start orders left with the record that became durable last; once.
    pub fn take_waited(&mut self) -> Option<Box<Waits>> {
        self.waited.take()
    }

    /// Workers that were lost since this was last asked.
    pub fn take_lost(&mut self) -> Vec<LostWorker> {
        self.machine.take_lost()
    }

    /// Whether the record being built has room for more commands.
    pub fn has_room(&self) -> bool {
        !self.stopped
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
        self.hold_answer(envelope.reply, results);
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
        let room = self.config.record_events_max.saturating_sub(self.building.events as usize);
        if room > 0 {
            let mut batch = std::mem::take(&mut self.batch);
            self.machine.run_due(&mut batch);
            self.machine.advance(&mut batch, room);
            self.machine.place(&mut batch, room);
            self.absorb(batch);
        }
        self.seal_if_free();
        self.cut_if_due();
        self.page_if_due();
    }

    /// Whether messages are left in the mailbox; see `Machine::set_unread`.
    pub fn set_unread(&mut self, unread: bool) {
        self.machine.set_unread(unread);
    }

    /// How long the driver may sleep if nothing comes in. `None` = until something comes in.
    pub fn sleep(&self) -> Option<Millis> {
        let own = if self.building.events == 0 {
            let wake = self.machine.next_wake();
            self.clock.until(wake.elapsed, wake.wall)
        } else {
            // The instant stands still until this record is sealed, and so do the timers: waking for one would be a
            // loop without end. Work that needs no timer goes on while there is room.
            let room = (self.building.events as usize) < self.config.record_events_max;
            (room && self.machine.has_work()).then_some(Millis::ZERO)
        };
        [own, self.cut_in(), self.pager.next_in(self.machine.state().now.wall)].into_iter().flatten().min()
    }

    pub(crate) fn handle(&mut self, command: Command) -> Result<Answer, Rejection> {
        let mut batch = std::mem::take(&mut self.batch);
        let result = self.machine.handle(command, &mut batch);
        self.absorb(batch);
        result
    }

    /// The instant of the record being built stands still once it holds an event.
    fn refresh(&mut self, reading: Reading) {
        let now = self.clock.now(reading);
        if self.building.events == 0 {
            self.machine.begin(self.building.seq, now);
        }
        self.machine.set_present(now.elapsed);
        self.machine.set_pressure(self.pressure());
    }

    fn stop(&mut self, cause: StopCause) {
        self.stopped = true;
        self.in_flight = None;
        self.outputs.clear();
        self.outputs.push_back(Output::Stopped(cause));
    }
}
