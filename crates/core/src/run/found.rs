//! What the tables know of a run that a task wants to wait for.

use super::state::Run;
use crate::wait::FoundRun;

impl FoundRun {
    /// Only ended runs leave memory: a row that says otherwise is of a newer owner, as the next append will tell.
    pub fn of<E>(found: &Result<Option<Box<Run>>, E>) -> Self {
        match found {
            Ok(None) => Self::Nothing,
            Ok(Some(run)) if run.status.is_ended() => {
                Self::Ended { tenant: run.job.tenant.clone(), status: run.status }
            }
            Ok(Some(_)) | Err(_) => Self::Unread,
        }
    }
}
