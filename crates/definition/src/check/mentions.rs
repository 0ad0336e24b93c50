//! What texts speak of exists, has happened before they are read, and may be spoken of at that place.

use super::graph::Graph;
use crate::expression::TaskMention;
use crate::file::{Job, Place, Task, Use};
use crate::limits::UPSTREAM_STEPS_MAX;
use crate::mistake::{Code, Mistakes};
use crate::suggest::nearest;

pub fn check(job: &Job, graph: &Graph, mistakes: &mut Mistakes) {
    let mut search = Search { seen: vec![u32::MAX; job.tasks.len()], steps: 0 };
    for (place, task) in job.tasks.iter().enumerate() {
        for text in &task.uses {
            parameters(job, text, mistakes);
            places(task, text, mistakes);
            for (name, mention) in &text.mentions.tasks {
                let Some(other) = other(job, graph, name, text, mistakes) else { continue };
                declared(&job.tasks[other as usize], mention, text, mistakes);
                if other as usize == place {
                    own(text, name, mistakes);
                } else if graph.acyclic && !search.is_upstream(graph, place as u32, other) {
                    not_upstream(task, name, text, mistakes);
                }
            }
        }
    }
    if search.steps > UPSTREAM_STEPS_MAX {
        let what = "it takes too long to find out which of the mentioned tasks are upstream";
        mistakes.add(Code::TooMany, &job.spot, what, "name mentioned tasks under `needs`");
    }
    for text in &job.uses {
        parameters(job, text, mistakes);
        job_places(text, mistakes);
        for (name, mention) in &text.mentions.tasks {
            if let Some(other) = other(job, graph, name, text, mistakes) {
                declared(&job.tasks[other as usize], mention, text, mistakes);
            }
        }
    }
}

fn parameters(job: &Job, text: &Use, mistakes: &mut Mistakes) {
    for name in &text.mentions.params {
        if job.parameters.iter().any(|known| *known.name == **name) {
            continue;
        }
        let known = job.parameters.iter().map(|known| &*known.name);
        let help = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("add it under `parameters`: `{name}: …`"),
        };
        mistakes.add(Code::UnknownParameter, &text.spot, format!("there is no parameter `{name}`"), help);
    }
}

fn other(job: &Job, graph: &Graph, name: &str, text: &Use, mistakes: &mut Mistakes) -> Option<u32> {
    let found = graph.index.get(name).copied();
    if found.is_none() {
        let help = nearest(name, job.tasks.iter().map(|task| task.name.as_str()));
        let help = help.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
        mistakes.add(Code::UnknownTask, &text.spot, format!("there is no task `{name}`"), help);
    }
    found
}

fn own(text: &Use, name: &str, mistakes: &mut Mistakes) {
    if text.place != Place::Undo {
        let what = format!("`tasks.{name}` is this task itself, which has not ended yet");
        mistakes.add(Code::NotUpstream, &text.spot, what, "in `repeat.until` write `output`");
    }
}

fn not_upstream(task: &Task, name: &str, text: &Use, mistakes: &mut Mistakes) {
    let what =
        format!("`{name}` is not upstream of `{}`: it may not have ended when this is read", task.name);
    mistakes.add(Code::NotUpstream, &text.spot, what, format!("add `{name}` to `needs`"));
}

fn declared(task: &Task, mention: &TaskMention, text: &Use, mistakes: &mut Mistakes) {
    let Some(outputs) = task.outputs.as_ref().filter(|_| task.each.is_none()) else { return };
    for field in mention.fields.iter().filter(|field| !outputs.contains(*field)) {
        let near = nearest(field, outputs.iter().map(String::as_str));
        let help = near.map_or_else(
            || format!("add it to `outputs` of `{}`", task.name),
            |near| format!("did you mean `{near}`?"),
        );
        let what = format!("`{}` declares no output `{field}`", task.name);
        mistakes.add(Code::UndeclaredOutput, &text.spot, what, help);
    }
}

fn places(task: &Task, text: &Use, mistakes: &mut Mistakes) {
    let said = &text.mentions;
    let mut refuse = |said: bool, name: &str, help: &str| {
        if said {
            mistakes.add(Code::OutOfPlace, &text.spot, format!("`{name}` has no value here"), help);
        }
    };
    let in_item = task.each.is_some() && !matches!(text.place, Place::When | Place::Items | Place::Undo);
    if !in_item {
        let help = "it exists in the work of a task with `for_each`";
        refuse(said.item, "item", help);
        refuse(said.index, "index", help);
    }
    let in_round = task.repeat.is_some() && !matches!(text.place, Place::When | Place::Items | Place::Undo);
    refuse(said.round && !in_round, "round", "it exists in the work of a task with `repeat`");
    let help = "it exists in `repeat.until` and in `spawns`; elsewhere write `tasks.NAME.output`";
    refuse(said.output && !matches!(text.place, Place::Until | Place::Spawns), "output", help);
}

fn job_places(text: &Use, mistakes: &mut Mistakes) {
    let said = &text.mentions;
    let names = [
        (said.item, "item"),
        (said.index, "index"),
        (said.round, "round"),
        (said.output, "output"),
        (said.failed_upstream, "failed_upstream"),
    ];
    for (_, name) in names.into_iter().filter(|(said, _)| *said) {
        let what = format!("`{name}` has no value here");
        mistakes.add(Code::OutOfPlace, &text.spot, what, "outputs of a run read `tasks`, `params` and `run`");
    }
}

/// Walks backwards, never past the place of what is looked for.
struct Search {
    /// Which search saw a task last; searches are numbered by the task they begin at, and by what they look for.
    seen: Vec<u32>,
    steps: usize,
}

impl Search {
    fn is_upstream(&mut self, graph: &Graph, from: u32, target: u32) -> bool {
        if graph.needs[from as usize].binary_search(&target).is_ok() {
            return true;
        }
        if self.steps > UPSTREAM_STEPS_MAX {
            return true;
        }
        let bound = graph.order[target as usize];
        let mut marked = Vec::new();
        let mut open = vec![from];
        let mut found = false;
        while let Some(task) = open.pop() {
            for need in &graph.needs[task as usize] {
                self.steps += 1;
                if *need == target {
                    found = true;
                } else if graph.order[*need as usize] > bound && self.seen[*need as usize] != from {
                    self.seen[*need as usize] = from;
                    marked.push(*need);
                    open.push(*need);
                }
            }
            if found || self.steps > UPSTREAM_STEPS_MAX {
                break;
            }
        }
        for task in marked {
            self.seen[task as usize] = u32::MAX;
        }
        found || self.steps > UPSTREAM_STEPS_MAX
    }
}
