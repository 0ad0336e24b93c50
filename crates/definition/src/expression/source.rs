//! One expression: parsed, checked against what the language has, ready to be evaluated.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use minijinja::machinery::parse_expr;
use minijinja::value::ValueKind;
use minijinja::{ErrorKind, Value};

use super::context::{Context, Items};
use super::engine::ENGINE;
use super::json::{Json, from_json, list_to_json, text, to_json};
use super::mentions::{Mentions, find};
use crate::limits::EXPRESSION_BYTES_MAX;
use crate::mistake::Code;

/// Why a text is no expression or template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bad {
    pub code: Code,
    pub what: String,
    pub help: String,
}

impl Bad {
    pub fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code: Code::BadExpression, what: what.into(), help: help.into() }
    }
}

#[derive(Clone)]
pub struct Expression(Arc<Parsed>);

struct Parsed {
    source: Arc<str>,
    mentions: Mentions,
    body: Body,
}

enum Body {
    Compiled(minijinja::Expression<'static, 'static>),
    /// A list written out in JSON, as long as a job file may be.
    Literal(Vec<Json>),
}

impl Expression {
    pub fn parse(source: &str) -> Result<Self, Bad> {
        if let Some(list) = literal(source) {
            return Ok(Self::of(source, Mentions::default(), Body::Literal(list)));
        }
        if source.len() > EXPRESSION_BYTES_MAX {
            let what = format!("the expression has {} of {EXPRESSION_BYTES_MAX} bytes", source.len());
            return Err(Bad { code: Code::TooLarge, ..Bad::new(what, "move the work into a task") });
        }
        if source.trim().is_empty() {
            return Err(Bad::new("the expression is empty", "leave it out, or write one"));
        }
        if source.trim_start().starts_with("{{") {
            let help = "write it without `{{ }}`: the whole text is an expression here";
            return Err(Bad::new("this is a template, not an expression", help));
        }
        let compiled = catch_unwind(|| {
            let mentions = find(&parse_expr(source).map_err(|error| syntax(source, &error))?)?;
            let compiled = ENGINE.compile_expression_owned(source.to_owned());
            compiled.map(|compiled| (mentions, compiled)).map_err(|error| syntax(source, &error))
        });
        let compiled = compiled.unwrap_or_else(|_| {
            Err(Bad::new("the expression makes the engine panic", "write it in another way"))
        });
        let (mentions, compiled) = compiled?;
        Ok(Self::of(source, mentions, Body::Compiled(compiled)))
    }

    fn of(source: &str, mentions: Mentions, body: Body) -> Self {
        Self(Arc::new(Parsed { source: source.into(), mentions, body }))
    }

    pub fn source(&self) -> &str {
        &self.0.source
    }

    pub fn mentions(&self) -> &Mentions {
        &self.0.mentions
    }

    /// Anything but true and false is refused: what counts as true should not be guessed.
    pub fn condition(&self, context: &Context) -> Result<bool, String> {
        self.guarded(|| {
            let value = self.value(context)?;
            match value.kind() {
                ValueKind::Bool => Ok(value.is_true()),
                kind => Err(self.named(&format!("it gives a {kind}, not true or false"))),
            }
        })
    }

    pub fn list(&self, context: &Context) -> Result<Vec<Json>, String> {
        if let Body::Literal(list) = &self.0.body {
            return Ok(list.clone());
        }
        self.guarded(|| {
            let value = self.value(context)?;
            if !matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable) {
                return Err(self.named(&format!("it gives a {}, not a list", value.kind())));
            }
            match list_to_json(&value).map_err(|what| self.named(&what))? {
                Json::Array(items) => Ok(items),
                other => Err(self.named(&format!("it gives {other}, not a list"))),
            }
        })
    }

    /// As [`list`](Self::list), to be read item by item.
    pub fn items(&self, context: &Context) -> Result<Items, String> {
        Ok(Items(self.list(context)?.iter().map(from_json).collect()))
    }

    pub fn json(&self, context: &Context) -> Result<Json, String> {
        match &self.0.body {
            Body::Literal(list) => Ok(Json::Array(list.clone())),
            Body::Compiled(_) => {
                self.guarded(|| to_json(&self.value(context)?).map_err(|what| self.named(&what)))
            }
        }
    }

    pub fn text(&self, context: &Context) -> Result<String, String> {
        match &self.0.body {
            Body::Literal(list) => Ok(Json::Array(list.clone()).to_string()),
            Body::Compiled(_) => {
                self.guarded(|| text(&self.value(context)?).map_err(|what| self.named(&what)))
            }
        }
    }

    /// The engine has panicked for some values: that is an error of this expression, not of the server.
    pub(super) fn guarded<T>(&self, evaluate: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        catch_unwind(AssertUnwindSafe(evaluate)).unwrap_or_else(|_| {
            Err(self.named("it cannot be evaluated with these values: the engine panicked"))
        })
    }

    fn value(&self, context: &Context) -> Result<Value, String> {
        let Body::Compiled(compiled) = &self.0.body else {
            return self.json(context).map(|json| from_json(&json));
        };
        let value = compiled.eval(context.root()).map_err(|error| self.named(&reason(&error)))?;
        if value.is_undefined() {
            return Err(self.named("it is undefined"));
        }
        Ok(value)
    }

    fn named(&self, what: &str) -> String {
        const SHOWN: usize = 120;
        let source: String = self.0.source.chars().take(SHOWN).collect();
        let more = if source.len() < self.0.source.len() { "…" } else { "" };
        format!("`{source}{more}`: {what}")
    }
}

/// Lists of plain JSON have no mentions and no bound of their own.
fn literal(source: &str) -> Option<Vec<Json>> {
    if !source.starts_with('[') {
        return None;
    }
    serde_json::from_str(source).ok()
}

fn syntax(source: &str, error: &minijinja::Error) -> Bad {
    let place = error.range().and_then(|range| source.get(range.start..)).map(|rest| {
        let near: String = rest.chars().take(20).collect();
        if near.is_empty() { " at its end".to_owned() } else { format!(" near `{near}`") }
    });
    let what = format!("{}{}", reason(error), place.unwrap_or_default());
    Bad::new(what, "an expression is like `params.day != '' and tasks.check.output.rows > 0`")
}

fn reason(error: &minijinja::Error) -> String {
    match error.kind() {
        ErrorKind::OutOfFuel => "it takes too many steps".to_owned(),
        kind => match error.detail() {
            Some(detail) => detail.to_owned(),
            None => kind.to_string(),
        },
    }
}
