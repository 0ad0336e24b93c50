//! The language of the simulated plans: a few words, evaluated from what is durable of a run.
//! - `true`, `false`, `broken` (an error), `rounds N` (met from the N-th round on), a number of items, and `len K`:
//!   as many items as the output of node K has bytes, or one
//! - `add`: tasks for the run, as the length of the output says

use std::sync::Arc;

use mainspring_core::job::{Definition, Node, Plan};
use mainspring_core::run::{EndFacts, Evaluate, EvaluateEvent, Scope};
use mainspring_core::task::Payload;
use mainspring_core::values::{Actor, CloudEvent, Millis, Name, NodeInstance, Pattern, RunId, Source, Wall};
use mainspring_core::wait::{Approval, Awaited, EventMask, Late, Wait};

/// The last byte of a payload whose template cannot be filled in.
pub const UNDEFINED: u8 = 0xee;

/// Runs are given no more tasks when they have so many.
const RUN_NODES_MAX: u32 = 60;

/// In the place of a run that is waited for: an event.
pub const EVENT: u128 = u128::MAX;
/// Approval is awaited.
pub const APPROVAL: u128 = u128::MAX - 1;

#[derive(Debug)]
pub struct Words;

/// What a node gives its run when its output has so many bytes: roots, chains, and sometimes one that gives more.
pub fn added(plan: &Plan, by: u32, bytes: usize) -> Vec<Node> {
    let first = plan.len();
    if first > RUN_NODES_MAX {
        return Vec::new();
    }
    let count = (bytes as u32 + by) % 5;
    let node = |index: u32| Node {
        name: Name::new(&format!("a{}", first + index)).unwrap_or_default(),
        needs: vec![if index % 2 == 1 { first + index - 1 } else { by }],
        condition: (index == 3).then(|| "false".into()),
        each: None,
        repeat: None,
        mentions: vec![by],
        output_kept: index == 0,
        spawns: (index == 2).then(|| "add".into()),
        needs_jobs: Vec::new(),
        ..plan.node(by).clone()
    };
    (0..count).map(node).collect()
}

/// How many items a text gives, if the output of a node has so many bytes.
pub fn items(text: &str, output: impl FnOnce(u32) -> Option<usize>) -> Option<u32> {
    match text.split_once(' ') {
        Some(("len", node)) => node.parse().ok().map(|node| output(node).map_or(1, |bytes| bytes as u32)),
        Some(_) => None,
        None => text.parse().ok(),
    }
}

impl EvaluateEvent for Words {
    /// `broken` is an error; everything else is met.
    fn accepts(&self, condition: &Source, _: &CloudEvent) -> Result<bool, String> {
        if &**condition == "broken" { Err("`broken` is no condition".to_owned()) } else { Ok(true) }
    }

    fn map(&self, template: &Payload, _: &CloudEvent) -> Result<Payload, String> {
        Ok(template.clone())
    }

    fn written(&self, notice: &CloudEvent, _: usize) -> Arc<[u8]> {
        notice.id.as_bytes().into()
    }

    fn tell(&self, end: &EndFacts<'_>) -> Arc<[u8]> {
        format!("\"{}\"", end.status).into_bytes().into()
    }
}

impl Evaluate for Words {
    fn condition(&self, source: &Source, scope: &Scope<'_>) -> Result<bool, String> {
        match source.split_once(' ') {
            Some(("rounds", wanted)) => {
                let node = scope.node.ok_or("no node")?;
                Ok(scope.run.node(node).rounds + 1 >= wanted.parse().map_err(|_| "no number")?)
            }
            _ => source.parse().map_err(|_| format!("`{source}` is no condition")),
        }
    }

    fn count(&self, text: &Source, scope: &Scope<'_>) -> Result<u32, String> {
        let outputs = &scope.run.outputs;
        let found = items(text, |node| outputs.get(&(node, NodeInstance::WHOLE)).map(|output| output.len()));
        found.ok_or_else(|| format!("`{text}` is no list"))
    }

    fn render(&self, template: &Payload, _: &Name, scope: &Scope<'_>) -> Result<Payload, String> {
        if template.last() == Some(&UNDEFINED) {
            return Err("`x` is undefined".to_owned());
        }
        let index = scope.index.unwrap_or(0).to_le_bytes();
        Ok([&**template, &index].concat().into())
    }

    fn value(&self, _: &Source, scope: &Scope<'_>) -> Result<Arc<[u8]>, String> {
        let lengths: Vec<u8> =
            scope.run.outputs.values().map(|output| output.len() as u8).take(100).collect();
        Ok(lengths.into())
    }

    fn text(&self, template: &Source, _: &Scope<'_>) -> Result<String, String> {
        Ok(template.to_string())
    }

    fn tasks(&self, source: &Source, scope: &Scope<'_>) -> Result<Vec<Node>, String> {
        let node = scope.node.ok_or("no node")?;
        if &**source != "add" {
            return Err(format!("`{source}` gives no tasks"));
        }
        let output = scope.run.outputs.get(&(node, NodeInstance::WHOLE)).ok_or("no output")?;
        Ok(added(&scope.run.plan, node, output.len()))
    }

    fn parameters(&self, _: &Definition, given: &Payload) -> Result<Payload, String> {
        Ok(given.clone())
    }

    fn approved(&self, over: Option<&Actor>, _: Wall) -> Arc<[u8]> {
        over.map_or_else(Arc::default, |over| over.actor.as_bytes().into())
    }

    /// Short enough that some tasks meet it.
    fn poll_deadline(&self, payload: &Payload, now: Wall) -> Wall {
        now + Millis::from_secs(1 + payload.len() as u64)
    }

    /// The first byte names it, so that tasks share a few budgets.
    fn target(&self, _: &Name, payload: &Payload) -> Name {
        Name::fixed(if payload.first().is_some_and(|byte| byte % 2 == 1) { "odd" } else { "even" })
    }

    /// A wait is written as sixteen bytes of a run (zero: none, [`EVENT`]: an event, [`APPROVAL`]) and eight of milliseconds.
    fn wait(&self, payload: &Payload, now: Wall) -> Result<Wait, String> {
        let (run, ms) = payload.split_first_chunk::<16>().ok_or("no run")?;
        let ms = u64::from_le_bytes(*ms.first_chunk::<8>().ok_or("no time")?);
        let at = now + Millis::new(ms);
        let (what, deadline) = match u128::from_le_bytes(*run) {
            0 => (Awaited::Until(at), at),
            EVENT => {
                // Any event; any end of a task outside of runs; those of one kind.
                let text = match ms % 5 {
                    0 => "",
                    1 => "mainspring.task.",
                    _ => "order.1",
                };
                let kind = Pattern { text: text.into(), prefix: ms % 5 < 2 || ms % 3 == 0 };
                let mask = EventMask { kind, source: None, subject: None, condition: None };
                (Awaited::Event(Arc::new(mask)), at)
            }
            APPROVAL => {
                let by = if ms % 3 == 0 { Vec::new() } else { vec![Name::fixed("operator")] };
                (Awaited::Approval(Arc::new(Approval { by, message: None })), at)
            }
            bits => (Awaited::Run(RunId::from_bits(bits)), at),
        };
        let late = match (&what, ms % 4) {
            (Awaited::Approval(_), 1) => Late::Approve,
            (Awaited::Approval(_), 3) => Late::Reject,
            (_, 0 | 2) => Late::Fail,
            _ => Late::Skip,
        };
        Ok(Wait { what, since: now, deadline, late })
    }
}
