//! Expressions (`params.day != ''`) and templates (`--day {{ params.day }}`): one small language without loops,
//! functions or a way to the world outside.
//! - EX-1 evaluation ends: its steps, what it reads and what it gives are bounded
//! - EX-2 an expression names the tasks it reads, so that they are known before anything runs
//! - EX-3 a value put into a text is never looked at again as a template, and never as shell text
//! - EX-4 what is undefined is a mistake, not an empty text
//!
//! Not here: which tasks and parameters exist (`check`).

mod cache;
mod context;
mod engine;
mod json;
mod mentions;
mod payload;
mod shell;
mod source;
mod template;
#[cfg(test)]
mod tests;

pub(crate) use self::shell::{VARIABLE, check as check_script};
pub use self::{
    cache::Cache,
    context::{Context, Document, Items, Outputs, TaskState, Told, Upstream, Window},
    json::Json,
    mentions::{Mentions, TaskMention},
    payload::{Kind, Payload},
    source::{Bad, Expression},
    template::Template,
};
