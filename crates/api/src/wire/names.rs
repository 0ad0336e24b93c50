//! Names that callers write, checked, with the field they came in.

use mainspring_core::values::{BadName, NAME_BYTES_MAX, Name};

use crate::problem::Problem;

pub(crate) fn name(field: &'static str, text: &str) -> Result<Name, Problem> {
    Name::new(text).map_err(|bad| match bad {
        BadName::TooLong { bytes } => Problem::NameTooLong { field, bytes, max: NAME_BYTES_MAX },
        BadName::ControlCharacter { .. } => Problem::field(field, bad.to_string()),
    })
}
