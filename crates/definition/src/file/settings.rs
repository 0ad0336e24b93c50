//! How a task runs, apart from what it does: what `defaults` may set and each task may change.

use std::sync::Arc;

use mainspring_core::job::{LimitUse, TriggerRule};
use mainspring_core::retry::RetryPolicy;
use mainspring_core::task::{Delivery, Labels, TimeLimits};
use mainspring_core::values::{
    Band, CUSTOM_RESOURCES_MAX, LABELS_MAX, LEVEL_MAX, LabelCondition, Millis, Name, Priority, Resources,
    resource_name,
};

use super::at::{At, Fields};
use super::retry::retry;
use super::texts::{Place, Texts, Use};
use super::tree::Value;
use crate::limits::LIMITS_MAX;
use crate::mistake::{Code, Mistakes, Spot};

pub const SETTINGS: &[&str] = &[
    "retries",
    "timeout",
    "soft_timeout",
    "progress_timeout",
    "accept_timeout",
    "grace",
    "resources",
    "pool",
    "priority",
    "labels",
    "placement",
    "delivery",
    "limits",
    "trigger_rule",
    "env",
    "cwd",
    "user",
    "keep",
    "rlimits",
];

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub retry: Option<RetryPolicy>,
    pub hard: Option<Millis>,
    pub soft: Option<Millis>,
    pub progress: Option<Millis>,
    pub accept: Option<Millis>,
    pub grace: Option<Millis>,
    pub resources: Option<Resources>,
    pub pool: Option<Name>,
    pub priority: Option<Priority>,
    pub labels: Option<Labels>,
    pub conditions: Option<Vec<LabelCondition>>,
    pub zone: Option<Name>,
    pub delivery: Option<Delivery>,
    pub limits: Option<(Vec<LimitUse>, Vec<Use>)>,
    pub rule: Option<(TriggerRule, Spot)>,
}

impl Settings {
    pub fn read(fields: &Fields<'_>, mistakes: &mut Mistakes) -> Self {
        let placement = fields.read("placement", mistakes, placement);
        let (conditions, zone) =
            placement.map_or((None, None), |(conditions, zone)| (Some(conditions), zone));
        let limits = fields.get("limits").map(|at| limits(at, mistakes));
        let rule = fields.get("trigger_rule").and_then(|at| {
            let known = TriggerRule::ALL.map(|rule| (rule.label(), rule));
            Some((at.one_of(&known, mistakes)?, at.spot.clone()))
        });
        Self {
            retry: fields.read("retries", mistakes, retry),
            hard: fields.read("timeout", mistakes, At::time_limit),
            soft: fields.read("soft_timeout", mistakes, At::time_limit),
            progress: fields.read("progress_timeout", mistakes, At::time_limit),
            accept: fields.read("accept_timeout", mistakes, At::time_limit),
            grace: fields.read("grace", mistakes, At::duration),
            resources: fields.read("resources", mistakes, resources),
            pool: fields.read("pool", mistakes, At::name),
            priority: fields.read("priority", mistakes, priority),
            labels: fields.read("labels", mistakes, labels),
            conditions,
            zone,
            delivery: fields.read("delivery", mistakes, |at, m| {
                at.one_of(
                    &[("at_least_once", Delivery::AtLeastOnce), ("at_most_once", Delivery::AtMostOnce)],
                    m,
                )
            }),
            limits,
            rule,
        }
    }

    /// These, and `usual` for what they leave open.
    pub fn or(self, usual: &Self) -> Self {
        let usual = usual.clone();
        Self {
            retry: self.retry.or(usual.retry),
            hard: self.hard.or(usual.hard),
            soft: self.soft.or(usual.soft),
            progress: self.progress.or(usual.progress),
            accept: self.accept.or(usual.accept),
            grace: self.grace.or(usual.grace),
            resources: self.resources.or(usual.resources),
            pool: self.pool.or(usual.pool),
            priority: self.priority.or(usual.priority),
            labels: self.labels.or(usual.labels),
            conditions: self.conditions.or(usual.conditions),
            zone: self.zone.or(usual.zone),
            delivery: self.delivery.or(usual.delivery),
            limits: self.limits.or(usual.limits),
            rule: self.rule.or(usual.rule),
        }
    }

