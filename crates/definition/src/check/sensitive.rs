//! Values of sensitive parameters go into the work of tasks only, where they can be masked: not into what is shown by others.

use serde_json::Value as Json;

use crate::file::{Job, Place, Task, Use, Work};
use crate::mistake::{Code, Mistakes};

pub fn check(job: &Job, mistakes: &mut Mistakes) {
    if job.parameters.iter().all(|parameter| !parameter.sensitive) {
        return;
    }
    for task in &job.tasks {
        if is_kept(task) {
            let what = "`keep` does not work together with sensitive parameters: what the program writes goes past \
                        the worker, who would mask it";
            mistakes.add(Code::Unsupported, &task.spot, what, "leave `keep` out");
        }
        for text in &task.uses {
            refuse(job, text, shown(task, text), mistakes);
        }
    }
    for text in &job.uses {
        refuse(job, text, Some("outputs of a run are shown"), mistakes);
    }
}

fn is_kept(task: &Task) -> bool {
    match &task.work {
        Some(Work::Task { payload, .. }) => payload.get("keep").and_then(Json::as_bool) == Some(true),
        Some(Work::Run { .. }) | None => false,
    }
}

/// Why what this text becomes is shown.
fn shown(task: &Task, text: &Use) -> Option<&'static str> {
    match text.place {
        Place::Key => Some("keys of limits are shown"),
        Place::Items => Some("lists of items are shown"),
        Place::Spawns => Some("tasks that are added are shown"),
        Place::Outputs | Place::Trigger => Some("it is shown"),
        Place::Work if matches!(&task.work, Some(Work::Task { executor, .. }) if *executor == "wait") => {
            Some("what a task waits for is shown")
        }
        Place::Work | Place::When | Place::Until | Place::Undo => None,
    }
}

fn refuse(job: &Job, text: &Use, shown: Option<&str>, mistakes: &mut Mistakes) {
    let Some(shown) = shown else { return };
    let mut sensitive = job.parameters.iter().filter(|parameter| parameter.sensitive);
    let mentioned =
        sensitive.find(|one| text.mentions.params_any || text.mentions.params.contains(&*one.name));
    if let Some(parameter) = mentioned {
        let what = format!("the sensitive parameter `{}` cannot be used here: {shown}", parameter.name);
        mistakes.add(Code::Unsupported, &text.spot, what, "use it in the work of a task");
    }
}
