//! Reads events of jobs and runs.

use std::sync::Arc;

use mainspring_core::job::Definition;
use mainspring_core::run::{
    ApprovalDecided, ItemsCleared, JobApplied, NodeStatus, Noted, Reused, RunCleared, RunCreated, RunEnded,
    RunEvent, Subject, TasksAdded,
};
use mainspring_core::values::RunStatus;

use super::event::kind;
use super::{names, origin, plan, run};
use crate::format::{FormatError, ProfileCache, Reader};

pub(in crate::format) fn read(
    r: &mut Reader<'_>,
    profiles: &mut ProfileCache,
) -> Result<RunEvent, FormatError> {
    let at = r.at();
    match r.byte("kind of event")? {
        0 => Err(FormatError::bad("kind of event", at, "is 0, which was never written")),
        kind::JOB_APPLIED => read_applied(r, profiles),
        kind::JOB_PAUSED => {
            Ok(RunEvent::JobPaused { key: Arc::new(names::read_key(r)?), paused: r.bool("paused")? })
        }
        kind::JOB_DELETED => Ok(RunEvent::JobDeleted { key: Arc::new(names::read_key(r)?) }),
        kind::RUN_CREATED => read_created(r, profiles),
        kind::RUN_CLEARED => Ok(RunEvent::RunCleared(Box::new(RunCleared {
            id: r.run_id()?,
            nodes: r.list("nodes", |r| r.varint32("node"))?,
            items: r.list("cleared items", read_items)?,
            over: r.over()?,
            ended: r.option("ended run", |r| run::read_whole(r, profiles).map(Box::new))?,
        }))),
        kind::RUN_ENDED => Ok(RunEvent::RunEnded(Box::new(RunEnded {
            id: r.run_id()?,
            status: run_status(r)?,
            output: r.option("output", |r| r.shared_bytes("output"))?,
            why: r.option("why", why)?,
        }))),
        kind::TASKS_ADDED => Ok(RunEvent::TasksAdded(Box::new(TasksAdded {
            run: r.run_id()?,
            node: r.varint32("node")?,
            nodes: r.list("nodes", |r| plan::read_node(r, profiles))?,
        }))),
        kind::JOB_NOTED => {
            let of = Subject::Job(Arc::new(names::read_key(r)?));
            read_noted(r, of)
        }
        kind::RUN_NOTED => {
            let of = Subject::Run(r.run_id()?);
            read_noted(r, of)
        }
        found if found > kind::NEWEST => Err(FormatError::newer("kind of event", at, found, kind::NEWEST)),
        kind => read_small(r, kind),
    }
}

fn read_items(r: &mut Reader<'_>) -> Result<ItemsCleared, FormatError> {
    let node = r.varint32("node")?;
    let mut next: u32 = 0;
    let items = r.list("items", |r| {
        let item = next.wrapping_add(r.varint32("item")?);
        next = item.wrapping_add(1);
        Ok(item)
    })?;
    Ok(ItemsCleared { node, items })
}

fn read_small(r: &mut Reader<'_>, kind: u8) -> Result<RunEvent, FormatError> {
    let at = r.at();
    let id = r.run_id()?;
    let node = |r: &mut Reader<'_>| r.varint32("node");
    Ok(match kind {
        kind::NODE_ENDED => RunEvent::NodeEnded {
            run: id,
            node: node(r)?,
            status: node_status(r)?,
            why: r.option("why", why)?,
        },
        kind::MAP_EXPANDED => RunEvent::MapExpanded { run: id, node: node(r)?, count: r.varint32("count")? },
        kind::MAP_CUT => RunEvent::MapCut { run: id, node: node(r)?, why: r.option("why", why)? },
        kind::JOB_AWAITED => RunEvent::JobAwaited { run: id, node: node(r)? },
        kind::APPROVAL_DECIDED => RunEvent::ApprovalDecided(Box::new(ApprovalDecided {
            run: id,
            place: run::read_place(r)?,
            approved: r.bool("approved")?,
            over: r.over()?,
        })),
        kind::RUN_REEVALUATED => RunEvent::RunReevaluated { id, over: r.over()? },
        kind::UNDO_SKIPPED => RunEvent::UndoSkipped { run: id, node: node(r)?, why: why(r)? },
        kind::RUN_STARTED => RunEvent::RunStarted { id },
        kind::RUN_PAUSED => RunEvent::RunPaused { id, pause: run::read_pause(r)? },
        kind::RUN_RESUMED => RunEvent::RunResumed { id },
        kind::RUN_STOPPING => RunEvent::RunStopping { id, stop: run::read_stop(r)? },
        kind::RUN_FORCED => RunEvent::RunForced { id, status: run_status(r)?, over: r.over()? },
        _ => return Err(FormatError::bad("kind of event", at, "has no such value")),
    })
}

fn read_noted(r: &mut Reader<'_>, of: Subject) -> Result<RunEvent, FormatError> {
    let over = r.over()?;
    Ok(RunEvent::Noted(Box::new(Noted { of, over, what: Arc::from(r.text("what")?) })))
}

fn why(r: &mut Reader<'_>) -> Result<Arc<str>, FormatError> {
    r.text("why").map(Arc::from)
}

fn run_status(r: &mut Reader<'_>) -> Result<RunStatus, FormatError> {
    r.choice("status of a run", RunStatus::from_index)
}

fn node_status(r: &mut Reader<'_>) -> Result<NodeStatus, FormatError> {
    r.choice("status of a node", NodeStatus::from_index)
}

fn read_applied(r: &mut Reader<'_>, profiles: &mut ProfileCache) -> Result<RunEvent, FormatError> {
    Ok(RunEvent::JobApplied(Box::new(JobApplied {
        key: Arc::new(names::read_key(r)?),
        version: r.varint32("version")?,
        definition: Definition {
            plan: Arc::new(plan::read(r, profiles)?),
            source: r.shared_bytes("source")?,
            hash: r.wide("hash")?,
        },
    })))
}

fn read_created(r: &mut Reader<'_>, profiles: &mut ProfileCache) -> Result<RunEvent, FormatError> {
    let id = r.run_id()?;
    let job = Arc::new(names::read_key(r)?);
    let version = r.varint32("version")?;
    let plan = r.option("plan", |r| plan::read(r, profiles).map(Arc::new))?;
    let parameters = r.shared_bytes("parameters")?;
    let priority = r.option("priority", Reader::priority)?;
    let labels = r.option("labels", Reader::labels)?;
    let key = r.option("key", Reader::key)?;
    let origin = origin::read(r)?;
    let fired_by = r.option("fired by", origin::read_fired_by)?;
    let reused = r.list("reused", read_reused)?;
    Ok(RunEvent::RunCreated(Box::new(RunCreated {
        plan,
        priority,
        labels,
        key,
        fired_by,
        reused,
        ..RunCreated::new(id, job, version, parameters, origin)
    })))
}

fn read_reused(r: &mut Reader<'_>) -> Result<Reused, FormatError> {
    Ok(Reused {
        node: r.varint32("node")?,
        status: node_status(r)?,
        outputs: r.list("outputs", |r| Ok((r.varint32("index")?, r.shared_bytes("output")?)))?,
        items: r.option("items", |r| r.varint32("items"))?,
    })
}
