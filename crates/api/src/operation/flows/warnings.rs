//! Tasks of a new run that no known worker could ever run.

use mainspring_core::job::{Node, NodeWork};

use crate::edge::Edge;
use crate::gateway::Route;
use crate::operation::could_run::{self, Questions};

/// Tasks named in one warning; the others are counted.
const NAMED_MAX: usize = 10;

/// One warning for each reason, with the tasks that it keeps. Nothing is told of runs of other jobs that the run may
/// start. A question that is not answered gives no warning: the run exists already.
pub(super) async fn warnings<'a>(
    edge: &Edge,
    route: Route,
    nodes: impl Iterator<Item = &'a Node> + Send,
) -> Vec<String> {
    let mut questions = Questions::default();
    // For each question the names of the tasks that it is about.
    let mut asked: Vec<Vec<String>> = Vec::new();
    for node in nodes {
        for work in std::iter::once(&node.work).chain(&node.undo) {
            let NodeWork::Task(task) = work else { continue };
            let Some(number) = questions.about(&task.profile) else { continue };
            asked.resize_with(asked.len().max(number + 1), Vec::new);
            let name = format!("`{}`", node.name);
            if asked[number].last() != Some(&name) {
                asked[number].push(name);
            }
        }
    }
    if asked.is_empty() {
        return Vec::new();
    }
    let answers = edge.gateway.ask_all(route, questions.commands).await.unwrap_or_default();
    let told = answers.into_iter().zip(asked).filter_map(|(answer, names)| {
        let why = could_run::never(answer)?;
        Some(format!("{}: {}", listed(&names), could_run::warning(&why)))
    });
    told.collect()
}

fn listed(names: &[String]) -> String {
    let word = if names.len() == 1 { "task" } else { "tasks" };
    let shown = names[..names.len().min(NAMED_MAX)].join(", ");
    match names.len().saturating_sub(NAMED_MAX) {
        0 => format!("{word} {shown}"),
        more => format!("{word} {shown} and {more} more"),
    }
}
