//! The bytes of plans, jobs, runs and what happens to them.

mod added;
mod decisions;
mod event;
mod event_read;
mod job;
mod names;
mod origin;
mod plan;
mod run;

pub(super) use self::{
    event::write as write_event,
    event_read::read as read_event,
    plan::{read as read_plan_in, write as write_plan_in},
    run::{read_in_run, write_in_run},
};
pub use self::{
    job::{job_version, read_job, write_job},
    names::VersionRef,
    plan::{read_plan, write_plan},
    run::{StoredRun, read_run, read_run_output, run_version, write_run},
};
