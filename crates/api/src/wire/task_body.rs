//! A task as callers submit it. One flat struct, because flattened ones cannot borrow from the body.

use std::collections::BTreeMap;
use std::fmt;

use mainspring_core::task::{ProfileSpec, TimeLimits};
use mainspring_core::values::{Band, LEVEL_MAX, Millis, Priority, Resources};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::retry::RetryBody;
use super::text::Text;
use super::time::TimeBody;
use super::whole::{self, Whole};

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transform = super::schema::task_body))]
#[serde(deny_unknown_fields, default)]
pub struct TaskBody<'a> {
    /// `default` if not given
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub tenant: Option<Text<'a>>,
    /// The kind of work, for lists and limits
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub job: Option<Text<'a>>,
    /// Which executor runs it; `webhook` is the same as `http`. Any mix of upper and lower case is read, and `executor`
    /// in its place.
    #[serde(borrow, alias = "executor")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_type"))]
    pub task_type: Option<Text<'a>>,
    /// Any JSON, handed to the executor as it came. `http` needs `url`, `process` needs `argv`, `sleep`
    /// needs `ms`.
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::any"))]
    pub payload: Option<&'a RawValue>,
    pub priority: Option<PriorityBody>,
    /// RFC 3339 text, or seconds since 1970
    pub scheduled_at: Option<TimeBody>,
    /// Instead of `scheduled_at`
    #[serde(deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(max = 3_162_240_000_000_u64)))]
    pub delay_ms: Option<u64>,
    pub retry_policy: Option<RetryBody>,
    /// The same as `timeouts.hard_ms`
    #[serde(deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(min = 1, max = 31_622_400_000_u64)))]
    pub timeout_ms: Option<u64>,
    pub timeouts: Option<TimeoutsBody>,
    #[serde(borrow)]
    pub resources: Option<ResourcesBody<'a>>,
    #[serde(borrow)]
    pub placement: Option<PlacementBody<'a>>,
    /// `default` if not given
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub pool: Option<Text<'a>>,
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::labels_or_null"))]
    pub labels: Option<BTreeMap<Text<'a>, Text<'a>>>,
    pub delivery: Option<DeliveryWord>,
    /// Named limits in which each attempt holds a place; taken together with its worker
    #[serde(borrow)]
    #[cfg_attr(test, schemars(length(max = 16)))]
    pub limits: Vec<LimitBody<'a>>,
    /// Like the header, and stronger
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::key"))]
    pub idempotency_key: Option<Text<'a>>,
    /// Of a recurring task; the idempotency key, or a new one, unless set
    #[serde(borrow)]
    #[cfg_attr(test, schemars(extend("maxLength" = 200, "pattern" = "^[A-Za-z0-9_][A-Za-z0-9_.-]*$")))]
    pub name: Option<Text<'a>>,
    /// The task recurs by this expression; the answer names a schedule
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::cron"))]
    pub cron: Option<&'a RawValue>,
    /// The task recurs at this rate, as `15m`, or seconds
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::every"))]
    pub every: Option<&'a RawValue>,
    /// Of `cron`; UTC unless set
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::timezone"))]
    pub timezone: Option<&'a RawValue>,
    /// What clock changes do to `cron`
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::dst"))]
    pub dst: Option<&'a RawValue>,
    /// Windows begin up to this much later; a day at most
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::jitter"))]
    pub jitter: Option<&'a RawValue>,
    /// How many missed windows are made up for; true is 3
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::catch_up"))]
    pub catch_up: Option<&'a RawValue>,
    /// The newest window still begins when it is this late; 5m unless set
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::misfire_grace"))]
    pub misfire_grace: Option<&'a RawValue>,
    /// While something of an earlier window has not ended
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::overlap"))]
    pub overlap: Option<&'a RawValue>,
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::max_active"))]
    pub max_active: Option<&'a RawValue>,
    /// No window before; RFC 3339
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::start"))]
    pub start: Option<&'a RawValue>,
    /// No window after; RFC 3339
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::end"))]
    pub end: Option<&'a RawValue>,
}

impl TaskBody<'_> {
    pub(crate) fn recurs(&self) -> bool {
        self.cron.is_some() || self.every.is_some()
    }

    /// A field that every task has.
    pub(crate) fn has_work(&self) -> bool {
        let Self {
            tenant,
            job,
            task_type,
            payload,
            priority,
            scheduled_at,
            delay_ms,
            retry_policy,
            timeout_ms,
            ..
        } = self;
        let Self { timeouts, resources, placement, pool, labels, delivery, limits, idempotency_key, .. } =
            self;
        let texts = [tenant, job, task_type, pool, idempotency_key];
        texts.into_iter().any(Option::is_some)
            || payload.is_some()
            || priority.is_some()
            || scheduled_at.is_some()
            || delay_ms.is_some()
            || retry_policy.is_some()
            || timeout_ms.is_some()
            || timeouts.is_some()
            || resources.is_some()
            || placement.is_some()
            || labels.is_some()
            || delivery.is_some()
            || !limits.is_empty()
    }

    /// A field that only a recurring task has.
    pub(crate) fn of_recurring(&self) -> Option<&'static str> {
        let named = self.name.as_ref().map(|_| "name");
        named.or_else(|| self.timing().find_map(|(name, given)| given.map(|_| name)))
    }

    /// When it recurs, as one JSON object.
    pub(crate) fn timing_text(&self) -> String {
        let given = self.timing().filter_map(|(name, given)| Some(format!("\"{name}\":{}", given?.get())));
        format!("{{{}}}", given.collect::<Vec<_>>().join(","))
    }

    fn timing(&self) -> impl Iterator<Item = (&'static str, Option<&RawValue>)> {
        let fields = [
            ("cron", self.cron),
            ("every", self.every),
            ("timezone", self.timezone),
            ("dst", self.dst),
            ("jitter", self.jitter),
            ("catch_up", self.catch_up),
            ("misfire_grace", self.misfire_grace),
            ("overlap", self.overlap),
            ("max_active", self.max_active),
            ("start", self.start),
            ("end", self.end),
        ];
        fields.into_iter()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Timeouts"))]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_field_names, reason = "the names on the wire carry their unit")]
pub struct TimeoutsBody {
    /// A worker must take it in this time
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(min = 1, max = 31_622_400_000_u64)))]
    pub accept_ms: Option<u64>,
    /// Longer raises an alert
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(min = 1, max = 31_622_400_000_u64)))]
    pub soft_ms: Option<u64>,
    /// Longer is stopped
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(min = 1, max = 31_622_400_000_u64)))]
    pub hard_ms: Option<u64>,
    /// Longer without progress is stopped
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(min = 1, max = 31_622_400_000_u64)))]
    pub progress_ms: Option<u64>,
    /// Between the request to stop and the kill
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(max = 31_622_400_000_u64)))]
    pub grace_ms: Option<u64>,
}

