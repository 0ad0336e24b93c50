//! What expressions and templates can see, and who evaluates them.
//! - XS-1 the result of an evaluation goes into an event; folding events never evaluates

use std::fmt::Debug;
use std::sync::Arc;

use super::state::Run;
use crate::job::{Definition, Node};
use crate::task::Payload;
use crate::values::{Actor, CloudEvent, Name, RunId, Source, TaskId, Wall, Window};
use crate::wait::Wait;

/// Understands the texts of triggers, and writes what is told of ends. Pure, as [`Evaluate`] is.
pub trait EvaluateEvent: Send + Sync + Debug {
    fn accepts(&self, condition: &Source, notice: &CloudEvent) -> Result<bool, String>;

    /// Parameters of a run: fills in the templates.
    fn map(&self, template: &Payload, notice: &CloudEvent) -> Result<Payload, String>;

    /// The event itself as JSON; its data is left out if that would be more than so many bytes.
    fn written(&self, notice: &CloudEvent, bytes_max: usize) -> Arc<[u8]>;

    /// The data of an event that tells of an end, as JSON.
    fn tell(&self, end: &EndFacts<'_>) -> Arc<[u8]>;
}

/// The end of a run, or of a task outside of runs.
#[derive(Clone, Copy, Debug)]
pub struct EndFacts<'a> {
    pub job: &'a Name,
    pub run: Option<RunId>,
    pub task: Option<TaskId>,
    pub status: &'static str,
    pub window: Option<&'a Window>,
    pub output: Option<&'a Arc<[u8]>>,
}

/// Understands the texts of a plan. Pure: the same texts and scope give the same result. Errors are for people.
pub trait Evaluate: EvaluateEvent {
    fn condition(&self, source: &Source, scope: &Scope<'_>) -> Result<bool, String>;

    /// How many items the list has.
    fn count(&self, items: &Source, scope: &Scope<'_>) -> Result<u32, String>;

    /// Fills in the templates of a payload; `executor` tells how values must be quoted in it.
    fn render(&self, template: &Payload, executor: &Name, scope: &Scope<'_>) -> Result<Payload, String>;

    /// The value of an expression, as JSON.
    fn value(&self, source: &Source, scope: &Scope<'_>) -> Result<Arc<[u8]>, String>;

    /// Fills in a template for a short text.
    fn text(&self, template: &Source, scope: &Scope<'_>) -> Result<String, String>;

    /// The tasks that a node gives its run: what the expression makes of its output, read and checked as a job file is.
    fn tasks(&self, source: &Source, scope: &Scope<'_>) -> Result<Vec<Node>, String>;

    /// Parameters of a run of this job, checked, with its defaults.
    fn parameters(&self, definition: &Definition, given: &Payload) -> Result<Payload, String>;

    /// Why these parameters must not be given to a run of this job: they show what is sensitive in the run that gives them.
    fn shows_secrets(&self, run: &Run, to: &Definition, given: &Payload) -> Option<String> {
        let _ = (run, to, given);
        None
    }

    /// What a task that only waits asks for; `now` is when it begins.
    fn wait(&self, payload: &Payload, now: Wall) -> Result<Wait, String>;

    /// What a task gives that waited for approval, as JSON: by whom and why. `None`: nobody decided, and that counts as
    /// approved.
    fn approved(&self, over: Option<&Actor>, at: Wall) -> Arc<[u8]>;

    /// Bytes of texts that had to be parsed since this was last asked. It bounds what is done in one step.
    fn take_parsed(&self) -> usize {
        0
    }

    /// Until when a task that looks for something has to find it; `now` is when it may look first.
    fn poll_deadline(&self, payload: &Payload, now: Wall) -> Wall;

    /// What a task uses and may find broken: the program of a process, the host of a call. Empty if it has none.
    fn target(&self, executor: &Name, payload: &Payload) -> Name;
}

/// The point of view of one node, or of one item of it.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub run: &'a Run,
    /// `None`: of the run as a whole.
    pub node: Option<u32>,
    pub index: Option<u32>,
}

impl<'a> Scope<'a> {
    pub const fn of_run(run: &'a Run) -> Self {
        Self { run, node: None, index: None }
    }

    pub const fn of_node(run: &'a Run, node: u32) -> Self {
        Self { run, node: Some(node), index: None }
    }

    pub const fn of_item(run: &'a Run, node: u32, index: u32) -> Self {
        Self { run, node: Some(node), index: Some(index) }
    }
}

/// For plans without texts: understands none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTexts;

impl NoTexts {
    fn refuse<T>() -> Result<T, String> {
        Err("expressions cannot be evaluated here".to_owned())
    }
}

impl EvaluateEvent for NoTexts {
    fn accepts(&self, _: &Source, _: &CloudEvent) -> Result<bool, String> {
        Self::refuse()
    }

    fn map(&self, _: &Payload, _: &CloudEvent) -> Result<Payload, String> {
        Self::refuse()
    }

    fn written(&self, notice: &CloudEvent, _: usize) -> Arc<[u8]> {
        notice.id.as_bytes().into()
    }

    fn tell(&self, _: &EndFacts<'_>) -> Arc<[u8]> {
        Arc::from(*b"{}")
    }
}

impl Evaluate for NoTexts {
    fn condition(&self, _: &Source, _: &Scope<'_>) -> Result<bool, String> {
        Self::refuse()
    }

    fn count(&self, _: &Source, _: &Scope<'_>) -> Result<u32, String> {
        Self::refuse()
    }

    fn render(&self, _: &Payload, _: &Name, _: &Scope<'_>) -> Result<Payload, String> {
        Self::refuse()
    }

    fn value(&self, _: &Source, _: &Scope<'_>) -> Result<Arc<[u8]>, String> {
        Self::refuse()
    }

    fn text(&self, _: &Source, _: &Scope<'_>) -> Result<String, String> {
        Self::refuse()
    }

    fn tasks(&self, _: &Source, _: &Scope<'_>) -> Result<Vec<Node>, String> {
        Self::refuse()
    }

    fn parameters(&self, _: &Definition, given: &Payload) -> Result<Payload, String> {
        Ok(given.clone())
    }

    fn wait(&self, _: &Payload, _: Wall) -> Result<Wait, String> {
        Self::refuse()
    }

    fn approved(&self, over: Option<&Actor>, _: Wall) -> Arc<[u8]> {
        over.map_or_else(Arc::default, |over| over.actor.as_bytes().into())
    }

    fn poll_deadline(&self, _: &Payload, now: Wall) -> Wall {
        now + crate::wait::TIMEOUT_DEFAULT
    }

    fn target(&self, _: &Name, _: &Payload) -> Name {
        Name::default()
    }
}
