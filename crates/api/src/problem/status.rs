//! The HTTP status of each problem, and of each refusal of the core.

use http::StatusCode;
use mainspring_core::backfill::BackfillRefusal;
use mainspring_core::decision::Rejection;
use mainspring_core::run::RunRefusal;
use mainspring_core::schedule::ScheduleRefusal;

use super::Problem;

impl Problem {
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Rejected(rejection) => status_of(rejection),
            Self::Events(problem) => problem.status(),
            Self::Workers(problem) => problem.status(),
            Self::Access(problem) => problem.status(),
            Self::Calendar(problem) => problem.status(),
            Self::InvalidJson { .. }
            | Self::InvalidField { .. }
            | Self::InvalidQuery { .. }
            | Self::NameTooLong { .. }
            | Self::TooManyEntries { .. }
            | Self::KeyTooLong { .. }
            | Self::BodyUnreadable
            | Self::CursorExpired
            | Self::PageTooLong { .. }
            | Self::UnknownExecutor { .. } => StatusCode::BAD_REQUEST,
            Self::JobFileInvalid { .. } | Self::ParametersInvalid { .. } | Self::ScheduleInvalid { .. } => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::BodyTooLarge { .. } | Self::BatchTooLong { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::WorkerNotFound { .. }
            | Self::PoolNotFound { .. }
            | Self::OperationNotFound { .. }
            | Self::NoSuchTask { .. }
            | Self::NoSuchBackfill { .. }
            | Self::NoSuchRun { .. }
            | Self::RouteNotFound { .. } => StatusCode::NOT_FOUND,
            Self::TooManyFollowers { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::MethodNotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::ServerBusy | Self::OutcomeUnknown { .. } => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl From<Rejection> for Problem {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

pub(super) fn status_of(rejection: &Rejection) -> StatusCode {
    match rejection {
        Rejection::TaskNotFound { .. } | Rejection::RowNotQuarantined { .. } => StatusCode::NOT_FOUND,
        Rejection::Run(refusal) => flow_status(refusal),
        Rejection::Schedule(refusal) => schedule_status(refusal),
        Rejection::Backfill(refusal) => backfill_status(refusal),
        Rejection::Trigger(_) => StatusCode::TOO_MANY_REQUESTS,
        Rejection::TaskAlreadyRunning { .. }
        | Rejection::TaskAlreadyEnded { .. }
        | Rejection::TaskAlreadyStarted { .. }
        | Rejection::TaskNotEnded { .. }
        | Rejection::OperationNotRunning { .. }
        | Rejection::NotADeadLetter { .. } => StatusCode::CONFLICT,
        Rejection::StateNotForcible { .. } | Rejection::KeyReused { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        Rejection::QueueFull { .. }
        | Rejection::TooManyTasks { .. }
        | Rejection::MemoryFull { .. }
        | Rejection::TooManyOperations { .. }
        | Rejection::TooManyCordons { .. } => StatusCode::TOO_MANY_REQUESTS,
        Rejection::PayloadTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        Rejection::TooManyPermits { .. }
        | Rejection::TooManyLabels { .. }
        | Rejection::TooFarAhead { .. } => StatusCode::BAD_REQUEST,
        Rejection::StoreBehind { .. } | Rejection::StoreUnavailable { .. } | Rejection::NotOwner => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Rejection::RowDamaged { .. } | Rejection::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn flow_status(refusal: &RunRefusal) -> StatusCode {
    match refusal {
        RunRefusal::JobNotFound { .. }
        | RunRefusal::RunNotFound { .. }
        | RunRefusal::NoSuchNode { .. }
        | RunRefusal::NoSuchItem { .. } => StatusCode::NOT_FOUND,
        RunRefusal::NoItems { .. }
        | RunRefusal::NothingFailed { .. }
        | RunRefusal::RunAlreadyEnded { .. }
        | RunRefusal::RunNotEnded { .. }
        | RunRefusal::WaitsForApproval { .. }
        | RunRefusal::ApprovalAlreadyDecided { .. }
        | RunRefusal::NoApprovalOpen { .. }
        | RunRefusal::SeveralApprovalsOpen { .. }
        | RunRefusal::TaskOfRun { .. } => StatusCode::CONFLICT,
        RunRefusal::ApproverNotAllowed { .. } => StatusCode::FORBIDDEN,
        RunRefusal::RunStateNotForcible { .. }
        | RunRefusal::ItemNotNamed { .. }
        | RunRefusal::LogicalTimeReused { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        RunRefusal::TooManyRuns { .. } | RunRefusal::TooManyJobs { .. } => StatusCode::TOO_MANY_REQUESTS,
        RunRefusal::JobChanged { .. } => StatusCode::PRECONDITION_FAILED,
    }
}

fn backfill_status(refusal: &BackfillRefusal) -> StatusCode {
    match refusal {
        BackfillRefusal::NotFound { .. } => StatusCode::NOT_FOUND,
        BackfillRefusal::AlreadyEnded { .. }
        | BackfillRefusal::Active { .. }
        | BackfillRefusal::PlanOld { .. } => StatusCode::CONFLICT,
        BackfillRefusal::NotBackfillable { .. } | BackfillRefusal::TooManyWindows { .. } => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        BackfillRefusal::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
    }
}

fn schedule_status(refusal: &ScheduleRefusal) -> StatusCode {
    match refusal {
        ScheduleRefusal::NotFound { .. } => StatusCode::NOT_FOUND,
        ScheduleRefusal::NeverFires { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        ScheduleRefusal::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
        ScheduleRefusal::Changed { .. } => StatusCode::PRECONDITION_FAILED,
    }
}