impl TimeoutsBody {
    /// As they hold for a task, with the defaults filled in.
    pub(crate) fn of(limits: &TimeLimits) -> Self {
        Self {
            accept_ms: Some(limits.accept.get()),
            soft_ms: limits.soft.map(Millis::get),
            hard_ms: limits.hard.map(Millis::get),
            progress_ms: limits.progress.map(Millis::get),
            grace_ms: Some(limits.grace.get()),
        }
    }
}

impl<'a> ResourcesBody<'a> {
    /// What each attempt asks for; `None` if that is nothing.
    pub(crate) fn asked_by(profile: &'a ProfileSpec) -> Option<Self> {
        Some(Self::of(&profile.requirements.resources)).filter(|asked| *asked != Self::default())
    }

    pub(crate) fn of(resources: &'a Resources) -> Self {
        let custom = resources.custom().iter().map(|(name, amount)| (name.as_str().into(), *amount));
        Self {
            cpu_milli: resources.cpu_milli,
            memory_bytes: resources.memory_bytes,
            disk_bytes: resources.disk_bytes,
            gpus: resources.gpus,
            custom: custom.collect(),
        }
    }
}

#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Resources"))]
#[serde(deny_unknown_fields, default)]
pub struct ResourcesBody<'a> {
    #[serde(deserialize_with = "whole::of")]
    pub cpu_milli: u64,
    #[serde(deserialize_with = "whole::of")]
    pub memory_bytes: u64,
    #[serde(deserialize_with = "whole::of")]
    pub disk_bytes: u64,
    #[serde(deserialize_with = "whole::of")]
    pub gpus: u64,
    #[serde(borrow, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "whole::map")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::custom_resources"))]
    pub custom: BTreeMap<Text<'a>, u64>,
}

/// A place that each attempt holds in a named limit.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(deny_unknown_fields)]
pub struct LimitBody<'a> {
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::needed_name"))]
    pub name: Text<'a>,
    /// Each key has its own count.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub key: Option<Text<'a>>,
    /// How many may hold a place at once; as configured if it is absent, or one
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(min = 1, max = 4_294_967_295_u64)))]
    pub max: Option<u64>,
}

/// Where it may run: `key=value`, `key!=value`, `key`, and a zone.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Placement"))]
#[serde(deny_unknown_fields, default)]
pub struct PlacementBody<'a> {
    /// `key=value`, `key!=value` or `key`
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::worker_labels"))]
    pub worker_labels: Vec<Text<'a>>,
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub zone: Option<Text<'a>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
pub enum DeliveryWord {
    AtLeastOnce,
    AtMostOnce,
}

/// `"P0"` or `{"band": "P0", "level": 7}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PriorityBody(pub Priority);

impl PriorityBody {
    /// What is not given is as usual.
    pub fn parse(word: Option<&str>, level: Option<u32>) -> Result<Self, String> {
        let usual = Priority::default();
        let band = word.map_or(Ok(usual.band), band)?;
        Self::of(band, level.unwrap_or(u32::from(usual.level())))
    }

    fn of(band: Band, level: u32) -> Result<Self, String> {
        let priority = u8::try_from(level).ok().and_then(|level| Priority::new(band, level));
        priority.map(Self).ok_or_else(|| format!("level {level} is above {LEVEL_MAX}"))
    }
}

impl<'de> Deserialize<'de> for PriorityBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PriorityVisitor;

        impl<'de> Visitor<'de> for PriorityVisitor {
            type Value = PriorityBody;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a priority: `P0`, `P1`, `P2`, or an object with `band` and `level`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<PriorityBody, E> {
                Ok(PriorityBody(Priority::of(band(text).map_err(E::custom)?)))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PriorityBody, A::Error> {
                let usual = Priority::default();
                let (mut found, mut level) = (usual.band, u32::from(usual.level()));
                while let Some(key) = map.next_key::<Text<'de>>()? {
                    match &*key {
                        "band" => found = band(&map.next_value::<Text<'de>>()?).map_err(A::Error::custom)?,
                        "level" => level = map.next_value::<Whole<u32>>()?.0,
                        other => return Err(A::Error::unknown_field(other, &["band", "level"])),
                    }
                }
                PriorityBody::of(found, level).map_err(A::Error::custom)
            }
        }

        deserializer.deserialize_any(PriorityVisitor)
    }
}

fn band(text: &str) -> Result<Band, String> {
    let known = Band::ASKED.into_iter().find(|band| band.label().eq_ignore_ascii_case(text));
    known.ok_or_else(|| format!("there is no band `{text}`; take P0, P1 or P2"))
}
