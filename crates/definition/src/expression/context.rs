//! What an expression is evaluated with: parameters, outputs, the item of a mapped task.
//! Values are parsed when they are first read, and once for all expressions that read them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use mainspring_core::values::FiredAs;
use minijinja::Value;
use minijinja::value::{Object, ObjectRepr};

use super::json::{Json, from_json};

/// JSON bytes and, once somebody asked, their value. Clones share both.
#[derive(Clone, Debug)]
pub struct Document(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bytes: Arc<[u8]>,
    value: OnceLock<Value>,
}

impl Document {
    /// Bytes that are no JSON count as a text: programs may write what they like.
    pub fn new(bytes: Arc<[u8]>) -> Self {
        Self(Arc::new(Inner { bytes, value: OnceLock::new() }))
    }

    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.0.bytes
    }

    fn value(&self) -> Value {
        self.0.value.get_or_init(|| parse(&self.0.bytes)).clone()
    }
}

fn parse(bytes: &[u8]) -> Value {
    match serde_json::from_slice::<Json>(bytes) {
        Ok(json) => from_json(&json),
        Err(_) => Value::from(String::from_utf8_lossy(bytes).trim_end_matches(['\n', '\r'])),
    }
}

/// The items of a mapped task, ready to be read one by one.
#[derive(Clone, Debug)]
pub struct Items(pub(super) Arc<[Value]>);

impl Items {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// How an upstream task ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaskState {
    Success,
    Failed,
    Skipped,
    UpstreamFailed,
    /// It has not ended: a text of a node that did not wait for it.
    Unfinished,
}

impl TaskState {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Success => "succeeded",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::UpstreamFailed => "upstream_failed",
            Self::Unfinished => "unfinished",
        }
    }
}

/// A task that expressions may speak of.
#[derive(Clone, Debug)]
pub struct Upstream {
    pub state: TaskState,
    pub output: Outputs,
}

#[derive(Clone, Debug)]
pub enum Outputs {
    None,
    One(Document),
    /// Of a mapped task, in the order of its items; `None` for an item without one.
    Each(Arc<[Option<Document>]>),
}

impl Upstream {
    pub fn new(state: TaskState, output: Option<Document>) -> Self {
        Self { state, output: output.map_or(Outputs::None, Outputs::One) }
    }

    pub fn mapped(state: TaskState, outputs: Arc<[Option<Document>]>) -> Self {
        Self { state, output: Outputs::Each(outputs) }
    }
}

/// The window of a schedule that began a run. Instants are as RFC 3339.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    pub at: &'a str,
    /// The window before it.
    pub start: &'a str,
    pub schedule: &'a str,
    pub fired_as: FiredAs,
}

/// An event, for texts that speak of it.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub id: &'a str,
    pub source: &'a str,
    pub kind: &'a str,
    pub subject: Option<&'a str>,
    /// RFC 3339.
    pub time: Option<&'a str>,
    pub data: Option<&'a Document>,
}

/// Cheap to clone; what differs between the items of one mapped task is set on a clone.
#[derive(Clone, Debug, Default)]
pub struct Context {
    params: Option<Document>,
    run: Option<Value>,
    window: Option<Value>,
    event: Option<Value>,
    tasks: Arc<BTreeMap<Arc<str>, Upstream>>,
    item: Option<Value>,
    index: Option<u64>,
    round: Option<u32>,
    output: Option<Document>,
    failed_upstream: Option<Value>,
}

impl Context {
    pub fn new(params: Document) -> Self {
        Self { params: Some(params), ..Self::default() }
    }

    /// `logical_time`: as RFC 3339.
    pub fn with_run(mut self, id: &str, job: &str, logical_time: Option<&str>) -> Self {
        let time = logical_time.map_or(Value::from(()), Value::from);
        let fields = [("id", Value::from(id)), ("job", Value::from(job)), ("logical_time", time)];
        self.run = Some(Value::from_pairs(fields));
        self
    }

