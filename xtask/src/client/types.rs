//! A Rust type for each schema.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::names::{comment, entries, items, pascal, raw, referred, snake};

const DERIVED: &str = "#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]\n";
const ANY: &str = "Value";

/// Definitions by name.
#[derive(Default)]
pub struct Types {
    definitions: BTreeMap<String, String>,
    /// How many properties each needs, to tell apart what an answer may be.
    required: BTreeMap<String, usize>,
}

impl Types {
    pub fn add(&mut self, name: &str, schema: &Value) {
        self.required.insert(name.to_owned(), items(schema, "required").count());
        let definition = self.structure(name, schema);
        self.definitions.insert(name.to_owned(), definition);
    }

    /// The file.
    pub fn text(&self) -> String {
        let mut text = "// Written by `cargo xtask client` from the OpenAPI document.\n".to_owned();
        for definition in self.definitions.values() {
            let _ = write!(text, "\n{definition}");
        }
        text
    }

    fn structure(&mut self, name: &str, schema: &Value) -> String {
        let mut text = comment(schema["description"].as_str(), "");
        let _ = writeln!(text, "{DERIVED}pub struct {name} {{");
        for (property, of) in entries(&schema["properties"]) {
            let is_required = items(schema, "required").any(|required| required == property.as_str());
            text.push_str(&self.field(name, property, of, is_required));
        }
        text.push_str("}\n");
        text
    }

    fn field(&mut self, owner: &str, property: &str, schema: &Value, is_required: bool) -> String {
        let kind = self.of(schema, &format!("{owner}{}", pascal(property)));
        let absent = match kind.split('<').next() {
            _ if is_required => None,
            Some("Vec") => Some("Vec::is_empty"),
            Some("BTreeMap") => Some("BTreeMap::is_empty"),
            _ => Some("Option::is_none"),
        };
        let wrapped = match absent {
            Some("Option::is_none") if !kind.starts_with("Option<") => format!("Option<{kind}>"),
            _ => kind,
        };
        let mut text = comment(schema["description"].as_str(), "    ");
        let name = snake(property);
        let mut attributes: Vec<String> = Vec::new();
        if name != property {
            attributes.push(format!("rename = \"{property}\""));
        }
        if let Some(absent) = absent {
            attributes.push(format!("default, skip_serializing_if = \"{absent}\""));
        }
        if !attributes.is_empty() {
            let _ = writeln!(text, "    #[serde({})]", attributes.join(", "));
        }
        let _ = writeln!(text, "    pub {}: {wrapped},", raw(&name));
        text
    }

    /// The type of a value; what it needs beside it is defined under `name`.
    pub fn of(&mut self, schema: &Value, name: &str) -> String {
        if let Some(named) = referred(schema) {
            return named.to_owned();
        }
        if let Some(choice) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
            return self.choice(choice.as_array().map(Vec::as_slice).unwrap_or_default(), name);
        }
        let is_null = |kind: &Value| kind == "null";
        let kinds: Vec<&Value> = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().collect(),
            kind => vec![kind],
        };
        let mut real = kinds.iter().filter(|kind| !is_null(kind));
        let (Some(kind), None) = (real.next(), real.next()) else { return ANY.to_owned() };
        let of = match kind.as_str() {
            Some("string") => "String".to_owned(),
            Some("boolean") => "bool".to_owned(),
            Some("number") => "f64".to_owned(),
            Some("integer") if schema["minimum"].as_i64().is_some_and(|least| least >= 0) => "u64".to_owned(),
            Some("integer") => "i64".to_owned(),
            Some("array") => match schema.get("items") {
                Some(of) => format!("Vec<{}>", self.of(of, name)),
                None => format!("Vec<{ANY}>"),
            },
            Some("object") => self.object(schema, name),
            _ => ANY.to_owned(),
        };
        if kinds.iter().any(|kind| is_null(kind)) { format!("Option<{of}>") } else { of }
    }

    fn object(&mut self, schema: &Value, name: &str) -> String {
        if schema.get("properties").is_some() {
            self.add(name, schema);
            return name.to_owned();
        }
        match schema.get("additionalProperties").filter(|of| of.is_object()) {
            Some(of) => format!("BTreeMap<String, {}>", self.of(of, name)),
            None => ANY.to_owned(),
        }
    }

    /// One of several: null or not, or one of some named types, told apart by what they need.
    fn choice(&mut self, choice: &[Value], name: &str) -> String {
        let real: Vec<&Value> = choice.iter().filter(|of| of["type"] != "null").collect();
        if let [one] = real[..] {
            return format!("Option<{}>", self.of(one, name));
        }
        let Some(mut named) = real.iter().map(|of| referred(of)).collect::<Option<Vec<_>>>() else {
            return ANY.to_owned();
        };
        named.sort_by_key(|of| std::cmp::Reverse(self.required.get(*of).copied().unwrap_or_default()));
        let mut text =
            "#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]\n#[serde(untagged)]\n".to_owned();
        let _ = writeln!(text, "pub enum {name} {{");
        for of in named {
            let _ = writeln!(text, "    {of}(Box<{of}>),");
        }
        text.push_str("}\n");
        self.definitions.insert(name.to_owned(), text);
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_become_types() {
        let mut types = Types::default();
        for (schema, expected) in [
            (json!({ "type": "string" }), "String"),
            (json!({ "type": ["integer", "null"], "minimum": 0 }), "Option<u64>"),
            (json!({ "type": "integer", "minimum": -5 }), "i64"),
            (json!({ "$ref": "#/components/schemas/Task" }), "Task"),
            (json!({ "anyOf": [{ "$ref": "#/x/Cordon" }, { "type": "null" }] }), "Option<Cordon>"),
            (json!({ "type": "array", "items": { "$ref": "#/x/Run" } }), "Vec<Run>"),
            (
                json!({ "additionalProperties": { "type": "string" }, "type": "object" }),
                "BTreeMap<String, String>",
            ),
            (json!({ "anyOf": [{ "type": "string" }, { "type": "number" }] }), "Value"),
            (json!({}), "Value"),
            (json!({ "type": "object", "properties": { "a": {} } }), "Here"),
        ] {
            assert_eq!(types.of(&schema, "Here"), expected, "{schema}");
        }
    }

    #[test]
    fn of_two_types_the_one_that_needs_more_is_tried_first() {
        let mut types = Types::default();
        types.add("Small", &json!({ "required": ["a"] }));
        types.add("Large", &json!({ "required": ["a", "b"] }));
        let either = json!({ "anyOf": [{ "$ref": "#/x/Small" }, { "$ref": "#/x/Large" }] });
        assert_eq!(types.of(&either, "Either"), "Either");
        let text = types.text();
        assert!(text.find("    Large(").unwrap() < text.find("    Small(").unwrap(), "{text}");
    }
}
