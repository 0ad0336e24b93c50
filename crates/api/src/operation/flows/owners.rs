//! Whom a job belongs to, by its newest definition: the one to tell when something of it failed.

use std::collections::BTreeMap;

use mainspring_core::job::JobKey;
use mainspring_core::values::Name;

use super::job;
use crate::edge::Edge;

/// Jobs that are asked for in one answer; those after them have no owner in it.
const JOBS_MAX: usize = 200;

/// Owners of jobs, each asked for once.
#[derive(Default)]
pub(crate) struct Owners(BTreeMap<JobKey, Option<String>>);

impl Owners {
    /// `None`: it names none, or there is no such job any more.
    pub(crate) async fn of(&mut self, edge: &Edge, tenant: &Name, name: &Name) -> Option<String> {
        let key = JobKey { tenant: tenant.clone(), name: name.clone() };
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        if name.is_empty() || self.0.len() >= JOBS_MAX {
            return None;
        }
        let job = job(edge, key.clone()).await.ok();
        let definition = job.and_then(|job| edge.definitions.of(&job).ok());
        let owner = definition.map(|definition| definition.owner.clone()).filter(|owner| !owner.is_empty());
        self.0.insert(key, owner.clone());
        owner
    }
}

impl Owners {
    /// As [`Self::of`], of names as an answer has them.
    pub(crate) async fn named(&mut self, edge: &Edge, tenant: &str, job: &str) -> Option<String> {
        self.of(edge, &Name::new(tenant).ok()?, &Name::new(job).ok()?).await
    }
}

/// Of one job.
pub(crate) async fn owner(edge: &Edge, key: &JobKey) -> Option<String> {
    Owners::default().of(edge, &key.tenant, &key.name).await
}
