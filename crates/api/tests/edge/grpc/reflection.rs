//! Tools can ask what there is, and whether it serves.

use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::{v1, v1alpha};

use super::Clients;
use crate::rig::Rig;

const OURS: [&str; 13] = [
    "mainspring.v1.BackfillService",
    "mainspring.v1.DeadLetterService",
    "mainspring.v1.EventService",
    "mainspring.v1.JobService",
    "mainspring.v1.PoolService",
    "mainspring.v1.RunService",
    "mainspring.v1.ScheduleService",
    "mainspring.v1.StatsService",
    "mainspring.v1.StoreService",
    "mainspring.v1.TaskService",
    "mainspring.v1.TriggerService",
    "mainspring.v1.WorkerAdminService",
    "mainspring.v1.WorkerService",
];

#[tokio::test(flavor = "multi_thread")]
async fn both_versions_of_reflection_name_every_service() {
    let rig = Rig::start().await;
    let grpc = Clients::of(&rig).await;
    let mut client = v1::server_reflection_client::ServerReflectionClient::new(grpc.channel.clone());
    let ask = v1::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(v1::server_reflection_request::MessageRequest::ListServices(String::new())),
    };
    let mut answers =
        client.server_reflection_info(tokio_stream::once(ask)).await.expect("asked").into_inner();
    let answer = answers.message().await.expect("answered").expect("one").message_response;
    let Some(v1::server_reflection_response::MessageResponse::ListServicesResponse(list)) = answer else {
        panic!("{answer:?}");
    };
    let names: Vec<&str> = list.service.iter().map(|service| service.name.as_str()).collect();
    assert!(OURS.iter().all(|ours| names.contains(ours)), "{names:?}");
    assert!(names.contains(&"grpc.health.v1.Health"), "{names:?}");

    let mut client = v1alpha::server_reflection_client::ServerReflectionClient::new(grpc.channel.clone());
    let symbol = "mainspring.v1.TaskSpec".to_owned();
    let ask = v1alpha::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(v1alpha::server_reflection_request::MessageRequest::FileContainingSymbol(
            symbol,
        )),
    };
    let mut answers =
        client.server_reflection_info(tokio_stream::once(ask)).await.expect("asked").into_inner();
    let answer = answers.message().await.expect("answered").expect("one").message_response;
    assert!(
        matches!(
            answer,
            Some(v1alpha::server_reflection_response::MessageResponse::FileDescriptorResponse(_))
        ),
        "{answer:?}"
    );
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn health_serves_until_the_server_stops() {
    let rig = Rig::start().await;
    let grpc = Clients::of(&rig).await;
    let mut client = HealthClient::new(grpc.channel.clone());
    for service in OURS.into_iter().chain([""]) {
        let request = HealthCheckRequest { service: service.to_owned() };
        let answer = client.check(request).await.expect("known").into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{service}");
    }
    let watch = HealthCheckRequest { service: OURS[2].to_owned() };
    let mut watched = client.watch(watch).await.expect("watched").into_inner();
    assert_eq!(
        watched.message().await.expect("told").map(|told| told.status()),
        Some(ServingStatus::Serving)
    );
    // One that watches must not keep a stopping server waiting.
    let stopping = tokio::time::timeout(std::time::Duration::from_secs(8), rig.stop());
    let (stopped, told) = tokio::join!(stopping, async { watched.message().await });
    assert!(stopped.is_ok(), "the server stops well before its drain time is over");
    assert!(!matches!(&told, Ok(Some(told)) if told.status() == ServingStatus::Serving), "{told:?}");
}
