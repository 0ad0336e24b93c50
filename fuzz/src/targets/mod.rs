//! One file a target: what it reads, what it promises, and good inputs to begin with.

pub mod event;
pub mod frame;
pub mod rest;
pub mod row;
pub mod segment;
pub mod session;

mod golden;
mod server;
