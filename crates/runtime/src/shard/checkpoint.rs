//! Cuts: at a record's end, everything that changed since the last one becomes rows.
//! - CP-1 a cut through record n is handed out only when n is durable
//! - CP-2 an ended task and a key leave memory only after the cut that stored them was committed *and* every
//!   read of the tables begun before it has been answered (the barrier)

use std::collections::VecDeque;
use std::sync::Arc;

use mainspring_core::run::DirtyRuns;
use mainspring_core::state::Changed;
use mainspring_core::task::{Task, TaskState};
use mainspring_core::values::{
    Elapsed, EntityKind, Group, Millis, RunId, RunIndex, Seq, TaskId, TaskIndex, WorkerId,
};
use mainspring_store::entity::drop_entities;
use mainspring_store::format::{Writer, write_task};
use mainspring_store::{Cut, CutError, HistoryRow, KeyRow, LiveRow};

use super::entities::KindHeads;
use super::{Output, Shard, StopCause, entities, run_rows};

/// Version of the shard-wide blob in a cut.
pub(super) const META_VERSION: u8 = 5;

/// Somebody who waits for the tables has a cut made early only while it is small and the last one is not just over:
/// readers must not cost writers anything that matters.
const EARLY_ROWS_MAX: usize = 500;
const EARLY_EVERY: Millis = Millis::new(25);

#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    /// The last committed cut.
    done: Seq,
    /// The last cut that was made, committed or not.
    made: Seq,
    last_made: Elapsed,
    /// The shard is closing: cut as soon as possible.
    hurry: bool,
    /// Somebody waits until the tables hold this record.
    wanted: Seq,
    /// Made, not yet committed.
    open: Option<OpenCut>,
    /// Committed; waiting for their barrier, oldest first.
    settling: VecDeque<(u64, Leaving)>,
    barriers: u64,
    /// Size of records since the last committed cut: (record, events, bytes).
    lag: VecDeque<(Seq, u32, usize)>,
    lag_events: u64,
    lag_bytes: u64,
}

#[derive(Debug)]
struct OpenCut {
    leaving: Leaving,
    /// Kept for another try while the store has trouble.
    cut: Arc<Cut>,
    handed_out: bool,
}

/// What may leave memory once the cut through `through` has settled.
#[derive(Debug, Default)]
struct Leaving {
    through: Seq,
    ended: Vec<(TaskIndex, TaskId)>,
    parked: Vec<TaskId>,
    ended_runs: Vec<(RunIndex, RunId)>,
    ended_entities: Vec<(EntityKind, u128)>,
}

impl Checkpoints {
    pub(super) fn starting_at(done: Seq, now: Elapsed) -> Self {
        Self { done, made: done, last_made: now, ..Self::default() }
    }

    pub(super) fn done(&self) -> Seq {
        self.done
    }

    pub(super) fn lag_events(&self) -> u64 {
        self.lag_events
    }

    pub(super) fn lag_bytes(&self) -> u64 {
        self.lag_bytes
    }

    pub(super) fn appended(&mut self, seq: Seq, events: u32, bytes: usize) {
        self.lag.push_back((seq, events, bytes));
        self.lag_events += u64::from(events);
        self.lag_bytes += bytes as u64;
    }

    fn committed(&mut self, through: Seq) {
        self.done = through;
        while let Some((seq, events, bytes)) = self.lag.front().copied() {
            if seq > through {
                break;
            }
            self.lag.pop_front();
            self.lag_events -= u64::from(events);
            self.lag_bytes -= bytes as u64;
        }
    }
}

impl<R> Shard<R> {
    /// Only between records: the state then is exactly the journal folded through the last sealed one.
    pub(super) fn cut_if_due(&mut self) {
        if self.building.events > 0 || self.checkpoints.open.is_some() || self.is_renewing() {
            return;
        }
        let through = Seq::new(self.building.seq.get() - 1);
        let dirty = self.engine.state().dirty_len();
        let due =
            self.checkpoints.hurry || dirty >= self.config.cut_rows_max || self.cut_wait() == Millis::ZERO;
        if through > self.checkpoints.made && due {
            self.make_cut(through);
        }
    }

    pub(super) fn has_open_cut(&self) -> bool {
        self.checkpoints.open.is_some()
    }

    /// The shard is closing: the next step cuts, however little there is.
    pub fn hurry_cut(&mut self) {
        self.checkpoints.hurry = true;
    }

