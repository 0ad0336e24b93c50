//! gRPC over real sockets, with clients made from the same definitions.

mod backfills;
mod errors;
mod events;
mod flows;
mod keys;
mod logs;
mod many;
mod parity;
mod reflection;
mod schedules;
mod verbs;

use mainspring_proto::v1;
use mainspring_proto::v1::backfill_service_client::BackfillServiceClient;
use mainspring_proto::v1::dead_letter_service_client::DeadLetterServiceClient;
use mainspring_proto::v1::event_service_client::EventServiceClient;
use mainspring_proto::v1::job_service_client::JobServiceClient;
use mainspring_proto::v1::operation_service_client::OperationServiceClient;
use mainspring_proto::v1::picture_service_client::PictureServiceClient;
use mainspring_proto::v1::pool_service_client::PoolServiceClient;
use mainspring_proto::v1::run_service_client::RunServiceClient;
use mainspring_proto::v1::schedule_service_client::ScheduleServiceClient;
use mainspring_proto::v1::stats_service_client::StatsServiceClient;
use mainspring_proto::v1::store_service_client::StoreServiceClient;
use mainspring_proto::v1::task_service_client::TaskServiceClient;
use mainspring_proto::v1::trigger_service_client::TriggerServiceClient;
use mainspring_proto::v1::worker_admin_service_client::WorkerAdminServiceClient;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use crate::rig::{Answered, Rig};

pub struct Clients {
    pub channel: Channel,
    pub tasks: TaskServiceClient<Channel>,
    pub dead: DeadLetterServiceClient<Channel>,
    pub workers: WorkerAdminServiceClient<Channel>,
    pub pools: PoolServiceClient<Channel>,
    pub stats: StatsServiceClient<Channel>,
    pub jobs: JobServiceClient<Channel>,
    pub runs: RunServiceClient<Channel>,
    pub pictures: PictureServiceClient<Channel>,
    pub schedules: ScheduleServiceClient<Channel>,
    pub backfills: BackfillServiceClient<Channel>,
    pub events: EventServiceClient<Channel>,
    pub triggers: TriggerServiceClient<Channel>,
    pub store: StoreServiceClient<Channel>,
    pub operations: OperationServiceClient<Channel>,
}

impl Clients {
    pub async fn of(rig: &Rig) -> Self {
        let channel = Channel::from_shared(format!("http://{}", rig.address)).expect("an address");
        let channel = channel.connect().await.expect("connects");
        Self {
            tasks: TaskServiceClient::new(channel.clone()),
            dead: DeadLetterServiceClient::new(channel.clone()),
            workers: WorkerAdminServiceClient::new(channel.clone()),
            pools: PoolServiceClient::new(channel.clone()),
            stats: StatsServiceClient::new(channel.clone()),
            jobs: JobServiceClient::new(channel.clone()),
            runs: RunServiceClient::new(channel.clone()),
            pictures: PictureServiceClient::new(channel.clone()),
            schedules: ScheduleServiceClient::new(channel.clone()),
            backfills: BackfillServiceClient::new(channel.clone()),
            events: EventServiceClient::new(channel.clone()),
            triggers: TriggerServiceClient::new(channel.clone()),
            store: StoreServiceClient::new(channel.clone()),
            operations: OperationServiceClient::new(channel.clone()),
            channel,
        }
    }

    pub async fn submit(&mut self, spec: v1::TaskSpec) -> Result<v1::SubmitResponse, Status> {
        let request = v1::SubmitRequest { task: Some(spec) };
        self.tasks.submit(request).await.map(tonic::Response::into_inner)
    }

    pub async fn get(&mut self, task_id: &str) -> v1::Task {
        let request = v1::GetTaskRequest { task_id: task_id.to_owned(), wait: None };
        self.tasks.get(request).await.expect("it is there").into_inner()
    }
}

pub fn noop() -> v1::TaskSpec {
    v1::TaskSpec { task_type: "noop".into(), ..v1::TaskSpec::default() }
}

pub fn with_metadata<T>(message: T, pairs: &[(&'static str, &str)]) -> Request<T> {
    let mut request = Request::new(message);
    for (key, value) in pairs {
        request.metadata_mut().insert(*key, value.parse().expect("a value"));
    }
    request
}

/// Both edges refuse the same for the same reason.
pub fn refused_alike(rows: impl IntoIterator<Item = (&'static str, Answered, Option<Status>)>) {
    for (name, rest, refused) in rows {
        let refused = refused.unwrap_or_else(|| panic!("{name} was not refused"));
        assert_eq!(rest.code(), reason(&refused), "{name}");
        let code = match rest.status {
            404 => Code::NotFound,
            409 => Code::FailedPrecondition,
            400 | 422 => Code::InvalidArgument,
            other => panic!("{name}: {other}"),
        };
        assert_eq!(refused.code(), code, "{name}");
    }
}

/// The error code of a refusal.
#[track_caller]
pub fn reason(status: &Status) -> String {
    let details = status.get_error_details();
    let info = details.error_info().unwrap_or_else(|| panic!("no error info in {status:?}"));
    assert_eq!(info.domain, "mainspring");
    assert_eq!(info.metadata["docs"], format!("/docs/errors/{}", info.reason));
    assert!(!info.metadata["advice"].is_empty());
    info.reason.clone()
}
