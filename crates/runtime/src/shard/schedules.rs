//! Schedules on their way to the tables and back.

use mainspring_core::engine::Engine;
use mainspring_store::format::{EncodedProfiles, ProfileCache, read_schedule, write_schedule};
use mainspring_store::{Cut, OpenError, Recovery, ScheduleRow};

use super::recover::unreadable;

/// What a schedule's row takes without its payload: key, timing, counters.
const ROW_BYTES: usize = 256;

/// Rows of what changed, and of the windows that were decided.
pub(super) fn add_rows(engine: &mut Engine, cut: &mut Cut, profiles: &mut EncodedProfiles) {
    let dirty = engine.state_mut().schedules_mut().take_dirty();
    let schedules = engine.state().schedules();
    cut.schedules = Vec::with_capacity(dirty.schedules.len());
    for schedule in dirty.schedules.iter().filter_map(|id| schedules.get(*id)) {
        let mut bytes = Vec::with_capacity(ROW_BYTES);
        write_schedule(&mut bytes, schedule, profiles);
        cut.schedules.push(ScheduleRow { id: schedule.id, bytes });
    }
    cut.occurrences = dirty.ledger;
}

/// Every schedule, deleted ones too: a name that comes back goes on where it stopped.
pub(super) fn load_all(
    engine: &mut Engine,
    recovery: &mut dyn Recovery,
    profiles: &mut ProfileCache,
) -> Result<u64, OpenError> {
    let schedules = engine.state_mut().schedules_mut();
    let (mut rows, mut failed) = (0, None);
    recovery.schedules(&mut |row| {
        rows += 1;
        if failed.is_some() {
            return;
        }
        let what = format!("row of schedule {}", row.id.get());
        match read_schedule(&row.bytes, profiles) {
            // Ids count from 0 and none ever goes: a gap is a row that was lost, or a number that was damaged.
            Ok(schedule) if schedule.id == row.id && row.id == schedules.next_id() => {
                schedules.load(schedule);
            }
            Ok(_) => {
                let why = format!("its number is not the next one, {}", schedules.next_id().get());
                failed = Some(OpenError::Unreadable { what, why });
            }
            Err(error) => failed = Some(unreadable(what)(error)),
        }
    })?;
    failed.map_or(Ok(rows), Err)
}
