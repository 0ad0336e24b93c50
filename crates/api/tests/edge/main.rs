//! The edges against a real store, over real sockets, with a worker that speaks the session protocol.

mod batch;
mod cancel;
mod grpc;
mod idempotency;
mod limits;
mod lists;
mod metrics;
mod pages;
mod refusals;
mod rig;
mod sessions;
mod spine;
mod timer_body;
mod worker;
