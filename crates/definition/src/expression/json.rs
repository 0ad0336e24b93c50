//! Values of the engine as JSON and as text, with a bound on their size; and JSON as values of the engine.

use std::fmt::Write;

use minijinja::Value;
use minijinja::value::ValueKind;
use serde_json::{Map, Number};

use crate::limits::{LIST_BYTES_MAX, RESULT_BYTES_MAX, RESULT_DEPTH_MAX};

/// What crosses the border of this crate.
pub type Json = serde_json::Value;

pub fn to_json(value: &Value) -> Result<Json, String> {
    Walk { room: RESULT_BYTES_MAX, max: RESULT_BYTES_MAX }.json(value, 0)
}

/// A list may be larger than other results: it is never sent anywhere as a whole.
pub fn list_to_json(value: &Value) -> Result<Json, String> {
    Walk { room: LIST_BYTES_MAX, max: LIST_BYTES_MAX }.json(value, 0)
}

/// As it stands in a text: texts as they are, lists and objects as JSON.
pub fn text(value: &Value) -> Result<String, String> {
    if let Some(text) = value.as_str() {
        check_room(text.len())?;
        return Ok(text.to_owned());
    }
    match to_json(value)? {
        Json::Null => Err("it is null, which has no text; write `… | default('')`".to_owned()),
        other => Ok(other.to_string()),
    }
}

pub fn from_json(json: &Json) -> Value {
    Value::from(minijinja::value::Serde(json))
}

pub fn check_room(bytes: usize) -> Result<(), String> {
    if bytes > RESULT_BYTES_MAX {
        return Err(format!("the result has more than {RESULT_BYTES_MAX} bytes"));
    }
    Ok(())
}

struct Walk {
    /// Bytes that may still come.
    room: usize,
    max: usize,
}

impl Walk {
    fn json(&mut self, value: &Value, depth: usize) -> Result<Json, String> {
        if depth > RESULT_DEPTH_MAX {
            return Err(format!("the result has more than {RESULT_DEPTH_MAX} values inside each other"));
        }
        self.take(2)?;
        match value.kind() {
            ValueKind::Undefined => Err("a part of it is undefined".to_owned()),
            ValueKind::None => Ok(Json::Null),
            ValueKind::Bool => Ok(Json::Bool(value.is_true())),
            ValueKind::Number => number(value).map(Json::Number),
            ValueKind::String => self.string(value.as_str().unwrap_or_default()),
            ValueKind::Seq | ValueKind::Iterable => self.list(value, depth),
            ValueKind::Map => self.map(value, depth),
            other => Err(format!("a {other} is no result")),
        }
    }

    fn string(&mut self, text: &str) -> Result<Json, String> {
        self.take(text.len())?;
        Ok(Json::String(text.to_owned()))
    }

    fn list(&mut self, value: &Value, depth: usize) -> Result<Json, String> {
        let items = value.try_iter().map_err(|error| error.to_string())?;
        items.map(|item| self.json(&item, depth + 1)).collect::<Result<_, _>>().map(Json::Array)
    }

    fn map(&mut self, value: &Value, depth: usize) -> Result<Json, String> {
        let mut map = Map::new();
        for key in value.try_iter().map_err(|error| error.to_string())? {
            let entry = value.get_item(&key).map_err(|error| error.to_string())?;
            let mut name = String::new();
            // Writing into a string cannot fail.
            let _ = write!(name, "{key}");
            self.take(name.len())?;
            map.insert(name, self.json(&entry, depth + 1)?);
        }
        Ok(Json::Object(map))
    }

    fn take(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.room.checked_sub(bytes);
        self.room = left.ok_or_else(|| format!("the result has more than {} bytes", self.max))?;
        Ok(())
    }
}

fn number(value: &Value) -> Result<Number, String> {
    if value.is_integer() {
        let whole = value.as_i64().map(Number::from);
        let whole = whole.or_else(|| u64::try_from(value.clone()).ok().map(Number::from));
        return whole.ok_or_else(|| format!("the number {value} has more than 64 bits"));
    }
    let real = f64::try_from(value.clone()).ok().and_then(Number::from_f64);
    real.ok_or_else(|| format!("{value} is not a number of JSON"))
}
