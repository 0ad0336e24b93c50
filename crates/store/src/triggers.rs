//! Rows of triggers.

use mainspring_core::values::TriggerId;

/// Insert or replace; no row ever goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TriggerRow {
    pub id: TriggerId,
    /// The trigger as [`crate::format`] encodes it.
    pub bytes: Vec<u8>,
}
