//! Break modes: rules that the simulator switches off, one at a time, to prove that its checkers notice.
//! All are off wherever the product runs; nothing but the simulator can set them.

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Breaks {
    /// Reports are believed whatever fence they carry.
    pub fence: bool,
    /// A loaded row replaces what memory holds.
    pub page_in_over_memory: bool,
    /// After recovery no timer is armed.
    pub timer_not_rearmed: bool,
    /// After recovery workers are judged by when the previous owner last heard them.
    pub lease_runs_while_down: bool,
    /// A node that was ready is released although it has ended since.
    pub join_twice: bool,
    /// An item of a mapped node that is cleared goes on beside its successor.
    pub cleared_item_goes_on: bool,
    /// After recovery runs are not looked at before something happens in them.
    pub run_not_relisted: bool,
    /// A node whose rule says that it must not run is released.
    pub release_ignores_rule: bool,
    /// After recovery attempts hold no places in named limits.
    pub permits_forgotten: bool,
    /// After recovery schedules get no timers.
    pub schedule_not_rearmed: bool,
    /// After recovery schedules look again at what they had decided in the last minute.
    pub window_forgotten: bool,
    /// After recovery nobody hears of what tasks wait for.
    pub wait_not_heard: bool,
    /// After recovery backfills begin with their first window again.
    pub backfill_forgets_cursor: bool,
    /// An event that came before is taken again.
    pub event_twice: bool,
    /// A wait for events of any type is ended by the server's own events.
    pub own_event_wait: bool,
    /// A worker that says hello again gets work although it is cordoned.
    pub cordon_forgotten: bool,
    /// After recovery schedules and triggers do not know which of their runs go on.
    pub links_not_derived: bool,
    /// After a stall of the server workers are judged before what they said meanwhile was read.
    pub judge_before_reading: bool,
    /// Triggers that an end had no room for in its record do not hear of it.
    pub announcement_dropped: bool,
    /// Anybody may approve what waits for the approval of others.
    pub approval_by_anybody: bool,
    /// A job or schedule is changed whatever revision of it was seen.
    pub revision_ignored: bool,
    /// Of jobs that are applied together, those before one that is refused are stored.
    pub apply_in_parts: bool,
}
