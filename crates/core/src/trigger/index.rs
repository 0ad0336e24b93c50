//! Which triggers an event can mean, found in time proportional to those that it does.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::spec::On;
use crate::values::{CloudEvent, Name, TriggerId};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum TriggerMark {
    Kind(Arc<str>),
    Prefix(Arc<str>),
    Source(Arc<str>),
    Job(Name),
}

/// Derived from the triggers.
#[derive(Debug, Default)]
pub(super) struct TriggerIndex {
    by_mark: BTreeMap<(Name, TriggerMark), Vec<TriggerId>>,
    /// Lengths of the prefixes of each tenant, with how many have it.
    lengths: BTreeMap<Name, BTreeMap<usize, usize>>,
}

fn marks(on: &On) -> Vec<TriggerMark> {
    match on {
        On::Event { kind, .. } if kind.prefix => vec![TriggerMark::Prefix(kind.text.clone())],
        On::Event { kind, .. } => vec![TriggerMark::Kind(kind.text.clone())],
        On::Webhook(name) => vec![TriggerMark::Source(On::webhook_source(name).into())],
        On::After(jobs) => jobs.iter().cloned().map(TriggerMark::Job).collect(),
    }
}

impl TriggerIndex {
    pub(super) fn add(&mut self, tenant: &Name, on: &On, id: TriggerId) {
        for mark in marks(on) {
            if let TriggerMark::Prefix(text) = &mark {
                *self.lengths.entry(tenant.clone()).or_default().entry(text.len()).or_default() += 1;
            }
            self.by_mark.entry((tenant.clone(), mark)).or_default().push(id);
        }
    }

    pub(super) fn remove(&mut self, tenant: &Name, on: &On, id: TriggerId) {
        for mark in marks(on) {
            if let TriggerMark::Prefix(text) = &mark
                && let Some(lengths) = self.lengths.get_mut(tenant)
                && let Some(count) = lengths.get_mut(&text.len())
            {
                *count -= 1;
                if *count == 0 {
                    lengths.remove(&text.len());
                }
            }
            let place = (tenant.clone(), mark);
            if let Some(ids) = self.by_mark.get_mut(&place) {
                ids.retain(|known| *known != id);
                if ids.is_empty() {
                    self.by_mark.remove(&place);
                }
            }
        }
    }

    /// Ascending, each once.
    pub(super) fn find(&self, tenant: &Name, notice: &CloudEvent) -> Vec<TriggerId> {
        let mut found = Vec::new();
        let mut look = |mark| found.extend(self.by_mark.get(&(tenant.clone(), mark)).into_iter().flatten());
        look(TriggerMark::Kind(notice.kind.clone()));
        look(TriggerMark::Source(notice.source.clone()));
        for length in self.lengths.get(tenant).into_iter().flat_map(BTreeMap::keys) {
            if let Some(prefix) = notice.kind.get(..*length) {
                look(TriggerMark::Prefix(prefix.into()));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    pub(super) fn after(&self, tenant: &Name, job: &Name) -> &[TriggerId] {
        self.by_mark.get(&(tenant.clone(), TriggerMark::Job(job.clone()))).map_or(&[], Vec::as_slice)
    }
}
