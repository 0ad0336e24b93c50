//! Types that are written in a form of their own.

use std::borrow::Cow;

use mainspring_core::values::{Band, LEVEL_MAX};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::super::task_body::PriorityBody;
use super::super::text::Text;
use super::super::time::{Moment, SECONDS_MAX, TimeBody};

impl JsonSchema for Text<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

impl JsonSchema for Moment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

impl JsonSchema for TimeBody {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [
            {"type": "string", "format": "date-time"}, {"type": "number", "maximum": SECONDS_MAX as u64},
        ]})
    }
}

impl JsonSchema for PriorityBody {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PriorityBody".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let bands = Band::ASKED.map(Band::label);
        json_schema!({"anyOf": [
            {"type": "string", "enum": bands},
            {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "band": {"type": "string", "enum": bands},
                    "level": {"type": "integer", "minimum": 0, "maximum": LEVEL_MAX},
                },
            },
        ]})
    }
}
