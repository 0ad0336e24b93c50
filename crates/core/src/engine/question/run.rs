//! Where a run stands, and what keeps each of its unfinished nodes.
//! Entry: [`RunDiagnosis`], the answer to `Question::Run`.
//! - QR-1 at most [`NODES_MAX`] nodes are told of, the most telling first; the others are counted
//! - QR-2 at most [`PLACES_MAX`] tasks and child runs are asked where they stand

use std::fmt;
use std::sync::Arc;

use super::job_wait::JobWait;
use super::{Diagnosis, Standing, job_wait};
use crate::dispatch::WaitReason;
use crate::job::{JobKey, Tolerance, TriggerRule};
use crate::run::RunStop;
use crate::task::Status;
use crate::values::{Millis, Name, RunId, RunStatus, Source, TaskId, Wall};
use crate::wait::Awaited;

/// Nodes told of in one answer.
pub const NODES_MAX: usize = 100;
/// Tasks and child runs asked for one answer: each may mean a walk along a queue.
pub const PLACES_MAX: usize = 200;
/// Of them, items of one node.
pub const ITEMS_MAX: usize = 20;
/// Upstream nodes and jobs named with a node, and runs named as holders of a place.
pub const NAMED_MAX: usize = 10;

#[derive(Clone, PartialEq, Debug)]
pub struct RunDiagnosis {
    pub id: RunId,
    pub job: Arc<JobKey>,
    pub status: RunStatus,
    pub is_paused: bool,
    pub is_stopping: bool,
    /// When it began, or came if it has not.
    pub since: Wall,
    /// What the watchdog has to say.
    pub marks: Vec<&'static str>,
    pub standing: RunStanding,
    pub nodes: Vec<NodeDiagnosis>,
    /// Unfinished nodes that are not among them.
    pub more: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunStanding {
    /// Not begun, because its job is paused.
    JobPaused,
    /// `ahead`: runs of the job that wait before it.
    WaitsForPlace {
        ahead: usize,
        active: u32,
        max: u32,
        held_by: Vec<RunId>,
    },
    /// So many released tasks or runs are nowhere.
    Lost {
        count: u32,
    },
    PausedByHand {
        out: u32,
    },
    PausedForItems {
        node: Name,
        count: u32,
        max: u32,
    },
    Stopping {
        stop: RunStop,
        out: u32,
    },
    Undoing {
        done: u32,
        of: u32,
    },
    /// Nothing is out, and so many nodes could run if other jobs had succeeded.
    WaitsForJobs {
        nodes: u32,
    },
    /// Nothing is out, and nothing that is left can ever begin.
    Stalled,
    Working {
        out: u32,
        unfinished: u32,
    },
    /// Something is decided the next moment.
    AboutToGoOn,
    Ended,
}

#[derive(Clone, PartialEq, Debug)]
pub struct NodeDiagnosis {
    pub name: Name,
    pub status: Status,
    pub rule: TriggerRule,
    pub condition: Option<Source>,
    pub items: Option<Items>,
    /// Of a loop: the round that is on, from 1, and how many there may be.
    pub round: Option<(u32, u32)>,
    pub standing: NodeStanding,
}

/// Of a mapped node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Items {
    pub count: u32,
    pub released: u32,
    pub live: u32,
    /// At once.
    pub live_max: u32,
    pub succeeded: u32,
    /// By their own work.
    pub failed: u32,
    /// Stopped, or given up before they were released.
    pub cancelled: u32,
    pub skipped: u32,
    pub tolerance: Tolerance,
}

#[derive(Clone, PartialEq, Debug)]
pub enum NodeStanding {
    /// For nodes that have not ended; `more` of them are not named.
    Upstream {
        waits_for: Vec<(Name, Status)>,
        more: u32,
    },
    /// It could run if these jobs had succeeded; `more` of them are not named.
    Jobs {
        waits_for: Vec<JobWait>,
        more: u32,
    },
    /// It may run, and its run does not let it go.
    Release(Hold),
    /// Of the items that were asked, the most telling one.
    Task {
        item: Option<u32>,
        diagnosis: Diagnosis,
    },
    Child {
        item: Option<u32>,
        run: RunId,
        status: RunStatus,
        is_paused: bool,
    },
    Undo {
        diagnosis: Diagnosis,
    },
    /// Released, and in no table.
    Lost {
        item: Option<u32>,
    },
    /// Released; it was not asked, because of QR-2.
    Out {
        task: Option<TaskId>,
    },
    AboutToBeDecided,
}

/// Why a run does not let a node go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    Paused,
    RunningMax { out: u32, max: u32 },
    Rate { left: Millis },
    AboutToGo,
}

