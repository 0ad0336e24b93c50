//! Jobs and runs over REST.

pub(super) mod jobs;
pub(super) mod runs;

use std::collections::BTreeMap;

use crate::problem::Problem;

const PAGE_DEFAULT: usize = 100;

fn limit(query: &BTreeMap<String, String>, max: usize) -> Result<usize, Problem> {
    let Some(text) = query.get("limit") else { return Ok(PAGE_DEFAULT) };
    let limit: usize = text.parse().map_err(|_| Problem::query("limit", "not a number"))?;
    match limit {
        0 => Err(Problem::query("limit", "a page has at least one entry")),
        limit if limit > max => Err(Problem::PageTooLong { limit, max }),
        limit => Ok(limit),
    }
}