    /// Everything accepted is durable and in the tables.
    pub fn is_settled(&self) -> bool {
        let sealed = Seq::new(self.building.seq.get() - 1);
        self.in_flight.is_none() && self.building.events == 0 && self.checkpoints.done == sealed
    }

    /// Time until the next cut is due.
    pub(super) fn cut_in(&self) -> Option<Millis> {
        let sealed = Seq::new(self.building.seq.get() - 1);
        if sealed <= self.checkpoints.made || self.checkpoints.open.is_some() || self.building.events > 0 {
            return None;
        }
        Some(self.cut_wait())
    }

    fn cut_wait(&self) -> Millis {
        let state = self.engine.state();
        let early = self.checkpoints.wanted > self.checkpoints.made && state.dirty_len() <= EARLY_ROWS_MAX;
        let every = if early { EARLY_EVERY.min(self.config.cut_every) } else { self.config.cut_every };
        let waited = state.now.elapsed.since(self.checkpoints.last_made);
        Millis::new(every.get().saturating_sub(waited.get()))
    }

    /// The record that the tables must hold before they tell what anybody was told until now; see
    /// [`Shard::tables_hold`]. A cut is made early for it if that costs little.
    pub fn want_tables(&mut self) -> Seq {
        self.checkpoints.wanted = self.durable;
        self.durable
    }

    pub fn tables_hold(&self, record: Seq) -> bool {
        self.checkpoints.done >= record
    }

    fn make_cut(&mut self, through: Seq) {
        let after = self.checkpoints.made;
        let Changed { tasks, revived, runs, windows } = self.engine.take_changed(through);
        let now = self.engine.state().now;
        let retention_day = self.retention.advance(now);
        let (epoch, windows) = (self.epoch, windows);
        let mut cut = Cut { epoch, through, now, retention_day, revived, windows, ..Cut::default() };
        let state = self.engine.state();
        let keys = state.keys().bound_in(after, through);
        cut.keys = keys.map(|(scope, binding, expires)| KeyRow { scope, binding, expires }).collect();
        // Lists of a known length: growing them step by step would copy, and fill fresh pages, twice.
        let ended = Vec::with_capacity(tasks.len());
        let mut leaving = Leaving { through, ended, ..Leaving::default() };
        for index in tasks {
            self.add_row(index, &mut cut, &mut leaving);
        }
        self.add_runs(&runs, &mut cut, &mut leaving);
        let groups = self.config.groups;
        leaving.ended_entities =
            entities::add_rows(&mut self.engine, groups, &mut cut, &mut self.profiles_out);
        cut.meta = self.meta();
        self.checkpoints.made = through;
        self.checkpoints.last_made = self.engine.state().now.elapsed;
        self.checkpoints.open = Some(OpenCut { leaving, cut: Arc::new(cut), handed_out: false });
        self.write_cut_if_durable();
    }

    fn add_row(&mut self, index: TaskIndex, cut: &mut Cut, leaving: &mut Leaving) {
        let Some(task) = self.engine.state().tasks().get(index) else { return };
        let (id, touched, stored) = (task.id, task.touched, *task.stored);
        let group = self.config.groups.of(&task.profile.tenant);
        if task.status().is_ended() {
            leaving.ended.push((index, id));
            if self.config.history {
                let mut bytes = Vec::with_capacity(task.payload.len() + 256);
                write_task(&mut bytes, task, &mut self.profiles_out);
                cut.ended.push(history_row(task, group, bytes));
            }
            if stored {
                cut.gone.push(id);
            }
            return;
        }
        let beyond = cut.now.wall + self.config.park_beyond;
        let parked_due = match task.state {
            // A run must find its tasks when it stops, and a schedule must know what of it has not ended.
            TaskState::Pending { due } if due > beyond && task.in_run.is_none() && !is_of_window(task) => {
                Some(due)
            }
            _ => None,
        };
        if parked_due.is_some() {
            leaving.parked.push(id);
        }
        let mut bytes = Vec::with_capacity(task.payload.len() + 256);
        write_task(&mut bytes, task, &mut self.profiles_out);
        cut.live.push(LiveRow { id, group, touched, parked_due, bytes });
        self.engine.mark_stored(index);
    }

