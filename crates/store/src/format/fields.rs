//! The small values that events and tasks are made of.

use std::sync::Arc;

use mainspring_core::key::{KeyClaim, KeyScope};
use mainspring_core::task::{Labels, Status, StopReason, TaskChange};
use mainspring_core::values::{
    Actor, Band, Bucket, Elapsed, Epoch, Failure, FailureClass, Fence, Group, Millis, NUMBER_BITS, Name,
    Permit, Permits, Priority, RunId, TaskId, Wall, WorkerId,
};

use super::{FormatError, Reader, Writer};

/// Each value of the core that is a field of several others.
impl Writer<'_> {
    pub fn task_id(&mut self, id: TaskId) {
        self.wide(id.bits());
    }

    pub fn worker_id(&mut self, id: WorkerId) {
        self.wide(id.bits());
    }

    /// Two varints, because epoch and counter are both small where their 64-bit union is not.
    pub fn fence(&mut self, fence: Fence) {
        self.varint(fence.epoch().get());
        self.varint(u64::from(fence.counter()));
    }

    /// Two varints, as of a fence.
    pub(super) fn numbered(&mut self, bucket: Bucket, number: u64) {
        self.varint(u64::from(bucket.get()));
        self.varint(number);
    }

    pub fn wall(&mut self, wall: Wall) {
        self.varint(wall.millis());
    }

    pub fn elapsed(&mut self, elapsed: Elapsed) {
        self.varint(elapsed.millis());
    }

    pub fn millis(&mut self, span: Millis) {
        self.varint(span.get());
    }

    pub fn name(&mut self, name: &Name) {
        self.text(name.as_str());
    }

    /// Band in the high four bits, level in the low ones.
    pub fn priority(&mut self, priority: Priority) {
        self.byte(priority.band as u8 * 16 + priority.level());
    }

    pub(super) fn labels(&mut self, labels: &[(Name, Name)]) {
        self.list(labels, |w, (key, value)| {
            w.name(key);
            w.name(value);
        });
    }

    pub(super) fn permits(&mut self, permits: &[Permit]) {
        self.list(permits, |w, Permit { limit, key, max }| {
            w.name(limit);
            w.name(key);
            w.option(*max, |w, max| w.varint(u64::from(max)));
        });
    }

    pub(super) fn key(&mut self, key: &KeyClaim) {
        self.wide(key.scope.0);
        self.wide(key.request);
        self.wall(key.expires);
        self.byte(key.group.get());
    }

    pub(super) fn failure(&mut self, failure: &Failure) {
        self.byte(failure.class as u8);
        self.signed(failure.code);
        self.text(&failure.message);
    }

    pub(super) fn over(&mut self, over: &Actor) {
        self.name(&over.actor);
        self.name(&over.reason);
    }
}

impl Reader<'_> {
    pub fn task_id(&mut self) -> Result<TaskId, FormatError> {
        self.wide("task id").map(TaskId::from_bits)
    }

    pub fn run_id(&mut self) -> Result<RunId, FormatError> {
        self.wide("run id").map(RunId::from_bits)
    }

    pub fn worker_id(&mut self) -> Result<WorkerId, FormatError> {
        self.wide("worker id").map(WorkerId::from_bits)
    }

    pub fn fence(&mut self) -> Result<Fence, FormatError> {
        let epoch = self.varint32("fence epoch")?;
        let counter = self.varint32("fence counter")?;
        Ok(Fence::new(Epoch::new(u64::from(epoch)), counter))
    }

    pub(super) fn numbered(&mut self, what: &'static str) -> Result<(Bucket, u64), FormatError> {
        let at = self.at();
        let (bucket, number) = (self.varint(what)?, self.varint(what)?);
        let bucket = Bucket::from_bits(bucket).filter(|_| number >> NUMBER_BITS == 0);
        let no_id = || FormatError::bad(what, at, "has a bucket or a number that no id has");
        Ok((bucket.ok_or_else(no_id)?, number))
    }

    pub fn wall(&mut self, what: &'static str) -> Result<Wall, FormatError> {
        self.varint(what).map(Wall::from_millis)
    }

    pub fn elapsed(&mut self, what: &'static str) -> Result<Elapsed, FormatError> {
        self.varint(what).map(Elapsed::from_millis)
    }

    pub fn millis(&mut self, what: &'static str) -> Result<Millis, FormatError> {
        self.varint(what).map(Millis::new)
    }

    pub fn name(&mut self, what: &'static str) -> Result<Name, FormatError> {
        let at = self.at();
        let text = self.text(what)?;
        Name::new(text).map_err(|_| FormatError::bad(what, at, "is too long or holds a control character"))
    }

    pub fn priority(&mut self) -> Result<Priority, FormatError> {
        let at = self.at();
        let byte = self.byte("priority")?;
        Band::from_index(byte / 16)
            .and_then(|band| Priority::new(band, byte % 16))
            .ok_or_else(|| FormatError::bad("priority", at, "has no such band or level"))
    }

    /// A byte that must be one of a small set of numbers.
    pub(super) fn choice<T>(
        &mut self,
        what: &'static str,
        pick: impl FnOnce(u8) -> Option<T>,
    ) -> Result<T, FormatError> {
        let at = self.at();
        let byte = self.byte(what)?;
        pick(byte).ok_or_else(|| FormatError::bad(what, at, "has no such value"))
    }

    pub(super) fn shared_bytes(&mut self, what: &'static str) -> Result<Arc<[u8]>, FormatError> {
        self.bytes(what).map(Arc::from)
    }

    pub(super) fn labels(&mut self) -> Result<Labels, FormatError> {
        self.list("labels", |r| Ok((r.name("label key")?, r.name("label value")?))).map(Arc::from)
    }

    pub(super) fn permits(&mut self) -> Result<Permits, FormatError> {
        let permit = |r: &mut Self| {
            Ok(Permit {
                limit: r.name("limit of a permit")?,
                key: r.name("key of a permit")?,
                max: r.option("maximum of a permit", |r| r.varint32("maximum of a permit"))?,
            })
        };
        self.list("permits", permit).map(Arc::from)
    }

    pub(super) fn key(&mut self) -> Result<KeyClaim, FormatError> {
        Ok(KeyClaim {
            scope: KeyScope(self.wide("key scope")?),
            request: self.wide("key request")?,
            expires: self.wall("key expiry")?,
            group: Group::new(self.byte("group of a key")?),
        })
    }

    pub(super) fn failure(&mut self) -> Result<Failure, FormatError> {
        Ok(Failure {
            class: self.choice("failure class", FailureClass::from_index)?,
            code: self.signed("failure code")?,
            message: self.text("failure message")?.into(),
        })
    }

    pub(super) fn over(&mut self) -> Result<Actor, FormatError> {
        Ok(Actor { actor: self.name("actor")?, reason: self.name("reason")? })
    }

    pub(super) fn status(&mut self) -> Result<Status, FormatError> {
        self.choice("status", Status::from_index)
    }

    pub(super) fn task_change(&mut self) -> Result<TaskChange, FormatError> {
        self.choice("task change", |byte| TaskChange::ALL.get(usize::from(byte)).copied())
    }

    pub(super) fn stop_reason(&mut self) -> Result<StopReason, FormatError> {
        self.choice("stop reason", |byte| StopReason::ALL.get(usize::from(byte)).copied())
    }
}
