//! Which answers only tell something.

use super::Answer;
use crate::backfill::BackfillAnswer;
use crate::schedule::ScheduleAnswer;
use crate::workflow::FlowAnswer;

impl Answer {
    /// The answer to a question: nothing was changed for it, and nothing will be.
    pub const fn is_read(&self) -> bool {
        match self {
            Self::Task(_)
            | Self::CouldRun(_)
            | Self::Diagnosis(_)
            | Self::RunDiagnosis(_)
            | Self::Stats(_)
            | Self::Workers(_)
            | Self::Unfinished(_)
            | Self::Progress(_)
            | Self::Triggers(_)
            | Self::Quarantine(_)
            | Self::Flow(FlowAnswer::Job(_) | FlowAnswer::Jobs(_) | FlowAnswer::Found(_))
            | Self::Schedule(
                ScheduleAnswer::Schedule(_) | ScheduleAnswer::Schedules(_) | ScheduleAnswer::Upcoming(_),
            )
            | Self::Backfill(BackfillAnswer::Backfill(_)) => true,
            Self::Submitted { .. }
            | Self::AlreadySubmitted { .. }
            | Self::Now { .. }
            | Self::Stopping { .. }
            | Self::Process(_)
            | Self::Published(_)
            | Self::Remembered(_)
            | Self::Flow(_)
            | Self::Schedule(_)
            | Self::Backfill(_)
            | Self::Done => false,
        }
    }
}
