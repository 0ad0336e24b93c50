//! Orders of the shard as messages to a worker.

use mainspring_core::decision::{Effect, ReportVerdict, Sensitive, Start};
use mainspring_core::task::StopReason;
use mainspring_core::values::{Epoch, Fence, Millis, Resources, TaskId};
use mainspring_definition::Secrets;
use mainspring_proto::v1;

pub(super) fn message(
    welcome: Option<v1::Welcome>,
    heartbeat: u64,
    orders: Vec<(Epoch, Effect)>,
) -> v1::ServerMessage {
    let mut message = v1::ServerMessage { welcome, heartbeat, ..v1::ServerMessage::default() };
    for (epoch, order) in orders {
        let epoch = epoch.get();
        match order {
            Effect::Start(start) => message.starts.push(v1::Start { epoch, ..self::start(&start) }),
            Effect::Stop { task, fence, grace, reason, .. } => {
                message.stops.push(v1::Stop { epoch, ..stop(task, fence, grace, reason) });
            }
            Effect::Acknowledge { task, fence, verdict, .. } => {
                message.acknowledgements.push(v1::Acknowledgement {
                    task: id(task),
                    fence: fence.bits(),
                    ignored: verdict != ReportVerdict::Recorded,
                    epoch,
                });
            }
            Effect::Drain { draining, .. } => message.draining = Some(draining),
            Effect::SessionLost { .. }
            | Effect::Alert { .. }
            | Effect::RunAlert { .. }
            | Effect::ScheduleAlert { .. }
            | Effect::RunEnded { .. }
            | Effect::JobDeleted { .. }
            | Effect::Changed { .. }
            | Effect::News(_) => {}
        }
    }
    message
}

fn start(start: &Start) -> v1::Start {
    let profile = &start.profile;
    v1::Start {
        task: id(start.task),
        fence: start.fence.bits(),
        attempt: start.attempt,
        tenant: profile.tenant.as_str().to_owned(),
        job: profile.job.as_str().to_owned(),
        executor: profile.executor.as_str().to_owned(),
        payload: start.payload.to_vec(),
        checkpoint: start.checkpoint.as_ref().map(|bytes| bytes.to_vec()),
        memory_bytes: start.memory_bytes.unwrap_or(0),
        hard_timeout_ms: profile.limits.hard.map_or(0, Millis::get),
        grace_ms: profile.limits.grace.get(),
        resources: resources(&profile.requirements.resources),
        exclusive: start.exclusive,
        epoch: 0,
        secrets: start.sensitive.as_ref().map(secrets).unwrap_or_default(),
    }
}

fn secrets(sensitive: &Sensitive) -> Vec<String> {
    Secrets::of(&sensitive.names, &sensitive.parameters).into_values()
}

fn stop(task: TaskId, fence: Fence, grace: Millis, reason: Option<StopReason>) -> v1::Stop {
    let reason = match reason {
        Some(StopReason::Cancel) => "cancel",
        Some(StopReason::HardTimeout) => "hard_timeout",
        Some(StopReason::NoProgress) => "no_progress",
        Some(StopReason::Preempt) => "preempt",
        Some(StopReason::ForceSucceeded | StopReason::ForceFailed | StopReason::ForceSkipped) => "force",
        None => "not_yours",
    };
    v1::Stop {
        task: id(task),
        fence: fence.bits(),
        grace_ms: grace.get(),
        reason: reason.to_owned(),
        epoch: 0,
    }
}

fn resources(resources: &Resources) -> Option<v1::Resources> {
    if resources.is_none() {
        return None;
    }
    let custom = resources.custom().iter().map(|(name, amount)| (name.as_str().to_owned(), *amount));
    Some(v1::Resources {
        cpu_milli: resources.cpu_milli,
        memory_bytes: resources.memory_bytes,
        disk_bytes: resources.disk_bytes,
        gpus: resources.gpus,
        custom: custom.collect(),
    })
}

fn id(task: TaskId) -> Vec<u8> {
    task.bits().to_be_bytes().to_vec()
}
