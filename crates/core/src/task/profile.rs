//! A profile: all that tasks of one kind share, built once and pointed to by every one of them.
//! A million queued tasks of one kind cost one profile.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use foldhash::fast::FixedState;

use crate::retry::{RetryPolicy, RetryScope};
use crate::values::{Millis, Name, Requirements};

/// What happens when the outcome of an attempt is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Delivery {
    /// Repeat it: it may run twice, it is never lost.
    #[default]
    AtLeastOnce = 0,
    /// Fail it: it may be cut short, it never runs twice.
    AtMostOnce = 1,
}

/// How long things may take, all measured by the scheduler; the worker measures `hard` too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TimeLimits {
    /// An assignment not accepted in this time is fenced and queued again, no retry spent.
    pub accept: Millis,
    /// Running longer raises an alert.
    pub soft: Option<Millis>,
    /// Running longer is stopped.
    pub hard: Option<Millis>,
    /// Without a progress report for this long the attempt is stopped; `None` = progress is not expected.
    pub progress: Option<Millis>,
    /// Between the request to stop and the kill.
    pub grace: Millis,
}

pub const ACCEPT_DEFAULT: Millis = Millis::from_secs(30);
pub const GRACE_DEFAULT: Millis = Millis::from_secs(30);

impl Default for TimeLimits {
    fn default() -> Self {
        Self { accept: ACCEPT_DEFAULT, soft: None, hard: None, progress: None, grace: GRACE_DEFAULT }
    }
}

/// The shared part of a task. Compare with `==`; the fingerprint makes unequal ones quick to tell.
#[derive(Clone, Debug)]
pub struct Profile {
    spec: ProfileSpec,
    fingerprint: u64,
    waits: bool,
    polls: bool,
}

/// The fields of a profile, as the edge fills them in.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ProfileSpec {
    pub tenant: Name,
    /// The job this task belongs to, or its type; empty for anonymous work.
    pub job: Name,
    /// Which executor runs it (`process`, `http`, …); the core does not look inside.
    pub executor: Name,
    pub requirements: Requirements,
    pub retry: RetryPolicy,
    pub limits: TimeLimits,
    pub delivery: Delivery,
}

impl Profile {
    pub fn new(spec: ProfileSpec) -> Arc<Self> {
        let fingerprint = FixedState::with_seed(0).hash_one(&spec);
        let waits = &*spec.executor == crate::wait::EXECUTOR;
        let polls = &*spec.executor == crate::wait::POLL_EXECUTOR;
        Arc::new(Self { spec, fingerprint, waits, polls })
    }

    /// Its tasks only wait, and are never given to a worker.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// Its tasks poll for something, again and again until a deadline.
    pub fn polls(&self) -> bool {
        self.polls
    }

    /// Same within one binary only: fit for a map in memory, not for disk.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.fingerprint == other.fingerprint && self.spec == other.spec
    }
}

impl Eq for Profile {}

impl Hash for Profile {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.fingerprint);
    }
}

impl std::ops::Deref for Profile {
    type Target = ProfileSpec;

    fn deref(&self) -> &ProfileSpec {
        &self.spec
    }
}

impl RetryScope {
    /// `target` is asked for only if the task has no job.
    pub fn of(profile: &Profile, target: impl FnOnce() -> Name) -> Self {
        let tenant = profile.tenant.clone();
        if profile.job.is_empty() {
            Self::of_target(tenant, profile.executor.clone(), target())
        } else {
            Self::of_job(tenant, profile.job.clone())
        }
    }
}
