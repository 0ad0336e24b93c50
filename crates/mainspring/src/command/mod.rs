//! The commands a person can type.

pub(crate) mod bench;
pub(crate) mod sim;
pub(crate) mod verify;
