//! Workflows: jobs, their plans, and runs of them.
//! - WF-1 a run keeps the plan it began with
//! - WF-2 what becomes of a node is decided once, by one event, in time proportional to what it touches
//!
//! Not here: job files and their mistakes, expressions and templates (the `definition` crate).

mod plan;
mod rule;

pub use self::{
    plan::{
        ACTIVE_RUNS_DEFAULT, Bounds, Each, FAN_OUT_DEFAULT, FailurePolicy, LimitUse, Node, OnEmpty, Plan,
        RELEASE_PER_SECOND_DEFAULT, Repeat, Source, TaskWork, Tolerance, Work,
    },
    rule::{End, Ends, TriggerRule, Verdict},
};
