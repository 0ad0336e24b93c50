//! The schedules of a shard, how far each has come, and what of them changed since the last cut.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::extras::ExtrasCell;
use super::share::Shared;
use super::spec::{ScheduleHome, ScheduleKey, Spec, Timing};
use crate::job::JobKey;
use crate::values::{Bucket, FiredAs, Group, Millis, Name, ScheduleId, Seq, Started, Wall};

/// There may be millions: see the size below.
#[derive(Clone, PartialEq, Debug)]
pub struct Schedule {
    pub id: ScheduleId,
    pub key: Arc<ScheduleKey>,
    /// The same one for schedules that say the same.
    pub spec: Arc<Spec>,
    /// See [`ScheduleHome`].
    pub bucket: Bucket,
    pub offset: Millis,
    pub of_job: bool,
    pub paused: bool,
    pub created: Wall,
    pub changed: Wall,
    /// The newest window that was decided (SC-1); zero before the first.
    pub last: Wall,
    pub last_made: Option<Started>,
    /// The next window; `None`: there is none, or it is not known before something has ended.
    pub next: Option<Wall>,
    pub rare: ExtrasCell,
    pub fired: u64,
    pub skipped: u64,
    pub missed: u64,
    pub touched: Seq,
    pub soft: ScheduleSoft,
}

// A size class of the allocator: one field more, and each schedule takes the next one, 32 bytes larger.
const _: () = assert!(size_of::<Schedule>() <= 160);

/// Derived from runs and tasks after every recovery, as is some of [`ExtrasCell`].
#[derive(Clone, Debug, Default)]
pub struct ScheduleSoft {
    /// Its windows have come, and it waits to be looked at.
    pub in_herd: bool,
    /// Something it waited for has ended.
    pub called: bool,
    /// See [`Schedule::written_back`].
    pub written_back: Seq,
}

impl PartialEq for ScheduleSoft {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Of windows that began nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfired {
    /// As the schedule wants it.
    Skipped(Reason),
    /// Nobody wanted that.
    Missed(Reason),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Reason {
    /// Nothing watched the clock, and it is too late now.
    Late = 0,
    Paused = 1,
    /// Something of an earlier window runs.
    Overlap = 2,
    /// As many run as may.
    MaxActive = 3,
    /// As many wait as may.
    QueueFull = 4,
    /// A newer window waits in its place.
    Coalesced = 5,
    /// The clock was put forward over it.
    NoSuchTime = 6,
    /// The job does not take its parameters.
    Parameters = 7,
    /// It was deleted before its turn came.
    Deleted = 8,
    /// An event came for the trigger whose window it is.
    EventCame = 9,
}

/// A row of the ledger: what became of a window, or of several that passed together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WindowRow {
    pub schedule: ScheduleId,
    /// That of the schedule.
    pub group: Group,
    pub first: Wall,
    pub last: Wall,
    pub count: u64,
    pub what: Result<(Started, FiredAs), Unfired>,
    /// When it was decided.
    pub at: Wall,
}

#[derive(Debug, Default)]
pub struct Schedules {
    /// By id, which counts from 0; none ever leaves.
    list: Vec<Option<Box<Schedule>>>,
    by_key: BTreeMap<Arc<ScheduleKey>, ScheduleId>,
    /// Soft: something they waited for has ended.
    pub(crate) called: VecDeque<ScheduleId>,
    /// Soft: their timers must follow.
    pub(crate) moved: Vec<ScheduleId>,
    dirty: Vec<ScheduleId>,
    ledger: Vec<WindowRow>,
    pub(super) shared: Shared,
}

/// What a cut must write of schedules.
#[derive(Debug, Default)]
pub struct DirtySchedules {
    pub schedules: Vec<ScheduleId>,
    pub ledger: Vec<WindowRow>,
}

impl Reason {
    pub const ALL: [Self; 10] = [
        Self::Late,
        Self::Paused,
        Self::Overlap,
        Self::MaxActive,
        Self::QueueFull,
        Self::Coalesced,
        Self::NoSuchTime,
        Self::Parameters,
        Self::Deleted,
        Self::EventCame,
    ];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Paused => "paused",
            Self::Overlap => "overlap",
            Self::MaxActive => "max_active",
            Self::QueueFull => "queue_full",
            Self::Coalesced => "coalesced",
            Self::NoSuchTime => "no_such_time",
            Self::Parameters => "parameters",
            Self::Deleted => "deleted",
            Self::EventCame => "event_came",
        }
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

impl Unfired {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Skipped(_) => "skipped",
            Self::Missed(_) => "missed",
        }
    }

    pub const fn reason(self) -> Reason {
        match self {
            Self::Skipped(reason) | Self::Missed(reason) => reason,
        }
    }
}

impl Schedule {
    /// The newest record in which a window before `next` began something: one that had waited, or one of a backfill.
    /// After a recovery it is the record of that. Whoever has read the ledger knows by it whether it still holds.
    pub fn written_back(&self) -> Seq {
        self.soft.written_back
    }

    /// The job that it begins runs of.
    pub(crate) fn job_key(&self) -> JobKey {
        JobKey { tenant: self.key.tenant.clone(), name: self.key.job.clone() }
    }

    /// The window before this one, which is where its interval begins.
    pub(crate) fn interval_from(&self, window: Wall) -> Wall {
        match &self.spec.timing {
            Timing::Table(table) => table.previous(window).unwrap_or(window),
            Timing::After(_) if self.last > Wall::ZERO => self.last,
            Timing::After(_) => window,
        }
    }

