//! Trigger rules that can be proven never to be met. An operator can force any end; that is not counted.

use mainspring_core::job::{OnEmpty, TriggerRule};

use super::graph::Graph;
use crate::file::{Job, Task, Work};
use crate::mistake::{Code, Mistakes, Spot};

pub fn check(job: &Job, graph: &Graph, mistakes: &mut Mistakes) {
    for (task, needs) in job.tasks.iter().zip(&graph.needs) {
        let Some((rule, spot)) = &task.settings.rule else { continue };
        // A need that does not exist has been told; what is left would only confuse. The rule of `on_failure` nobody wrote.
        if needs.len() != task.needs.len() || task.is_on_failure() {
            continue;
        }
        let upstream: Vec<&Task> = needs.iter().map(|need| &job.tasks[*need as usize]).collect();
        if let Some((what, help)) = impossible(*rule, &upstream) {
            let what = format!("`{}` on `{}` {what}", rule.label(), task.name);
            tell(what, help, spot, mistakes);
        }
    }
}

fn tell(what: String, help: &str, spot: &Spot, mistakes: &mut Mistakes) {
    mistakes.add(Code::ImpossibleRule, spot, what, help);
}

fn impossible(rule: TriggerRule, upstream: &[&Task]) -> Option<(&'static str, &'static str)> {
    let needs_failure = matches!(rule, TriggerRule::AllFailed | TriggerRule::OneFailed);
    let asks_upstream = needs_failure
        || matches!(
            rule,
            TriggerRule::AllSkipped
                | TriggerRule::OneSuccess
                | TriggerRule::OneDone
                | TriggerRule::AllDoneMinOneSuccess
                | TriggerRule::NoneFailedMinOneSuccess
        );
    if upstream.is_empty() {
        let what = "asks for the end of other tasks, and it needs none";
        return asks_upstream.then_some((what, "name them under `needs`, or leave the rule out"));
    }
    let mut safe = upstream.iter().map(|task| cannot_fail(task));
    let never_fails = match rule {
        TriggerRule::OneFailed => safe.all(|safe| safe),
        TriggerRule::AllFailed => safe.any(|safe| safe),
        _ => false,
    };
    if never_fails {
        return Some(("can never be met: `noop` does not fail", "take another rule"));
    }
    let never_skipped =
        rule == TriggerRule::AllSkipped && upstream.iter().any(|task| cannot_be_skipped(task));
    let what = "can never be met: an upstream task has no `when`, no `for_each` and nothing before it";
    never_skipped.then_some((what, "take another rule"))
}

/// It has nothing before it and does nothing.
fn cannot_fail(task: &Task) -> bool {
    let noop = matches!(&task.work, Some(Work::Task { executor: "noop", .. }));
    noop && task.needs.is_empty() && task.when.is_none() && task.each.is_none() && task.repeat.is_none()
}

fn cannot_be_skipped(task: &Task) -> bool {
    let may_be_empty = task.each.as_ref().is_some_and(|each| each.on_empty == OnEmpty::Skip);
    task.needs.is_empty() && task.when.is_none() && !may_be_empty
}
