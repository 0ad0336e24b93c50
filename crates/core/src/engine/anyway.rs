//! Triggers that begin a run although no event came: each has a schedule of its own, whose window is skipped if one did.

use super::Engine;
use crate::schedule::Timing;
use crate::trigger::{ANYWAY, TriggerKey};
use crate::values::{ScheduleId, Wall};

impl Engine {
    /// Whether an event began a run since the window before; `None`: the schedule is not that of a trigger.
    pub(super) fn event_came(&self, id: ScheduleId, window: Wall) -> Option<bool> {
        let schedule = self.state.schedules.get(id)?;
        let name = schedule.key.name.strip_prefix(ANYWAY)?;
        let name = crate::values::Name::new(name).ok()?;
        let key = TriggerKey { tenant: schedule.key.tenant.clone(), job: schedule.key.job.clone(), name };
        let Timing::Table(table) = &schedule.spec.timing else { return None };
        let before = table.previous(window).unwrap_or(Wall::ZERO);
        let fired = self.state.triggers.find(&key).and_then(|hook| hook.last_fired.as_ref());
        Some(fired.is_some_and(|fired| fired.at > before))
    }
}
