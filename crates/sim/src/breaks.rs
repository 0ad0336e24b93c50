//! Break modes: rules that are switched off, one at a time, to prove that a checker notices.
//! Entry: [`BreakMode`]. The rules themselves are in the core, the runtime, the simulated store and worker.

use std::fmt;
use std::str::FromStr;

use mainspring_core::values::Breaks;
use mainspring_runtime::Trust;
use mainspring_runtime::config::RuntimeBreaks;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BreakMode {
    /// Reports are believed whatever fence they carry.
    Fence,
    /// Answers leave before their record is durable.
    EarlyAnswer,
    /// Effects leave before their record is durable.
    EarlyEffect,
    /// A cut is written without waiting for its record.
    CheckpointPastDurable,
    /// A loaded row replaces what memory holds.
    PageInOverMemory,
    /// Keys and ended tasks leave memory although older reads of the tables are on their way.
    NoBarrier,
    /// A worker's hello leaves out the results it has not got acknowledged.
    HelloWithoutSpool,
    /// After recovery no timer is armed.
    TimerNotRearmed,
    /// After recovery workers are judged by when the previous owner last heard them.
    LeaseClockWhileDown,
    /// An append whose outcome is unknown is taken for done.
    UnknownIsDone,
    /// The store takes records and cuts of an owner that has been replaced.
    EpochNotLocked,
    /// A node that was ready is released although it has ended since.
    JoinTwice,
    /// An item of a mapped node that is cleared goes on beside its successor.
    ClearedItemGoesOn,
    /// After recovery runs are not looked at before something happens in them.
    RunNotRelisted,
    /// A node whose rule says that it must not run is released.
    ReleaseIgnoresRule,
    /// After recovery attempts hold no places in named limits.
    PermitsForgotten,
    /// After recovery schedules get no timers.
    ScheduleNotRearmed,
    /// What a window begins may begin again: the record of it is forgotten.
    WindowForgotten,
    /// After recovery nobody hears of what tasks wait for.
    WaitNotHeard,
    /// After recovery backfills begin with their first window again.
    BackfillForgetsCursor,
    /// An event that came before is taken again.
    EventTwice,
    /// A wait for events of any type is ended by the server's own events.
    OwnEventWait,
    /// A worker that says hello again gets work although it is cordoned.
    CordonForgotten,
    /// After recovery schedules and triggers do not know which of their runs go on.
    LinksNotDerived,
    /// After a pause of the server workers are judged before what they said meanwhile was read.
    JudgeBeforeReading,
    /// The wall clock is believed whatever it says.
    TrustTheClock,
    /// Triggers that an end had no room for in its record never hear of it.
    AnnounceLater,
    /// The host of a worker hands on orders of an owner that has been replaced, and orders over a link that broke.
    LateOrders,
    /// Anybody may approve what waits for the approval of others.
    ApprovalByAnybody,
    /// A job is changed whatever revision of it was seen.
    RevisionIgnored,
    /// Of jobs that are applied together, those before one that is refused are stored.
    ApplyInParts,
}

