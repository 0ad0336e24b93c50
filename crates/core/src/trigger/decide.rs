//! What people want of triggers: events taken, and the triggers of a job file stored. What a trigger makes of an event
//! (`fire`) and of the success of a job (`after`).

pub(crate) mod after;
pub(crate) mod announce;
pub(crate) mod fire;

use std::sync::Arc;

use super::event::{TriggerEvent, TriggerStored};
use super::refusal::TriggerRefusal;
use super::spec::{TriggerKey, TriggerSpec};
use super::table::Skip;
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::job::JobKey;
use crate::key::{KeyClaim, KeyFact};
use crate::values::{CloudEvent, Name, RunId};

/// Runs that one event begins.
pub(crate) const FAN_OUT_MAX: usize = 256;
/// Ids of the runs of one event differ in these bits.
const NUMBER: u128 = 0xffff;
const _: () = assert!(FAN_OUT_MAX < NUMBER as usize, "every run of an event has a number of its own");

/// An event from outside.
#[derive(Clone, PartialEq, Debug)]
pub struct Publish {
    pub tenant: Name,
    pub notice: Arc<CloudEvent>,
    /// By (tenant, source, id), with what the tables knew of it before the command came here.
    pub key: (KeyClaim, KeyFact),
    /// The runs that it begins have ids made from this one.
    pub base: RunId,
}

/// What became of an event.
#[derive(Clone, PartialEq, Debug)]
pub enum Published {
    Taken {
        runs: Vec<Begun>,
        skipped: Vec<Declined>,
        errors: Vec<Declined>,
    },
    /// It came before, and began these.
    Duplicate {
        runs: Vec<RunId>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Begun {
    pub key: Arc<TriggerKey>,
    pub run: RunId,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Declined {
    pub key: Arc<TriggerKey>,
    pub what: Arc<str>,
}

impl Declined {
    pub(crate) fn skipped(key: Arc<TriggerKey>, skip: Skip) -> Self {
        Self { key, what: skip.label().into() }
    }
}

impl Publish {
    /// The id of the run with this number; they count from 1.
    pub(crate) fn run(base: RunId, number: usize) -> RunId {
        RunId::from_bits(base.bits() & !NUMBER | number as u128 & NUMBER)
    }

    /// All that an event began, from the id of the last one.
    pub(crate) fn runs(last: RunId) -> Vec<RunId> {
        (1..=(last.bits() & NUMBER) as usize).map(|number| Self::run(last, number)).collect()
    }
}

/// A job file names these triggers and no others; those that it named before go. `new`: how many new ones this record
/// has stored already.
pub(crate) fn of_file(
    view: &View<'_>,
    job: &JobKey,
    specs: Vec<(Name, TriggerSpec)>,
    new: &mut usize,
    out: &mut Out<'_>,
) -> Result<(), Rejection> {
    let triggers = view.state.triggers();
    let old = triggers.of_job(&job.tenant, &job.name);
    let gone =
        old.filter(|old| old.deleted.is_none() && !specs.iter().any(|(name, _)| *name == old.key.name));
    out.extend(gone.map(|old| Event::Trigger(TriggerEvent::Deleted { id: old.id })));
    for (name, spec) in specs {
        let key = TriggerKey { tenant: job.tenant.clone(), job: job.name.clone(), name };
        let old = triggers.find(&key);
        if old.is_some_and(|old| old.deleted.is_none() && *old.spec == spec) {
            continue;
        }
        let (held, max) = (triggers.len() + *new, view.limits.triggers_max);
        if old.is_none() && held >= max {
            return Err(TriggerRefusal::TooMany { held, max }.into());
        }
        let id = old.map_or_else(|| triggers.next_id(spec.bucket, *new as u64), |old| old.id);
        *new += usize::from(old.is_none());
        let key = old.map_or_else(|| Arc::new(key), |old| old.key.clone());
        let stored = TriggerStored { id, key, spec: Arc::new(spec) };
        out.push(Event::Trigger(TriggerEvent::Stored(Box::new(stored))));
    }
    Ok(())
}

/// Forgotten in one step of the sweep.
const FORGET_MAX: usize = 500;

/// Triggers that were deleted long enough ago. Not while runs that they began are at work: these are counted by name.
pub(crate) fn forget(view: &View<'_>, out: &mut Out<'_>) {
    let before = view.state.now.wall - view.limits.forget_deleted_after;
    let old = view.state.triggers().deleted_before(before).filter(|hook| hook.soft.active == 0);
    out.extend(old.take(FORGET_MAX).map(|hook| Event::Trigger(TriggerEvent::Forgotten { id: hook.id })));
}
