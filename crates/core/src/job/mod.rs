//! Jobs: named definitions, their versions, and the plan that a version is compiled to.
//! Entry: [`JobTable`], the jobs of a shard; runs keep the plan they began with (`run`).
//!
//! Not here: job files and their mistakes, expressions and templates (the `definition` crate).

pub mod decide;
mod plan;
mod policy;
mod rule;
mod table;

pub use self::{
    plan::{
        ACTIVE_RUNS_DEFAULT, Bounds, Each, FAN_OUT_DEFAULT, JobNeed, LimitUse, Node, NodeWork, OnEmpty, Plan,
        RELEASE_PER_SECOND_DEFAULT, Repeat, TaskWork, Tolerance,
    },
    policy::FailurePolicy,
    rule::{NodeEnd, RuleVerdict, TriggerRule, UpstreamEnds},
    table::{Definition, Job, JobKey, JobTable, Lanes, LastRun, RECENT_MAX, RecentRun},
};