    pub fn time_limits(&self) -> TimeLimits {
        let usual = TimeLimits::default();
        TimeLimits {
            accept: self.accept.unwrap_or(usual.accept),
            soft: self.soft,
            hard: self.hard,
            progress: self.progress,
            grace: self.grace.unwrap_or(usual.grace),
        }
    }
}

/// `P0`, or `{band: P0, level: 7}`.
pub fn priority(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Priority> {
    let bands = Band::ASKED.map(|band| (band.label(), band));
    if let Value::Text(_) = at.node.value {
        return at.one_of(&bands, mistakes).map(Priority::of);
    }
    let fields = at.fields(&["band", "level"], mistakes)?;
    let usual = Priority::default();
    let band = fields.read("band", mistakes, |at, m| at.one_of(&bands, m)).unwrap_or(usual.band);
    let level = fields.read("level", mistakes, |at, m| at.whole(0, u64::from(LEVEL_MAX), m));
    Priority::new(band, level.map_or(usual.level(), |level| level as u8))
}

fn labels(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Labels> {
    let entries = at.entries(mistakes)?;
    if entries.len() > LABELS_MAX {
        mistakes.add(
            Code::TooMany,
            &at.spot,
            format!("{} labels are more than {LABELS_MAX}", entries.len()),
            "",
        );
        return None;
    }
    let mut found = Vec::new();
    for entry in entries {
        let name = name_of(entry.name, &entry.key, mistakes);
        let value = entry.value.word(mistakes).and_then(|text| name_of(&text, &entry.value.spot, mistakes));
        found.extend(name.zip(value));
    }
    found.sort();
    Some(Arc::from(found))
}

fn name_of(text: &str, spot: &Spot, mistakes: &mut Mistakes) -> Option<Name> {
    if text.is_empty() {
        mistakes.add(Code::BadName, spot, "a name may not be empty", "");
        return None;
    }
    Name::new(text).map_err(|bad| mistakes.add(Code::BadName, spot, bad.to_string(), "")).ok()
}

fn placement(at: &At<'_>, mistakes: &mut Mistakes) -> Option<(Vec<LabelCondition>, Option<Name>)> {
    let fields = at.fields(&["worker_labels", "zone"], mistakes)?;
    let texts =
        fields.get("worker_labels").map(|at| at.list_or_one(LABELS_MAX, mistakes)).unwrap_or_default();
    let mut conditions: Vec<_> = texts.iter().filter_map(|at| condition(at, mistakes)).collect();
    conditions.sort();
    conditions.dedup();
    Some((conditions, fields.read("zone", mistakes, At::name)))
}

/// `key=value`, `key!=value`, `key`.
fn condition(at: &At<'_>, mistakes: &mut Mistakes) -> Option<LabelCondition> {
    let text = at.text(mistakes)?;
    let mut name = |text: &str| name_of(text.trim(), &at.spot, mistakes);
    Some(if let Some((key, value)) = text.split_once("!=") {
        LabelCondition::IsNot(name(key)?, name(value)?)
    } else if let Some((key, value)) = text.split_once('=') {
        LabelCondition::Is(name(key)?, name(value)?)
    } else {
        LabelCondition::Has(name(text)?)
    })
}

pub const RESOURCES: &[&str] =
    &["cpu", "cpu_milli", "memory", "memory_bytes", "disk", "disk_bytes", "gpus", "custom"];

fn resources(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Resources> {
    let fields = at.fields(RESOURCES, mistakes)?;
    for (name, long) in [("cpu", "cpu_milli"), ("memory", "memory_bytes"), ("disk", "disk_bytes")] {
        if let (Some(_), Some(at)) = (fields.get(name), fields.get(long)) {
            at.bad(format!("give `{name}` or `{long}`, not both"), "", mistakes);
        }
    }
    let plain = |name: &str, mistakes: &mut Mistakes| {
        fields.read(name, mistakes, |at, m| at.whole(0, u64::MAX, m)).unwrap_or(0)
    };
    let cpu = fields.read("cpu", mistakes, cpu).unwrap_or_else(|| plain("cpu_milli", mistakes));
    let memory = fields.read("memory", mistakes, At::size).unwrap_or_else(|| plain("memory_bytes", mistakes));
    let disk = fields.read("disk", mistakes, At::size).unwrap_or_else(|| plain("disk_bytes", mistakes));
    let gpus = plain("gpus", mistakes);
    let custom = fields.get("custom").and_then(|at| Some((at, at.entries(mistakes)?)));
    let mut amounts = Vec::new();
    if let Some((at, entries)) = custom {
        if entries.len() > CUSTOM_RESOURCES_MAX {
            let what = format!("{} resources are more than {CUSTOM_RESOURCES_MAX}", entries.len());
            mistakes.add(Code::TooMany, &at.spot, what, "");
            return None;
        }
        for entry in entries {
            let name = resource_name(entry.name)
                .map_err(|bad| {
                    let shown: String = entry.name.chars().take(60).collect();
                    mistakes.add(Code::BadName, &entry.key, format!("`{shown}`: {bad}"), "");
                })
                .ok();
            amounts.extend(name.zip(entry.value.whole(0, u64::MAX, mistakes)));
        }
    }
    Some(Resources::new(cpu, memory, disk, gpus).with_custom(amounts))
}

/// In processors: `0.5` is half a one.
fn cpu(at: &At<'_>, mistakes: &mut Mistakes) -> Option<u64> {
    const CPUS_MAX: f64 = 1_000_000.0;
    let number = match at.node.value {
        Value::Whole(number, _) => number as f64,
        Value::Real(number, _) => number,
        _ => {
            at.wrong("a number of processors", mistakes);
            return None;
        }
    };
    if !(0.0..=CPUS_MAX).contains(&number) {
        at.bad("the number of processors must be from 0 to 1000000", "", mistakes);
        return None;
    }
    Some((number * 1_000.0).round() as u64)
}

/// `db`, or `{name, key, max}`.
fn limits(at: &At<'_>, mistakes: &mut Mistakes) -> (Vec<LimitUse>, Vec<Use>) {
    let (mut limits, mut uses): (Vec<LimitUse>, Vec<Use>) = (Vec::new(), Vec::new());
    for at in at.list_or_one(LIMITS_MAX, mistakes) {
        let Some(limit) = limit(&at, mistakes, &mut uses) else { continue };
        if limits.iter().any(|known| known.name == limit.name && known.key == limit.key) {
            at.bad(format!("the limit `{}` is named twice", limit.name), "keep one of them", mistakes);
            continue;
        }
        limits.push(limit);
    }
    (limits, uses)
}

fn limit(at: &At<'_>, mistakes: &mut Mistakes, uses: &mut Vec<Use>) -> Option<LimitUse> {
    if let Value::Text(_) = at.node.value {
        return Some(LimitUse { name: at.name(mistakes)?, key: "".into(), max: None });
    }
    let fields = at.fields(&["name", "key", "max"], mistakes)?;
    let max = fields.read("max", mistakes, |at, m| at.count(1, m));
    let mut texts = Texts::new(Place::Key, mistakes);
    let key = fields.get("key").and_then(|at| texts.text(at));
    uses.append(&mut texts.uses);
    let Some(name) = fields.get("name") else {
        mistakes.add(Code::MissingField, &at.spot, "a limit needs a `name`", "");
        return None;
    };
    Some(LimitUse { name: name.name(mistakes)?, key: key.unwrap_or_default().into(), max })
}
