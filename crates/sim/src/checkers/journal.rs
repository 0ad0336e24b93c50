//! The journal, folded by the checker itself: I8, I10, I14 and I15 hold at every event.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::event::Event;
use mainspring_core::key::KeyScope;
use mainspring_core::run::RunEvent;
use mainspring_core::state::{State, fold};
use mainspring_core::task::{Arrow, Task};
use mainspring_core::values::{Elapsed, Epoch, Fence, Millis, Now, Seq, TaskId, Wall, WorkerId};
use mainspring_core::wait::WaitEnd;
use mainspring_store::Record;
use mainspring_store::entity::forget_changed;

use super::bulk::BulkFold;
use super::flows::FlowFold;
use super::limits::Bounds;
use super::triggers::TriggerFold;
use super::windows::WindowFold;
use super::{Check, require};

/// How a grant ended, as the journal has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Succeeded,
    Failed,
    Deferred,
    Unassigned,
    Forced,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    pub worker: WorkerId,
    pub end: Option<End>,
    /// What the start must carry.
    pub attempt: u32,
    pub checkpoint: Option<Arc<[u8]>>,
}

/// What the journal says about one task.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says that one kind of event was seen")]
pub struct Facts {
    pub grants: BTreeMap<Fence, Grant>,
    pub cancelled: bool,
    pub stop_requested: bool,
    pub forced: bool,
    /// A wait that nobody was to be told of.
    pub skipped: bool,
    pub amended: bool,
    pub revivals: u32,
}

pub struct JournalFold {
    pub(super) state: State,
    pub(super) facts: BTreeMap<TaskId, Facts>,
    pub(super) keys: BTreeMap<KeyScope, TaskId>,
    last: Seq,
    pub(super) now: Now,
    epoch: Epoch,
    pub(super) epoch_began: Elapsed,
    /// Epochs that the owner before took itself.
    renewed: BTreeSet<Epoch>,
    pub(super) lease: Millis,
    pub(super) bounds: Bounds,
    pub(super) leased: BTreeSet<TaskId>,
    pub(super) queued: BTreeSet<TaskId>,
    /// Tasks that someone wanted started at once.
    pub(super) asked_now: BTreeSet<TaskId>,
    pub(super) expiries: u64,
    unfinished: BTreeSet<TaskId>,
    pub(super) arrows: BTreeSet<Arrow>,
    pub(super) bulk: BulkFold,
    pub flows: FlowFold,
    pub windows: WindowFold,
    pub triggers: TriggerFold,
}

impl JournalFold {
    pub fn new(bounds: Bounds, lease: Millis) -> Self {
        Self {
            state: State::default(),
            facts: BTreeMap::new(),
            keys: BTreeMap::new(),
            last: Seq::ZERO,
            now: Now::default(),
            epoch: Epoch::ZERO,
            epoch_began: Elapsed::ZERO,
            renewed: BTreeSet::new(),
            lease,
            bounds,
            leased: BTreeSet::new(),
            queued: BTreeSet::new(),
            asked_now: BTreeSet::new(),
            expiries: 0,
            unfinished: BTreeSet::new(),
            arrows: BTreeSet::new(),
            bulk: BulkFold::default(),
            flows: FlowFold::default(),
            windows: WindowFold::default(),
            triggers: TriggerFold::default(),
        }
    }

    /// No schedule has anything left to do.
    pub fn windows_idle(&self, shown: Wall) -> bool {
        self.windows.is_idle(&self.state, shown)
    }

