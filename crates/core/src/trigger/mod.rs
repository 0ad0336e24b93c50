//! Triggers: what begins when something is told, by others or by our own runs and tasks.
//! Entry: [`Triggers`], those of a shard; `machine::publish` is where every event goes through.
//! - TR-1 an event from outside is taken once by (tenant, source, id), and each trigger that it matches decides once
//!   about it, in the record that takes it
//! - TR-2 what a trigger does not begin is counted and told: an event is never lost without a trace
//! - TR-3 a window of an `after` trigger begins at most one run; what has succeeded so far is in the trigger's row
//! - TR-4 expressions are evaluated when something is decided; folding events evaluates nothing
//!
//! Not here: signatures of webhooks and the forms of `CloudEvents` (the edge), expressions (the `definition` crate).

pub(crate) mod apply;
pub(crate) mod command;
mod event;
mod index;
mod ledger;
mod notice;
mod spec;
mod table;

pub(crate) use self::command::FAN_OUT_MAX;
pub use self::{
    command::{Begun, Declined, Publish, Published, TriggerRefusal},
    event::{HookFailed, HookFired, HookStored, Succeeded, TriggerEvent},
    ledger::{LEDGER_MAX, Ledger, Span},
    notice::{ATTRIBUTE_BYTES_MAX, Cause, DATA_BYTES_MAX, DEPTH_MAX, Notice, OWN_PREFIX},
    spec::{ACTIVE_MAX_DEFAULT, AFTER_MAX, ANYWAY, On, Pattern, TriggerKey, TriggerSpec},
    table::{Hook, LastFired, Skip, Soft, Triggers},
};
