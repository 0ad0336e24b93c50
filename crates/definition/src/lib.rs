//! Job files: text in; plans, or every mistake at once, out. And the language inside of them, which the server
//! evaluates while runs are at work.
//! Entry: [`read`] for files, [`expression`] for the language.
//! - DF-1 no I/O: whoever has a file hands its text in
//! - DF-2 the same text gives the same plan, and so does its canonical form
//!
//! Not here: what a run does (`mainspring_core::run`).

mod check;
mod definition;
mod evaluator;
pub mod expression;
mod file;
pub mod limits;
mod mistake;
mod parameter;
mod schedule;
mod schema;
mod secret;
mod suggest;
mod target;
mod told;
pub mod wait;

pub use self::{
    definition::{Definition, Options, TENANT_DEFAULT, read},
    evaluator::Evaluator,
    mistake::{Code, Mistake, Position},
    parameter::{Parameter, ParameterType},
    schedule::{is_schedule_name, read_schedule, schedule_offset},
    schema::SCHEMA,
    secret::{MASK, Secrets, masked_run, masked_task},
};
