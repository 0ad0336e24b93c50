//! Schemas of the document, from the wire types. Answers are described as they are written, bodies as they are read.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::problem::ProblemBody;
use crate::wire::schema::ScheduleBody;
use crate::wire::{self, AcceptedView, BatchView};

pub(super) fn all() -> Map<String, Value> {
    let mut answers = definitions(settings().for_serialize(), |generator| {
        each::<(AcceptedView, BatchView, wire::RecurringView<'_>, wire::TaskChanged)>(generator);
        each::<(wire::TaskListPage<'_>, wire::TaskView<'_>, wire::DiagnosisView, wire::ManyResult)>(
            generator,
        );
        each::<(wire::WorkerPage<'_>, wire::WorkerBody<'_>, wire::CordonedView<'_>, wire::PoolPage)>(
            generator,
        );
        each::<(wire::PoolView, wire::OperationView, wire::StatsView<'_>, wire::QuarantineView)>(generator);
        each::<(wire::JobPage<'_>, wire::JobView<'_>, wire::AppliedView<'_>, wire::JobChanged<'_>)>(
            generator,
        );
        each::<(wire::TriggeredView<'_>, wire::VersionPage, wire::VersionView<'_>, wire::RunPage<'_>)>(
            generator,
        );
        each::<(wire::RunView<'_>, wire::RunDiagnosisView, wire::RunChanged, wire::ItemPage)>(generator);
        each::<(wire::JobStats, wire::TaskHistory<'_>, wire::OperationPage, wire::LogHits)>(generator);
        each::<(wire::RerunView, wire::CronPreviewView, wire::SchedulePage<'_>, wire::ScheduleView<'_>)>(
            generator,
        );
        each::<(wire::ScheduleStored<'_>, wire::ScheduleChanged<'_>, wire::WindowPage)>(generator);
        each::<(wire::UpcomingPage<'_>, wire::BackfillPage<'_>, wire::BackfillView<'_>)>(generator);
        each::<(wire::PlanView<'_>, wire::BackfillChanged, wire::TriggerPage<'_>)>(generator);
        each::<(wire::TriggerView<'_>, wire::PublishedPage, ProblemBody)>(generator);
        each::<(wire::HealthView, wire::ReadinessView, wire::AttentionView, wire::LimitPage)>(generator);
        each::<(
            wire::GroupPage,
            wire::LedgerPage,
            wire::SystemView,
            wire::WaitingPage,
            wire::TimelineView<'_>,
        )>(generator);
        each::<(wire::GraphView<'_>, wire::StatesView, wire::GridView<'_>, wire::SeriesView)>(generator);
    });
    answers.values_mut().for_each(|schema| tidy(schema, true));
    let mut bodies = definitions(settings().for_deserialize(), |generator| {
        each::<(wire::TaskBody<'_>, wire::AmendBody<'_>, wire::SelectorBody, wire::OverrideBody)>(generator);
        each::<(wire::ForceTaskBody, wire::DeadLettersBody, wire::TriggerBody, wire::RerunBody)>(generator);
        each::<(wire::ApproveBody, wire::ClearBody, wire::ForceRunBody, wire::RunSelectorBody, wire::BulkBody)>(
            generator,
        );
        each::<(wire::CronPreviewBody, ScheduleBody, wire::BackfillBody, wire::EventBody<'_>)>(generator);
    });
    bodies.values_mut().for_each(|schema| tidy(schema, false));
    for (name, body) in bodies {
        let is_both = answers.insert(name.clone(), body).is_some();
        assert!(!is_both || BOTH.contains(&name.as_str()), "{name} is a body and an answer");
    }
    answers.sort_keys();
    answers
}

/// Described as they may be sent: an answer has all of it that there is.
const BOTH: [&str; 2] = ["Resources", "Timeouts"];

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    })
}

fn definitions(settings: SchemaSettings, fill: impl FnOnce(&mut SchemaGenerator)) -> Map<String, Value> {
    let mut generator = settings.into_generator();
    fill(&mut generator);
    generator.take_definitions(true)
}

/// Several types in one line.
trait Types {
    fn fill(generator: &mut SchemaGenerator);
}

fn each<T: Types>(generator: &mut SchemaGenerator) {
    T::fill(generator);
}

macro_rules! types {
    ($($name:ident),*) => {
        impl<$($name: JsonSchema),*> Types for ($($name,)*) {
            fn fill(generator: &mut SchemaGenerator) {
                $( generator.subschema_for::<$name>(); )*
            }
        }
    };
}
types!(A, B);
types!(A, B, C);
types!(A, B, C, D);
types!(A, B, C, D, E);

/// What the generator writes and readers of the document stumble over.
fn tidy(schema: &mut Value, is_answer: bool) {
    if *schema == Value::Bool(true) {
        // Some tools know no schema that is only `true`.
        *schema = Value::Object(Map::new());
    }
    if let Value::Array(items) = schema {
        for item in items {
            tidy(item, is_answer);
        }
        return;
    }
    let Value::Object(fields) = schema else { return };
    fields.remove("title");
    if matches!(fields.get("default"), Some(default) if is_nothing(default)) {
        fields.remove("default");
    }
    bounds(fields, is_answer);
    flatten(fields);
    if is_answer {
        without_null(fields);
    }
    for (key, part) in fields.iter_mut() {
        match (key.as_str(), part) {
            ("properties", Value::Object(properties)) => {
                properties.values_mut().for_each(|part| tidy(part, is_answer));
            }
            ("items" | "additionalProperties" | "not" | "anyOf" | "oneOf" | "allOf", part)
                if !part.is_boolean() =>
            {
                tidy(part, is_answer);
            }
            _ => {}
        }
    }
}

/// A choice within a choice is one choice.
fn flatten(fields: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = fields.get_mut("anyOf") else { return };
    let inner = |choice: Value| match choice {
        Value::Object(mut one) if one.len() == 1 && one.contains_key("anyOf") => {
            one.remove("anyOf").and_then(|inner| inner.as_array().cloned()).unwrap_or_default()
        }
        other => vec![other],
    };
    *choices = std::mem::take(choices).into_iter().flat_map(inner).collect();
}

fn is_nothing(default: &Value) -> bool {
    match default {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Formats of Rust's numbers are no formats of the document; what they mean for a body is a bound.
fn bounds(fields: &mut Map<String, Value>, is_answer: bool) {
    let Some(format) = fields.get("format").and_then(Value::as_str) else { return };
    let (min, max): (Value, Value) = match format {
        "uint8" => (0.into(), u8::MAX.into()),
        "uint32" => (0.into(), u32::MAX.into()),
        "uint64" | "uint" => (0.into(), u64::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        _ => return,
    };
    fields.remove("format");
    fields.entry("minimum").or_insert(min);
    if !is_answer {
        fields.entry("maximum").or_insert(max);
    }
}

/// A field of an answer that may be missing is left out, never null.
fn without_null(fields: &mut Map<String, Value>) {
    let required: Vec<String> = fields
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let Some(Value::Object(properties)) = fields.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !required.contains(name)) {
        let Value::Object(property) = property else { continue };
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [one] = types.as_slice() {
                let one = one.clone();
                property.insert("type".into(), one);
            }
        }
        if let Some(Value::Array(choices)) = property.get("anyOf") {
            let left: Vec<&Value> = choices.iter().filter(|choice| choice["type"] != "null").collect();
            if let [Value::Object(one)] = left.as_slice() {
                let one = one.clone();
                property.remove("anyOf");
                property.extend(one);
            }
        }
    }
}
