//! `parameters:` of a job: a default, or an object that says more.

use serde_json::Value as Json;

use super::at::{At, Fields, Named};
use super::json::json;
use super::name::is_identifier;
use super::tree::Value;
use crate::limits::PARAMETERS_MAX;
use crate::mistake::{Code, Mistakes, Spot};
use crate::parameter::{Parameter, ParameterType};

pub const FIELDS: &[&str] =
    &["type", "default", "description", "enum", "minimum", "maximum", "required", "sensitive"];

pub fn parameters(at: &At<'_>, mistakes: &mut Mistakes) -> Vec<Parameter> {
    let entries = at.entries(mistakes).unwrap_or_default();
    if entries.len() > PARAMETERS_MAX {
        let what = format!("{} parameters are more than {PARAMETERS_MAX}", entries.len());
        mistakes.add(Code::TooMany, &at.spot, what, "group them in an object");
        return Vec::new();
    }
    entries.iter().filter_map(|entry| parameter(entry, mistakes)).collect()
}

fn parameter(entry: &Named<'_>, mistakes: &mut Mistakes) -> Option<Parameter> {
    if !is_identifier(entry.name) {
        let what = format!("`{}` is not a name of a parameter", entry.name);
        mistakes.add(
            Code::BadName,
            &entry.key,
            what,
            "use letters, digits and `_`: it is read as `params.name`",
        );
        return None;
    }
    let bare = |default: Option<Json>| Parameter {
        name: entry.name.into(),
        kind: default.as_ref().and_then(ParameterType::of),
        required: default.is_none(),
        default,
        description: String::new(),
        allowed: Vec::new(),
        minimum: None,
        maximum: None,
        sensitive: false,
    };
    let at = &entry.value;
    match &at.node.value {
        // A name alone: it must be given.
        Value::Null => Some(bare(None)),
        Value::Map(_) => described(at, bare(None), mistakes),
        _ => Some(bare(Some(json(at.node)))),
    }
}

fn described(at: &At<'_>, mut parameter: Parameter, mistakes: &mut Mistakes) -> Option<Parameter> {
    let fields = at.fields(FIELDS, mistakes)?;
    let types = ParameterType::ALL.map(|kind| (kind.label(), kind));
    parameter.kind = fields.read("type", mistakes, |at, m| at.one_of(&types, m));
    let default = fields.named("default").map(|entry| &entry.value);
    parameter.default = default.map(|at| json(at.node));
    if fields.get("type").is_none() {
        parameter.kind = parameter.default.as_ref().and_then(ParameterType::of);
    }
    let description = fields.read("description", mistakes, At::text);
    parameter.description = description.map(ToOwned::to_owned).unwrap_or_default();
    let required = fields.read("required", mistakes, At::flag);
    parameter.required = required.unwrap_or(parameter.default.is_none());
    parameter.minimum = fields.read("minimum", mistakes, number);
    parameter.maximum = fields.read("maximum", mistakes, number);
    if let Some(list) = fields.get("enum") {
        let values = list.list(mistakes).unwrap_or_default();
        if values.is_empty() {
            list.bad("`enum` allows nothing", "name the values that are allowed", mistakes);
        }
        parameter.allowed = values.iter().map(|at| json(at.node)).collect();
        let wrong = |at: &&At<'_>| parameter.kind.is_some_and(|kind| !kind.takes(&json(at.node)));
        for at in values.iter().filter(wrong) {
            let kind = parameter.kind.map_or("", ParameterType::label);
            mistakes.add(Code::BadParameter, &at.spot, format!("this is not of the type `{kind}`"), "");
        }
    }
    check_bounds(&parameter, &fields.spot, mistakes);
    parameter.sensitive = fields.read("sensitive", mistakes, At::flag).unwrap_or(false);
    if parameter.sensitive {
        check_sensitive(&mut parameter, &fields, mistakes);
    }
    if let Some(at) = default
        && !(at.node.value == Value::Null && required == Some(false))
        && let Some((what, help)) = parameter.refuse(&json(at.node))
    {
        mistakes.add(Code::BadParameter, &at.spot, what, help);
    }
    Some(parameter)
}

/// It is a text whose value is nowhere in the file, which everybody can read.
fn check_sensitive(parameter: &mut Parameter, fields: &Fields<'_>, mistakes: &mut Mistakes) {
    for name in ["default", "enum", "minimum", "maximum"] {
        if let Some(entry) = fields.named(name) {
            let what = format!("a sensitive parameter has no `{name}`: the job file is shown as it is");
            mistakes.add(Code::Unsupported, &entry.key, what, "leave it out");
        }
    }
    match parameter.kind {
        None | Some(ParameterType::String) => parameter.kind = Some(ParameterType::String),
        Some(_) => {
            let what = "a sensitive parameter is a text: other values cannot be masked";
            mistakes.add(Code::Unsupported, &fields.spot, what, "declare it as `type: string`");
        }
    }
}

fn check_bounds(parameter: &Parameter, spot: &Spot, mistakes: &mut Mistakes) {
    if let (Some(least), Some(most)) = (parameter.minimum, parameter.maximum)
        && least > most
    {
        let what = format!("no number is at least {least} and at most {most}");
        mistakes.add(Code::BadValue, spot, what, "");
    }
    let numeric = matches!(parameter.kind, None | Some(ParameterType::Integer | ParameterType::Number));
    if !numeric && (parameter.minimum.is_some() || parameter.maximum.is_some()) {
        mistakes.add(Code::BadValue, spot, "`minimum` and `maximum` are for numbers", "leave them out");
    }
}

fn number(at: &At<'_>, mistakes: &mut Mistakes) -> Option<f64> {
    match at.node.value {
        Value::Whole(number, _) => Some(number as f64),
        Value::Real(number, _) => Some(number),
        _ => {
            at.wrong("a number", mistakes);
            None
        }
    }
}