    pub fn own(&self) -> ScheduleHome {
        ScheduleHome { bucket: self.bucket, offset: self.offset }
    }

    pub fn is_on(&self) -> bool {
        !self.paused && self.rare.deleted.is_none()
    }

    /// Something is to be decided that no timer brings: a window may stop waiting, or the next one can be told.
    pub(crate) fn awaits_call(&self, now: Wall) -> bool {
        let delayed = || {
            let waits = matches!(self.spec.timing, Timing::After(_)) && self.next.is_none();
            waits && self.spec.next(now).is_some()
        };
        self.is_on() && self.rare.active.is_empty() && (!self.rare.waiting.is_empty() || delayed())
    }

    /// When the next window begins something, which is not before its instant.
    pub fn due(&self) -> Option<Wall> {
        self.next.map(|next| next + self.offset)
    }
}

impl Schedules {
    pub fn get(&self, id: ScheduleId) -> Option<&Schedule> {
        self.list.get(id.index())?.as_deref()
    }

    pub(crate) fn get_mut(&mut self, id: ScheduleId) -> Option<&mut Schedule> {
        self.list.get_mut(id.index())?.as_deref_mut()
    }

    pub fn find(&self, key: &ScheduleKey) -> Option<&Schedule> {
        self.get(*self.by_key.get(key)?)
    }

    /// The id that the next new schedule gets.
    pub fn next_id(&self) -> ScheduleId {
        ScheduleId::from_index(self.list.len())
    }

    /// How many were ever stored.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// By id; deleted ones too.
    pub fn iter(&self) -> impl Iterator<Item = &Schedule> {
        self.list.iter().filter_map(|schedule| schedule.as_deref())
    }

    /// By tenant, job and name, after this one.
    pub fn after(&self, key: Option<&ScheduleKey>) -> impl Iterator<Item = &Schedule> {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = key.map_or(Unbounded, Excluded);
        self.by_key.range::<ScheduleKey, _>((from, Unbounded)).filter_map(|(_, id)| self.get(*id))
    }

    /// Those of a job, deleted ones too.
    pub fn of_job<'a>(&'a self, tenant: &'a Name, job: &'a Name) -> impl Iterator<Item = &'a Schedule> {
        let first = ScheduleKey { tenant: tenant.clone(), job: job.clone(), name: Name::default() };
        let from_here = self.by_key.range::<ScheduleKey, _>(first..);
        let of_job = from_here.take_while(move |(key, _)| key.tenant == *tenant && key.job == *job);
        of_job.filter_map(|(_, id)| self.get(*id))
    }

    /// Puts a schedule into memory that the tables hold.
    pub fn load(&mut self, mut schedule: Schedule) {
        if let Some(key) = Arc::get_mut(&mut schedule.key) {
            self.share_names(key);
        }
        schedule.spec = self.share_spec(schedule.spec);
        let index = schedule.id.index();
        if self.list.len() <= index {
            self.list.resize_with(index + 1, || None);
        }
        self.by_key.insert(schedule.key.clone(), schedule.id);
        self.list[index] = Some(Box::new(schedule));
    }

    pub(super) fn near(&self, key: &ScheduleKey) -> Option<&ScheduleKey> {
        self.by_key.range::<ScheduleKey, _>(..key).next_back().map(|(near, _)| &**near)
    }

    /// Something may be decided about this one.
    pub(crate) fn call(&mut self, id: ScheduleId) {
        if let Some(schedule) = self.get_mut(id)
            && !schedule.soft.called
        {
            schedule.soft.called = true;
            self.called.push_back(id);
        }
    }

    /// After loading and replaying: everything soft is forgotten, and built up again by who knows what runs.
    pub(crate) fn forget_soft(&mut self, seq: Seq) {
        self.called.clear();
        self.moved.clear();
        for schedule in self.list.iter_mut().flatten() {
            schedule.soft = ScheduleSoft { written_back: seq, ..ScheduleSoft::default() };
            schedule.rare.forget_soft();
        }
    }

    /// A break mode: as if what was decided last had not been.
    pub(crate) fn forget_last(&mut self) {
        for schedule in self.list.iter_mut().flatten().filter(|schedule| schedule.last > Wall::ZERO) {
            schedule.next = Some(schedule.last);
        }
    }

    pub(crate) fn add(&mut self, schedule: Schedule) {
        self.dirty.push(schedule.id);
        self.moved.push(schedule.id);
        self.load(schedule);
    }

    pub(crate) fn touch(&mut self, id: ScheduleId, seq: Seq, cut: Seq) -> &mut Schedule {
        let schedule = self.list.get_mut(id.index()).and_then(Option::as_deref_mut);
        let schedule = schedule.expect("EV-1: the schedule of an event is in memory");
        if schedule.touched <= cut {
            self.dirty.push(id);
        }
        schedule.touched = seq;
        self.moved.push(id);
        schedule
    }

    /// A window before the next one begins something.
    pub(crate) fn write_back(&mut self, id: ScheduleId, seq: Seq) {
        if let Some(schedule) = self.get_mut(id) {
            schedule.soft.written_back = seq;
        }
    }

    pub(crate) fn write(&mut self, occurrence: WindowRow) {
        self.ledger.push(occurrence);
    }

    pub fn take_dirty(&mut self) -> DirtySchedules {
        DirtySchedules {
            schedules: std::mem::take(&mut self.dirty),
            ledger: std::mem::take(&mut self.ledger),
        }
    }

    pub fn dirty_len(&self) -> usize {
        self.dirty.len() + self.ledger.len()
    }
}
