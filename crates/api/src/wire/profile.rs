//! The part of a body that tasks of one kind share: its canonical text, and the profile made from it.

use mainspring_core::retry::RetryPolicy;
use mainspring_core::task::{Delivery, Profile, ProfileSpec, TimeLimits};
use mainspring_core::values::{
    CUSTOM_RESOURCES_MAX, LABELS_MAX, LabelCondition, Millis, Name, Requirements, Resources, resource_name,
};
use serde::Serialize;
use std::sync::Arc;

use super::names::name;
use super::retry::RetryBody;
use super::task_body::{DeliveryWord, PlacementBody, ResourcesBody, TaskBody, TimeoutsBody};
use crate::problem::{Problem, WorkerProblem};

pub const TENANT_DEFAULT: &str = "default";
pub const POOL_DEFAULT: &str = "default";
/// Longest time limit that can be asked for: a year.
const LIMIT_MAX_MS: u64 = 366 * 86_400_000;

/// Borrowed from a body; equal kinds have equal texts.
#[derive(Serialize)]
pub struct Kind<'b> {
    #[serde(rename = "t")]
    pub tenant: &'b str,
    #[serde(rename = "j")]
    pub job: &'b str,
    #[serde(rename = "e")]
    pub executor: &'static str,
    #[serde(rename = "p")]
    pub pool: &'b str,
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    pub retry: Option<&'b RetryBody>,
    #[serde(rename = "h", skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<TimeoutsBody>,
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    pub resources: Option<&'b ResourcesBody<'b>>,
    #[serde(rename = "w", skip_serializing_if = "Option::is_none")]
    pub placement: Option<&'b PlacementBody<'b>>,
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryWord>,
}

impl<'b> Kind<'b> {
    pub fn of(body: &'b TaskBody<'b>, tenant: Option<&'b str>) -> Result<Self, Problem> {
        Ok(Self {
            tenant: body.tenant.as_deref().or(tenant).unwrap_or(TENANT_DEFAULT),
            job: body.job.as_deref().unwrap_or_default(),
            executor: executor(body.task_type.as_deref())?,
            pool: body.pool.as_deref().unwrap_or(POOL_DEFAULT),
            retry: body.retry_policy.as_ref(),
            timeout_ms: body.timeout_ms,
            timeouts: body.timeouts,
            resources: body.resources.as_ref(),
            placement: body.placement.as_ref(),
            delivery: body.delivery,
        })
    }

    pub fn profile(&self) -> Result<Arc<Profile>, Problem> {
        Ok(Profile::new(ProfileSpec {
            tenant: required("tenant", self.tenant)?,
            job: name("job", self.job)?,
            executor: Name::fixed(self.executor),
            requirements: Requirements {
                pool: required("pool", self.pool)?,
                resources: self.resources()?,
                labels: self.conditions()?,
                zone: name("placement.zone", self.placement.and_then(|p| p.zone.as_deref()).unwrap_or(""))?,
            },
            retry: self.retry.map_or_else(|| Ok(RetryPolicy::default()), RetryBody::policy)?,
            limits: self.limits()?,
            delivery: match self.delivery {
                None | Some(DeliveryWord::AtLeastOnce) => Delivery::AtLeastOnce,
                Some(DeliveryWord::AtMostOnce) => Delivery::AtMostOnce,
            },
        }))
    }

    fn limits(&self) -> Result<TimeLimits, Problem> {
        let asked = self.timeouts.unwrap_or_default();
        if asked.hard_ms.is_some() && self.timeout_ms.is_some() {
            return Err(Problem::field("timeout_ms", "give it or `timeouts.hard_ms`, not both"));
        }
        let usual = TimeLimits::default();
        Ok(TimeLimits {
            accept: limit("timeouts.accept_ms", asked.accept_ms)?.unwrap_or(usual.accept),
            soft: limit("timeouts.soft_ms", asked.soft_ms)?,
            hard: limit("timeouts.hard_ms", asked.hard_ms.or(self.timeout_ms))?,
            progress: limit("timeouts.progress_ms", asked.progress_ms)?,
            grace: asked.grace_ms.map_or(Ok(usual.grace), |ms| bounded("timeouts.grace_ms", ms))?,
        })
    }

