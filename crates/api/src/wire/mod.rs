//! What goes over the wire, and nothing else: bodies as callers write them, answers as they read them. REST has them
//! as JSON; the gRPC edge (`grpc`) fills the same bodies and reads the same answers, so no rule is written twice.
//! Entry: [`TaskBody`] in, [`TaskView`] out.
//! - WI-1 a body is parsed once; a payload is never parsed into a tree, its text is kept as it came
//! - WI-3 pure: no id is made and no clock is read here; what needs one takes it as an argument
//! - WI-2 states go out in one spelling (`state`); `/v1/tasks` adds the timer contract's (`status`), and both come in

mod amend_body;
mod answers;
mod approval_view;
mod attempt_view;
mod attention_view;
mod backfill_body;
mod backfill_view;
mod bulk_body;
mod cron_preview;
mod dead_letter_group_view;
mod diagnosis_view;
mod event_body;
mod flow_state;
mod history_view;
mod item_view;
mod job_stats;
mod job_view;
mod json;
mod keys;
mod limit_view;
mod log_view;
mod names;
mod operation_view;
mod override_body;
mod payload;
#[cfg(test)]
mod payload_schema;
mod picture_view;
mod pool_view;
mod profile;
mod quarantine_view;
mod recurs_view;
mod retry;
mod run_bodies;
mod run_diagnosis_view;
mod run_view;
mod schedule_view;
#[cfg(test)]
pub(crate) mod schema;
mod selector_body;
mod series_view;
mod state;
mod stats_view;
mod submission;
mod system_view;
mod task_body;
mod task_view;
mod text;
mod time;
mod timeline_view;
mod trigger_view;
mod waiting_view;
mod whole;
mod window_view;
mod worker_view;

pub(crate) use self::{
    amend_body::AmendBody,
    answers::{
        AppliedJob, AppliedView, BackfillChanged, BackfillPage, CordonedView, HealthView, JobChanged,
        JobPage, ManyResult, PoolPage, PublishedPage, ReadinessView, ReasonView, RecurringView, RerunView,
        RunChanged, RunPage, ScheduleChanged, SchedulePage, ScheduleStored, SettledView, TaskChanged,
        TaskListPage, TriggerPage, TriggeredView, UpcomingPage, VersionPage, VersionRow, VersionView,
        WindowPage, WorkerPage,
    },
    approval_view::{ApprovalView, approve_command},
    attempt_view::AttemptView,
    attention_view::{AdvisedView, AttentionView, ExampleView, FindingView, GlanceView},
    backfill_body::BackfillBody,
    backfill_view::{BackfillView, PlanView},
    bulk_body::{BulkBody, BulkOf},
    cron_preview::{CronPreviewBody, CronPreviewView, DstBody, FiringView},
    dead_letter_group_view::{GroupPage, GroupView},
    diagnosis_view::DiagnosisView,
    event_body::{
        BATCH_MAX as EVENT_BATCH_MAX, attribute as event_attribute, batch as event_batch,
        binary as binary_event, check as check_event, check_count as check_event_count, data as event_data,
        is_binary as is_binary_event, structured as structured_event,
    },
    flow_state::{parse_run_status, parse_trigger},
    history_view::{ChangeView, TaskHistory},
    item_view::{ItemPage, ItemRow},
    job_stats::{FiguresView, JobStats, VersionFigures},
    job_view::{JobView, LastRunView, RecentRunView, RecentView, raw},
    json::json_problem,
    keys::Keys,
    limit_view::{LimitKeyView, LimitPage, LimitView},
    log_view::{LogHitView, LogHits},
    names::name,
    operation_view::{OperationPage, OperationView},
    override_body::{DeadLettersBody, ForceTaskBody, OverrideBody},
    payload::{check as check_payload, too_deep},
    picture_view::{GraphView, GridRunView, GridView, ItemCountsView, StatesView},
    pool_view::PoolView,
    profile::TENANT_DEFAULT,
    quarantine_view::QuarantineView,
    retry::{BackoffWord, RetryBody},
    run_bodies::{ApproveBody, ClearBody, ForceRunBody, RerunBody, RunSelectorBody, TriggerBody},
    run_diagnosis_view::{
        FirstFailure, JobNeedView, LastErrorView, NodeDiagnosisView, RunDiagnosisView, UpstreamView,
    },
    run_view::{ItemsView, JobWaitView, NodeView, NoteView, RunView, SeenRun, TaskPage},
    schedule_view::{ScheduleView, describe},
    selector_body::SelectorBody,
    series_view::SeriesView,
    state::{parse_status, timer_word},
    stats_view::{DepthView, StatsView},
    submission::{Submission, event_scope, first_status, request_hash, request_key},
    system_view::{DiskView, SettingsView, SystemView},
    task_body::{
        DeliveryWord, LimitBody, PlacementBody, PriorityBody, ResourcesBody, TaskBody, TimeoutsBody,
    },
    task_view::{ErrorView, TaskView},
    time::{Moment, TimeBody, instant, parse_span, written},
    timeline_view::{SpanView, TaskTimesView, TimelineView},
    trigger_view::{BegunView, DeclinedView, LastView, PublishedView, TriggerView},
    waiting_view::{QueueView, WAIT_REASONS, WaitingPage, WaitingView},
    window_view::{LedgerPage, LedgerWindowView, UpcomingView, WindowRowView},
    worker_view::{CordonView, WorkerBody},
};
#[cfg(test)]
pub(crate) use self::{
    answers::{AcceptedView, BatchItem, BatchView},
    event_body::EventBody,
};
