//! The commands a person can type.

pub(crate) mod apply;
pub(crate) mod bench;
pub(crate) mod completion;
pub(crate) mod config;
mod confirm;
mod connect;
pub(crate) mod cron;
pub(crate) mod dead_letter;
pub(crate) mod dev;
pub(crate) mod events;
pub(crate) mod job;
pub(crate) mod logs;
mod output;
pub(crate) mod pool;
mod progress;
pub(crate) mod run;
pub(crate) mod server;
pub(crate) mod sim;
pub(crate) mod stats;
pub(crate) mod submit;
mod submit_file;
pub(crate) mod task;
mod task_cancel;
mod task_list;
pub(crate) mod validate;
pub(crate) mod verify;
pub(crate) mod worker;
