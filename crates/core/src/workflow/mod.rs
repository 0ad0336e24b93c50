//! Workflows: jobs, their plans, and runs of them.
//! Entry: [`Flows`], the jobs and runs of a shard; `machine::advance` drives them.
//! - WF-1 a run keeps the plan it began with
//! - WF-2 what becomes of a node is decided once, by one event, in time proportional to what it touches
//! - WF-3 a task of a run exists from its release on; before that the run's own row speaks for it
//!
//! Not here: job files and their mistakes, expressions and templates (the `definition` crate).

pub(crate) mod advance;
pub(crate) mod apply;
mod awaits;
mod called;
mod child;
pub(crate) mod command;
mod create;
mod ends;
mod event;
mod finish;
mod flows;
mod group;
pub(crate) mod grow;
mod job;
pub(crate) mod owed;
mod pace;
mod plan;
mod reopen;
mod rule;
mod run;
mod scope;
pub(crate) mod stop;
mod table;
mod watch;

pub use self::{
    advance::NESTING_MAX,
    command::{Clear, FlowAnswer, FlowCommand, FlowRefusal, Rerun, RerunFrom, Signed, TriggerRun},
    event::{FlowEvent, JobApplied, Noted, Reused, RunCleared, RunCreated, RunEnded, Subject, TasksAdded},
    flows::{DirtyFlows, Flows, NewVersion},
    group::Group,
    grow::{ADDED_MAX, ADDITIONS_MAX, Added, Own},
    job::{Definition, Job, JobKey, JobTable, Lanes, LastRun},
    plan::{
        ACTIVE_RUNS_DEFAULT, Bounds, Each, FAN_OUT_DEFAULT, FailurePolicy, JobNeed, LimitUse, Node, OnEmpty,
        Plan, RELEASE_PER_SECOND_DEFAULT, Repeat, Source, TaskWork, Tolerance, Work,
    },
    rule::{End, Ends, TriggerRule, Verdict},
    run::{NOTES_MAX, NodeState, NodeStatus, Note, Origin, Pause, Run, RunStatus, RunStop, Soft, Trigger},
    scope::{Evaluate, EvaluateEvent, NoTexts, Scope, Told},
    table::{RunSlot, RunTable},
    watch::{QUIET_AFTER, Watch},
};
