//! The edges against a real store, over real sockets, with a worker that speaks the session protocol.

mod backfills;
mod batch;
mod cancel;
mod cancel_many;
mod cron;
mod dead_letters;
mod diagnosis;
mod events;
mod grpc;
mod idempotency;
mod limits;
mod lists;
mod logs;
mod metrics;
mod offers;
mod pages;
mod pools;
mod refusals;
mod retries;
mod rig;
mod schedules;
mod seats;
mod sessions;
mod spine;
mod timer_body;
mod worker;
