//! Texts with expressions in them: each is parsed where it stands, and what it reads is noted for the checks.

use serde_json::Value as Json;

use super::at::At;
use super::json::json;
use super::tree::Value;
use crate::expression::{Bad, Expression, Mentions, Template, check_script};
use crate::mistake::{Mistakes, Spot};

/// Where a text stands decides what it may speak of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    When,
    Items,
    Work,
    Key,
    Until,
    Spawns,
    Undo,
    /// Of the job itself.
    Outputs,
    /// Of a trigger, before there is a run.
    Trigger,
}

/// A text that reads something.
#[derive(Clone, PartialEq, Debug)]
pub struct Use {
    pub mentions: Mentions,
    pub spot: Spot,
    pub place: Place,
}

pub struct Texts<'m> {
    pub mistakes: &'m mut Mistakes,
    pub uses: Vec<Use>,
    place: Place,
    /// Some text has a template.
    pub templated: bool,
}

impl<'m> Texts<'m> {
    pub fn new(place: Place, mistakes: &'m mut Mistakes) -> Self {
        Self { mistakes, uses: Vec::new(), place, templated: false }
    }

    /// A text that may have templates.
    pub fn text(&mut self, at: &At<'_>) -> Option<String> {
        let text = at.word(self.mistakes)?;
        self.template(&text, at, |_| Ok(()));
        Some(text)
    }

    /// As [`text`](Self::text), for a shell.
    pub fn script(&mut self, at: &At<'_>) -> Option<String> {
        let text = at.text(self.mistakes)?.to_owned();
        self.template(&text, at, check_script);
        Some(text)
    }

    /// Any value, with templates in its texts.
    pub fn json(&mut self, at: &At<'_>) -> Json {
        match &at.node.value {
            Value::Text(text) => self.template(text, at, |_| Ok(())),
            Value::List(_) => {
                for item in at.list(self.mistakes).unwrap_or_default() {
                    self.json(&item);
                }
            }
            Value::Map(_) => {
                for entry in at.entries(self.mistakes).unwrap_or_default() {
                    self.json(&entry.value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Whole(..) | Value::Real(..) => {}
        }
        json(at.node)
    }

    pub fn expression(&mut self, at: &At<'_>) -> Option<String> {
        // `when: false` switches a task off.
        let text = match &at.node.value {
            Value::Bool(flag) => flag.to_string(),
            _ => at.text(self.mistakes)?.to_owned(),
        };
        match Expression::parse(&text) {
            Ok(expression) => self.note(expression.mentions().clone(), at),
            Err(bad) => self.refuse(bad, at),
        }
        Some(text)
    }

    fn template(&mut self, text: &str, at: &At<'_>, check: impl FnOnce(&Template) -> Result<(), Bad>) {
        if !Template::is_in(text) {
            return;
        }
        self.templated = true;
        let template = Template::parse(text).and_then(|template| check(&template).map(|()| template));
        match template {
            Ok(template) => self.note(template.mentions().clone(), at),
            Err(bad) => self.refuse(bad, at),
        }
    }

    fn note(&mut self, mentions: Mentions, at: &At<'_>) {
        if !mentions.is_empty() {
            self.uses.push(Use { mentions, spot: at.spot.clone(), place: self.place });
        }
    }

    fn refuse(&mut self, bad: Bad, at: &At<'_>) {
        self.mistakes.add(bad.code, &at.spot, bad.what, bad.help);
    }
}
