//! What the edges do with events from outside, with webhooks and with triggers. One file a verb.

mod listen;
mod publish;
mod triggers;
mod webhook;

pub(crate) use self::{
    listen::{ListenBody, listen},
    publish::publish_batch,
    triggers::{named_trigger, trigger, triggers},
    webhook::receive,
};
