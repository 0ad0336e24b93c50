//! Reading job files: form only. Each mistake is noted and the reading goes on.
//! - FI-1 a field that nobody knows is a mistake, never ignored
//! - FI-2 what is read keeps its place, so that the checks can name it
//!
//! Not here: what tasks mean to each other (`check`).

mod approve;
mod at;
mod job;
mod json;
mod name;
mod needs_jobs;
mod parameters;
mod retry;
mod scalar;
mod schedules;
mod settings;
mod task;
mod texts;
mod timing;
mod tree;
mod triggers;
mod units;
mod wait;
mod work;

/// Where the schema lists the same fields.
#[cfg(test)]
pub const FIELDS: [(&str, &[&str]); 16] = [
    ("job", job::JOB),
    ("task", task::TASK),
    ("job/properties/defaults", settings::SETTINGS),
    ("job/properties/limits", job::LIMITS),
    ("task/properties/undo", task::UNDO),
    ("job_need", needs_jobs::FIELDS),
    ("parameter", parameters::FIELDS),
    ("http", work::OF_HTTP),
    ("approve", approve::FIELDS),
    ("resources", settings::RESOURCES),
    ("retries/anyOf/1", retry::FIELDS),
    ("schedule", schedules::SCHEDULE),
    ("schedule/properties/dst", timing::DST),
    ("trigger", triggers::TRIGGER),
    ("trigger/properties/event", triggers::EVENT),
    ("trigger/properties/fallback", triggers::FALLBACK),
];

pub use self::{
    at::At,
    job::{Job, job, tasks},
    json::canonical,
    name::is_name,
    parameters::parameters,
    schedules::{Schedule, one},
    settings::Settings,
    task::{Defaults, Task},
    texts::{Place, Use},
    timing::Timing,
    tree::{Node, Value, read},
    triggers::Trigger,
    work::Work,
};
