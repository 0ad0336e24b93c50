//! How many queued tasks wait for what.
//! Entry: `Dispatcher::waiting`.
//! - WA-1 the cost grows with the kinds of tasks, not with their number; at most [`SCAN_MAX`] kinds are looked at

use std::collections::BTreeMap;

use super::Dispatcher;
use super::queue::Class;
use super::why::{WaitKind, WaitReason};
use crate::collections::Id;
use crate::values::{Band, Name, TaskIndex};

/// Kinds of tasks looked at for one answer.
const SCAN_MAX: usize = 100_000;

/// Tasks of one tenant, band and pool that wait for the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitingTasks {
    pub pool: Name,
    pub band: Band,
    pub tenant: Name,
    pub reason: WaitReason,
    pub queued: u64,
    /// The first of each kind: one of them has waited longest.
    pub first: Vec<TaskIndex>,
}

/// Firsts of a group that are kept.
const FIRSTS_MAX: usize = 1_000;

impl Dispatcher {
    /// By pool, band, tenant and reason; and whether there are more than were looked at.
    pub fn waiting(&self) -> (Vec<WaitingTasks>, bool) {
        let mut found: BTreeMap<(&Name, Band, &Name, WaitKind, Option<Name>), WaitingTasks> = BTreeMap::new();
        for class in self.classes.iter().take(SCAN_MAX) {
            let Some(first) = class.fifo.head() else { continue };
            let line = &self.lines[class.line];
            let (pool, tenant) = (&self.pools[line.pool].name, &self.tenants[line.tenant].name);
            let reason = self.why_alike(class);
            let key = (pool, line.band, tenant, reason.kind(), reason.limit().cloned());
            let group = found.entry(key).or_insert_with(|| WaitingTasks {
                pool: pool.clone(),
                band: line.band,
                tenant: tenant.clone(),
                reason,
                queued: 0,
                first: Vec::new(),
            });
            group.queued += u64::from(class.fifo.len());
            if group.first.len() < FIRSTS_MAX {
                group.first.push(first);
            }
        }
        (found.into_values().collect(), self.classes.iter().nth(SCAN_MAX).is_some())
    }

    /// Why the tasks of a class wait, the first of them as all others.
    fn why_alike(&self, class: &Class) -> WaitReason {
        let ahead = self.ahead_of_class(class, &self.lines[class.line]);
        self.why_class(class, ahead)
    }

    /// `None`: it does not wait.
    pub fn class_of(&self, task: TaskIndex) -> Option<Id<Class>> {
        self.links.queued(task)
    }

    /// Why tasks of this class wait.
    pub fn why_class_with(&self, class: Id<Class>) -> WaitReason {
        self.why_alike(&self.classes[class])
    }
}