impl RunStanding {
    /// A word for programs.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::JobPaused => "job_paused",
            Self::WaitsForPlace { .. } => "waits_for_place",
            Self::Lost { .. } => "lost",
            Self::PausedByHand { .. } => "paused",
            Self::PausedForItems { .. } => "too_many_items",
            Self::Stopping { .. } => "stopping",
            Self::Undoing { .. } => "undoing",
            Self::WaitsForJobs { .. } => "waits_for_jobs",
            Self::Stalled => "stalled",
            Self::Working { .. } => "working",
            Self::AboutToGoOn => "about_to_go_on",
            Self::Ended => "ended",
        }
    }

    /// What the reader can do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::JobPaused => "resume the job, or cancel the run".into(),
            Self::WaitsForPlace { .. } => {
                "wait, cancel a run that holds a place, or raise `max_active_runs` of the job".into()
            }
            Self::Lost { .. } => "clear these tasks so that they run again, and report it as a bug".into(),
            Self::PausedByHand { .. } => "resume the run, or cancel it".into(),
            Self::PausedForItems { .. } => "resume the run to allow them, or cancel it".into(),
            Self::Stopping { .. } => "wait until what runs has stopped; its tasks say how far".into(),
            Self::Undoing { .. } => "wait; the task that undoes says how far".into(),
            Self::WaitsForJobs { .. } => "wait, or look at what its tasks wait for".into(),
            Self::Stalled => "clear tasks of it or force its state, and report it as a bug".into(),
            Self::Working { .. } => "look at its tasks, the first of which tells most".into(),
            Self::AboutToGoOn => "wait a moment".into(),
            Self::Ended => "clear tasks of it, or run it again, if it should have ended otherwise".into(),
        }
    }
}

impl fmt::Display for RunStanding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::JobPaused => f.write_str("its job is paused, so no run of it starts"),
            Self::WaitsForPlace { ahead, active, max, .. } => {
                write!(f, "{active} of at most {max} runs of its job are active, and {ahead} wait before it")
            }
            Self::Lost { count } => write!(f, "{count} of the tasks and runs that it released are nowhere"),
            Self::PausedByHand { out: 0 } => f.write_str("it was paused by hand, and nothing of it runs"),
            Self::PausedByHand { out } => write!(f, "it was paused by hand; {out} that were out go on"),
            Self::PausedForItems { node, count, max } => {
                write!(f, "it paused itself: task `{node}` has {count} items, more than {max}")
            }
            Self::Stopping { stop, out } => {
                let why = match stop {
                    RunStop::Failed => "a task failed",
                    RunStop::Cancel => "it was cancelled",
                    RunStop::Timeout => "it took longer than its timeout",
                };
                write!(f, "it stops because {why}; {out} still queued or running")
            }
            Self::Undoing { done, of } => {
                write!(f, "it did not succeed, and {done} of {of} tasks are undone")
            }
            Self::WaitsForJobs { nodes } => {
                write!(f, "nothing of it is queued or running, and {nodes} of its tasks wait for other jobs")
            }
            Self::Stalled => f.write_str(
                "nothing of it is queued or running, nothing can be released, and it has not ended",
            ),
            Self::Working { out, unfinished } => {
                write!(f, "{unfinished} of its tasks not ended, {out} of them queued or running")
            }
            Self::AboutToGoOn => f.write_str("what comes next is being decided"),
            Self::Ended => f.write_str("it has ended"),
        }
    }
}

impl NodeStanding {
    /// Lower ones tell more.
    pub(crate) const fn rank(&self) -> u8 {
        match self {
            Self::Lost { .. } => 0,
            Self::Task { diagnosis, .. } | Self::Undo { diagnosis } => match &diagnosis.standing {
                Standing::Waits(WaitReason::NoWorkers { .. } | WaitReason::NoWorkerMatches { .. }) => 1,
                Standing::Waits(WaitReason::AboutToBePlaced) | Standing::Ended => 6,
                Standing::Waits(_) => 2,
                Standing::WaitsFor { what: Awaited::Approval(_), .. } => 2,
                Standing::Backoff { .. } => 3,
                Standing::Held { .. } => 4,
                Standing::WaitsForTime { .. } | Standing::Deferred { .. } | Standing::WaitsFor { .. } => 5,
            },
            Self::Child { status: RunStatus::Running, is_paused: false, .. } => 4,
            Self::Child { .. } => 3,
            Self::Jobs { .. } => 5,
            Self::Out { .. } => 6,
            Self::Release(_) => 7,
            Self::AboutToBeDecided => 8,
            Self::Upstream { .. } => 9,
        }
    }

