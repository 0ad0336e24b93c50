//! What the triggers of a job give its runs is what the job takes, as far as that is known before an event comes.

use std::collections::BTreeSet;

use mainspring_core::schedule::{ScheduleKey, Spec};
use mainspring_core::trigger::TriggerSpec;
use mainspring_core::values::{Bucket, Name, group_of};
use serde_json::Value as Json;

use super::schedules::schedule_parameters;
use crate::file::{Job, Trigger, Use};
use crate::mistake::{Code, Mistakes, Spot};
use crate::parameter;
use crate::schedule::spec;

/// Under their names, in the order of the file; and the schedules of those that begin a run although no event came.
pub struct Triggers {
    pub triggers: Vec<(Name, TriggerSpec)>,
    pub schedules: Vec<(Name, Spec)>,
}

pub fn triggers(job: &Job, tenant: &Name, name: &Name, mistakes: &mut Mistakes) -> Triggers {
    let mut found = Triggers { triggers: Vec::new(), schedules: Vec::new() };
    for written in &job.triggers {
        for text in &written.uses {
            places(text, mistakes);
        }
        for (_, spot) in written.after.iter().filter(|(other, _)| other == name) {
            let what = format!("the job `{name}` would begin itself without end");
            mistakes.add(Code::CallsItself, spot, what, "name another job");
        }
        parameters(job, written, mistakes);
        if let Some(fallback) = &written.fallback {
            schedule_parameters(fallback, &job.parameters, mistakes);
            let key = ScheduleKey { tenant: tenant.clone(), job: name.clone(), name: fallback.name.clone() };
            found.schedules.extend(spec(fallback, &key, mistakes).map(|spec| (key.name, spec)));
        }
        let Some(on) = written.on.clone() else { continue };
        let spec = TriggerSpec {
            on,
            condition: written.condition.as_deref().map(Into::into),
            parameters: written.parameters.to_string().into_bytes().into(),
            templated: written.templated,
            active_max: written.active_max,
            // Whoever stores it may know another group.
            bucket: Bucket::home(group_of(tenant)),
        };
        found.triggers.push((written.name.clone(), spec));
    }
    found
}

/// Before there is a run there is only the event.
fn places(text: &Use, mistakes: &mut Mistakes) {
    let said = &text.mentions;
    let names = [
        (!said.params.is_empty() || said.params_any, "params"),
        (!said.tasks.is_empty(), "tasks"),
        (said.item, "item"),
        (said.index, "index"),
        (said.round, "round"),
        (said.output, "output"),
        (said.run, "run"),
        (said.window, "window"),
        (said.failed_upstream, "failed_upstream"),
    ];
    for (_, name) in names.into_iter().filter(|(said, _)| *said) {
        let what = format!("`{name}` has no value here");
        mistakes.add(Code::OutOfPlace, &text.spot, what, "texts of a trigger read `event`");
    }
}

/// Values that an event gives are checked when it comes.
fn parameters(job: &Job, written: &Trigger, mistakes: &mut Mistakes) {
    let Json::Object(given) = &written.parameters else { return };
    let later: BTreeSet<&String> =
        written.places.iter().filter(|(_, (_, templated))| *templated).map(|(name, _)| name).collect();
    for name in later.iter().filter(|name| !job.parameters.iter().any(|known| *known.name == ***name)) {
        let Some((spot, _)) = written.places.get(name.as_str()) else { continue };
        let what = format!("the job has no parameter `{name}`");
        mistakes.add(Code::UnknownParameter, spot, what, format!("add it under `parameters`: `{name}: …`"));
    }
    let fixed = given.iter().filter(|(name, _)| !later.contains(name));
    let fixed: serde_json::Map<String, Json> =
        fixed.map(|(name, value)| (name.clone(), value.clone())).collect();
    let declared: Vec<_> = job
        .parameters
        .iter()
        .filter(|known| !later.iter().any(|name| ***name == *known.name))
        .cloned()
        .collect();
    let Err(found) = parameter::check(&declared, Json::Object(fixed).to_string().as_bytes()) else { return };
    for mistake in found {
        let place = mistake.path.strip_prefix("parameters.").and_then(|name| written.places.get(name));
        let path = format!("{}.{}", written.spot.path, mistake.path);
        let spot = place.map_or(Spot { at: written.spot.at, path }, |(spot, _)| spot.clone());
        mistakes.add(mistake.code, &spot, mistake.what, mistake.help);
    }
}