    fn resources(&self) -> Result<Resources, Problem> {
        let Some(asked) = self.resources else { return Ok(Resources::default()) };
        let count = asked.custom.len();
        if count > CUSTOM_RESOURCES_MAX {
            return Err(Problem::TooManyEntries {
                field: "resources.custom",
                count,
                max: CUSTOM_RESOURCES_MAX,
            });
        }
        let custom = asked.custom.iter().map(|(key, amount)| Ok((custom_name(key)?, *amount)));
        let custom = custom.collect::<Result<Vec<_>, Problem>>()?;
        let built_in = Resources::new(asked.cpu_milli, asked.memory_bytes, asked.disk_bytes, asked.gpus);
        Ok(built_in.with_custom(custom))
    }

    fn conditions(&self) -> Result<Vec<LabelCondition>, Problem> {
        let texts = self.placement.map_or(&[][..], |placement| &placement.worker_labels);
        if texts.len() > LABELS_MAX {
            let field = "placement.worker_labels";
            return Err(Problem::TooManyEntries { field, count: texts.len(), max: LABELS_MAX });
        }
        let mut conditions = texts.iter().map(|text| condition(text)).collect::<Result<Vec<_>, _>>()?;
        conditions.sort();
        conditions.dedup();
        Ok(conditions)
    }
}

fn custom_name(text: &str) -> Result<Name, Problem> {
    let shown = || text.chars().take(80).collect();
    resource_name(text).map_err(|bad| WorkerProblem::BadResourceName { name: shown(), bad }.into())
}

fn condition(text: &str) -> Result<LabelCondition, Problem> {
    let label = |text: &str| required("placement.worker_labels", text);
    Ok(if let Some((key, value)) = text.split_once("!=") {
        LabelCondition::IsNot(label(key)?, label(value)?)
    } else if let Some((key, value)) = text.split_once('=') {
        LabelCondition::Is(label(key)?, label(value)?)
    } else {
        LabelCondition::Has(label(text)?)
    })
}

fn required(field: &'static str, text: &str) -> Result<Name, Problem> {
    if text.is_empty() {
        return Err(Problem::field(field, "it may not be empty"));
    }
    name(field, text)
}

fn limit(field: &'static str, ms: Option<u64>) -> Result<Option<Millis>, Problem> {
    match ms {
        Some(0) => Err(Problem::field(field, "a limit of 0 ms lets nothing run; leave it out for none")),
        Some(ms) => bounded(field, ms).map(Some),
        None => Ok(None),
    }
}

fn bounded(field: &'static str, ms: u64) -> Result<Millis, Problem> {
    if ms > LIMIT_MAX_MS {
        return Err(Problem::field(field, format!("{ms} ms is more than a year")));
    }
    Ok(Millis::new(ms))
}

/// `webhook` is how timer services call what the `http` executor does.
/// What `task_type` may be, and the executor that it means.
pub(super) const EXECUTORS: [(&str, &str); 8] = [
    ("process", "process"),
    ("http", "http"),
    ("webhook", "http"),
    ("noop", "noop"),
    ("sleep", "sleep"),
    ("wait", "wait"),
    ("poll", "poll"),
    ("clock", "clock"),
];

pub(super) fn executor(task_type: Option<&str>) -> Result<&'static str, Problem> {
    let Some(wanted) = task_type else {
        return Err(Problem::field("task_type", "it is missing: say which executor runs the task"));
    };
    let known = EXECUTORS.iter().find(|(word, _)| wanted.eq_ignore_ascii_case(word));
    let shown = || wanted.chars().take(50).collect();
    known.map(|(_, executor)| *executor).ok_or_else(|| Problem::UnknownExecutor { name: shown() })
}
