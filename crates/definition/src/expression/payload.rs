//! A JSON payload with templates in its texts: what a worker gets once they are filled in.

use serde_json::Map;

use super::context::Context;
use super::json::{Json, check_room};
use super::mentions::Mentions;
use super::shell;
use super::source::Bad;
use super::template::Template;

/// Who reads the payload decides which values may keep their type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// All texts; with `"shell": true` the first of `argv` is a script.
    Process,
    /// The body may hold anything.
    Http,
    /// Parameters of a run: any value.
    Parameters,
    /// Texts only.
    Other,
}

impl Kind {
    pub fn of(executor: &str) -> Self {
        match executor {
            "process" => Self::Process,
            "http" => Self::Http,
            // What the core calls a run of another job.
            "job" => Self::Parameters,
            _ => Self::Other,
        }
    }
}

#[derive(Clone)]
pub struct Payload {
    kind: Kind,
    root: Part,
    script: Option<Template>,
    mentions: Mentions,
}

#[derive(Clone)]
enum Part {
    Fixed(Json),
    Text(Template),
    /// A template that may give any value.
    Any(Template),
    List(Vec<Part>),
    Map(Vec<(String, Part)>),
}

impl Payload {
    pub fn parse(kind: Kind, bytes: &[u8]) -> Result<Self, Bad> {
        let mut json: Json = serde_json::from_slice(bytes)
            .map_err(|error| Bad::new(format!("the payload is no JSON: {error}"), ""))?;
        let script = script(kind, &mut json)?;
        let root = match (kind, json) {
            (Kind::Http, Json::Object(fields)) => {
                let part = |(name, value)| {
                    let any = name == "body";
                    Ok((name, Part::parse(value, any)?))
                };
                Part::Map(fields.into_iter().map(part).collect::<Result<_, Bad>>()?)
            }
            (_, json) => Part::parse(json, kind == Kind::Parameters)?,
        };
        let mut mentions = Mentions::default();
        if let Some(script) = &script {
            mentions.merge(script.mentions());
        }
        root.mentions(&mut mentions);
        Ok(Self { kind, root, script, mentions })
    }

    pub fn mentions(&self) -> &Mentions {
        &self.mentions
    }

    pub fn render(&self, context: &Context) -> Result<Vec<u8>, String> {
        let mut json = self.root.render(context)?;
        if let Some(script) = &self.script {
            put_script(&mut json, shell::render(script, context)?);
        }
        if self.kind == Kind::Process && has_nul(&json) {
            return Err("a program takes no NUL byte in its arguments or environment".to_owned());
        }
        let bytes = json.to_string().into_bytes();
        check_room(bytes.len())?;
        Ok(bytes)
    }
}

/// Takes the script out, if there is one.
fn script(kind: Kind, json: &mut Json) -> Result<Option<Template>, Bad> {
    if kind != Kind::Process || json.get("shell") != Some(&Json::Bool(true)) {
        return Ok(None);
    }
    let Some(Json::String(text)) = json.pointer_mut("/argv/0") else { return Ok(None) };
    if !Template::is_in(text) {
        return Ok(None);
    }
    let template = Template::parse(&std::mem::take(text))?;
    shell::check(&template)?;
    Ok(Some(template))
}

fn put_script(json: &mut Json, script: shell::Script) {
    if let Some(place) = json.pointer_mut("/argv/0") {
        *place = Json::String(script.text);
    }
    let Json::Object(fields) = json else { return };
    let env = fields.entry("env").or_insert_with(|| Json::Object(Map::new()));
    if let Json::Object(env) = env {
        env.extend(script.variables.into_iter().map(|(name, value)| (name, Json::String(value))));
    }
}

fn has_nul(json: &Json) -> bool {
    match json {
        Json::String(text) => text.contains('\0'),
        Json::Array(items) => items.iter().any(has_nul),
        Json::Object(fields) => fields.values().any(has_nul),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

impl Part {
    fn parse(json: Json, any: bool) -> Result<Self, Bad> {
        Ok(match json {
            Json::String(text) if Template::is_in(&text) => {
                let template = Template::parse(&text)?;
                if any { Self::Any(template) } else { Self::Text(template) }
            }
            Json::Array(items) => {
                Self::List(items.into_iter().map(|item| Self::parse(item, any)).collect::<Result<_, _>>()?)
            }
            Json::Object(fields) => {
                let part = |(name, value)| Ok((name, Self::parse(value, any)?));
                Self::Map(fields.into_iter().map(part).collect::<Result<_, Bad>>()?)
            }
            fixed => Self::Fixed(fixed),
        })
    }

    fn mentions(&self, all: &mut Mentions) {
        match self {
            Self::Fixed(_) => {}
            Self::Text(template) | Self::Any(template) => all.merge(template.mentions()),
            Self::List(parts) => parts.iter().for_each(|part| part.mentions(all)),
            Self::Map(parts) => parts.iter().for_each(|(_, part)| part.mentions(all)),
        }
    }

    fn render(&self, context: &Context) -> Result<Json, String> {
        Ok(match self {
            Self::Fixed(json) => json.clone(),
            Self::Text(template) => Json::String(template.render(context)?),
            Self::Any(template) => template.render_json(context)?,
            Self::List(parts) => {
                Json::Array(parts.iter().map(|part| part.render(context)).collect::<Result<_, _>>()?)
            }
            Self::Map(parts) => {
                let entry = |(name, part): &(String, Self)| Ok((name.clone(), part.render(context)?));
                Json::Object(parts.iter().map(entry).collect::<Result<_, String>>()?)
            }
        })
    }
}
