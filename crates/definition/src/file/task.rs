//! One task of a job.

use std::collections::BTreeSet;

use mainspring_core::job::{JobNeed, OnEmpty, Tolerance, TriggerRule};
use mainspring_core::retry::RetryPolicy;
use mainspring_core::values::{Millis, Name};

use super::at::{At, Fields};
use super::json::json;
use super::needs_jobs::needs_jobs;
use super::retry::retry;
use super::settings::Settings;
use super::texts::{Place, Texts, Use};
use super::tree::Value;
use super::work::{Programs, WORKS, Work, work};
use crate::expression::Template;
use crate::limits::{NEEDS_MAX, OUTPUTS_MAX, ROUNDS_MAX};
use crate::mistake::{Code, Mistakes, Spot};

pub const TASK: &[&str] = &[
    "name",
    "description",
    "run",
    "shell",
    "args",
    "http",
    "noop",
    "sleep",
    "wait",
    "approve",
    "job",
    "parameters",
    "env",
    "cwd",
    "stdin",
    "user",
    "keep",
    "rlimits",
    "needs",
    "needs_jobs",
    "when",
    "trigger_rule",
    "for_each",
    "repeat",
    "spawns",
    "undo",
    "outputs",
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
];

/// What `spawns: true` stands for.
pub const SPAWNED: &str = "output.tasks";

/// Settings of a task that a run of another job has no use for.
const OF_TASKS_ONLY: [&str; 13] = [
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
];

pub const UNDO: &[&str] =
    &["run", "shell", "args", "http", "env", "cwd", "stdin", "user", "keep", "rlimits", "retries", "timeout"];

#[derive(Clone, Debug)]
pub struct Task {
    pub name: Name,
    /// Of its name.
    pub spot: Spot,
    pub work: Option<Work>,
    pub needs: Vec<(String, Spot)>,
    pub when: Option<String>,
    pub each: Option<Each>,
    pub repeat: Option<Repeat>,
    pub spawns: Option<String>,
    pub needs_jobs: Vec<(JobNeed, Spot)>,
    pub undo: Option<Undo>,
    pub outputs: Option<BTreeSet<String>>,
    pub settings: Settings,
    pub uses: Vec<Use>,
}

/// The name of the task that `on_failure` of a job is; no other has it together with that rule.
pub const ON_FAILURE_TASK: &str = "on_failure";

impl Task {
    pub fn is_on_failure(&self) -> bool {
        let rule = self.settings.rule.as_ref().map(|(rule, _)| *rule);
        self.name.as_str() == ON_FAILURE_TASK && rule == Some(TriggerRule::OneFailed)
    }
}

#[derive(Clone, Debug)]
pub struct Each {
    pub items: String,
    /// How many items there are, if they are written out.
    pub written: Option<usize>,
    pub active_max: Option<u32>,
    pub tolerance: Tolerance,
    pub on_empty: OnEmpty,
    pub spot: Spot,
}

#[derive(Clone, Debug)]
pub struct Repeat {
    pub until: String,
    pub rounds_max: u32,
    pub pause: Millis,
}

#[derive(Clone, Debug)]
pub struct Undo {
    pub work: Work,
    pub retry: Option<RetryPolicy>,
    pub hard: Option<Millis>,
}

/// What `defaults` say.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    pub settings: Settings,
    pub programs: Programs,
}

