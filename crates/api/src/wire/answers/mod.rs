//! Answers that are no view of one thing: pages, results of verbs, results of many.
//! Entry: the types; each is made by the file in `rest` that answers with it.

mod flows;
mod health;
mod schedules;
mod tasks;

#[cfg(test)]
pub(crate) use self::tasks::{AcceptedView, BatchItem, BatchView};
pub(crate) use self::{
    flows::{
        AppliedJob, AppliedView, JobChanged, JobPage, RerunView, RunChanged, RunPage, TriggeredView,
        VersionPage, VersionRow, VersionView,
    },
    health::{HealthView, ReadinessView, ReasonView},
    schedules::{
        BackfillChanged, BackfillPage, PublishedPage, ScheduleChanged, SchedulePage, ScheduleStored,
        TriggerPage, UpcomingPage, WindowPage,
    },
    tasks::{
        CordonedView, ManyResult, PoolPage, RecurringView, SettledView, TaskChanged, TaskListPage, WorkerPage,
    },
};
