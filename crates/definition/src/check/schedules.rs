//! What the schedules of a job give its runs is what the job takes.

use mainspring_core::schedule::{ScheduleKey, Spec};
use mainspring_core::values::Name;
use serde_json::Value as Json;

use crate::file::{Job, Schedule};
use crate::mistake::{Code, Mistakes, Spot};
use crate::parameter::{self, Parameter};
use crate::schedule::spec;

/// Under their names, in the order of the file.
pub fn schedules(job: &Job, tenant: &Name, name: &Name, mistakes: &mut Mistakes) -> Vec<(Name, Spec)> {
    let mut specs = Vec::with_capacity(job.schedules.len());
    for written in &job.schedules {
        schedule_parameters(written, &job.parameters, mistakes);
        let key = ScheduleKey { tenant: tenant.clone(), job: name.clone(), name: written.name.clone() };
        specs.extend(spec(written, &key, mistakes).map(|spec| (key.name, spec)));
    }
    specs
}

/// Each mistake at its parameter, and what is missing at the schedule.
pub fn schedule_parameters(written: &Schedule, declared: &[Parameter], mistakes: &mut Mistakes) {
    let given = Json::Object(written.parameters.clone()).to_string();
    let sensitive = declared.iter().filter(|parameter| parameter.sensitive);
    for name in
        sensitive.map(|parameter| &*parameter.name).filter(|name| written.parameters.contains_key(*name))
    {
        let spot = written.places.get(name).unwrap_or(&written.spot);
        let what = format!("a schedule cannot give the sensitive parameter `{name}`: what it gives is shown");
        mistakes.add(Code::Unsupported, spot, what, "let the task read the value where it runs");
    }
    let Err(found) = parameter::check(declared, given.as_bytes()) else { return };
    for mistake in found {
        let place = mistake.path.strip_prefix("parameters.").and_then(|name| written.places.get(name));
        let path = match written.spot.path.as_str() {
            "" => mistake.path.clone(),
            path => format!("{path}.{}", mistake.path),
        };
        let spot = place.cloned().unwrap_or(Spot { at: written.spot.at, path });
        mistakes.add(mistake.code, &spot, mistake.what, mistake.help);
    }
}
