//! A schedule as callers see it: what it says in the words of a job file, and how far it has come.

use mainspring_core::calendar::{Dst, Timetable};
use mainspring_core::schedule::{Schedule, Spec, Target, Timing};
use mainspring_core::values::{Millis, Started, Wall};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::job_view::raw;
use super::task_view::PriorityView;
use super::time::{Moment, span, written};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Schedule"))]
pub(crate) struct ScheduleView<'a> {
    pub tenant: &'a str,
    pub job: &'a str,
    pub name: &'a str,
    /// Later with each edit, for `If-Match`
    #[cfg_attr(test, schemars(range(max = 9_007_199_254_740_991_u64)))]
    pub revision: u64,
    #[cfg_attr(test, schemars(extend("enum" = ["on", "paused", "finished"])))]
    pub state: &'static str,
    /// In words.
    pub description: String,
    #[serde(flatten)]
    pub timing: TimingView<'a>,
    /// The next window
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Moment>,
    /// With its part of the jitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_begins_at: Option<Moment>,
    /// The newest window that was decided
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_task_id: Option<String>,
    pub fired: u64,
    pub skipped: u64,
    pub missed: u64,
    /// What it began and has not ended.
    pub active: usize,
    /// Windows that wait for that.
    pub waiting: usize,
    pub overlap: &'static str,
    pub max_active: u32,
    pub catch_up: u32,
    pub misfire_grace: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::object"))]
    pub parameters: Option<&'a RawValue>,
    /// Of its runs; absent if each task has its own
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<PriorityView>,
    /// It stands in the job's file.
    pub in_file: bool,
    pub created_at: Moment,
    pub updated_at: Moment,
}

/// One of them, as it can be written.
#[derive(Serialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TimingView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dst: Option<DstView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Vec<Moment>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Dst"))]
pub(crate) struct DstView {
    pub missing: &'static str,
    pub twice: &'static str,
}

impl<'a> ScheduleView<'a> {
    pub(crate) fn of(schedule: &'a Schedule) -> Self {
        let (key, spec) = (&*schedule.key, &*schedule.spec);
        let (last_run_id, last_task_id) = match schedule.last_made {
            Some(Started::Run(id)) => (Some(id.to_string()), None),
            Some(Started::Task(id)) => (None, Some(id.to_string())),
            None => (None, None),
        };
        let (parameters, priority) = match &spec.target {
            Target::Run { parameters, priority } => (
                Some(parameters).filter(|parameters| &***parameters != b"{}").and_then(|text| raw(text)),
                *priority,
            ),
            Target::Task(_) => (None, None),
        };
        Self {
            tenant: &key.tenant,
            job: &key.job,
            name: &key.name,
            revision: schedule.revision().get(),
            state: state(schedule),
            description: describe(spec),
            timing: TimingView::of(spec),
            next: schedule.next.map(Moment),
            next_begins_at: schedule.due().map(Moment),
            last: (schedule.last > Wall::ZERO).then_some(Moment(schedule.last)),
            last_run_id,
            last_task_id,
            fired: schedule.fired,
            skipped: schedule.skipped,
            missed: schedule.missed,
            active: schedule.rare.active.len(),
            waiting: schedule.rare.waiting.len(),
            overlap: spec.overlap.label(),
            max_active: spec.active_max,
            catch_up: spec.catch_up,
            misfire_grace: span(spec.grace),
            jitter: (spec.jitter > Millis::ZERO).then(|| span(spec.jitter)),
            start: spec.start.map(Moment),
            end: spec.end.map(Moment),
            parameters,
            priority: priority.map(PriorityView::of),
            in_file: schedule.of_job,
            created_at: Moment(schedule.created),
            updated_at: Moment(schedule.changed),
        }
    }
}

impl<'a> TimingView<'a> {
    pub(super) fn of(spec: &'a Spec) -> Self {
        let nothing = Self::default();
        match &spec.timing {
            Timing::Table(Timetable::Cron { zone, dst: Dst { missing, twice }, .. }) => Self {
                cron: Some(&spec.text),
                timezone: Some(zone.name()),
                dst: Some(DstView { missing: missing.label(), twice: twice.label() }),
                ..nothing
            },
            Timing::Table(Timetable::Every { every, .. }) => Self { every: Some(span(*every)), ..nothing },
            Timing::Table(Timetable::Instants(instants)) => {
                Self { at: Some(instants.iter().map(|at| Moment(*at)).collect()), ..nothing }
            }
            Timing::After(delay) => Self { after: Some(span(*delay)), ..nothing },
        }
    }
}

impl ScheduleView<'_> {
    /// What it says of its times, in the words of a job file.
    pub(crate) fn timing_fields(&self) -> Map<String, Value> {
        let mut fields = match serde_json::to_value(&self.timing) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let text = |moment: Moment| written(moment.0).into();
        let given = [
            ("overlap", Some(self.overlap.into())),
            ("max_active", Some(self.max_active.into())),
            ("catch_up", Some(self.catch_up.into())),
            ("misfire_grace", Some(self.misfire_grace.as_str().into())),
            ("jitter", self.jitter.as_deref().map(Value::from)),
            ("start", self.start.map(text)),
            ("end", self.end.map(text)),
        ];
        fields.extend(given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        fields
    }
}

/// Why something will begin, or not.
fn state(schedule: &Schedule) -> &'static str {
    match schedule.paused {
        true => "paused",
        false if is_finished(schedule) => "finished",
        false => "on",
    }
}

/// No window comes any more.
pub(super) fn is_finished(schedule: &Schedule) -> bool {
    let waits_for_end = matches!(schedule.spec.timing, Timing::After(_)) && !schedule.rare.active.is_empty();
    schedule.next.is_none() && schedule.rare.waiting.is_empty() && !waits_for_end && !schedule.paused
}

/// As a part of a sentence: "at 09:00 on weekdays".
pub(crate) fn describe(spec: &Spec) -> String {
    match &spec.timing {
        Timing::Table(Timetable::Cron { cron, .. }) => cron.describe(),
        Timing::Table(Timetable::Every { every, .. }) => format!("every {}", span(*every)),
        Timing::Table(Timetable::Instants(instants)) => match instants.len() {
            1 => "at one instant".to_owned(),
            count => format!("at {count} instants"),
        },
        Timing::After(delay) => format!("{} after the one before has ended", span(*delay)),
    }
}
