//! The thread that makes records durable.

use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender};
use mainspring_core::values::Seq;
use mainspring_store::{Journal, Record};

use super::health::{Health, Part};
use super::shard_thread::Return;

pub(super) enum AppendOrder {
    Append(Arc<Record>),
    Renew,
    Trim(Seq),
}

pub(super) fn run(
    mut journal: impl Journal,
    orders: &Receiver<AppendOrder>,
    returns: &Sender<Return>,
    health: &Health,
) {
    for order in orders {
        health.began(Part::Journal);
        match order {
            AppendOrder::Append(record) => {
                let began = Instant::now();
                let result = journal.append(&record);
                let (took, events, bytes) = (began.elapsed(), record.events, record.body.len());
                drop(record);
                health.ended(Part::Journal);
                if returns.send(Return::Appended { result, took, events, bytes }).is_err() {
                    return;
                }
            }
            AppendOrder::Renew => {
                let result = journal.renew();
                health.ended(Part::Journal);
                if returns.send(Return::Renewed(result)).is_err() {
                    return;
                }
            }
            AppendOrder::Trim(through) => {
                // Room that is not given back now is given back at the next cut.
                if let Err(error) = journal.trim(through) {
                    tracing::warn!(%error, through = through.get(), "could not trim the journal");
                }
                health.ended(Part::Journal);
            }
        }
    }
}
