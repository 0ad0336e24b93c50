//! A message as the body that REST would have read. Only the form is checked here.

use mainspring_proto::v1;
use serde_json::value::RawValue;

use super::super::time::{instant_field, span_field};
use crate::problem::Problem;
use crate::wire::{
    BackoffWord, DeliveryWord, LimitBody, PlacementBody, PriorityBody, ResourcesBody, RetryBody, TaskBody,
    TimeoutsBody, json_problem,
};

pub(super) fn task(spec: &v1::TaskSpec) -> Result<TaskBody<'_>, Problem> {
    let recurs = recurrence(spec.recurrence_json.as_deref())?;
    let labels = spec.labels.iter().map(|(key, value)| (key.as_str().into(), value.as_str().into()));
    Ok(TaskBody {
        tenant: spec.tenant.as_deref().map(Into::into),
        job: spec.job.as_deref().map(Into::into),
        task_type: Some(spec.task_type.as_str()).filter(|text| !text.is_empty()).map(Into::into),
        payload: payload(spec.payload_json.as_deref())?,
        priority: priority(spec.priority.as_ref())?,
        scheduled_at: instant_field("scheduled_at", spec.scheduled_at.as_ref())?,
        delay_ms: span_field("delay", spec.delay.as_ref())?,
        retry_policy: spec.retry_policy.as_ref().map(retry).transpose()?,
        timeout_ms: span_field("timeout", spec.timeout.as_ref())?,
        timeouts: spec.timeouts.as_ref().map(timeouts).transpose()?,
        resources: spec.resources.as_ref().map(resources),
        placement: spec.placement.as_ref().map(placement),
        pool: spec.pool.as_deref().map(Into::into),
        labels: (!spec.labels.is_empty()).then(|| labels.collect()),
        delivery: delivery(spec.delivery)?,
        limits: spec.limits.iter().map(limit).collect(),
        idempotency_key: spec.idempotency_key.as_deref().map(Into::into),
        ..recurs
    })
}

/// The fields of a body that only a recurring task has.
fn recurrence(text: Option<&str>) -> Result<TaskBody<'_>, Problem> {
    let Some(text) = text else { return Ok(TaskBody::default()) };
    let body: TaskBody<'_> = serde_json::from_str(text).map_err(|error| json_problem(&error))?;
    if body.has_work() {
        return Err(Problem::field("recurrence_json", "it has the fields of a recurring task and no others"));
    }
    Ok(body)
}

fn limit(limit: &v1::Limit) -> LimitBody<'_> {
    LimitBody {
        name: limit.name.as_str().into(),
        key: limit.key.as_deref().map(Into::into),
        max: limit.max.map(u64::from),
    }
}

/// The text is kept as it came, once it is known to be JSON.
pub(in crate::grpc) fn payload(text: Option<&str>) -> Result<Option<&RawValue>, Problem> {
    text.map(|text| serde_json::from_str(text).map_err(|error| json_problem(&error))).transpose()
}

pub(in crate::grpc) fn priority(priority: Option<&v1::Priority>) -> Result<Option<PriorityBody>, Problem> {
    priority
        .map(|priority| PriorityBody::parse(priority.band.as_deref(), priority.level))
        .transpose()
        .map_err(|what| Problem::field("priority", what))
}

fn retry(policy: &v1::RetryPolicy) -> Result<RetryBody, Problem> {
    let jitter = policy.jitter_percent.map(u8::try_from).transpose();
    let delays = policy
        .delays
        .iter()
        .map(|delay| span_field("retry_policy.delays", Some(delay)).map(Option::unwrap_or_default));
    Ok(RetryBody {
        max_retries: policy.max_retries,
        backoff: backoff(policy.backoff)?,
        initial_delay_ms: span_field("retry_policy.initial_delay", policy.initial_delay.as_ref())?,
        growth_percent: policy.growth_percent,
        max_delay_ms: span_field("retry_policy.max_delay", policy.max_delay.as_ref())?,
        delays_ms: listed(delays.collect::<Result<_, _>>()?),
        jitter_percent: jitter.map_err(|_| Problem::field("retry_policy.jitter_percent", "at most 100"))?,
        retry_on: listed(policy.retry_on.clone()),
        retry_on_codes: listed(policy.retry_on_codes.clone()),
        prefer_other_worker: policy.prefer_other_worker,
    })
}

/// An empty list cannot be told from none.
fn listed<T>(list: Vec<T>) -> Option<Vec<T>> {
    Some(list).filter(|list| !list.is_empty())
}

fn timeouts(timeouts: &v1::Timeouts) -> Result<TimeoutsBody, Problem> {
    Ok(TimeoutsBody {
        accept_ms: span_field("timeouts.accept", timeouts.accept.as_ref())?,
        soft_ms: span_field("timeouts.soft", timeouts.soft.as_ref())?,
        hard_ms: span_field("timeouts.hard", timeouts.hard.as_ref())?,
        progress_ms: span_field("timeouts.progress", timeouts.progress.as_ref())?,
        grace_ms: span_field("timeouts.grace", timeouts.grace.as_ref())?,
    })
}

fn resources(resources: &v1::Resources) -> ResourcesBody<'_> {
    ResourcesBody {
        cpu_milli: resources.cpu_milli,
        memory_bytes: resources.memory_bytes,
        disk_bytes: resources.disk_bytes,
        gpus: resources.gpus,
        custom: resources.custom.iter().map(|(name, amount)| (name.as_str().into(), *amount)).collect(),
    }
}

fn placement(placement: &v1::Placement) -> PlacementBody<'_> {
    PlacementBody {
        worker_labels: placement.worker_labels.iter().map(|text| text.as_str().into()).collect(),
        zone: placement.zone.as_deref().map(Into::into),
    }
}

fn delivery(number: i32) -> Result<Option<DeliveryWord>, Problem> {
    match v1::Delivery::try_from(number) {
        Ok(v1::Delivery::Unspecified) => Ok(None),
        Ok(v1::Delivery::AtLeastOnce) => Ok(Some(DeliveryWord::AtLeastOnce)),
        Ok(v1::Delivery::AtMostOnce) => Ok(Some(DeliveryWord::AtMostOnce)),
        Err(_) => Err(Problem::field("delivery", format!("there is no delivery {number}"))),
    }
}

fn backoff(number: i32) -> Result<Option<BackoffWord>, Problem> {
    match v1::Backoff::try_from(number) {
        Ok(v1::Backoff::Unspecified) => Ok(None),
        Ok(v1::Backoff::None) => Ok(Some(BackoffWord::None)),
        Ok(v1::Backoff::Fixed) => Ok(Some(BackoffWord::Fixed)),
        Ok(v1::Backoff::Linear) => Ok(Some(BackoffWord::Linear)),
        Ok(v1::Backoff::Exponential) => Ok(Some(BackoffWord::Exponential)),
        Err(_) => Err(Problem::field("retry_policy.backoff", format!("there is no backoff {number}"))),
    }
}
