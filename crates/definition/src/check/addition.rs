//! Tasks that a task gives its run: checked as those of a job file are, together with what the run has.
//! - AD-1 what is added needs tasks of the job file, of its own addition, or of those that led to it: so it can be
//!   taken away without anybody missing it
//! - AD-2 outputs of other tasks are there only if the job file mentions them, or they are of the adding task

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::job::Node;
use mainspring_core::run::Run;
use mainspring_core::values::Name;

use super::graph::Graph;
use super::{check, lower};
use crate::file::{At, Defaults, Job, Settings, Task, Value, read as read_tree, tasks};
use crate::limits::{Limits, SPAWNED_MAX};
use crate::mistake::{Code, Mistake, Mistakes, Spot};
use crate::parameter::Parameter;

/// What `text`, a list or an object of tasks, adds to the run when this node gives it.
pub fn addition(
    run: &Run,
    by: u32,
    text: &str,
    parameters: Vec<Parameter>,
) -> Result<Vec<Node>, Vec<Mistake>> {
    let mut mistakes = Mistakes::new("");
    let limits = Limits { tasks_max: SPAWNED_MAX, ..Limits::default() };
    let documents = read_tree(text, &limits, &mut mistakes);
    let Some(root) = documents.first().filter(|root| !is_empty(&root.value)) else {
        return if mistakes.count() > 0 { Err(mistakes.into_sorted()) } else { Ok(Vec::new()) };
    };
    let new = tasks(&At::root(root, "tasks"), &Defaults::default(), &limits, &mut mistakes);
    if mistakes.count() > 0 {
        return Err(mistakes.into_sorted());
    }
    let (job, names) = whole(run, by, new, parameters);
    for task in &job.tasks[run.plan.len() as usize..] {
        if names.contains_key(task.name.as_str()) {
            let what = format!("the run has a task `{}` already", task.name);
            mistakes.add(Code::DuplicateTask, &task.spot, what, "give it another name");
        }
    }
    if mistakes.count() > 0 {
        return Err(mistakes.into_sorted());
    }
    let graph = check(&job, &mut mistakes);
    let nodes = (mistakes.count() == 0).then(|| made(run, by, &job, &graph, &mut mistakes)).flatten();
    match nodes.filter(|_| mistakes.count() == 0) {
        Some(nodes) => Ok(nodes),
        None => Err(mistakes.into_sorted()),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

/// The run's tasks and the new ones as one job, in which whatever needs the adding task needs the leaves, too.
fn whole(run: &Run, by: u32, mut new: Vec<Task>, parameters: Vec<Parameter>) -> (Job, BTreeMap<String, u32>) {
    let adding = run.plan.node(by).name.to_string();
    for task in new.iter_mut().filter(|task| task.needs.is_empty()) {
        task.needs.push((adding.clone(), task.spot.clone()));
    }
    let needed: BTreeSet<&str> =
        new.iter().flat_map(|task| &task.needs).map(|(name, _)| name.as_str()).collect();
    let names_of_new = new.iter().map(|task| task.name.as_str());
    let leaves: Vec<String> =
        names_of_new.filter(|name| !needed.contains(name)).map(ToOwned::to_owned).collect();
    let mut names = BTreeMap::new();
    let mut all: Vec<Task> = Vec::with_capacity(run.nodes.len() + new.len());
    for index in 0..run.plan.len() {
        let node = run.plan.node(index);
        let name = if run.is_removed(index) { gone(index) } else { node.name.clone() };
        names.insert(name.to_string(), index);
        let mut needs: Vec<String> =
            node.needs.iter().map(|need| run.plan.node(*need).name.to_string()).collect();
        if node.needs.binary_search(&by).is_ok() && run.node(index).status.end().is_none() {
            needs.extend(leaves.iter().cloned());
        }
        all.push(stub(name, needs));
    }
    all.append(&mut new);
    let job = Job {
        name: Some(run.job.name.clone()),
        spot: Spot::default(),
        tenant: Some(run.job.tenant.clone()),
        description: String::new(),
        owner: String::new(),
        tags: Vec::new(),
        parameters,
        schedules: Vec::new(),
        triggers: Vec::new(),
        policy: run.plan.policy,
        bounds: run.plan.bounds,
        tasks: all,
        outputs: None,
        uses: Vec::new(),
    };
    (job, names)
}

/// No name that a task can have.
fn gone(index: u32) -> Name {
    Name::new(&format!("taken away {index}")).unwrap_or_default()
}

/// A task of the run, as far as others can depend on it. Whether it may be skipped is not asked again.
fn stub(name: Name, needs: Vec<String>) -> Task {
    Task {
        name,
        spot: Spot::default(),
        work: None,
        needs: needs.into_iter().map(|name| (name, Spot::default())).collect(),
        when: Some("true".to_owned()),
        each: None,
        repeat: None,
        spawns: None,
        needs_jobs: Vec::new(),
        undo: None,
        outputs: None,
        settings: Settings::default(),
        uses: Vec::new(),
    }
}

fn made(run: &Run, by: u32, job: &Job, graph: &Graph, mistakes: &mut Mistakes) -> Option<Vec<Node>> {
    let first = run.plan.len();
    let mut nodes = lower::nodes(job, graph, &run.job.tenant, first as usize)?;
    for task in &job.tasks[first as usize..] {
        for (name, spot) in &task.needs {
            reach(run, by, *graph.index.get(name)?, spot, mistakes);
        }
        for text in &task.uses {
            for (name, mention) in &text.mentions.tasks {
                let other = *graph.index.get(name)?;
                reach(run, by, other, &text.spot, mistakes);
                if !mention.output {
                    continue;
                }
                if let Some(node) = other.checked_sub(first) {
                    nodes[node as usize].output_kept = true;
                } else if other != by && !run.plan.node(other).output_kept {
                    let what =
                        format!("the output of `{name}` was not kept: nothing in the job file mentions it");
                    let help = "hand it on in the output of the task that adds";
                    mistakes.add(Code::UndeclaredOutput, &text.spot, what, help);
                }
            }
        }
    }
    Some(nodes)
}

/// AD-1.
fn reach(run: &Run, by: u32, other: u32, spot: &Spot, mistakes: &mut Mistakes) {
    let Some(addition) = run.addition_of(other) else { return };
    let mut above = Some(by);
    while let Some(of) = above.and_then(|node| run.addition_of(node)) {
        if of.first == addition.first {
            return;
        }
        above = Some(of.by);
    }
    let what =
        format!("`{}` was added by another task, which may take it away again", run.plan.node(other).name);
    mistakes.add(Code::UnknownTask, spot, what, "need the task that added it, or one of the job file");
}
