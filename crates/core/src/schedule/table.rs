//! The schedules of a shard, how far each has come, and what of them changed since the last cut.

use std::sync::Arc;

use super::extras::ExtrasCell;
use super::share::Shared;
use super::spec::{ScheduleHome, ScheduleKey, Spec, Timing};
use super::window_row::WindowRow;
use crate::collections::{Entity, EntityTable, Soft, Table};
use crate::job::JobKey;
use crate::values::{
    Bucket, EntityKind, Millis, Name, Revision, ScheduleId, ScheduleIndex, Seq, Stamp, Started, Wall,
};

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
    pub soft: Soft<ScheduleSoft>,
    /// See [`Schedule::written_back`]; apart from the rest of what is soft for the sake of the size of a schedule.
    pub written: Soft<Seq>,
}

// A size class of the allocator: one field more, and each schedule takes the next one, 32 bytes larger.
const _: () = assert!(size_of::<Schedule>() <= 160);

/// Derived from runs and tasks after every recovery, as is some of [`ExtrasCell`].
#[derive(Clone, Debug, Default)]
pub struct ScheduleSoft {
    /// Its windows have come, and it waits to be looked at.
    pub is_due: bool,
}

#[derive(Debug, Default)]
pub struct Schedules {
    table: Table<Schedule>,
    ledger: Vec<WindowRow>,
    pub(super) shared: Shared,
}

impl Entity for Schedule {
    const KIND: EntityKind = EntityKind::Schedule;
    type Id = ScheduleId;
    type Key = Arc<ScheduleKey>;

    fn id(&self) -> ScheduleId {
        self.id
    }

    fn key(&self) -> Arc<ScheduleKey> {
        self.key.clone()
    }

    fn scope(&self) -> (Name, Name) {
        (self.key.tenant.clone(), self.key.job.clone())
    }

    fn ended(&self) -> Option<Wall> {
        self.rare.forgotten
    }

    fn touched(&self) -> Seq {
        self.touched
    }

    fn set_touched(&mut self, seq: Seq) {
        self.touched = seq;
    }

    fn number(&self) -> u64 {
        self.id.number()
    }
}

impl EntityTable for Schedules {
    type Row = Schedule;

    fn rows(&self) -> &Table<Schedule> {
        &self.table
    }

    fn rows_mut(&mut self) -> &mut Table<Schedule> {
        &mut self.table
    }

    fn load(&mut self, mut schedule: Schedule) {
        self.share(&mut schedule);
        self.table.load(schedule);
    }
}

impl Schedule {
    /// The newest record in which a window before `next` began something: one that had waited, or one of a backfill.
    /// After a recovery it is the record of that. Whoever has read the ledger knows by it whether it still holds.
    pub fn written_back(&self) -> Seq {
        self.written.0
    }

    /// Of what it says, and of whether it is paused or deleted.
    pub fn revision(&self) -> Revision {
        if self.rare.deleted.is_some() { Revision::NONE } else { self.changed.into() }
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
        self.table.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: ScheduleId) -> Option<&mut Schedule> {
        self.table.soft_mut(id)
    }

    pub fn find(&self, key: &ScheduleKey) -> Option<&Schedule> {
        self.table.find(key)
    }

    /// Its place in memory, for timers.
    pub fn index_of(&self, id: ScheduleId) -> Option<ScheduleIndex> {
        self.table.index_of(id).map(ScheduleIndex)
    }

    pub fn at(&self, index: ScheduleIndex) -> Option<&Schedule> {
        self.table.at(index.0)
    }

    /// Above every index in use.
    pub fn end(&self) -> u32 {
        self.table.end()
    }

    /// The id that a new schedule gets when `before` others get theirs first.
    pub fn next_id(&self, bucket: Bucket, before: u64) -> ScheduleId {
        ScheduleId::new(bucket, self.table.numbers() + 1 + before)
    }

    /// Numbers up to this one were given away.
    pub fn numbers(&self) -> u64 {
        self.table.numbers()
    }

    /// Deleted ones too, until they are forgotten and have left.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// By tenant, job and name; deleted ones too.
    pub fn iter(&self) -> impl Iterator<Item = &Schedule> {
        self.table.iter()
    }

    /// By tenant, job and name, after this one.
    pub fn after(&self, key: Option<&ScheduleKey>) -> impl Iterator<Item = &Schedule> {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = key.map_or(Unbounded, Excluded);
        self.table.range::<ScheduleKey>((from, Unbounded))
    }

    /// Those of a job, deleted ones too.
    pub fn of_job<'a>(&'a self, tenant: &'a Name, job: &'a Name) -> impl Iterator<Item = &'a Schedule> {
        let first = ScheduleKey { tenant: tenant.clone(), job: job.clone(), name: Name::default() };
        let from_here = self.table.range::<ScheduleKey>(first..);
        from_here.take_while(move |one| one.key.tenant == *tenant && one.key.job == *job)
    }

    /// What is new in memory points to what others hold already.
    fn share(&mut self, schedule: &mut Schedule) {
        if let Some(key) = Arc::get_mut(&mut schedule.key) {
            self.share_names(key);
        }
        schedule.spec = self.share_spec(schedule.spec.clone());
    }

    pub(super) fn near(&self, key: &ScheduleKey) -> Option<&ScheduleKey> {
        self.table.range::<ScheduleKey>(..key).next_back().map(|near| &*near.key)
    }

    /// After loading and replaying: everything soft is forgotten, and built up again by who knows what runs.
    pub(crate) fn forget_soft(&mut self, seq: Seq) {
        for schedule in self.table.iter_soft_mut() {
            (schedule.soft, schedule.written) = (Soft::default(), Soft(seq));
            schedule.rare.forget_soft();
        }
    }

    /// A break mode: as if what was decided last had not been.
    pub(crate) fn forget_last(&mut self) {
        for schedule in self.table.iter_soft_mut().filter(|schedule| schedule.last > Wall::ZERO) {
            schedule.next = Some(schedule.last);
        }
    }

    pub(crate) fn add(&mut self, mut schedule: Schedule, at: Stamp) {
        self.share(&mut schedule);
        self.table.insert(schedule, at);
    }

    pub(crate) fn touch(&mut self, id: ScheduleId, at: Stamp) -> &mut Schedule {
        self.table.change(id, at)
    }

    /// Its name is free again.
    pub(super) fn forget(&mut self, id: ScheduleId, at: Stamp) {
        let now = at.now.wall;
        self.touch(id, at).rare.change(|rare| rare.forgotten = Some(now));
        self.table.unlist(id);
    }

    /// A window before the next one begins something.
    pub(crate) fn write_back(&mut self, id: ScheduleId, seq: Seq) {
        if let Some(schedule) = self.get_mut(id) {
            schedule.written = Soft(seq);
        }
    }

    pub(crate) fn write(&mut self, window: WindowRow) {
        self.ledger.push(window);
    }

    /// Windows that were decided since this was last asked, for their rows.
    pub fn take_ledger(&mut self) -> Vec<WindowRow> {
        std::mem::take(&mut self.ledger)
    }

    pub fn dirty_len(&self) -> usize {
        self.table.dirty_len() + self.ledger.len()
    }
}
