//! What a decision reads and what it gives: a view of the state, a refusal, orders to the shell.
//! - DE-1 a decision changes nothing durable: it reads a [`View`] and adds events to an [`Out`], or refuses. It may draw chance
//!   and spend retry budget and pace, which are soft and not given back

mod effect;
mod key_outcome;
mod news;
mod out;
mod rejection;
mod retry_state;
mod view;

pub use self::{
    effect::{Alert, Effect, ReportVerdict, RunAlert, Sensitive, Start},
    key_outcome::KeyOutcome,
    news::{Happening, NamedChange, News, OperationChange, RunChange, WorkerChange},
    out::{Mark, Next, Out},
    rejection::{Rejection, Repaired},
    retry_state::RetryState,
    view::View,
};
