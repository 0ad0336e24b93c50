//! The commands a person can type.

pub(crate) mod bench;
mod connect;
pub(crate) mod dev;
pub(crate) mod logs;
pub(crate) mod server;
pub(crate) mod sim;
pub(crate) mod submit;
pub(crate) mod task;
pub(crate) mod verify;
pub(crate) mod worker;
