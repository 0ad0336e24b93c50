//! Limits at every grant: tenants, pools and workers hold no more than they may (I21), and nothing of a lower
//! band goes ahead of a waiting task that could have had the same place (I22).

use std::collections::BTreeMap;

use mainspring_core::event::Event;
use mainspring_core::task::Task;
use mainspring_core::values::{Band, Name, Permit, Requirements, Resources, TaskId, WorkerId};
use mainspring_core::worker::WorkerOffer;

use super::journal::JournalFold;
use super::{Check, require};

/// Fixed for the life of a world, so that a grant can be judged by itself.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    pub tenants: BTreeMap<Name, u32>,
    pub pools: BTreeMap<Name, u32>,
    pub offers: BTreeMap<WorkerId, WorkerOffer>,
}

impl Bounds {
    pub(super) fn check_grant(&self, journal: &JournalFold, task: &Task, event: &Event) -> Check {
        let Event::TaskAssigned { worker, .. } = event else { return Ok(()) };
        let held = |keep: &dyn Fn(&Task) -> bool| {
            let tasks = journal.leased.iter().filter_map(|id| journal.task(*id));
            tasks.filter(|other| keep(other)).count() as u32
        };
        let (id, profile) = (task.id, &task.profile);
        if let Some(max) = self.tenants.get(&profile.tenant) {
            let running = held(&|other| other.profile.tenant == profile.tenant);
            require(running < *max, "I21", || {
                format!("{id} is one above the {max} of `{}`", profile.tenant)
            })?;
        }
        let pool = &profile.requirements.pool;
        if let Some(max) = self.pools.get(pool) {
            let running = held(&|other| other.profile.requirements.pool == *pool);
            require(running < *max, "I21", || format!("{id} is one above the {max} of pool `{pool}`"))?;
        }
        require(finds_seats(journal, task), "I21", || format!("{id} found no place in one of its limits"))?;
        if let Some(offer) = self.offers.get(worker) {
            require(fits(task, &room(journal, *worker, offer), offer), "I21", || {
                format!("{id} does not fit into what {worker} has left")
            })?;
        }
        check_band(journal, task)
    }

    /// A task that could be started now by a worker that takes work; there must be none when nothing moves.
    pub fn startable(&self, journal: &JournalFold, accepting: &[WorkerId]) -> Option<(TaskId, WorkerId)> {
        let count = |keep: &dyn Fn(&Task) -> bool| {
            journal.leased.iter().filter_map(|id| journal.task(*id)).filter(|other| keep(other)).count()
                as u32
        };
        for task in journal.queued.iter().filter_map(|id| journal.task(*id)) {
            let (tenant, pool) = (&task.profile.tenant, &task.profile.requirements.pool);
            let free = self.tenants.get(tenant).is_none_or(|max| count(&|t| t.profile.tenant == *tenant) < *max)
                    && self
                        .pools
                        .get(pool)
                        .is_none_or(|max| count(&|t| t.profile.requirements.pool == *pool) < *max)
                    && finds_seats(journal, task)
                    // One task of backfills is always within their share of a pool; more may not be.
                    && (task.priority.band != Band::Backfill
                        || count(&|t| {
                            t.priority.band == Band::Backfill && t.profile.requirements.pool == *pool
                        }) == 0);
            let worker = accepting.iter().find(|worker| {
                let offer = &self.offers[*worker];
                free && fits(task, &room(journal, **worker, offer), offer)
            });
            if let Some(worker) = worker {
                return Some((task.id, *worker));
            }
        }
        None
    }
}

fn permits(task: &Task) -> &[Permit] {
    task.extra.as_ref().and_then(|extra| extra.permits.as_deref()).unwrap_or(&[])
}

/// Whether each named limit of a task has a place; no limit is configured in this world.
fn finds_seats(journal: &JournalFold, task: &Task) -> bool {
    permits(task).iter().all(|permit| {
        let holds = |other: &&Task| {
            other.profile.tenant == task.profile.tenant
                && permits(other).iter().any(|held| (&held.limit, &held.key) == (&permit.limit, &permit.key))
        };
        let holders = journal.leased.iter().filter_map(|id| journal.task(*id)).filter(holds).count();
        holders < permit.max.unwrap_or(1) as usize
    })
}

/// Only tasks that want exactly the same are compared: where they fit is then the same question.
fn check_band(journal: &JournalFold, task: &Task) -> Check {
    let asks_more = |other: &Task| other.extra.as_ref().is_some_and(|extra| extra.memory_bytes.is_some());
    let ahead = journal.queued.iter().filter_map(|id| journal.task(*id)).find(|other| {
        other.priority.band < task.priority.band
            && other.profile.tenant == task.profile.tenant
            && other.profile.requirements == task.profile.requirements
            && !asks_more(other)
            && permits(other).is_empty()
    });
    require(ahead.is_none(), "I22", || {
        format!("{} of {:?} went ahead of {:?}", task.id, task.priority.band, ahead.map(|task| task.id))
    })
}

struct Room {
    slots: u32,
    resources: Resources,
}

fn room(journal: &JournalFold, worker: WorkerId, offer: &WorkerOffer) -> Room {
    let mut room = Room { slots: offer.slots, resources: offer.capacity.clone() };
    let held = journal.leased.iter().filter_map(|id| journal.task(*id));
    for task in held.filter(|task| task.lease().is_some_and(|lease| lease.worker == worker)) {
        room.slots = room.slots.saturating_sub(1);
        room.resources.take(&needs(task));
    }
    room
}

fn needs(task: &Task) -> Resources {
    let mut resources = task.profile.requirements.resources.clone();
    if let Some(memory) = task.extra.as_ref().and_then(|extra| extra.memory_bytes) {
        resources.memory_bytes = memory;
    }
    resources
}

fn fits(task: &Task, room: &Room, offer: &WorkerOffer) -> bool {
    room.slots > 0 && needs(task).fits_in(&room.resources) && suits(&task.profile.requirements, offer)
}

/// Whether a worker is of the right kind, however busy it is.
pub(crate) fn suits(requirements: &Requirements, offer: &WorkerOffer) -> bool {
    let label = |key: &Name| offer.labels.iter().find(|(have, _)| have == key).map(|(_, value)| value);
    requirements.pool == offer.pool
        && (requirements.zone.is_empty() || requirements.zone == offer.zone)
        && requirements.labels.iter().all(|condition| condition.holds(label(condition.key())))
}

impl JournalFold {
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }
}
