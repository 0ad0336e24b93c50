//! Messages of a worker as commands to the shard. What a worker says is checked like any caller's word.

use std::sync::Arc;

use mainspring_core::task::decide::{Report, ReportKind};
use mainspring_core::values::{
    AttemptDetails, CUSTOM_RESOURCES_MAX, Epoch, Failure, FailureClass, Fence, Incarnation, LABELS_MAX,
    MESSAGE_BYTES_MAX, Millis, Name, PROGRESS_BYTES_MAX, Resources, Session, TaskId, WorkerId, resource_name,
};
use mainspring_core::worker::decide::{Hello, Holding};
use mainspring_core::worker::{EXECUTORS_MAX, WorkerOffer};
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;

/// Most attempts that one worker runs at once.
const SLOTS_MAX: u32 = 1_000_000;

pub(super) fn hello(hello: &v1::Hello) -> Result<Hello, String> {
    let worker = bits(&hello.worker).map(WorkerId::from_bits).filter(|worker| *worker != WorkerId::NONE);
    let worker = worker.ok_or("`worker` must be 16 bytes, not all zero")?;
    let offer = hello.offer.as_ref().ok_or("`offer` is missing")?;
    let holding = hello.holding.iter().map(|held| {
        let task = bits(&held.task).map(TaskId::from_bits).ok_or("a held `task` must be 16 bytes")?;
        let (fence, ran) = (Fence::from_bits(held.fence), held.ran_ms.map(Millis::new));
        Ok::<_, String>(Holding { task, fence, ran })
    });
    let link = u16::try_from(hello.link).ok().filter(|_| hello.session > 0);
    let session = link.and_then(|link| Session::linked(hello.session, link));
    Ok(Hello {
        worker,
        epoch: Epoch::new(hello.epoch),
        session: session.ok_or("`session` must be from 1 to 2^48 - 1, and `link` below 2^16")?,
        incarnation: Incarnation::new(hello.incarnation),
        offer: self::offer(offer)?,
        holding: holding.collect::<Result<_, _>>()?,
    })
}

fn offer(offer: &v1::Offer) -> Result<WorkerOffer, String> {
    if offer.slots > SLOTS_MAX {
        return Err(format!("`slots` is {} of at most {SLOTS_MAX}", offer.slots));
    }
    if offer.labels.len() > LABELS_MAX {
        return Err(format!("there are {} labels of at most {LABELS_MAX}", offer.labels.len()));
    }
    let mut labels = offer
        .labels
        .iter()
        .map(|(key, value)| Ok((name("label", key)?, name("label", value)?)))
        .collect::<Result<Vec<_>, String>>()?;
    labels.sort();
    if offer.executors.len() > EXECUTORS_MAX {
        return Err(format!("there are {} executors of at most {EXECUTORS_MAX}", offer.executors.len()));
    }
    let executors = offer.executors.iter().map(|known| name("executor", known)).collect::<Result<_, _>>()?;
    let pool = if offer.pool.is_empty() { "default" } else { &offer.pool };
    Ok(WorkerOffer {
        pool: name("pool", pool)?,
        slots: offer.slots,
        capacity: offer.capacity.as_ref().map(resources).transpose()?.unwrap_or_default(),
        labels,
        zone: name("zone", &offer.zone)?,
        executors,
    })
}

fn resources(resources: &v1::Resources) -> Result<Resources, String> {
    if resources.custom.len() > CUSTOM_RESOURCES_MAX {
        return Err(format!(
            "there are {} custom resources of at most {CUSTOM_RESOURCES_MAX}",
            resources.custom.len()
        ));
    }
    let custom = resources
        .custom
        .iter()
        .map(|(key, amount)| {
            let name = resource_name(key).map_err(|bad| format!("resource `{key}`: {bad}"))?;
            Ok((name, *amount))
        })
        .collect::<Result<Vec<_>, String>>()?;
    let v1::Resources { cpu_milli, memory_bytes, disk_bytes, gpus, .. } = *resources;
    Ok(Resources::new(cpu_milli, memory_bytes, disk_bytes, gpus).with_custom(custom))
}

pub(super) fn report(report: v1::Report, worker: WorkerId, session: Session) -> Result<Report, String> {
    let task = bits(&report.task).map(TaskId::from_bits).ok_or("a report's `task` must be 16 bytes")?;
    let what = match report.what.ok_or("a report says nothing, or something newer than this server")? {
        What::Accepted(_) => ReportKind::Accepted,
        What::Refused(_) => ReportKind::Refused,
        What::Progress(text) => ReportKind::Progress(progress(&text)),
        What::Checkpoint(bytes) => ReportKind::Checkpoint(bytes.into()),
        What::ExtendMs(by) => ReportKind::Extend(Millis::new(by)),
        What::Success(success) => ReportKind::Succeeded { output: success.output.map(Arc::from) },
        What::Failure(failure) => {
            let read = self::failure(&failure);
            // A process that ended while nobody looked is reported as lost; that is no knowledge either.
            let unknown = failure.outcome_unknown || read.class == FailureClass::WorkerLost;
            if unknown { ReportKind::Vanished(read) } else { ReportKind::Failed(read) }
        }
        What::DeferMs(after) => ReportKind::Deferred { resume_after: Millis::new(after) },
    };
    let details = report.details.map(|details| Box::new(self::details(&details)));
    Ok(Report { worker, session, task, fence: Fence::from_bits(report.fence), what, details })
}

fn details(details: &v1::AttemptDetails) -> AttemptDetails {
    AttemptDetails {
        memory_peak_bytes: details.memory_peak_bytes,
        cpu_ms: details.cpu_ms,
        ran_ms: details.ran_ms,
        progress: details.progress.as_deref().and_then(progress),
        waited_for: None,
    }
}

fn progress(text: &str) -> Option<Box<str>> {
    let end = text.floor_char_boundary(PROGRESS_BYTES_MAX);
    (end > 0).then(|| text[..end].into())
}

/// A class that we do not know counts as transient: it is tried again, within its bounds.
fn failure(failure: &v1::Failure) -> Failure {
    let known = FailureClass::ALL.into_iter().find(|class| class.label() == failure.class);
    let end = failure.message.floor_char_boundary(MESSAGE_BYTES_MAX);
    Failure::new(known.unwrap_or(FailureClass::Transient), failure.code, &failure.message[..end])
}

fn bits(bytes: &[u8]) -> Option<u128> {
    bytes.try_into().ok().map(u128::from_be_bytes)
}

fn name(what: &str, text: &str) -> Result<Name, String> {
    Name::new(text).map_err(|bad| format!("{what}: {bad}"))
}
