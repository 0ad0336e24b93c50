//! Texts of plans, evaluated for runs: what the core asks for through [`Evaluate`].
//! - EE-1 pure: caches hold what the same bytes always give
//! - EE-2 only tasks that a text mentions are looked at, whatever the size of the plan
//! - EE-3 every cache is bounded; a full one is emptied

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use mainspring_core::job::{Definition, Node, NodeEnd};
use mainspring_core::run::{EndFacts as Ended, Evaluate, EvaluateEvent, NodeStatus, Run, Scope};
use mainspring_core::task::Payload;
use mainspring_core::values::{Actor, CloudEvent, Name, NodeInstance, RunId, Source, Wall};
use mainspring_core::wait::Wait;
use serde_json::{Map, Value as Json};

use crate::check::addition;
use crate::definition::declared;
use crate::expression::{
    Bad, Cache, Context, Document, Expression, Items, Kind, Mentions, TaskState, Told, Upstream, Window,
};
use crate::mistake::Mistake;
use crate::parameter::{self, Parameter};
use crate::secret::Secrets;

/// Lists of mapped tasks that are at work; each was read once to count it.
const LISTS_MAX: usize = 64;
/// Outputs that were parsed, for as many bytes.
const PARSED_BYTES_MAX: usize = 16 << 20;
/// Shorter ones are parsed faster than found.
const PARSED_BYTES_MIN: usize = 256;
/// More jobs than a server may have by default; a set takes some hundred bytes.
const PARAMETER_SETS_MAX: usize = 120_000;

#[derive(Default)]
pub struct Evaluator {
    cache: Cache,
    lists: Mutex<VecDeque<(ListKey, Items)>>,
    parsed: Mutex<Parsed>,
    parameters: Mutex<BTreeMap<u128, Declared>>,
}

/// By the hash of the job's source.
type Declared = Arc<[Parameter]>;

/// The turn of a node grows when it is cleared: then its list is another one.
type ListKey = (RunId, u32, u32);

/// By address; the document holds the bytes, so no other can have the same.
#[derive(Default)]
struct Parsed {
    by_address: BTreeMap<usize, Document>,
    bytes: usize,
}

impl fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluator").finish_non_exhaustive()
    }
}

impl Evaluate for Evaluator {
    fn condition(&self, source: &Source, scope: &Scope<'_>) -> Result<bool, String> {
        let expression = self.cache.expression(source).map_err(told)?;
        expression.condition(&self.context(expression.mentions(), scope, 0)?)
    }

    fn count(&self, items: &Source, scope: &Scope<'_>) -> Result<u32, String> {
        let expression = self.cache.expression(items).map_err(told)?;
        let list = self.list(&expression, scope)?;
        let count = list.len() as u32;
        self.keep_list(scope, list);
        Ok(count)
    }

    fn render(&self, template: &Payload, executor: &Name, scope: &Scope<'_>) -> Result<Payload, String> {
        let payload = self.cache.payload(Kind::of(executor), template).map_err(told)?;
        // A template between two rounds is for the one that begins.
        let next = scope.node.is_some_and(|node| scope.run.node(node).status == NodeStatus::Judged);
        let context = self.context(payload.mentions(), scope, u32::from(next))?;
        payload.render(&context).map(Into::into)
    }

    fn value(&self, source: &Source, scope: &Scope<'_>) -> Result<Arc<[u8]>, String> {
        let expression = self.cache.expression(source).map_err(told)?;
        let value = expression.json(&self.context(expression.mentions(), scope, 0)?)?;
        Ok(value.to_string().into_bytes().into())
    }

    fn text(&self, template: &Source, scope: &Scope<'_>) -> Result<String, String> {
        let template = self.cache.template(template).map_err(told)?;
        template.render(&self.context(template.mentions(), scope, 0)?)
    }

    fn tasks(&self, source: &Source, scope: &Scope<'_>) -> Result<Vec<Node>, String> {
        let by = scope.node.ok_or("only a task can add tasks")?;
        let expression = self.cache.expression(source).map_err(told)?;
        let given = expression.json(&self.context(expression.mentions(), scope, 0)?)?;
        if !given.is_array() && !given.is_object() {
            return Err(format!(
                "`{source}` gives neither a list nor an object of tasks; give an empty list for none"
            ));
        }
        addition(scope.run, by, &given.to_string(), parameter::of_run(&scope.run.parameters)).map_err(
            |mistakes| {
                let told: Vec<String> = mistakes.iter().map(tell).collect();
                told.join("; ")
            },
        )
    }

    fn wait(&self, payload: &Payload, now: Wall) -> Result<Wait, String> {
        crate::wait::read(payload, now)
    }

