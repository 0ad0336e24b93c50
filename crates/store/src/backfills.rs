//! Rows of backfills.

use mainspring_core::job::JobKey;
use mainspring_core::values::{BackfillId, Name, Wall};

/// Insert or replace; live and ended ones are in one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackfillRow {
    pub id: BackfillId,
    pub job: JobKey,
    /// `None` while it has not ended.
    pub ended: Option<Wall>,
    /// What never changes, as [`crate::format`] encodes it. In a cut `None` leaves it as it is; one that was read has it.
    pub spec: Option<Vec<u8>>,
    /// How far it has come, as [`crate::format`] encodes it.
    pub bytes: Vec<u8>,
}

/// Every field narrows; `None` does not. Newest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BackfillQuery {
    pub tenant: Option<Name>,
    pub job: Option<Name>,
    /// The last one of the page before this one.
    pub after: Option<BackfillId>,
    /// At most [`crate::PAGE_MAX`].
    pub limit: usize,
}

impl BackfillQuery {
    pub fn wants(&self, row: &BackfillRow) -> bool {
        self.tenant.as_ref().is_none_or(|tenant| row.job.tenant == *tenant)
            && self.job.as_ref().is_none_or(|job| row.job.name == *job)
            && self.after.is_none_or(|after| row.id < after)
    }
}
