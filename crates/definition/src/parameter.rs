//! Parameters of a job: what a run may be given, checked before the run exists.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::limits::PARAMETERS_BYTES_MAX;
use crate::mistake::{Code, Mistake, Mistakes, Position, Spot};
use crate::secret::{BYTES_MIN, MASK};
use crate::suggest::nearest;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterType {
    String,
    Integer,
    Number,
    Boolean,
    List,
    Object,
}

impl ParameterType {
    pub const ALL: [Self; 6] =
        [Self::String, Self::Integer, Self::Number, Self::Boolean, Self::List, Self::Object];

    pub const fn label(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::List => "list",
            Self::Object => "object",
        }
    }

    /// Of a default that stands alone; null says nothing.
    pub fn of(value: &Json) -> Option<Self> {
        Some(match value {
            Json::Null => return None,
            Json::Bool(_) => Self::Boolean,
            Json::Number(number) if number.is_f64() => Self::Number,
            Json::Number(_) => Self::Integer,
            Json::String(_) => Self::String,
            Json::Array(_) => Self::List,
            Json::Object(_) => Self::Object,
        })
    }

    pub fn takes(self, value: &Json) -> bool {
        let found = Self::of(value);
        found == Some(self) || self == Self::Number && found == Some(Self::Integer)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    pub name: Arc<str>,
    /// `None`: anything goes.
    pub kind: Option<ParameterType>,
    pub default: Option<Json>,
    pub description: String,
    /// Empty: any value.
    pub allowed: Vec<Json>,
    pub minimum: Option<f64>,
    pub maximum: Option<f64>,
    pub required: bool,
    /// Nobody is shown its value.
    pub sensitive: bool,
}

impl Parameter {
    /// What is wrong with a value.
    pub fn refuse(&self, value: &Json) -> Option<(String, String)> {
        if let Some(kind) = self.kind.filter(|kind| !kind.takes(value)) {
            let found = ParameterType::of(value).map_or("null", ParameterType::label);
            return Some((format!("the type `{}` is expected, not `{found}`", kind.label()), String::new()));
        }
        if !self.allowed.is_empty() && !self.allowed.contains(value) {
            let all: Vec<String> = self.allowed.iter().map(ToString::to_string).collect();
            return Some((format!("{value} is not allowed"), format!("one of: {}", all.join(", "))));
        }
        if let Some(text) = value.as_str().filter(|_| self.sensitive) {
            return refuse_secret(text);
        }
        let number = value.as_f64()?;
        if let Some(least) = self.minimum.filter(|least| number < *least) {
            return Some((format!("{value} is less than {least}"), String::new()));
        }
        let most = self.maximum.filter(|most| number > *most)?;
        Some((format!("{value} is more than {most}"), String::new()))
    }
}

/// What is wrong with a sensitive value; the value itself is not told.
fn refuse_secret(text: &str) -> Option<(String, String)> {
    if text == MASK {
        let help = "give the value itself";
        return Some((
            format!("`{MASK}` is what is shown in the place of a sensitive value"),
            help.to_owned(),
        ));
    }
    (text.len() < BYTES_MIN).then(|| {
        let what =
            format!("a sensitive value has at least {BYTES_MIN} bytes: a shorter one cannot be masked");
        (what, "take a longer one".to_owned())
    })
}

/// The parameters of a run as canonical JSON, with defaults filled in.
pub fn check(parameters: &[Parameter], given: &[u8]) -> Result<Vec<u8>, Vec<Mistake>> {
    let mut mistakes = Mistakes::new("");
    let spot = |name: &str| Spot { at: Position::default(), path: format!("parameters.{name}") };
    let whole = Spot { at: Position::default(), path: "parameters".to_owned() };
    let mut filled = Map::new();
    let mut given = match read(given) {
        Ok(given) => given,
        Err((code, what)) => {
            mistakes.add(code, &whole, what, "");
            return Err(mistakes.into_sorted());
        }
    };
    for parameter in parameters {
        let value = given.remove(&*parameter.name);
        match value.as_ref().or(parameter.default.as_ref()) {
            None if parameter.required => {
                let what = format!("the parameter `{}` is missing", parameter.name);
                mistakes.add(Code::MissingParameter, &spot(&parameter.name), what, "");
            }
            None => drop(filled.insert(parameter.name.to_string(), Json::Null)),
            Some(value) => {
                if let Some((what, help)) = parameter.refuse(value).filter(|_| !parameter.may_be_null(value))
                {
                    mistakes.add(Code::BadParameter, &spot(&parameter.name), what, help);
                }
                filled.insert(parameter.name.to_string(), value.clone());
            }
        }
    }
    for name in given.keys() {
        let known = parameters.iter().map(|parameter| &*parameter.name);
        let help = nearest(name, known).map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
        mistakes.add(Code::UnknownParameter, &spot(name), format!("there is no parameter `{name}`"), help);
    }
    let bytes = Json::Object(filled).to_string().into_bytes();
    if bytes.len() > PARAMETERS_BYTES_MAX {
        let what = format!("the parameters have {} bytes, more than {PARAMETERS_BYTES_MAX}", bytes.len());
        mistakes.add(Code::TooLarge, &whole, what, "pass a reference to the data");
    }
    if mistakes.count() > 0 { Err(mistakes.into_sorted()) } else { Ok(bytes) }
}

/// The parameters that a run has: all that its job declared, since those without a value are null.
pub fn of_run(given: &[u8]) -> Vec<Parameter> {
    let declared = |name: String| Parameter {
        name: name.into(),
        kind: None,
        default: None,
        description: String::new(),
        allowed: Vec::new(),
        minimum: None,
        maximum: None,
        required: false,
        sensitive: false,
    };
    read(given).unwrap_or_default().into_iter().map(|(name, _)| declared(name)).collect()
}

impl Parameter {
    fn may_be_null(&self, value: &Json) -> bool {
        value.is_null() && !self.required
    }
}

fn read(given: &[u8]) -> Result<Map<String, Json>, (Code, String)> {
    if given.len() > PARAMETERS_BYTES_MAX {
        return Err((Code::TooLarge, format!("the parameters have more than {PARAMETERS_BYTES_MAX} bytes")));
    }
    if given.is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(given) {
        Ok(Json::Object(given)) => Ok(given),
        Ok(Json::Null) => Ok(Map::new()),
        Ok(_) => Err((Code::WrongType, "an object is expected".to_owned())),
        Err(error) => Err((Code::Syntax, format!("this is no JSON: {error}"))),
    }
}