pub fn task(name: Name, spot: Spot, fields: &Fields<'_>, usual: &Defaults, mistakes: &mut Mistakes) -> Task {
    let settings = Settings::read(fields, mistakes);
    let made = work(fields, &usual.programs, Place::Work, &WORKS, mistakes);
    let (work, mut uses) = made.map_or((None, Vec::new()), |(work, uses)| (Some(work), uses));
    if matches!(work, Some(Work::Run { .. })) {
        for entry in OF_TASKS_ONLY.iter().filter_map(|name| fields.named(name)) {
            let what = format!("`{}` has no effect on a task that starts another job", entry.name);
            mistakes.add(Code::Unsupported, &entry.key, what, "set it in that job");
        }
    }
    let mut settings = settings.or(&usual.settings);
    if matches!(work, Some(Work::Run { .. })) {
        // Those of `defaults` are for attempts, and it has none of its own.
        settings.limits = None;
    }
    if let Some((_, keys)) = &settings.limits {
        uses.extend(keys.iter().cloned());
    }
    let mut texts = Texts::new(Place::When, mistakes);
    let when = fields.get("when").and_then(|at| texts.expression(at));
    uses.append(&mut texts.uses);
    fields.read("description", mistakes, At::text);
    let needs = fields.get("needs").map(|at| needs(at, mistakes)).unwrap_or_default();
    let each = fields.get("for_each").and_then(|at| each(at, &mut uses, mistakes));
    let repeat = fields.get("repeat").and_then(|at| repeat(at, &mut uses, mistakes));
    refuse_loops(fields, each.is_some(), work.as_ref(), mistakes);
    let spawns = fields.get("spawns").and_then(|at| spawns(at, &mut uses, mistakes));
    refuse_spawns(fields, each.is_some(), repeat.is_some(), mistakes);
    let needs_jobs = fields.get("needs_jobs").map(|at| needs_jobs(at, mistakes)).unwrap_or_default();
    let undo = fields.get("undo").and_then(|at| undo(at, usual, &mut uses, mistakes));
    let outputs = fields.get("outputs").map(|at| outputs(at, mistakes));
    Task { name, spot, work, needs, when, each, repeat, spawns, needs_jobs, undo, outputs, settings, uses }
}

/// A round is judged by the output of one task.
fn refuse_loops(fields: &Fields<'_>, mapped: bool, work: Option<&Work>, mistakes: &mut Mistakes) {
    let Some(entry) = fields.named("repeat") else { return };
    let with = match work {
        _ if mapped => "`for_each`",
        Some(Work::Run { .. }) => "`job`",
        _ => return,
    };
    let what = format!("`repeat` does not work together with {with}");
    mistakes.add(
        Code::Unsupported,
        &entry.key,
        what,
        "let a task of another job repeat, and start that job here",
    );
}

/// `true`, or an expression on the output that gives the tasks.
fn spawns(at: &At<'_>, uses: &mut Vec<Use>, mistakes: &mut Mistakes) -> Option<String> {
    match &at.node.value {
        Value::Bool(true) => Some(SPAWNED.to_owned()),
        Value::Bool(false) => None,
        Value::Text(_) => {
            let mut texts = Texts::new(Place::Spawns, mistakes);
            let source = texts.expression(at);
            uses.append(&mut texts.uses);
            source
        }
        _ => {
            at.wrong("true, or an expression that gives tasks,", mistakes);
            None
        }
    }
}

/// One task adds once.
fn refuse_spawns(fields: &Fields<'_>, mapped: bool, repeats: bool, mistakes: &mut Mistakes) {
    let Some(entry) = fields.named("spawns").filter(|_| mapped || repeats) else { return };
    let with = if mapped { "for_each" } else { "repeat" };
    let what = format!("`spawns` does not work together with `{with}`");
    mistakes.add(Code::Unsupported, &entry.key, what, "let a task after it add the tasks");
}

fn needs(at: &At<'_>, mistakes: &mut Mistakes) -> Vec<(String, Spot)> {
    let items = at.list_or_one(NEEDS_MAX, mistakes);
    items.into_iter().filter_map(|at| Some((at.text(mistakes)?.to_owned(), at.spot))).collect()
}

