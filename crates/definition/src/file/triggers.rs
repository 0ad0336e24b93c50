//! `triggers:` of a job, each read but not yet checked against the job.

use std::collections::BTreeMap;

use mainspring_core::calendar::{Dst, Zone};
use mainspring_core::trigger::{ACTIVE_MAX_DEFAULT, AFTER_MAX, On};
use mainspring_core::values::{ATTRIBUTE_BYTES_MAX, Name, Pattern};
use serde_json::Value as Json;

use super::at::{At, Fields};
use super::json::json;
use super::name::{job_name, trigger_name};
use super::schedules::{NAME_DEFAULT, Schedule};
use super::texts::{Place, Texts, Use};
use super::timing::{Timing, cron, time_zone};
use super::tree::Value;
use crate::limits::{SCHEDULE_ACTIVE_MAX, TRIGGERS_MAX};
use crate::mistake::{Code, Mistakes, Spot};

pub const TRIGGER: &[&str] =
    &["name", "event", "webhook", "after", "if", "parameters", "max_active", "fallback"];
pub const EVENT: &[&str] = &["type", "source", "if"];
pub const FALLBACK: &[&str] = &["cron", "timezone", "parameters"];
const KINDS: [&str; 3] = ["event", "webhook", "after"];

#[derive(Clone, Debug)]
pub struct Trigger {
    pub name: Name,
    pub spot: Spot,
    /// `None` only if a mistake was told.
    pub on: Option<On>,
    /// Where the jobs of `after` stand.
    pub after: Vec<(Name, Spot)>,
    pub condition: Option<String>,
    /// An object.
    pub parameters: Json,
    /// Where each stands, and whether its value is known only when an event comes.
    pub places: BTreeMap<String, (Spot, bool)>,
    pub templated: bool,
    pub active_max: u32,
    /// When a run begins although no event came; its name is for whoever stores it.
    pub fallback: Option<Schedule>,
    pub uses: Vec<Use>,
}

pub fn triggers(at: &At<'_>, mistakes: &mut Mistakes) -> Vec<Trigger> {
    let items = at.list(mistakes).unwrap_or_default();
    if items.len() > TRIGGERS_MAX {
        let what = format!("{} triggers are more than {TRIGGERS_MAX}", items.len());
        let help = "one can match many types: `type: \"com.example.*\"`";
        mistakes.add(Code::TooMany, &at.spot, what, help);
        return Vec::new();
    }
    let alone = items.len() == 1;
    let mut found: Vec<Trigger> = Vec::with_capacity(items.len());
    for at in items {
        if !alone && matches!(at.node.value, Value::Map(_)) && at.node.get("name").is_none() {
            let help = format!("only the one trigger of a job may go without; it is `{NAME_DEFAULT}` then");
            mistakes.add(Code::MissingField, &at.spot, "the trigger has no `name`", help);
        }
        let Some(trigger) = one(&at, mistakes) else { continue };
        let twin = found.iter().find(|known| known.name == trigger.name);
        if let (Some(twin), Some(_)) = (twin, at.node.get("name")) {
            let what =
                format!("a trigger `{}` is there already, in line {}", trigger.name, twin.spot.at.line);
            mistakes.add(Code::DuplicateTrigger, &trigger.spot, what, "give it another name");
            continue;
        }
        found.push(trigger);
    }
    found
}