    /// What a caller that reads schedules and tables would know.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub fn windows_end(&self) -> Check {
        self.windows.check_end(&self.state, self.now.wall)
    }

    pub fn last(&self) -> Seq {
        self.last
    }

    pub fn now(&self) -> Now {
        self.now
    }

    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.state.tasks().by_id(id)
    }

    pub fn facts(&self, id: TaskId) -> Option<&Facts> {
        self.facts.get(&id)
    }

    pub fn known(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.facts.keys().copied()
    }

    pub fn unfinished(&self) -> &BTreeSet<TaskId> {
        &self.unfinished
    }

    pub fn arrows(&self) -> &BTreeSet<Arrow> {
        &self.arrows
    }

    pub fn note_renewed(&mut self, epoch: Epoch) {
        self.renewed.insert(epoch);
    }

    pub fn processes(&self) -> usize {
        self.state.operations().unfinished()
    }

    /// Leases that ran out, as far as the journal tells.
    pub fn expiries(&self) -> u64 {
        self.expiries
    }

    /// Someone asked to release the task before its time.
    pub fn note_asked_now(&mut self, id: TaskId) {
        self.asked_now.insert(id);
    }

    /// The latest wall time of a record must be one that some clock has shown.
    pub fn believes_only(&self, shown: Wall) -> Check {
        require(self.now.wall <= shown, "I14", || {
            format!("record {} is dated {:?}, no clock was past {shown:?}", self.last, self.now.wall)
        })
    }

    pub fn committed(&mut self, record: &Record, events: &[Event]) -> Check {
        require(record.seq == self.last.next(), "I15", || {
            format!("record {} follows record {}", record.seq, self.last)
        })?;
        require(record.epoch >= self.epoch, "I8", || {
            format!("record {} is of epoch {}, after epoch {}", record.seq, record.epoch, self.epoch)
        })?;
        let back = record.now.elapsed < self.now.elapsed || record.now.wall < self.now.wall;
        require(!back, "I15", || format!("record {} is dated before the one before it", record.seq))?;
        self.last = record.seq;
        self.now = record.now;
        self.state.begin(record.seq, record.now);
        let mut changed = None;
        for event in events {
            if let Event::TaskNoted { id, change, .. } = event {
                require(changed == Some(*id), "BA-1", || {
                    format!("{id} has the note `{}` without a change", change.label())
                })?;
            }
            changed = event.task();
            self.fold(record, event)?;
        }
        self.triggers.check_record(&self.state)?;
        self.flows.record_ends()?;
        require(record.epoch == self.epoch, "I10", || {
            format!("record {} is of epoch {}, the owner is {}", record.seq, record.epoch, self.epoch)
        })
    }

    fn fold(&mut self, record: &Record, event: &Event) -> Check {
        if let Event::EpochStarted { epoch } = event {
            return self.start_epoch(record, *epoch);
        }
        require(record.epoch == self.epoch, "I10", || {
            format!("record {} of epoch {} has events before its epoch began", record.seq, record.epoch)
        })?;
        self.check_event(event)?;
        self.check_bulk(event)?;
        if let Event::TaskAssigned { id, worker, .. } = event {
            require(self.state.cordons().holding(*worker).is_none(), "CD-1", || {
                format!("{id} is given to {worker}, which is cordoned")
            })?;
        }
        self.windows.follow(event, self.now.wall, &self.state)?;
        self.triggers.follow(event, &self.state)?;
        if let Some((cause, to)) = super::events::moves(event, self.now.wall) {
            let from = event.task().and_then(|id| self.task(id)).map(Task::status);
            self.arrows.insert(Arrow { from, cause, to });
        }
        let before = event.task().and_then(|id| self.task(id)).map_or(0, |task| task.version);
        let was_ended =
            event.task().and_then(|id| self.task(id)).is_some_and(|task| task.status().is_ended());
        fold(&mut self.state, event);
        // Only the shard needs to know what changed since a cut.
        let _ = self.state.take_changed(record.seq);
        forget_changed(self.state.entity_tables());
        self.note(event);
        let now = event.task().and_then(|id| self.task(id)).map(Task::status);
        let ended = now.filter(|status| status.is_ended() && !was_ended);
        let task = event.task().and_then(|id| self.state.tasks().by_id(id));
        if let (Some(status), Some(task)) = (ended, task.filter(|task| task.in_run.is_none())) {
            self.triggers.task_ended(&task.profile.tenant, status.label(), &self.state);
        }
        self.flows.follow(event, ended, self.now.elapsed, &self.state)?;
        if let Some((id, after)) = event.task().and_then(|id| Some((id, self.task(id)?.version))) {
            let grows = u32::from(super::events::moves(event, self.now.wall).is_some());
            require(after == before + grows, "I15", || {
                format!("{id} went from version {before} to {after} by {event:?}")
            })?;
        }
        Ok(())
    }

    fn start_epoch(&mut self, record: &Record, epoch: Epoch) -> Check {
        require(epoch > self.epoch && epoch == record.epoch, "I8", || {
            format!("record {}: epoch {epoch} began after epoch {}", record.seq, self.epoch)
        })?;
        self.epoch = epoch;
        if !self.renewed.contains(&epoch) {
            self.epoch_began = record.now.elapsed;
        }
        fold(&mut self.state, &Event::EpochStarted { epoch });
        Ok(())
    }

    fn note(&mut self, event: &Event) {
        if let Event::KeyBound { claim, entity } = event {
            self.keys.insert(claim.scope, *entity);
        }
        if let Event::Run(RunEvent::RunCreated(created)) = event
            && let Some(claim) = created.key
        {
            self.keys.insert(claim.scope, TaskId::from_bits(created.id.bits()));
        }
        let Some(id) = event.task() else { return };
        let task = self.state.tasks().by_id(id);
        let Some((status, band)) = task.map(|task| (task.status(), task.lease().is_some())) else { return };
        keep(&mut self.leased, id, band);
        keep(&mut self.queued, id, status == mainspring_core::task::Status::Queued);
        keep(&mut self.unfinished, id, !status.is_ended());
        let attempt = task.map_or(0, |task| task.attempts);
        let checkpoint = task.and_then(|task| task.extra.as_ref()).and_then(|extra| extra.checkpoint.clone());
        let facts = self.facts.entry(id).or_default();
        let mut end = |fence: &Fence, how: End| {
            if let Some(grant) = facts.grants.get_mut(fence) {
                grant.end = Some(how);
            }
        };
        match event {
            Event::TaskAssigned { fence, worker, .. } => {
                facts.grants.insert(*fence, Grant { worker: *worker, end: None, attempt, checkpoint });
            }
            Event::TaskUnassigned { fence, .. } => end(fence, End::Unassigned),
            Event::TaskSucceeded { fence, .. } => end(fence, End::Succeeded),
            Event::AttemptFailed { fence, failure, .. } => {
                end(fence, End::Failed);
                self.expiries += u64::from(super::leases::is_expiry(failure));
            }
            Event::TaskDeferred { fence, .. } => end(fence, End::Deferred),
            Event::StopRequested { .. } => facts.stop_requested = true,
            Event::ForceRequested { .. } => (facts.forced, facts.stop_requested) = (true, true),
            Event::TaskCancelled { .. } => facts.cancelled = true,
            Event::TaskAmended { .. } => facts.amended = true,
            Event::TaskForced { .. } => {
                facts.forced = true;
                let live = facts.grants.values_mut().filter(|grant| grant.end.is_none());
                live.for_each(|grant| grant.end = Some(End::Forced));
            }
            Event::WaitEnded { end, .. } => facts.skipped |= matches!(end, WaitEnd::Skipped),
            Event::TaskRevived { .. } => facts.revivals += 1,
            Event::TaskSubmitted(submitted) => {
                if let Some(claim) = submitted.key {
                    self.keys.insert(claim.scope, id);
                }
            }
            Event::TaskDue { .. }
            | Event::PollBegan { .. }
            | Event::TaskNoted { .. }
            | Event::TaskWaits { .. }
            | Event::CheckpointSaved { .. }
            | Event::DetailsReported { .. }
            | Event::DeadlineExtended { .. }
            | Event::EpochStarted { .. }
            | Event::TaskSpawned { .. }
            | Event::Run(_)
            | Event::Schedule(_)
            | Event::Backfill(_)
            | Event::Trigger(_)
            | Event::Cordon(_)
            | Event::KeyBound { .. }
            | Event::OperationStarted { .. }
            | Event::OperationAdvanced { .. }
            | Event::OperationEnded { .. } => {}
        }
    }
}

fn keep(set: &mut BTreeSet<TaskId>, id: TaskId, belongs: bool) {
    if belongs {
        set.insert(id);
    } else {
        set.remove(&id);
    }
}
