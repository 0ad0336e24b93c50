//! What the edges do with events from outside, with webhooks and with triggers. One file a verb.

mod publish;
mod triggers;
mod webhook;

pub(crate) use self::{
    publish::publish,
    triggers::{named_trigger, trigger, triggers},
    webhook::receive,
};
