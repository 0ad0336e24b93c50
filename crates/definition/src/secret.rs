//! Sensitive parameters: what nobody is shown, and how it is masked.
//! - VM-1 a sensitive value is a text of [`BYTES_MIN`] bytes or more: shorter ones could not be told from other text
//! - VM-2 a parameter is masked by its name, everything else by the value; what a template makes of a sensitive parameter is
//!   masked whole
//!
//! Not here: output of attempts, which workers mask (`agent/src/mask.rs`).

use std::sync::Arc;

use mainspring_core::job::NodeWork;
use mainspring_core::run::Run;
use mainspring_core::task::Task;
use mainspring_core::values::{Name, NodeInstance};
use serde_json::Value as Json;

use crate::expression::VARIABLE;

pub const MASK: &str = "***";
/// Shorter values are refused.
pub const BYTES_MIN: usize = 4;
/// Of a line of a value that has several: each is masked by itself too.
const LINE_BYTES_MIN: usize = 8;

/// What must not be shown of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Secrets {
    names: Vec<Name>,
    /// The longest first.
    values: Vec<String>,
}

impl Secrets {
    /// `names`: of those parameters that are sensitive.
    pub fn of(names: &[Name], parameters: &[u8]) -> Self {
        if names.is_empty() {
            return Self::default();
        }
        let parameters: Json = serde_json::from_slice(parameters).unwrap_or_default();
        let mut values = Vec::new();
        for name in names {
            let Some(text) = parameters.get(name.as_str()).and_then(Json::as_str) else { continue };
            if text.len() >= BYTES_MIN {
                values.push(text.to_owned());
            }
            if text.contains('\n') {
                let lines = text.lines().map(str::trim).filter(|line| line.len() >= LINE_BYTES_MIN);
                values.extend(lines.map(str::to_owned));
            }
        }
        values.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        values.dedup();
        Self { names: names.to_vec(), values }
    }

    pub fn of_run(run: &Run) -> Self {
        Self::of(&run.plan.sensitive, &run.parameters)
    }

    /// No parameter of the job is sensitive.
    pub fn is_none(&self) -> bool {
        self.names.is_empty()
    }

    /// What workers must not let through.
    pub fn into_values(self) -> Vec<String> {
        self.values
    }

    /// Whether a value is shown in this one.
    pub fn is_in(&self, shown: &Json) -> bool {
        let is_in = |text: &str| self.values.iter().any(|value| text.contains(value.as_str()));
        match shown {
            Json::String(text) => is_in(text),
            Json::Array(items) => items.iter().any(|item| self.is_in(item)),
            Json::Object(fields) => fields.iter().any(|(name, value)| is_in(name) || self.is_in(value)),
            Json::Null | Json::Bool(_) | Json::Number(_) => false,
        }
    }

    pub fn text(&self, text: &str) -> String {
        self.values.iter().fold(text.to_owned(), |text, value| text.replace(value.as_str(), MASK))
    }

    /// A JSON document; what is none is a text.
    pub fn document(&self, bytes: &Arc<[u8]>) -> Arc<[u8]> {
        if self.values.is_empty() {
            return bytes.clone();
        }
        match serde_json::from_slice(bytes) {
            Ok(mut document) => {
                self.strings(&mut document);
                document.to_string().into_bytes().into()
            }
            Err(_) => self.text(&String::from_utf8_lossy(bytes)).into_bytes().into(),
        }
    }

