//! Rows of the tables that cannot be read. What they stood for is out of reach until an operator has repaired the row
//! and released it. Kept by the runtime, which reads the rows.

use std::sync::Arc;

use crate::values::{Name, Wall};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QuarantineCommand {
    List,
    /// The row was repaired or is given up: read it again, and forget it if that works.
    Release {
        row: Name,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuarantinedRow {
    /// The id of the task or run.
    pub row: Name,
    pub why: Arc<str>,
    pub since: Wall,
}
