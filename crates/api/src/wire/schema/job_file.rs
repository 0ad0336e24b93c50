//! Schedules, as the schema of job files describes them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::super::task_body::PriorityBody;

fn of(value: Value) -> Schema {
    Schema::try_from(value).expect("a schema")
}

/// A field of a schedule, as the schema of job files describes it.
fn schedule_field(name: &str) -> Schema {
    of(job_schema().resolved(&format!("/$defs/schedule/properties/{name}")))
}

macro_rules! schedule_fields {
    ($($name:ident),*) => { $(
        pub(crate) fn $name(_: &mut SchemaGenerator) -> Schema {
            schedule_field(stringify!($name))
        }
    )* };
}
pub(crate) mod recurring {
    use super::{Schema, SchemaGenerator, schedule_field};
    schedule_fields!(
        cron,
        every,
        timezone,
        dst,
        jitter,
        catch_up,
        misfire_grace,
        overlap,
        max_active,
        start,
        end
    );
}

/// A schedule as it is put: what job files say of one, with priority as the API takes it.
pub(crate) struct ScheduleBody;

impl JsonSchema for ScheduleBody {
    fn schema_name() -> Cow<'static, str> {
        "ScheduleBody".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = job_schema().resolved("/$defs/schedule");
        // Not beside the properties: generators of clients would read a choice of types.
        if let Some(one_of) = schema.as_object_mut().and_then(|fields| fields.remove("oneOf")) {
            schema["allOf"] = json!([{"oneOf": one_of}]);
        }
        schema["properties"]["priority"] = generator.subschema_for::<PriorityBody>().to_value();
        schema["description"] =
            json!("One of `cron`, `every`, `after` and `at`, and what belongs to it, as in a job file");
        of(schema)
    }
}

struct JobSchema(Value);

fn job_schema() -> JobSchema {
    JobSchema(serde_json::from_str(mainspring_definition::SCHEMA).expect("JSON"))
}

impl JobSchema {
    /// With the definitions that it refers to in their places.
    fn resolved(&self, pointer: &str) -> Value {
        self.inlined(self.0.pointer(pointer).unwrap_or_else(|| panic!("job files have no {pointer}")))
    }

    fn inlined(&self, part: &Value) -> Value {
        match part {
            Value::Object(fields) => {
                let target =
                    fields.get("$ref").and_then(Value::as_str).map(|path| path.trim_start_matches('#'));
                let mut all = match target.map(|path| self.resolved(path)) {
                    Some(Value::Object(target)) => target,
                    _ => serde_json::Map::new(),
                };
                let own = fields.iter().filter(|(key, _)| *key != "$ref");
                all.extend(own.map(|(key, value)| (key.clone(), self.inlined(value))));
                Value::Object(all)
            }
            Value::Array(items) => items.iter().map(|item| self.inlined(item)).collect(),
            other => other.clone(),
        }
    }
}