    /// Without it `window` is none: no schedule began the run.
    pub fn with_window(mut self, window: &Window<'_>) -> Self {
        let is = |fired_as| Value::from(window.fired_as == fired_as);
        self.window = Some(Value::from_pairs([
            ("at", Value::from(window.at)),
            ("start", Value::from(window.start)),
            ("end", Value::from(window.at)),
            ("schedule", Value::from(window.schedule)),
            ("catch_up", is(FiredAs::CatchUp)),
            ("backfill", is(FiredAs::Backfill)),
            ("late", is(FiredAs::Late)),
            ("no_event", is(FiredAs::NoEvent)),
        ]));
        self
    }

    /// Without it `event` is none: no event began the run.
    pub fn with_event(mut self, event: &Told<'_>) -> Self {
        let text = |text: Option<&str>| text.map_or(Value::from(()), Value::from);
        self.event = Some(Value::from_pairs([
            ("id", Value::from(event.id)),
            ("source", Value::from(event.source)),
            ("type", Value::from(event.kind)),
            ("subject", text(event.subject)),
            ("time", text(event.time)),
            ("data", event.data.map_or(Value::from(()), Document::value)),
        ]));
        self
    }

    pub fn with_tasks(mut self, tasks: impl IntoIterator<Item = (Arc<str>, Upstream)>) -> Self {
        self.tasks = Arc::new(tasks.into_iter().collect());
        self
    }

    pub fn with_item(mut self, index: u64, item: &Document) -> Self {
        self.index = Some(index);
        self.item = Some(item.value());
        self
    }

    /// Nothing if the list has no such place.
    pub fn with_item_of(mut self, index: u32, items: &Items) -> Self {
        self.index = Some(u64::from(index));
        self.item = items.0.get(index as usize).cloned();
        self
    }

    /// `output`: of the round that has ended, for `repeat.until`.
    pub fn with_round(mut self, round: u32, output: Option<Document>) -> Self {
        self.round = Some(round);
        self.output = output;
        self
    }

    pub fn with_failed_upstream<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        self.failed_upstream = Some(Value::from(names.into_iter().map(Value::from).collect::<Vec<_>>()));
        self
    }

    pub(super) fn root(&self) -> Value {
        Value::from_object(self.clone())
    }
}

impl Object for Context {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        match key {
            "params" => self.params.as_ref().map(Document::value),
            "tasks" => Some(Value::from_object(Tasks(self.tasks.clone()))),
            "run" => self.run.clone(),
            "window" => Some(self.window.clone().unwrap_or_else(|| Value::from(()))),
            "event" => Some(self.event.clone().unwrap_or_else(|| Value::from(()))),
            "item" => self.item.clone(),
            "index" => self.index.map(Value::from),
            "round" => self.round.map(Value::from),
            // A program that gave nothing out gave null.
            "output" => self.round.map(|_| self.output.as_ref().map_or(Value::from(()), Document::value)),
            "failed_upstream" => {
                Some(self.failed_upstream.clone().unwrap_or_else(|| Value::from(Vec::<Value>::new())))
            }
            _ => None,
        }
    }
}

#[derive(Debug)]
struct Tasks(Arc<BTreeMap<Arc<str>, Upstream>>);

impl Object for Tasks {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.0.get(key).map(|task| Value::from_object(task.clone()))
    }
}

impl Object for Upstream {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        match (key, &self.output) {
            ("state", _) => Some(Value::from(self.state.label())),
            ("output", Outputs::None) => Some(Value::from(())),
            ("output", Outputs::One(output)) => Some(output.value()),
            ("outputs", Outputs::None) => Some(Value::from(Vec::<Value>::new())),
            ("outputs", Outputs::One(output)) => Some(Value::from(vec![output.value()])),
            ("output" | "outputs", Outputs::Each(outputs)) => {
                let value =
                    |output: &Option<Document>| output.as_ref().map_or(Value::from(()), Document::value);
                Some(Value::from(outputs.iter().map(value).collect::<Vec<_>>()))
            }
            _ => None,
        }
    }
}
