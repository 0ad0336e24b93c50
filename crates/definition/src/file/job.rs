//! One job of a file, read but not yet checked as a whole.

use std::collections::BTreeMap;

use mainspring_core::job::{
    ACTIVE_RUNS_DEFAULT, Bounds, FAN_OUT_DEFAULT, FailurePolicy, RELEASE_PER_SECOND_DEFAULT, TriggerRule,
};
use mainspring_core::values::Name;

use super::at::{At, Fields};
use super::name::{job_name, task_name};
use super::parameters::parameters;
use super::schedules::{Schedule, schedules};
use super::settings::{SETTINGS, Settings};
use super::task::{Defaults, ON_FAILURE_TASK, TASK, Task, task};
use super::texts::{Place, Texts, Use};
use super::tree::Value;
use super::triggers::{Trigger, triggers};
use super::work::Programs;
use crate::limits::{DESCRIPTION_BYTES_MAX, FAN_OUT_MAX, Limits, NEEDS_MAX, TAGS_MAX, TASKS_CEILING};
use crate::mistake::{Code, Mistakes, Spot};
use crate::parameter::Parameter;

pub const JOB: &[&str] = &[
    "job",
    "tenant",
    "description",
    "owner",
    "tags",
    "parameters",
    "schedule",
    "schedules",
    "triggers",
    "timezone",
    "failure_policy",
    "on_failure",
    "limits",
    "timeout",
    "expected",
    "defaults",
    "tasks",
    "outputs",
];

/// Fields of a task that `on_failure` does not have: when it runs is settled, and it runs once.
const NOT_OF_ON_FAILURE: [&str; 13] = [
    "name",
    "sleep",
    "wait",
    "approve",
    "needs",
    "needs_jobs",
    "when",
    "trigger_rule",
    "for_each",
    "repeat",
    "spawns",
    "undo",
    "outputs",
];

#[derive(Clone, Debug)]
pub struct Job {
    pub name: Option<Name>,
    pub spot: Spot,
    pub tenant: Option<Name>,
    pub description: String,
    pub owner: String,
    pub tags: Vec<Name>,
    pub parameters: Vec<Parameter>,
    pub schedules: Vec<Schedule>,
    pub triggers: Vec<Trigger>,
    pub policy: FailurePolicy,
    pub bounds: Bounds,
    pub tasks: Vec<Task>,
    pub outputs: Option<String>,
    /// Of `outputs`.
    pub uses: Vec<Use>,
}

const POLICIES: [(&str, FailurePolicy); 3] = {
    let [first, second, third] = FailurePolicy::ALL;
    [(first.label(), first), (second.label(), second), (third.label(), third)]
};

pub fn job(at: &At<'_>, limits: &Limits, mistakes: &mut Mistakes) -> Option<Job> {
    let fields = at.fields(JOB, mistakes)?;
    let name = if let Some(at) = fields.get("job") {
        job_name(at, mistakes)
    } else {
        mistakes.add(Code::MissingField, &at.spot, "the job has no name", "begin with `job: my-job`");
        None
    };
    let spot = fields.get("job").map_or_else(|| at.spot.clone(), |at| at.spot.clone());
    let usual = fields.get("defaults").and_then(|at| defaults(at, mistakes)).unwrap_or_default();
    let mut tasks = if let Some(at) = fields.get("tasks") {
        tasks(at, &usual, limits, mistakes)
    } else {
        mistakes.add(Code::MissingField, &at.spot, "the job has no `tasks`", "");
        Vec::new()
    };
    if let Some(at) = fields.get("on_failure") {
        tasks.extend(on_failure(at, &tasks, &usual, mistakes));
    }
    let mut texts = Texts::new(Place::Outputs, mistakes);
    let outputs = fields.get("outputs").and_then(|at| texts.expression(at));
    let uses = texts.uses;
    Some(Job {
        name,
        spot,
        tenant: fields.read("tenant", mistakes, At::name),
        description: fields.read("description", mistakes, prose).unwrap_or_default(),
        owner: fields.read("owner", mistakes, prose).unwrap_or_default(),
        tags: fields.get("tags").map(|at| tags(at, mistakes)).unwrap_or_default(),
        parameters: fields.get("parameters").map(|at| parameters(at, mistakes)).unwrap_or_default(),
        schedules: schedules(&fields, mistakes),
        triggers: fields.get("triggers").map(|at| triggers(at, mistakes)).unwrap_or_default(),
        policy: fields.read("failure_policy", mistakes, |at, m| at.one_of(&POLICIES, m)).unwrap_or_default(),
        bounds: bounds(&fields, mistakes),
        tasks,
        outputs,
        uses,
    })
}