    fn shows_secrets(&self, run: &Run, to: &Definition, given: &Payload) -> Option<String> {
        let secrets = Secrets::of_run(run);
        if secrets.is_none() {
            return None;
        }
        let given: Map<String, Json> = serde_json::from_slice(given).ok()?;
        let sensitive = &to.plan.sensitive;
        let is_told = |name: &str| sensitive.iter().all(|known| known.as_str() != name);
        let (name, _) = given.iter().find(|(name, value)| is_told(name) && secrets.is_in(value))?;
        Some(format!(
            "the parameter `{name}` is given a sensitive value: declare it as `sensitive: true` in that job"
        ))
    }

    fn approved(&self, over: Option<&Actor>, at: Wall) -> Arc<[u8]> {
        crate::wait::approved(over, at)
    }

    fn take_parsed(&self) -> usize {
        self.cache.take_parsed()
    }

    fn poll_deadline(&self, payload: &Payload, now: Wall) -> Wall {
        crate::wait::poll_deadline(payload, now)
    }

    fn target(&self, executor: &Name, payload: &Payload) -> Name {
        crate::target::read(executor, payload)
    }

    fn parameters(&self, definition: &Definition, given: &Payload) -> Result<Payload, String> {
        let parameters = self.parameters_of(definition)?;
        parameter::check(&parameters, given).map(Into::into).map_err(|mistakes| {
            let told: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            told.join("; ")
        })
    }
}

impl EvaluateEvent for Evaluator {
    fn accepts(&self, condition: &Source, notice: &CloudEvent) -> Result<bool, String> {
        let expression = self.cache.expression(condition).map_err(told)?;
        expression.condition(&self.with_event(Context::default(), notice))
    }

    fn map(&self, template: &Payload, notice: &CloudEvent) -> Result<Payload, String> {
        let payload = self.cache.payload(Kind::Parameters, template).map_err(told)?;
        payload.render(&self.with_event(Context::default(), notice)).map(Into::into)
    }

    fn written(&self, notice: &CloudEvent, bytes_max: usize) -> Arc<[u8]> {
        crate::told::notice(notice, bytes_max)
    }

    fn tell(&self, end: &Ended<'_>) -> Arc<[u8]> {
        crate::told::data(end)
    }
}

/// Without its line, which is in a text that nobody wrote.
fn tell(mistake: &Mistake) -> String {
    let Mistake { path, what, help, .. } = mistake;
    let help = if help.is_empty() { String::new() } else { format!(" ({help})") };
    if path.is_empty() { format!("{what}{help}") } else { format!("{path}: {what}{help}") }
}

fn told(bad: Bad) -> String {
    bad.what
}

impl Evaluator {
    /// `ahead`: rounds that the text is before the one that the run knows.
    fn context(&self, mentions: &Mentions, scope: &Scope<'_>, ahead: u32) -> Result<Context, String> {
        let run = scope.run;
        let mut context = Context::new(self.document(&run.parameters));
        if mentions.run {
            let at = run.origin.logical_time().map(instant);
            context = context.with_run(&run.id.to_string(), &run.job.name, at.as_deref());
        }
        if mentions.window
            && let Some(window) = &run.origin.window
        {
            context = context.with_window(&Window {
                at: &instant(window.at),
                start: &instant(window.from),
                schedule: &window.name,
                fired_as: window.fired_as,
            });
        }
        if mentions.event
            && let Some(cause) = &run.origin.cause
        {
            context = self.with_event(context, &cause.notice);
        }
        if !mentions.tasks.is_empty() {
            context = context.with_tasks(self.tasks(mentions, scope)?);
        }
        let Some(node) = scope.node else { return Ok(context) };
        if mentions.round || mentions.output {
            let output = run.outputs.get(&(node, NodeInstance::WHOLE)).map(|bytes| self.document(bytes));
            context = context.with_round(run.node(node).rounds + 1 + ahead, output);
        }
        if mentions.failed_upstream {
            let needs = &run.plan.node(node).needs;
            let failed = needs.iter().filter(|need| {
                matches!(run.node(**need).status.end(), Some(NodeEnd::Failed | NodeEnd::UpstreamFailed))
            });
            context = context.with_failed_upstream(failed.map(|need| run.plan.node(*need).name.as_str()));
        }
        match scope.index.filter(|_| mentions.item || mentions.index) {
            Some(index) => Ok(context.with_item_of(index, &self.items(node, scope)?)),
            None => Ok(context),
        }
    }

