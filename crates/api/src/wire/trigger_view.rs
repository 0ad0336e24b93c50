//! Triggers as callers see them, and what became of an event.

use mainspring_core::trigger::{On, Trigger};
use mainspring_core::values::Cause;
use serde::Serialize;
use serde_json::value::RawValue;

use super::job_view::raw;
use super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Trigger"))]
pub(crate) struct TriggerView<'a> {
    pub tenant: &'a str,
    pub job: &'a str,
    pub name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<PatternView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Vec<&'a str>>,
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    pub condition: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::object"))]
    pub parameters: Option<&'a RawValue>,
    pub max_active: u32,
    /// Runs that it began and that have not ended
    pub active: u32,
    pub fired: u64,
    pub skipped: u64,
    pub errors: u64,
    /// Of the first job of `after`: windows that wait for the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows_waiting: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_fired: Option<LastFiredView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_skip: Option<LastView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<LastView<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "EventPattern"))]
pub(crate) struct PatternView {
    pub r#type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LastFired"))]
pub(crate) struct LastFiredView<'a> {
    pub at: Moment,
    pub event_id: &'a str,
    pub source: &'a str,
    pub run_id: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LastOutcome"))]
pub(crate) struct LastView<'a> {
    pub at: Moment,
    pub what: &'a str,
}

impl<'a> TriggerView<'a> {
    pub(crate) fn of(hook: &'a Trigger) -> Self {
        let (mut event, mut webhook, mut after) = (None, None, None);
        match &hook.spec.on {
            On::Event { kind, source } => {
                let source = source.as_ref().map(ToString::to_string);
                event = Some(PatternView { r#type: kind.to_string(), source });
            }
            On::Webhook(name) => webhook = Some(&**name),
            On::After(jobs) => after = Some(jobs.iter().map(|job| &**job).collect()),
        }
        Self {
            tenant: &hook.key.tenant,
            job: &hook.key.job,
            name: &hook.key.name,
            windows_waiting: after.is_some().then_some(hook.ledger.open.len()),
            event,
            webhook,
            after,
            condition: hook.spec.condition.as_deref(),
            parameters: raw(&hook.spec.parameters),
            max_active: hook.spec.active_max,
            active: hook.soft.active,
            fired: hook.fired,
            skipped: hook.skipped,
            errors: hook.errors,
            last_fired: hook.last_fired.as_ref().map(|last| LastFiredView {
                at: Moment(last.at),
                event_id: &last.event,
                source: &last.source,
                run_id: last.run.to_string(),
            }),
            last_skip: hook.last_skip.map(|(at, skip)| LastView { at: Moment(at), what: skip.label() }),
            last_error: hook.last_error.as_ref().map(|(at, what)| LastView { at: Moment(*at), what }),
        }
    }
}

/// What became of one event.
#[derive(Serialize, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PublishedEvent"))]
pub(crate) struct PublishedView {
    pub id: String,
    pub source: String,
    /// It came before; `runs` is what it began then
    pub duplicate: bool,
    pub runs: Vec<BegunView>,
    pub skipped: Vec<DeclinedView>,
    pub errors: Vec<DeclinedView>,
}

#[derive(Serialize, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "BegunRun"))]
pub(crate) struct BegunView {
    pub run_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
}

#[derive(Serialize, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Declined"))]
pub(crate) struct DeclinedView {
    pub job: String,
    pub trigger: String,
    /// `max_active`, `paused`, `fan_out`, or what is wrong
    pub what: String,
}

/// The event that began a run.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RunCause"))]
pub(crate) struct CauseView<'a> {
    pub trigger: &'a str,
    pub id: &'a str,
    pub source: &'a str,
    pub r#type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Moment>,
    /// Not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::any"))]
    pub data: Option<&'a RawValue>,
}

impl<'a> CauseView<'a> {
    pub(crate) fn of(cause: &'a Cause, with_data: bool) -> Self {
        let notice = &cause.notice;
        Self {
            trigger: &cause.trigger,
            id: &notice.id,
            source: &notice.source,
            r#type: &notice.kind,
            subject: notice.subject.as_deref(),
            time: notice.time.map(Moment),
            data: notice.data.as_deref().filter(|_| with_data).and_then(raw),
        }
    }
}
