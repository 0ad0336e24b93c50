//! What a decision reads and what it gives: a view of the state, a refusal, orders to the shell.
//! - DE-1 a decision changes nothing: it reads a [`View`] and pushes events, or refuses

mod effect;
mod key_outcome;
mod news;
mod out;
mod rejection;
mod retry_state;
mod view;

pub use self::{
    effect::{Alert, Effect, ReportVerdict, RunAlert, Start},
    key_outcome::KeyOutcome,
    news::{Happening, News, RunChange},
    out::{Mark, Next, Out},
    rejection::Rejection,
    retry_state::RetryState,
    view::View,
};
