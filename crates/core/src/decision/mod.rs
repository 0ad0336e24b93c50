//! What a decision reads and what it gives: a view of the state, a refusal, orders to the shell.
//! - DE-1 a decision changes nothing: it reads a [`View`] and pushes events, or refuses

mod effect;
mod key_outcome;
mod news;
mod rejection;
mod view;

pub use self::{
    effect::{Alert, Effect, ReportVerdict, RunAlert, Start},
    key_outcome::KeyOutcome,
    news::{Happening, News, RunChange},
    rejection::Rejection,
    view::View,
};