    fn add_runs(&mut self, dirty: &DirtyRuns, cut: &mut Cut, leaving: &mut Leaving) {
        run_rows::add_rows(&self.engine, dirty, self.config.groups, cut, &mut self.profiles_out);
        let runs = self.engine.state().job_runs().runs();
        let ended = dirty.runs.iter().filter_map(|index| Some((*index, runs.get(*index)?)));
        leaving.ended_runs =
            ended.filter(|(_, run)| run.status.is_ended()).map(|(index, run)| (index, run.id)).collect();
    }

    /// Shard-wide state that is in no row.
    fn meta(&mut self) -> Vec<u8> {
        let entities = KindHeads::of(&mut self.engine);
        let state = self.engine.state();
        let mut bytes = Vec::new();
        let mut w = Writer::new(&mut bytes);
        w.byte(META_VERSION);
        w.varint(state.epoch.get());
        w.varint(u64::from(state.fences));
        self.retention.write(&mut w);
        entities.write(&mut w);
        bytes
    }

    pub(super) fn write_cut_if_durable(&mut self) {
        let Some(open) = &mut self.checkpoints.open else { return };
        let durable = open.leaving.through <= self.durable || self.config.breaks.checkpoint_past_durable;
        if durable && !open.handed_out {
            open.handed_out = true;
            self.outputs.push_back(Output::Cut(open.cut.clone()));
        }
    }

    /// The outcome of the cut that was handed out. A failed one is offered again by [`Shard::retry_cut`].
    pub fn cut_done(&mut self, result: Result<(), CutError>) {
        if self.stopped {
            return;
        }
        match result {
            Ok(()) => {
                let Some(open) = self.checkpoints.open.take() else { return };
                let through = open.leaving.through;
                self.checkpoints.committed(through);
                self.outputs.push_back(Output::Trim(through));
                self.checkpoints.barriers += 1;
                let barrier = self.checkpoints.barriers;
                self.checkpoints.settling.push_back((barrier, open.leaving));
                if self.config.breaks.no_barrier {
                    self.barrier_passed(barrier);
                } else {
                    self.outputs.push_back(Output::Barrier(barrier));
                }
            }
            Err(CutError::Refused { newest, .. }) => self.stop(StopCause::NotOwner { newest }),
            Err(CutError::OutOfOrder { last, offered }) => {
                self.stop(StopCause::Broken(format!(
                    "the tables stand at {last}, a cut at {offered} was offered"
                )));
            }
            Err(CutError::Broken { what }) => self.stop(StopCause::Tables(what)),
            // The lag grows meanwhile, and with it the pressure on submissions.
            Err(CutError::Full | CutError::Failed { .. }) => {}
        }
    }

    /// Offers a cut again that could not be written.
    pub fn retry_cut(&mut self) {
        if let Some(open) = &self.checkpoints.open
            && open.handed_out
        {
            self.outputs.push_back(Output::Cut(open.cut.clone()));
        }
    }

    /// Every read of the tables that was begun before the barrier has been answered.
    pub fn barrier_passed(&mut self, barrier: u64) {
        while let Some((next, _)) = self.checkpoints.settling.front() {
            if *next > barrier {
                break;
            }
            let Some((_, leaving)) = self.checkpoints.settling.pop_front() else { break };
            for (index, id) in &leaving.ended {
                self.engine.drop_ended(*index, *id, leaving.through);
            }
            for (index, id) in &leaving.ended_runs {
                self.engine.drop_ended_run(*index, *id, leaving.through);
            }
            drop_entities(self.engine.entity_tables(), &leaving.ended_entities, leaving.through);
            let beyond = self.pager.holds_until();
            for id in &leaving.parked {
                self.engine.park(*id, leaving.through, beyond);
            }
            self.engine.forget_keys(leaving.through);
        }
    }
}

fn history_row(task: &Task, group: Group, bytes: Vec<u8>) -> HistoryRow {
    HistoryRow {
        id: task.id,
        group,
        tenant: task.profile.tenant.clone(),
        job: task.profile.job.clone(),
        status: task.status(),
        worker: (task.worker != WorkerId::NONE).then_some(task.worker),
        labels: task.labels().to_vec(),
        submitted: task.submitted,
        ended: task.changed,
        bytes,
    }
}

fn is_of_window(task: &Task) -> bool {
    task.extra.as_ref().is_some_and(|extra| extra.window.is_some())
}