    /// A word for programs; that of its task, if it has one.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Upstream { .. } => "waits_for_upstream",
            Self::Jobs { .. } => "waits_for_jobs",
            Self::Release(Hold::Paused) => "run_paused",
            Self::Release(Hold::RunningMax { .. }) => "max_running_tasks",
            Self::Release(Hold::Rate { .. }) => "release_rate",
            Self::Release(Hold::AboutToGo) => "about_to_be_released",
            Self::Task { diagnosis, .. } | Self::Undo { diagnosis } => diagnosis.standing.label(),
            Self::Child { .. } => "waits_for_run",
            Self::Lost { .. } => "lost",
            Self::Out { .. } => "released",
            Self::AboutToBeDecided => "about_to_be_decided",
        }
    }

    /// What the reader can do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::Upstream { .. } => "look at what it waits for".into(),
            Self::Jobs { waits_for, .. } => job_wait::advice(waits_for),
            Self::Release(Hold::Paused) => "resume the run, or cancel it".into(),
            Self::Release(Hold::RunningMax { .. }) => "wait, or raise `max_running_tasks` of the job".into(),
            Self::Release(Hold::Rate { .. }) => {
                "wait, or raise `release_per_second` of the job or of the server".into()
            }
            Self::Release(Hold::AboutToGo) | Self::AboutToBeDecided => "wait a moment".into(),
            Self::Task { diagnosis, .. } | Self::Undo { diagnosis } => diagnosis.standing.advice(),
            Self::Child { .. } => "diagnose that run".into(),
            Self::Lost { .. } => "clear it so that it runs again, and report it as a bug".into(),
            Self::Out { .. } => "diagnose its task".into(),
        }
    }
}

impl fmt::Display for NodeDiagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(items) = &self.items {
            write!(f, "{items}; ")?;
        }
        if let Some((round, of)) = self.round {
            write!(f, "round {round} of at most {of}; ")?;
        }
        match &self.standing {
            NodeStanding::Upstream { waits_for, more } => upstream(f, waits_for, *more, self.rule),
            NodeStanding::Jobs { waits_for, more } => job_wait::fmt_all(f, waits_for, *more),
            NodeStanding::Release(hold) => hold.fmt(f),
            NodeStanding::Task { item: index, diagnosis } => {
                item(f, *index)?;
                diagnosis.standing.fmt(f)
            }
            NodeStanding::Child { item: index, run, status, is_paused } => {
                item(f, *index)?;
                let paused = if *is_paused { ", paused" } else { "" };
                write!(f, "it waits for run `{run}`, which is {}{paused}", status.label())
            }
            NodeStanding::Undo { diagnosis } => write!(f, "it is undone: {}", diagnosis.standing),
            NodeStanding::Lost { item: index } => {
                item(f, *index)?;
                f.write_str("it was released, and is nowhere")
            }
            NodeStanding::Out { .. } => f.write_str("it was released"),
            NodeStanding::AboutToBeDecided => f.write_str("what becomes of it is being decided"),
        }
    }
}

fn item(f: &mut fmt::Formatter<'_>, index: Option<u32>) -> fmt::Result {
    index.map_or(Ok(()), |index| write!(f, "item {index}: "))
}

fn upstream(
    f: &mut fmt::Formatter<'_>,
    waits_for: &[(Name, Status)],
    more: u32,
    rule: TriggerRule,
) -> fmt::Result {
    f.write_str("it waits for ")?;
    for (at, (name, status)) in waits_for.iter().enumerate() {
        write!(f, "{}`{name}` ({})", if at == 0 { "" } else { ", " }, status.label())?;
    }
    if more > 0 {
        write!(f, " and {more} more")?;
    }
    write!(f, " by rule `{}`", rule.label())
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Paused => f.write_str("it may run, but its run is paused"),
            Self::RunningMax { out, max } => {
                write!(f, "it may run, but its run has {out} of at most {max} tasks out")
            }
            Self::Rate { left } => {
                write!(f, "it may run, but so many were released that the next goes in {left}")
            }
            Self::AboutToGo => f.write_str("it may run, and goes the next moment"),
        }
    }
}

impl fmt::Display for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, live, live_max, succeeded, failed, tolerance, .. } = self;
        write!(f, "of {count} items {live} queued or running")?;
        if live == live_max {
            f.write_str(", which is as many as may be")?;
        }
        write!(f, ", {succeeded} succeeded and {failed} failed (")?;
        match tolerance {
            Tolerance::Count(most) => write!(f, "{most} may)"),
            Tolerance::Percent(percent) => write!(f, "{percent} % may)"),
        }
    }
}
