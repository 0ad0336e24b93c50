//! `needs_jobs`: other jobs that must have succeeded before a task begins.

use mainspring_core::job::JobNeed;

use super::at::At;
use super::name::job_name;
use super::tree::Value;
use crate::limits::NEEDS_JOBS_MAX;
use crate::mistake::{Code, Mistakes, Spot};

pub const FIELDS: &[&str] = &["job", "within", "timeout"];

/// Names of jobs, or objects with a name, an age and a time to wait.
pub fn needs_jobs(at: &At<'_>, mistakes: &mut Mistakes) -> Vec<(JobNeed, Spot)> {
    let mut found: Vec<(JobNeed, Spot)> = Vec::new();
    for at in at.list_or_one(NEEDS_JOBS_MAX, mistakes) {
        let Some(need) = one(&at, mistakes) else { continue };
        if found.iter().any(|(known, _)| known.job == need.job) {
            let what = format!("the job `{}` is named twice", need.job);
            mistakes.add(Code::DuplicateDependency, &at.spot, what, "keep one");
            continue;
        }
        found.push((need, at.spot));
    }
    found
}

fn one(at: &At<'_>, mistakes: &mut Mistakes) -> Option<JobNeed> {
    if let Value::Text(_) = at.node.value {
        return Some(JobNeed { job: job_name(at, mistakes)?, within: None, timeout: None });
    }
    let fields = at.fields(FIELDS, mistakes)?;
    let within = fields.read("within", mistakes, At::time_limit);
    let timeout = fields.read("timeout", mistakes, At::time_limit);
    let Some(job) = fields.get("job") else {
        mistakes.add(Code::MissingField, &at.spot, "it does not name a `job`", "");
        return None;
    };
    Some(JobNeed { job: job_name(job, mistakes)?, within, timeout })
}