    fn strings(&self, document: &mut Json) {
        match document {
            Json::String(text) => *text = self.text(text),
            Json::Array(items) => items.iter_mut().for_each(|item| self.strings(item)),
            Json::Object(fields) => {
                for (name, mut value) in std::mem::take(fields) {
                    self.strings(&mut value);
                    fields.insert(self.text(&name), value);
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    /// Parameters of a run, of a schedule or of a rerun.
    pub fn parameters(&self, parameters: &Arc<[u8]>) -> Arc<[u8]> {
        let Ok(Json::Object(mut fields)) = serde_json::from_slice(parameters) else {
            return self.document(parameters);
        };
        for (name, value) in &mut fields {
            if self.names.iter().any(|known| known.as_str() == name) && !value.is_null() {
                *value = MASK.into();
            } else {
                self.strings(value);
            }
        }
        Json::Object(fields).to_string().into_bytes().into()
    }

    /// What a template became. A text that mentions a sensitive parameter is masked whole, as is what the template does not have.
    fn rendered(&self, template: Option<&Json>, rendered: &mut Json) {
        match (template, rendered) {
            (Some(Json::String(template)), Json::String(text)) => {
                *text = if self.is_mentioned(template) { MASK.to_owned() } else { self.text(text) };
            }
            (Some(Json::String(template)), rendered) if self.is_mentioned(template) => {
                *rendered = MASK.into();
            }
            (Some(Json::Object(templates)), Json::Object(fields)) => {
                for (name, mut value) in std::mem::take(fields) {
                    match templates.get(&name) {
                        Some(template) => self.rendered(Some(template), &mut value),
                        // What a script mentions.
                        None if name.starts_with(VARIABLE) => value = MASK.into(),
                        None if name == "env" => Self::added(&mut value),
                        None => self.strings(&mut value),
                    }
                    fields.insert(self.text(&name), value);
                }
            }
            (Some(Json::Array(templates)), Json::Array(items)) => {
                for (at, item) in items.iter_mut().enumerate() {
                    match templates.get(at) {
                        Some(template) => self.rendered(Some(template), item),
                        None => self.strings(item),
                    }
                }
            }
            (_, rendered) => self.strings(rendered),
        }
    }

    fn added(value: &mut Json) {
        match value {
            Json::Object(fields) => fields.values_mut().for_each(|value| *value = MASK.into()),
            value => *value = MASK.into(),
        }
    }

    /// Whether a template reads one of them, or all parameters.
    fn is_mentioned(&self, template: &str) -> bool {
        template.match_indices("params").any(|(at, word)| {
            let rest = &template[at + word.len()..];
            let Some(rest) = rest.strip_prefix('.') else { return true };
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            self.names.iter().any(|name| name.as_str() == &rest[..end])
        })
    }
}

/// A run as it may be shown: itself, if none of its parameters is sensitive.
pub fn masked_run(run: Arc<Run>) -> Arc<Run> {
    let secrets = Secrets::of_run(&run);
    if secrets.is_none() {
        return run;
    }
    let mut shown = (*run).clone();
    shown.parameters = secrets.parameters(&run.parameters);
    shown.outputs.values_mut().for_each(|output| *output = secrets.document(output));
    shown.output = run.output.as_ref().map(|output| secrets.document(output));
    shown.whys.values_mut().for_each(|why| *why = secrets.text(why).into());
    shown.why = run.why.as_ref().map(|why| secrets.text(why).into());
    for note in &mut shown.notes {
        note.what = secrets.text(&note.what).into();
    }
    if let Some(cause) = &mut shown.origin.cause {
        let mut notice = (*cause.notice).clone();
        notice.data = notice.data.as_ref().map(|data| secrets.document(data));
        notice.subject = notice.subject.as_ref().map(|subject| secrets.text(subject).into());
        cause.notice = notice.into();
    }
    Arc::new(shown)
}

/// A task of a run as it may be shown. `run`: as it is; of one that is gone nobody knows what was sensitive.
pub fn masked_task(task: &mut Task, run: Option<&Run>) {
    let Some(run) = run else {
        task.payload = MASK_DOCUMENT.into();
        return;
    };
    let secrets = Secrets::of_run(run);
    if secrets.is_none() {
        return;
    }
    task.payload = payload(task, run, &secrets);
    let Some(extra) = task.extra.as_mut() else { return };
    extra.output = extra.output.as_ref().map(|output| secrets.document(output));
    for attempt in &mut extra.attempts {
        attempt.failure.message = secrets.text(&attempt.failure.message).into();
    }
}

fn payload(task: &Task, run: &Run, secrets: &Secrets) -> Arc<[u8]> {
    let Ok(mut rendered) = serde_json::from_slice::<Json>(&task.payload) else {
        return MASK_DOCUMENT.into();
    };
    let template = task.in_run.as_deref().and_then(|origin| {
        let node = run.plan.nodes().get(origin.place.node as usize)?;
        let work = if origin.place.index == NodeInstance::UNDO { node.undo.as_ref()? } else { &node.work };
        match work {
            NodeWork::Task(work) => serde_json::from_slice::<Json>(&work.payload).ok(),
            NodeWork::Run { .. } => None,
        }
    });
    match template {
        Some(template) => secrets.rendered(Some(&template), &mut rendered),
        None => return MASK_DOCUMENT.into(),
    }
    rendered.to_string().into_bytes().into()
}

const MASK_DOCUMENT: &[u8] = b"\"***\"";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secrets(parameters: &Json) -> Secrets {
        let names = [Name::fixed("token"), Name::fixed("key")];
        Secrets::of(&names, parameters.to_string().as_bytes())
    }

    fn bytes(document: &Json) -> Arc<[u8]> {
        document.to_string().into_bytes().into()
    }

    fn read(document: &Arc<[u8]>) -> Json {
        serde_json::from_slice(document).expect("JSON")
    }

    #[test]
    fn parameters_are_masked_by_name_and_all_else_by_value() {
        let given = json!({"token": "abcd\"e", "key": null, "host": "db abcd\"e", "n": 7});
        let secrets = secrets(&given);
        let shown = read(&secrets.parameters(&bytes(&given)));
        assert_eq!(shown, json!({"token": "***", "key": null, "host": "db ***", "n": 7}));
        let output = json!([{"abcd\"e": ["x abcd\"e y", 1]}]);
        assert_eq!(read(&secrets.document(&bytes(&output))), json!([{"***": ["x *** y", 1]}]));
        assert_eq!(&*secrets.document(&Arc::from(*b"no JSON abcd\"e")), b"no JSON ***");
        assert_eq!(secrets.text("abcd\"e abc"), "*** abc");
    }

    #[test]
    fn of_several_lines_each_long_one_is_masked() {
        let secrets = secrets(&json!({"key": "--begin--\n  0123456789\nshort\n"}));
        assert_eq!(secrets.text("  0123456789 short --begin--"), "  *** short ***");
    }

    #[test]
    fn what_a_template_makes_of_a_sensitive_parameter_is_masked_whole() {
        let secrets = secrets(&json!({"token": "abcdef", "key": "uvwxyz", "host": "h"}));
        let template = json!({
            "argv": ["x", "{{ params.token | upper }}", "{{ params.host }}", "{{ params['key'] }}", "{{ params.tokens }}"],
            "env": {"A": "{{ params.token }}", "B": "b"},
            "body": "{{ params }}",
        });
        let rendered = json!({
            "argv": ["x", "ABCDEF", "h", "zyxwvu", "other abcdef"],
            "env": {"A": "abcdef", "B": "b", "MAINSPRING_VALUE_1": "ABC"},
            "body": {"token": "abcdef"},
        });
        let mut shown = rendered;
        secrets.rendered(Some(&template), &mut shown);
        let wanted = json!({
            "argv": ["x", "***", "h", "***", "other ***"],
            "env": {"A": "***", "B": "b", "MAINSPRING_VALUE_1": "***"},
            "body": "***",
        });
        assert_eq!(shown, wanted);
    }

    #[test]
    fn nothing_is_masked_where_nothing_is_sensitive() {
        let secrets = Secrets::of(&[], br#"{"token": "abcdef"}"#);
        assert!(secrets.is_none() && secrets.clone().into_values().is_empty());
        assert_eq!(secrets.text("abcdef"), "abcdef");
    }
}