fn one(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Trigger> {
    let fields = at.fields(TRIGGER, mistakes)?;
    let name = fields.read("name", mistakes, trigger_name);
    let name = name.unwrap_or_else(|| Name::fixed(NAME_DEFAULT));
    let after = fields.get("after").map(|at| jobs(at, mistakes)).unwrap_or_default();
    let on = on(&fields, &after, mistakes);
    let most = |at: &At<'_>, m: &mut Mistakes| at.whole(1, SCHEDULE_ACTIVE_MAX, m).map(|most| most as u32);
    let active_max = fields.read("max_active", mistakes, most).unwrap_or(ACTIVE_MAX_DEFAULT);
    let fallback = fields.get("fallback").and_then(|at| fallback(at, &name, mistakes));
    let inner = fields.get("event").and_then(|at| {
        let entries = at.entries(mistakes)?;
        entries.into_iter().find(|entry| entry.name == "if").map(|entry| entry.value)
    });
    if let (Some(_), Some(at)) = (fields.get("if"), &inner) {
        at.bad("there are two conditions", "keep one `if`", mistakes);
    }
    let mut texts = Texts::new(Place::Trigger, mistakes);
    let condition = fields.get("if").or(inner.as_ref()).and_then(|at| texts.expression(at));
    let mut places = BTreeMap::new();
    let mut parameters = Json::Object(serde_json::Map::new());
    texts.templated = false;
    if let Some(at) = fields.get("parameters") {
        for entry in at.entries(texts.mistakes).unwrap_or_default() {
            let before = std::mem::take(&mut texts.templated);
            texts.json(&entry.value);
            places.insert(entry.name.to_owned(), (entry.value.spot.clone(), texts.templated));
            texts.templated |= before;
        }
        parameters = json(at.node);
    }
    let (templated, uses) = (texts.templated, texts.uses);
    Some(Trigger {
        name,
        spot: at.spot.clone(),
        on,
        after,
        condition,
        parameters,
        places,
        templated,
        active_max,
        fallback,
        uses,
    })
}

fn on(fields: &Fields<'_>, after: &[(Name, Spot)], mistakes: &mut Mistakes) -> Option<On> {
    let given: Vec<&str> = KINDS.into_iter().filter(|kind| fields.get(kind).is_some()).collect();
    match given.as_slice() {
        ["event"] => event(fields.get("event")?, mistakes),
        ["webhook"] => fields.read("webhook", mistakes, trigger_name).map(On::Webhook),
        ["after"] => {
            (!after.is_empty()).then(|| On::After(after.iter().map(|(job, _)| job.clone()).collect()))
        }
        [] => {
            let help =
                "give one of `event: {type: com.example.order.created}`, `webhook: shop`, `after: [load]`";
            mistakes.add(Code::NoEvent, &fields.spot, "it does not say what begins a run", help);
            None
        }
        [first, others @ ..] => {
            for other in others {
                let what = format!("`{first}` and `{other}` are two causes");
                let spot = fields.named(other).map_or(&fields.spot, |entry| &entry.key);
                mistakes.add(Code::TwoEvents, spot, what, "make two triggers of them");
            }
            None
        }
    }
}

fn event(at: &At<'_>, mistakes: &mut Mistakes) -> Option<On> {
    let fields = at.fields(EVENT, mistakes)?;
    if fields.get("type").is_none() {
        let help = "write `type: com.example.order.created`, or `type: \"com.example.*\"`";
        mistakes.add(Code::MissingField, &at.spot, "the event has no `type`", help);
    }
    let source = fields.get("source").map(|at| pattern(at, mistakes));
    let kind = fields.read("type", mistakes, pattern)?;
    match source {
        Some(None) => None,
        source => Some(On::Event { kind, source: source.flatten() }),
    }
}

fn pattern(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Pattern> {
    let text = at.text(mistakes)?;
    if text.is_empty() || text.len() > ATTRIBUTE_BYTES_MAX {
        at.bad(format!("it has 1 to {ATTRIBUTE_BYTES_MAX} bytes"), "", mistakes);
        return None;
    }
    let pattern = Pattern::parse(text);
    if pattern.is_none() {
        at.bad("a `*` stands only at the end", "write `com.example.*`", mistakes);
    }
    pattern
}

fn jobs(at: &At<'_>, mistakes: &mut Mistakes) -> Vec<(Name, Spot)> {
    let mut found: Vec<(Name, Spot)> = Vec::new();
    let items = at.list_or_one(AFTER_MAX, mistakes);
    if items.is_empty() && mistakes.count() == 0 {
        at.bad("it names no job", "write `after: [load]`", mistakes);
    }
    for item in items {
        let Some(name) = job_name(&item, mistakes) else { continue };
        if found.iter().any(|(known, _)| *known == name) {
            let what = format!("`{name}` is named twice");
            mistakes.add(Code::DuplicateDependency, &item.spot, what, "name it once");
            continue;
        }
        found.push((name, item.spot));
    }
    found
}

fn fallback(at: &At<'_>, name: &Name, mistakes: &mut Mistakes) -> Option<Schedule> {
    let fields = at.fields(FALLBACK, mistakes)?;
    let Some(when) = fields.get("cron") else {
        let help = "write `fallback: {cron: \"0 6 * * *\"}`";
        mistakes.add(Code::NoTiming, &at.spot, "it does not say when", help);
        return None;
    };
    let zone = fields.get("timezone").map_or(Some(Zone::UTC), |at| time_zone(at, mistakes))?;
    let timing = cron(when, mistakes).map(|text| Timing::Cron { text, zone, dst: Dst::default() });
    let given = fields.read("parameters", mistakes, At::entries).unwrap_or_default();
    let name = Name::new(&format!("{}{name}", mainspring_core::trigger::FALLBACK)).ok()?;
    Some(Schedule {
        timing,
        parameters: given.iter().map(|entry| (entry.name.to_owned(), json(entry.value.node))).collect(),
        places: given.iter().map(|entry| (entry.name.to_owned(), entry.value.spot.clone())).collect(),
        ..Schedule::new(name, at.spot.clone())
    })
}