    fn with_event(&self, context: Context, notice: &CloudEvent) -> Context {
        let (time, data) = (notice.time.map(instant), notice.data.as_ref().map(|data| self.document(data)));
        context.with_event(&Told {
            id: &notice.id,
            source: &notice.source,
            kind: &notice.kind,
            subject: notice.subject.as_deref(),
            time: time.as_deref(),
            data: data.as_ref(),
        })
    }

    fn tasks(&self, mentions: &Mentions, scope: &Scope<'_>) -> Result<Vec<(Arc<str>, Upstream)>, String> {
        let plan = &scope.run.plan;
        let find = |name: &String| match scope.node {
            // Its own name is in an undo.
            Some(node) => {
                let near = plan.node(node).mentions.iter().copied().chain([node]);
                near.into_iter().find(|other| plan.node(*other).name.as_str() == name)
            }
            None => plan.find(name),
        };
        let task = |name: &String| {
            let node = find(name).ok_or_else(|| format!("there is no task `{name}`"))?;
            Ok((Arc::from(name.as_str()), self.upstream(scope.run, node)))
        };
        mentions.tasks.keys().map(task).collect()
    }

    fn upstream(&self, run: &Run, node: u32) -> Upstream {
        let state = match run.node(node).status.end() {
            None => TaskState::Unfinished,
            Some(NodeEnd::Success) => TaskState::Success,
            Some(NodeEnd::Failed) => TaskState::Failed,
            Some(NodeEnd::UpstreamFailed) => TaskState::UpstreamFailed,
            Some(NodeEnd::Skipped) => TaskState::Skipped,
        };
        let output = |index| run.outputs.get(&(node, index)).map(|bytes| self.document(bytes));
        match (run.groups.get(&node), &run.plan.node(node).each) {
            (Some(group), _) => Upstream::mapped(state, (0..group.count()).map(output).collect()),
            (None, Some(_)) => Upstream::mapped(state, Arc::new([])),
            (None, None) => Upstream::new(state, output(NodeInstance::WHOLE)),
        }
    }

    fn list(&self, expression: &Expression, scope: &Scope<'_>) -> Result<Items, String> {
        let whole = Scope { index: None, ..*scope };
        expression.items(&self.context(expression.mentions(), &whole, 0)?)
    }

    /// The list of a mapped node that is at work.
    fn items(&self, node: u32, scope: &Scope<'_>) -> Result<Items, String> {
        let key = key(scope);
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = lists.iter().find(|(known, _)| Some(*known) == key) {
            return Ok(found.clone());
        }
        drop(lists);
        let each = scope.run.plan.node(node).each.as_ref().ok_or("the task has no items")?;
        let list = self.list(&self.cache.expression(&each.items).map_err(told)?, scope)?;
        self.keep_list(scope, list.clone());
        Ok(list)
    }

    fn keep_list(&self, scope: &Scope<'_>, list: Items) {
        let Some(key) = key(scope) else { return };
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.retain(|(known, _)| *known != key);
        lists.truncate(LISTS_MAX - 1);
        lists.push_front((key, list));
    }

    fn document(&self, bytes: &Arc<[u8]>) -> Document {
        if bytes.len() < PARSED_BYTES_MIN {
            return Document::new(bytes.clone());
        }
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let address = bytes.as_ptr() as usize;
        if let Some(document) = parsed.by_address.get(&address) {
            return document.clone();
        }
        if parsed.bytes + bytes.len() > PARSED_BYTES_MAX {
            *parsed = Parsed::default();
        }
        self.cache.note_parsed(bytes.len());
        let document = Document::new(bytes.clone());
        parsed.bytes += bytes.len();
        parsed.by_address.insert(address, document.clone());
        document
    }

    fn parameters_of(&self, definition: &Definition) -> Result<Arc<[Parameter]>, String> {
        let known = self.parameters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&definition.hash) {
            return Ok(known.clone());
        }
        drop(known);
        self.cache.note_parsed(definition.source.len());
        let parameters =
            declared(&definition.source).map_err(|why| format!("the job cannot be read: {why}"))?;
        let parameters: Arc<[Parameter]> = parameters.into();
        let mut sets = self.parameters.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.len() >= PARAMETER_SETS_MAX {
            sets.clear();
        }
        sets.insert(definition.hash, parameters.clone());
        Ok(parameters)
    }
}

/// RFC 3339 in UTC, with milliseconds only where there are some.
pub fn instant(wall: Wall) -> String {
    jiff::Timestamp::from_millisecond(wall.millis() as i64)
        .map_or_else(|_| String::new(), |at| at.to_string())
}

fn key(scope: &Scope<'_>) -> Option<ListKey> {
    let node = scope.node?;
    Some((scope.run.id, node, scope.run.node(node).turn))
}
