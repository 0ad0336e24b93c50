//! A task as callers submit it. One flat struct, because flattened ones cannot borrow from the body.

use std::collections::BTreeMap;
use std::fmt;

use mainspring_core::values::{Band, LEVEL_MAX, Priority};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::retry::RetryBody;
use super::text::Text;
use super::time::TimeBody;
use super::whole::{self, Whole};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TaskBody<'a> {
    #[serde(borrow)]
    pub tenant: Option<Text<'a>>,
    #[serde(borrow)]
    pub job: Option<Text<'a>>,
    /// `WEBHOOK`, or the name of an executor.
    #[serde(borrow, alias = "executor")]
    pub task_type: Option<Text<'a>>,
    #[serde(borrow)]
    pub payload: Option<&'a RawValue>,
    pub priority: Option<PriorityBody>,
    pub scheduled_at: Option<TimeBody>,
    #[serde(deserialize_with = "whole::option")]
    pub delay_ms: Option<u64>,
    pub retry_policy: Option<RetryBody>,
    #[serde(deserialize_with = "whole::option")]
    pub timeout_ms: Option<u64>,
    pub timeouts: Option<TimeoutsBody>,
    #[serde(borrow)]
    pub resources: Option<ResourcesBody<'a>>,
    #[serde(borrow)]
    pub placement: Option<PlacementBody<'a>>,
    #[serde(borrow)]
    pub pool: Option<Text<'a>>,
    #[serde(borrow)]
    pub labels: Option<BTreeMap<Text<'a>, Text<'a>>>,
    pub delivery: Option<DeliveryWord>,
    #[serde(borrow)]
    pub limits: Vec<LimitBody<'a>>,
    #[serde(borrow)]
    pub idempotency_key: Option<Text<'a>>,
    /// Of a recurring task, and with it when it recurs, as job files have it.
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    #[serde(borrow)]
    pub cron: Option<&'a RawValue>,
    #[serde(borrow)]
    pub every: Option<&'a RawValue>,
    #[serde(borrow)]
    pub timezone: Option<&'a RawValue>,
    #[serde(borrow)]
    pub dst: Option<&'a RawValue>,
    #[serde(borrow)]
    pub jitter: Option<&'a RawValue>,
    #[serde(borrow)]
    pub catch_up: Option<&'a RawValue>,
    #[serde(borrow)]
    pub misfire_grace: Option<&'a RawValue>,
    #[serde(borrow)]
    pub overlap: Option<&'a RawValue>,
    #[serde(borrow)]
    pub max_active: Option<&'a RawValue>,
    #[serde(borrow)]
    pub start: Option<&'a RawValue>,
    #[serde(borrow)]
    pub end: Option<&'a RawValue>,
}

impl TaskBody<'_> {
    pub(crate) fn recurs(&self) -> bool {
        self.cron.is_some() || self.every.is_some()
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
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_field_names, reason = "the names on the wire carry their unit")]
pub struct TimeoutsBody {
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    pub accept_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    pub soft_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    pub hard_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    pub progress_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    pub grace_ms: Option<u64>,
}

#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
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
    pub custom: BTreeMap<Text<'a>, u64>,
}

/// A place that each attempt holds in a named limit.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LimitBody<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    /// Each key has its own count.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    pub max: Option<u64>,
}

/// Where it may run: `key=value`, `key!=value`, `key`, and a zone.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlacementBody<'a> {
    #[serde(borrow)]
    pub worker_labels: Vec<Text<'a>>,
    #[serde(borrow)]
    pub zone: Option<Text<'a>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
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
