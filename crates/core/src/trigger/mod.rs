//! Triggers: what begins when something is told, by others or by our own runs and tasks.
//! Entry: [`Triggers`], those of a shard; `engine::publish` is where every event goes through.
//! - TR-1 an event from outside is taken once by (tenant, source, id), and each trigger that it matches decides once
//!   about it, in the record that takes it
//! - TR-2 what a trigger does not begin is counted and told: an event is never lost without a trace
//! - TR-3 a window of an `after` trigger begins at most one run; what has succeeded so far is in the trigger's row
//! - TR-4 expressions are evaluated when something is decided; folding events evaluates nothing
//!
//! Not here: signatures of webhooks and the forms of `CloudEvents` (the edge), expressions (the `definition` crate).

pub(crate) mod apply;
pub mod decide;
mod event;
mod index;
mod ledger;
mod refusal;
mod spec;
mod table;

pub use self::event::{Succeeded, TriggerEvent, TriggerFailed, TriggerFired, TriggerStored};
pub use self::ledger::{LEDGER_MAX, Ledger, LedgerWindow};
pub use self::refusal::TriggerRefusal;
pub use self::spec::{ACTIVE_MAX_DEFAULT, AFTER_MAX, FALLBACK, On, TriggerKey, TriggerSpec};
pub use self::table::{LastFired, Skip, Trigger, TriggerSoft, Triggers};
