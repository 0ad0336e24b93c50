//! Jobs and runs over REST.

pub(super) mod jobs;
pub(super) mod pictures;
pub(super) mod runs;

use std::collections::BTreeMap;

use crate::problem::Problem;

/// The checks that a page has a length are those of the operation.
pub(super) fn limit(query: &BTreeMap<String, String>) -> Result<Option<usize>, Problem> {
    let parsed = query.get("limit").map(|text| text.parse());
    parsed.transpose().map_err(|_| Problem::query("limit", "not a number"))
}
