//! The JSON Schema of job files, for editors. It knows the form of a file; what tasks mean to each other only
//! `validate` knows.

/// Draft 2020-12.
pub const SCHEMA: &str = include_str!("../../../docs/schema/job.json");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use mainspring_core::job::FailurePolicy;
    use serde_json::Value;

    use super::SCHEMA;
    use crate::file::FIELDS;

    /// A field that the reader knows and the schema does not would be marked as wrong by every editor.
    #[test]
    fn the_schema_has_the_fields_of_the_reader() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
        for (pointer, fields) in FIELDS {
            let properties = schema.pointer(&format!("/$defs/{pointer}/properties"));
            let properties = properties.and_then(Value::as_object).unwrap_or_else(|| panic!("no {pointer}"));
            let known: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
            assert_eq!(known, fields.iter().copied().collect(), "{pointer}");
        }
    }

    #[test]
    fn the_schema_has_every_failure_policy() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
        let known = schema.pointer("/$defs/job/properties/failure_policy/enum");
        assert_eq!(known, Some(&Value::from(FailurePolicy::ALL.map(FailurePolicy::label).to_vec())));
    }
}
