//! Why a text is not the JSON that was wanted.

use crate::problem::Problem;

/// A document that does not fit says whether it is no JSON at all or where it is wrong.
pub(crate) fn json_problem(error: &serde_json::Error) -> Problem {
    let what = error.to_string();
    match error.classify() {
        serde_json::error::Category::Data => Problem::field("body", what),
        _ => Problem::InvalidJson { what },
    }
}