/// An expression, a list, or an object with one of them and its limits.
fn each(at: &At<'_>, uses: &mut Vec<Use>, mistakes: &mut Mistakes) -> Option<Each> {
    if !matches!(at.node.value, Value::Map(_)) {
        let (items, written) = items(at, uses, mistakes)?;
        let (tolerance, on_empty) = (Tolerance::NONE, OnEmpty::default());
        return Some(Each { items, written, active_max: None, tolerance, on_empty, spot: at.spot.clone() });
    }
    let fields = at.fields(&["items", "max_active", "tolerate", "on_empty"], mistakes)?;
    let active_max = fields.read("max_active", mistakes, |at, m| at.count(1, m));
    let tolerance = fields.read("tolerate", mistakes, tolerance).unwrap_or(Tolerance::NONE);
    let words = [("skip", OnEmpty::Skip), ("succeed", OnEmpty::Succeed)];
    let on_empty = fields.read("on_empty", mistakes, |at, m| at.one_of(&words, m)).unwrap_or_default();
    let Some(given) = fields.get("items") else {
        mistakes.add(Code::MissingField, &at.spot, "`for_each` needs `items`", "an expression or a list");
        return None;
    };
    let (items, written) = items(given, uses, mistakes)?;
    Some(Each { items, written, active_max, tolerance, on_empty, spot: given.spot.clone() })
}

fn items(at: &At<'_>, uses: &mut Vec<Use>, mistakes: &mut Mistakes) -> Option<(String, Option<usize>)> {
    match &at.node.value {
        Value::Text(_) => {
            let mut texts = Texts::new(Place::Items, mistakes);
            let source = texts.expression(at)?;
            uses.append(&mut texts.uses);
            Some((source, None))
        }
        Value::List(items) => {
            for item in at.list(mistakes)? {
                if matches!(&item.node.value, Value::Text(text) if Template::is_in(text)) {
                    let help = "write the list as an expression: `for_each: \"[params.first, 'b']\"`";
                    item.bad("items of a list are taken as they are, without templates", help, mistakes);
                }
            }
            Some((json(at.node).to_string(), Some(items.len())))
        }
        _ => {
            at.wrong("an expression or a list", mistakes);
            None
        }
    }
}

/// `5`, or `"5%"`.
fn tolerance(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Tolerance> {
    let Value::Text(text) = &at.node.value else {
        return at.count(0, mistakes).map(Tolerance::Count);
    };
    let percent = text.strip_suffix('%').and_then(|number| number.trim().parse().ok());
    let percent = percent.filter(|percent| *percent <= 100);
    if percent.is_none() {
        at.bad(format!("`{text}` is not a share"), "write a number of items, or `\"5%\"`", mistakes);
    }
    percent.map(Tolerance::Percent)
}

fn repeat(at: &At<'_>, uses: &mut Vec<Use>, mistakes: &mut Mistakes) -> Option<Repeat> {
    let fields = at.fields(&["until", "max", "pause"], mistakes)?;
    let rounds = fields.read("max", mistakes, |at, m| at.whole(1, ROUNDS_MAX, m));
    let pause = fields.read("pause", mistakes, At::duration);
    for name in ["until", "max"] {
        if fields.get(name).is_none() {
            mistakes.add(Code::MissingField, &at.spot, format!("`repeat` needs `{name}`"), "");
        }
    }
    let mut texts = Texts::new(Place::Until, mistakes);
    let until = fields.get("until").and_then(|at| texts.expression(at));
    uses.append(&mut texts.uses);
    Some(Repeat { until: until?, rounds_max: rounds? as u32, pause: pause.unwrap_or_default() })
}

fn undo(at: &At<'_>, usual: &Defaults, uses: &mut Vec<Use>, mistakes: &mut Mistakes) -> Option<Undo> {
    let fields = at.fields(UNDO, mistakes)?;
    let retry = fields.read("retries", mistakes, retry);
    let hard = fields.read("timeout", mistakes, At::time_limit);
    let (work, mut read) = work(&fields, &usual.programs, Place::Undo, &["run", "shell", "http"], mistakes)?;
    uses.append(&mut read);
    Some(Undo { work, retry, hard })
}

fn outputs(at: &At<'_>, mistakes: &mut Mistakes) -> BTreeSet<String> {
    let items = at.list_or_one(OUTPUTS_MAX, mistakes);
    items.iter().filter_map(|at| at.text(mistakes).map(ToOwned::to_owned)).collect()
}
