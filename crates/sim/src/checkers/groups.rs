//! BK-1, BK-2: every id lies in the group of its tenant and in the sub of its kind, and so does every row.
//! Every tenant of the world is in a group of its own (`settings::GROUPS`).

use mainspring_core::event::Event;
use mainspring_core::schedule::ScheduleEvent;
use mainspring_core::state::State;
use mainspring_core::trigger::TriggerEvent;
use mainspring_core::values::{Bucket, Name, TaskId};
use mainspring_store::Cut;

use super::{Check, require};
use crate::settings::GROUPS;

/// To be called with the state after the event.
pub(super) fn check_event(event: &Event, state: &State) -> Check {
    match event {
        Event::TaskSubmitted(submitted) => {
            let group = GROUPS.of(&submitted.task.profile.tenant);
            let named = submitted.key.is_some() || submitted.window.is_some();
            let sub = submitted.id.bucket().sub();
            require(submitted.id.bucket().group() == group, "BK-2", || {
                format!("{} is not in group {group}", submitted.id)
            })?;
            require((sub == 0) == named, "BK-1", || format!("{} is in sub {sub}", submitted.id))
        }
        Event::TaskSpawned { .. } => {
            let id = event.task().unwrap_or(TaskId::from_bits(0));
            let tenant = state.tasks().by_id(id).map(|task| &task.profile.tenant);
            home(id, tenant)
        }
        Event::Run(mainspring_core::run::RunEvent::RunCreated(created)) => {
            home(TaskId::from_bits(created.id.bits()), Some(&created.job.tenant))
        }
        Event::Backfill(mainspring_core::backfill::BackfillEvent::Created(created)) => {
            home(TaskId::from_bits(created.id.bits()), Some(&created.spec.key.tenant))
        }
        Event::Schedule(ScheduleEvent::Stored(stored)) => {
            counted(stored.id, stored.id.bucket(), &stored.key.tenant)
        }
        Event::Trigger(TriggerEvent::Stored(stored)) => {
            counted(stored.id, stored.id.bucket(), &stored.key.tenant)
        }
        _ => Ok(()),
    }
}

fn counted(id: impl std::fmt::Display, bucket: Bucket, tenant: &Name) -> Check {
    let wanted = Bucket::home(GROUPS.of(tenant));
    require(bucket == wanted, "BK-2", || format!("{id} is not in {wanted:?}"))
}

fn home(id: TaskId, tenant: Option<&Name>) -> Check {
    let wanted = tenant.map(|tenant| Bucket::home(GROUPS.of(tenant)));
    require(wanted == Some(id.bucket()), "BK-2", || format!("{id} is not in {wanted:?}"))
}

pub(super) fn check_rows(cut: &Cut, state: &State) -> Check {
    let task = |id: TaskId| state.tasks().by_id(id).map(|task| GROUPS.of(&task.profile.tenant));
    let live = cut.live.iter().map(|row| (row.id.to_string(), row.group, task(row.id)));
    let ended = cut.ended.iter().map(|row| (row.id.to_string(), row.group, Some(GROUPS.of(&row.tenant))));
    let runs = cut.runs.iter().map(|row| (row.id.to_string(), row.group, Some(GROUPS.of(&row.job.tenant))));
    let versions = cut.versions.iter().map(|row| {
        (format!("version {} of {}", row.version, row.key.name), row.group, Some(GROUPS.of(&row.key.tenant)))
    });
    let windows = cut.windows.iter().filter_map(|row| {
        let tenant = &state.schedules().get(row.schedule)?.key.tenant;
        Some((format!("a window of schedule {:?}", row.schedule), row.group, Some(GROUPS.of(tenant))))
    });
    let entities =
        cut.entities.iter().filter(|row| !row.tenant.is_empty()).map(|row| {
            (format!("{} {:#x}", row.kind.label(), row.id), row.group, Some(GROUPS.of(&row.tenant)))
        });
    let rows = live.chain(ended).chain(runs).chain(versions).chain(windows).chain(entities);
    for (what, stored, wanted) in rows {
        require(Some(stored) == wanted, "BK-2", || {
            format!("the row of {what} is in group {stored}, not {wanted:?}")
        })?;
    }
    Ok(())
}
