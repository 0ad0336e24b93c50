//! From a job without mistakes to its plan.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use mainspring_core::job::{Each, Node, NodeWork, Plan, Repeat, TaskWork};
use mainspring_core::task::{Payload, Profile, ProfileSpec};
use mainspring_core::values::{Name, Requirements};

use super::graph::Graph;
use crate::file::{self, Job, Place, Settings, Task};

const POOL: &str = "default";

/// `None` only if a mistake was told: then something is missing.
pub fn lower(job: &Job, graph: &Graph, tenant: &Name) -> Option<Plan> {
    let mut nodes = nodes(job, graph, tenant, 0)?;
    let read = job.tasks.iter().flat_map(|task| &task.uses).chain(&job.uses);
    for (name, _) in read.flat_map(|text| &text.mentions.tasks).filter(|(_, mention)| mention.output) {
        nodes[*graph.index.get(name)? as usize].output_kept = true;
    }
    let sensitive = job.parameters.iter().filter(|parameter| parameter.sensitive);
    let sensitive = sensitive.filter_map(|parameter| Name::new(&parameter.name).ok()).collect();
    let plan = Plan::new(nodes, job.policy, job.bounds, job.outputs.as_deref().map(Arc::from));
    Some(plan.with_sensitive(sensitive))
}

/// Of the tasks from this one on; whose output is kept is not yet said.
pub fn nodes(job: &Job, graph: &Graph, tenant: &Name, first: usize) -> Option<Vec<Node>> {
    let mut maker = Maker { tenant, job: job.name.as_ref()?, profiles: HashSet::new() };
    let tasks = job.tasks.iter().zip(&graph.needs).skip(first);
    tasks.map(|(task, needs)| maker.node(task, needs, graph)).collect()
}

struct Maker<'j> {
    tenant: &'j Name,
    job: &'j Name,
    /// Tasks with the same settings share one.
    profiles: HashSet<Arc<Profile>>,
}

impl Maker<'_> {
    fn node(&mut self, task: &Task, needs: &[u32], graph: &Graph) -> Option<Node> {
        let settings = &task.settings;
        let undo = match &task.undo {
            None => None,
            Some(undo) => {
                let retry = undo.retry.clone().or_else(|| settings.retry.clone());
                let hard = undo.hard.or(settings.hard);
                let settings = Settings { retry, hard, ..settings.clone() };
                Some(self.work(&undo.work, &settings))
            }
        };
        Some(Node {
            name: task.name.clone(),
            work: self.work(task.work.as_ref()?, settings),
            needs: needs.to_vec(),
            rule: settings.rule.as_ref().map(|(rule, _)| *rule).unwrap_or_default(),
            condition: task.when.as_deref().map(Arc::from),
            each: task.each.as_ref().map(|each| Each {
                items: each.items.as_str().into(),
                active_max: each.active_max.unwrap_or(u32::MAX),
                tolerance: each.tolerance,
                on_empty: each.on_empty,
            }),
            repeat: task.repeat.as_ref().map(|repeat| Repeat {
                until: repeat.until.as_str().into(),
                rounds_max: repeat.rounds_max,
                pause: repeat.pause,
            }),
            undo,
            mentions: mentions(task, graph),
            output_kept: false,
            spawns: task.spawns.as_deref().map(Arc::from),
            needs_jobs: task.needs_jobs.iter().map(|(need, _)| need.clone()).collect(),
            limits: settings.limits.as_ref().map(|(limits, _)| limits.clone()).unwrap_or_default(),
        })
    }

    fn work(&mut self, work: &file::Work, settings: &Settings) -> NodeWork {
        match work {
            file::Work::Task { executor, payload, templated } => NodeWork::Task(TaskWork {
                profile: self.profile(executor, settings),
                payload: bytes(payload),
                priority: settings.priority.unwrap_or_default(),
                labels: settings.labels.clone(),
                templated: *templated,
            }),
            file::Work::Run { job, parameters, templated, .. } => {
                NodeWork::Run { job: job.clone(), parameters: bytes(parameters), templated: *templated }
            }
        }
    }

    fn profile(&mut self, executor: &'static str, settings: &Settings) -> Arc<Profile> {
        let profile = Profile::new(ProfileSpec {
            tenant: self.tenant.clone(),
            job: self.job.clone(),
            executor: Name::fixed(executor),
            requirements: Requirements {
                pool: settings.pool.clone().unwrap_or_else(|| Name::fixed(POOL)),
                resources: settings.resources.clone().unwrap_or_default(),
                labels: settings.conditions.clone().unwrap_or_default(),
                zone: settings.zone.clone().unwrap_or_default(),
            },
            retry: settings.retry.clone().unwrap_or_default(),
            limits: settings.time_limits(),
            delivery: settings.delivery.unwrap_or_default(),
        });
        if let Some(known) = self.profiles.get(&profile) {
            return known.clone();
        }
        self.profiles.insert(profile.clone());
        profile
    }
}

fn bytes(json: &serde_json::Value) -> Payload {
    json.to_string().into_bytes().into()
}

/// A task that an undo names itself is known to whoever undoes it.
fn mentions(task: &Task, graph: &Graph) -> Vec<u32> {
    let own = |name: &str, place| place == Place::Undo && name == task.name.as_str();
    let read =
        task.uses.iter().flat_map(|text| text.mentions.tasks.keys().map(move |name| (name, text.place)));
    let found = read.filter(|(name, place)| !own(name, *place)).filter_map(|(name, _)| graph.index.get(name));
    found.copied().collect::<BTreeSet<u32>>().into_iter().collect()
}
