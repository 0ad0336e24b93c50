//! Which answers only tell something.

use super::Answer;
use crate::backfill::decide::BackfillAnswer;
use crate::run::decide::RunAnswer;
use crate::schedule::decide::ScheduleAnswer;

impl Answer {
    /// The answer to a question: nothing was changed for it, and nothing will be.
    pub const fn is_read(&self) -> bool {
        match self {
            Self::Task(_)
            | Self::CouldRun(_)
            | Self::Diagnosis(_)
            | Self::RunDiagnosis(_)
            | Self::Released(_)
            | Self::Approvals(_)
            | Self::Stats(_)
            | Self::Limits(_)
            | Self::Waiting(_)
            | Self::Workers(_)
            | Self::Unfinished(_)
            | Self::Operations(_)
            | Self::Triggers(_)
            | Self::Quarantine(_)
            | Self::Run(RunAnswer::Job(_) | RunAnswer::Jobs(_) | RunAnswer::Found(_))
            | Self::Schedule(
                ScheduleAnswer::Schedule(_) | ScheduleAnswer::Schedules(_) | ScheduleAnswer::Upcoming(_),
            )
            | Self::Backfill(BackfillAnswer::Backfill(_)) => true,
            Self::Submitted { .. }
            | Self::AlreadySubmitted { .. }
            | Self::Now { .. }
            | Self::Stopping { .. }
            | Self::Operation(_)
            | Self::Published(_)
            | Self::Remembered(_)
            | Self::Cordon
            | Self::Run(_)
            | Self::Schedule(_)
            | Self::Backfill(_)
            | Self::Done => false,
        }
    }
}