impl BreakMode {
    pub const ALL: [Self; 31] = [
        Self::Fence,
        Self::EarlyAnswer,
        Self::EarlyEffect,
        Self::CheckpointPastDurable,
        Self::PageInOverMemory,
        Self::NoBarrier,
        Self::HelloWithoutSpool,
        Self::TimerNotRearmed,
        Self::LeaseClockWhileDown,
        Self::UnknownIsDone,
        Self::EpochNotLocked,
        Self::JoinTwice,
        Self::ClearedItemGoesOn,
        Self::RunNotRelisted,
        Self::ReleaseIgnoresRule,
        Self::PermitsForgotten,
        Self::ScheduleNotRearmed,
        Self::WindowForgotten,
        Self::WaitNotHeard,
        Self::BackfillForgetsCursor,
        Self::EventTwice,
        Self::OwnEventWait,
        Self::CordonForgotten,
        Self::LinksNotDerived,
        Self::JudgeBeforeReading,
        Self::TrustTheClock,
        Self::AnnounceLater,
        Self::LateOrders,
        Self::ApprovalByAnybody,
        Self::RevisionIgnored,
        Self::ApplyInParts,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Fence => "fence",
            Self::EarlyAnswer => "early-answer",
            Self::EarlyEffect => "early-effect",
            Self::CheckpointPastDurable => "checkpoint-past-durable",
            Self::PageInOverMemory => "page-in-over-memory",
            Self::NoBarrier => "no-barrier",
            Self::HelloWithoutSpool => "hello-without-spool",
            Self::TimerNotRearmed => "timer-not-rearmed",
            Self::LeaseClockWhileDown => "lease-clock-while-down",
            Self::UnknownIsDone => "unknown-is-done",
            Self::EpochNotLocked => "epoch-not-locked",
            Self::JoinTwice => "join-twice",
            Self::ClearedItemGoesOn => "cleared-item-goes-on",
            Self::RunNotRelisted => "run-not-relisted",
            Self::ReleaseIgnoresRule => "release-ignores-rule",
            Self::PermitsForgotten => "permits-forgotten",
            Self::ScheduleNotRearmed => "schedule-not-rearmed",
            Self::WindowForgotten => "window-forgotten",
            Self::WaitNotHeard => "wait-not-heard",
            Self::BackfillForgetsCursor => "backfill-forgets-cursor",
            Self::EventTwice => "event-twice",
            Self::OwnEventWait => "own-event-wait",
            Self::CordonForgotten => "cordon-forgotten",
            Self::LinksNotDerived => "links-not-derived",
            Self::JudgeBeforeReading => "judge-before-reading",
            Self::TrustTheClock => "trust-the-clock",
            Self::AnnounceLater => "announce-later",
            Self::LateOrders => "late-orders",
            Self::ApprovalByAnybody => "approval-by-anybody",
            Self::RevisionIgnored => "revision-ignored",
            Self::ApplyInParts => "apply-in-parts",
        }
    }

    pub(crate) fn in_core(mode: Option<Self>) -> Breaks {
        Breaks {
            fence: mode == Some(Self::Fence),
            page_in_over_memory: mode == Some(Self::PageInOverMemory),
            timer_not_rearmed: mode == Some(Self::TimerNotRearmed),
            lease_runs_while_down: mode == Some(Self::LeaseClockWhileDown),
            join_twice: mode == Some(Self::JoinTwice),
            cleared_item_goes_on: mode == Some(Self::ClearedItemGoesOn),
            run_not_relisted: mode == Some(Self::RunNotRelisted),
            release_ignores_rule: mode == Some(Self::ReleaseIgnoresRule),
            permits_forgotten: mode == Some(Self::PermitsForgotten),
            schedule_not_rearmed: mode == Some(Self::ScheduleNotRearmed),
            window_forgotten: mode == Some(Self::WindowForgotten),
            wait_not_heard: mode == Some(Self::WaitNotHeard),
            backfill_forgets_cursor: mode == Some(Self::BackfillForgetsCursor),
            event_twice: mode == Some(Self::EventTwice),
            own_event_wait: mode == Some(Self::OwnEventWait),
            cordon_forgotten: mode == Some(Self::CordonForgotten),
            links_not_derived: mode == Some(Self::LinksNotDerived),
            judge_before_reading: mode == Some(Self::JudgeBeforeReading),
            announcement_dropped: mode == Some(Self::AnnounceLater),
            approval_by_anybody: mode == Some(Self::ApprovalByAnybody),
            revision_ignored: mode == Some(Self::RevisionIgnored),
            apply_in_parts: mode == Some(Self::ApplyInParts),
        }
    }

    pub(crate) fn trust(mode: Option<Self>) -> Trust {
        if mode == Some(Self::TrustTheClock) { Trust::Blind } else { Trust::Verify }
    }

    pub(crate) fn in_runtime(mode: Option<Self>) -> RuntimeBreaks {
        RuntimeBreaks {
            early_answer: mode == Some(Self::EarlyAnswer),
            early_effect: mode == Some(Self::EarlyEffect),
            checkpoint_past_durable: mode == Some(Self::CheckpointPastDurable),
            no_barrier: mode == Some(Self::NoBarrier),
            unknown_is_done: mode == Some(Self::UnknownIsDone),
        }
    }
}

impl fmt::Display for BreakMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text names no break mode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownBreakMode(pub String);

impl fmt::Display for UnknownBreakMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = BreakMode::ALL.into_iter().map(BreakMode::name).collect();
        write!(f, "`{}` is no break mode; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownBreakMode {}

impl FromStr for BreakMode {
    type Err = UnknownBreakMode;

    fn from_str(text: &str) -> Result<Self, UnknownBreakMode> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.name() == text)
            .ok_or_else(|| UnknownBreakMode(text.to_owned()))
    }
}
