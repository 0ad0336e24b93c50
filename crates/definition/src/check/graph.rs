//! Who needs whom, and proof that nobody waits for himself.

use std::collections::HashMap;

use crate::file::Task;
use crate::mistake::{Code, Mistakes};
use crate::suggest::nearest;

/// Cycles told of one job.
const CYCLES_MAX: usize = 10;
/// Names written out of one cycle.
const SHOWN_MAX: usize = 20;

pub struct Graph {
    pub index: HashMap<String, u32>,
    /// Of each task, ascending.
    pub needs: Vec<Vec<u32>>,
    /// Place of each task in an order in which needs come first.
    pub order: Vec<u32>,
    pub acyclic: bool,
}

impl Graph {
    pub fn new(tasks: &[Task], mistakes: &mut Mistakes) -> Self {
        let index: HashMap<String, u32> =
            tasks.iter().enumerate().map(|(place, task)| (task.name.to_string(), place as u32)).collect();
        let needs: Vec<Vec<u32>> = tasks.iter().map(|task| edges(task, &index, mistakes)).collect();
        let (order, acyclic) = order(&needs);
        if !acyclic {
            tell_cycles(tasks, &needs, &order, mistakes);
        }
        Self { index, needs, order, acyclic }
    }
}

fn edges(task: &Task, index: &HashMap<String, u32>, mistakes: &mut Mistakes) -> Vec<u32> {
    let mut needs: Vec<u32> = Vec::with_capacity(task.needs.len());
    let mut seen = std::collections::BTreeSet::new();
    for (name, spot) in &task.needs {
        match index.get(name) {
            None => {
                let others = index.keys().map(String::as_str).filter(|other| *other != &*task.name);
                let help = nearest(name, others);
                let help = help.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
                mistakes.add(Code::UnknownTask, spot, format!("there is no task `{name}`"), help);
            }
            Some(_) if **name == *task.name => {
                mistakes.add(Code::SelfDependency, spot, "a task cannot need itself", "leave it out");
            }
            Some(place) if seen.insert(*place) => needs.push(*place),
            Some(_) => {
                mistakes.add(Code::DuplicateDependency, spot, format!("`{name}` is named twice"), "keep one");
            }
        }
    }
    needs.sort_unstable();
    needs
}

/// Unreached tasks have no place: `u32::MAX`.
fn order(needs: &[Vec<u32>]) -> (Vec<u32>, bool) {
    let mut children = vec![Vec::new(); needs.len()];
    for (task, needs) in needs.iter().enumerate() {
        for need in needs {
            children[*need as usize].push(task);
        }
    }
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut ready: Vec<usize> = (0..needs.len()).filter(|task| open[*task] == 0).collect();
    let mut order = vec![u32::MAX; needs.len()];
    let mut placed = 0;
    while let Some(task) = ready.pop() {
        order[task] = placed;
        placed += 1;
        for child in &children[task] {
            open[*child] -= 1;
            if open[*child] == 0 {
                ready.push(*child);
            }
        }
    }
    (order, placed as usize == needs.len())
}

/// From each task without a place the way along needs leads into a cycle; each cycle is told once.
fn tell_cycles(tasks: &[Task], needs: &[Vec<u32>], order: &[u32], mistakes: &mut Mistakes) {
    // 0: not seen; otherwise the walk that saw it.
    let mut walk_of = vec![0_usize; tasks.len()];
    let mut told = 0;
    for start in (0..tasks.len()).filter(|task| order[*task] == u32::MAX) {
        let walk = start + 1;
        let mut way = vec![start];
        while let Some(&last) = way.last() {
            if walk_of[last] != 0 {
                break;
            }
            walk_of[last] = walk;
            let next = needs[last].iter().map(|need| *need as usize).find(|need| order[*need] == u32::MAX);
            way.extend(next);
        }
        let Some(end) = way.pop().filter(|end| walk_of[*end] == walk) else { continue };
        let Some(begin) = way.iter().position(|task| *task == end) else { continue };
        told += 1;
        if told > CYCLES_MAX {
            return;
        }
        tell(tasks, &way[begin..], mistakes);
    }
}

fn tell(tasks: &[Task], cycle: &[usize], mistakes: &mut Mistakes) {
    let first = tasks[cycle[0]].name.as_str();
    let mut names: Vec<&str> = cycle.iter().take(SHOWN_MAX).map(|task| tasks[*task].name.as_str()).collect();
    if cycle.len() > SHOWN_MAX {
        names.push("…");
    }
    names.push(first);
    let what = format!("tasks wait for each other: {}", names.join(" → "));
    mistakes.add(Code::Cycle, &tasks[cycle[0]].spot, what, "take one of these `needs` out");
}