/// What a run of the job does when a task of it has failed for good: one more task, which needs all others.
fn on_failure(at: &At<'_>, tasks: &[Task], usual: &Defaults, mistakes: &mut Mistakes) -> Option<Task> {
    let known: Vec<&str> = TASK.iter().copied().filter(|field| !NOT_OF_ON_FAILURE.contains(field)).collect();
    let fields = at.fields(&known, mistakes)?;
    let name = Name::fixed(ON_FAILURE_TASK);
    if tasks.iter().any(|task| task.name == name) {
        let what = format!("a task `{name}` is there already, and `on_failure` is a task of that name");
        mistakes.add(Code::DuplicateTask, &at.spot, what, "give the task another name");
        return None;
    }
    if tasks.len() > NEEDS_MAX {
        let what = format!("`on_failure` needs all {} tasks, more than {NEEDS_MAX}", tasks.len());
        let help = "let a trigger of another job answer to the event `mainspring.run.failed`";
        mistakes.add(Code::TooMany, &at.spot, what, help);
        return None;
    }
    let made = task(name, at.spot.clone(), &fields, usual, mistakes);
    let needs = tasks.iter().map(|task| (task.name.to_string(), at.spot.clone())).collect();
    let settings = Settings { rule: Some((TriggerRule::OneFailed, at.spot.clone())), ..made.settings };
    Some(Task { needs, settings, ..made })
}

fn defaults(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Defaults> {
    let fields = at.fields(SETTINGS, mistakes)?;
    let settings = Settings::read(&fields, mistakes);
    Some(Defaults { settings, programs: Programs::read(&fields, mistakes) })
}

fn prose(at: &At<'_>, mistakes: &mut Mistakes) -> Option<String> {
    let text = at.text(mistakes)?;
    if text.len() > DESCRIPTION_BYTES_MAX {
        let what = format!("the text has {} bytes, more than {DESCRIPTION_BYTES_MAX}", text.len());
        mistakes.add(Code::TooLarge, &at.spot, what, "put it into a page and name its address");
        return None;
    }
    Some(text.to_owned())
}

fn tags(at: &At<'_>, mistakes: &mut Mistakes) -> Vec<Name> {
    let items = at.list_or_one(TAGS_MAX, mistakes);
    let mut tags: Vec<Name> = items.iter().filter_map(|at| at.name(mistakes)).collect();
    tags.sort();
    tags.dedup();
    tags
}

pub const LIMITS: &[&str] = &["max_active_runs", "max_running_tasks", "max_fan_out", "release_per_second"];

fn bounds(job: &Fields<'_>, mistakes: &mut Mistakes) -> Bounds {
    let timeout = job.read("timeout", mistakes, At::time_limit);
    let expected = job.read("expected", mistakes, At::time_limit);
    let usual = Bounds { timeout, expected, ..Bounds::default() };
    let Some(fields) = job.get("limits").and_then(|at| at.fields(LIMITS, mistakes)) else { return usual };
    let fan_out = fields.read("max_fan_out", mistakes, |at, m| at.whole(1, FAN_OUT_MAX, m));
    let mut count = |name| fields.read(name, mistakes, |at, m| at.count(1, m));
    Bounds {
        active_runs_max: count("max_active_runs").unwrap_or(ACTIVE_RUNS_DEFAULT),
        running_max: count("max_running_tasks").unwrap_or(usual.running_max),
        release_per_second: count("release_per_second").unwrap_or(RELEASE_PER_SECOND_DEFAULT),
        fan_out_max: fan_out.map_or(FAN_OUT_DEFAULT, |most| most as u32),
        ..usual
    }
}

/// An object of tasks by name, or a list in which each has a `name`.
pub fn tasks(at: &At<'_>, usual: &Defaults, limits: &Limits, mistakes: &mut Mistakes) -> Vec<Task> {
    let given = match &at.node.value {
        Value::List(_) => listed(at, mistakes),
        Value::Map(_) => {
            let entries = at.entries(mistakes).unwrap_or_default();
            entries.into_iter().map(|entry| (Some(entry.name), entry.key, entry.value)).collect()
        }
        _ => {
            at.wrong("an object of tasks by name", mistakes);
            return Vec::new();
        }
    };
    let most = limits.tasks_max.min(TASKS_CEILING);
    if given.is_empty() || given.len() > most {
        let code = if given.is_empty() { Code::MissingField } else { Code::TooMany };
        let what = format!("there may be 1 to {most} tasks, here are {}", given.len());
        mistakes.add(code, &at.spot, what, "");
        return Vec::new();
    }
    let mut seen: BTreeMap<Name, Spot> = BTreeMap::new();
    let mut tasks = Vec::with_capacity(given.len());
    for (name, key, at) in given {
        let fields = at.fields(TASK, mistakes);
        let name = name.and_then(|name| task_name(name, &key, mistakes));
        let (Some(fields), Some(name)) = (fields, name) else { continue };
        if let Some(first) = seen.get(&name) {
            let what = format!("a task `{name}` is there already, in line {}", first.at.line);
            mistakes.add(Code::DuplicateTask, &key, what, "give it another name");
            continue;
        }
        seen.insert(name.clone(), key.clone());
        tasks.push(task(name, key, &fields, usual, mistakes));
    }
    tasks
}

type Given<'n> = (Option<&'n str>, Spot, At<'n>);

fn listed<'n>(at: &At<'n>, mistakes: &mut Mistakes) -> Vec<Given<'n>> {
    let items = at.list(mistakes).unwrap_or_default();
    let named = |at: At<'n>| {
        let Some(name) = at.node.get("name") else {
            if matches!(at.node.value, Value::Map(_)) {
                mistakes.add(Code::MissingField, &at.spot, "the task has no `name`", "");
            }
            return (None, at.spot.clone(), at);
        };
        let spot = Spot { at: name.at, path: at.path_to("name") };
        let text = At { node: name, spot: spot.clone() }.text(mistakes);
        (text, spot, at)
    };
    items.into_iter().map(named).collect()
}
