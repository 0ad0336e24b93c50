//! Reading job files: form only. Each mistake is noted and the reading goes on.
//! - FR-1 a field that nobody knows is a mistake, never ignored
//! - FR-2 what is read keeps its place, so that the checks can name it
//!
//! Not here: what tasks mean to each other (`check`).

mod at;
mod job;
mod json;
mod name;
mod parameters;
mod retry;
mod scalar;
mod settings;
mod task;
mod texts;
mod tree;
mod units;
mod work;

pub use self::{
    at::At,
    job::{Job, job},
    json::canonical,
    settings::Settings,
    task::Task,
    texts::{Place, Use},
    tree::{Node, Value, read},
    work::Work,
};
