//! The real server on a bad disk, on a data directory that others touch, and with a wrong clock.

mod clock;
mod owner;
mod process;
#[path = "../support/mod.rs"]
mod support;
mod tables;
