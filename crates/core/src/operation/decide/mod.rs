//! The next step of an operation.

mod bulk_cancel;
mod cancel_runs;

pub use self::bulk_cancel::{advance, matches};
pub use self::cancel_runs::matches as matches_run;
