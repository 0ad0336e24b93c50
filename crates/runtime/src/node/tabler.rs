//! The thread that writes the tables.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};
use mainspring_store::{Cut, Tables};

use super::shard_thread::Return;

pub(super) fn run(mut tables: impl Tables, orders: &Receiver<Arc<Cut>>, returns: &Sender<Return>) {
    for cut in orders {
        let result = tables.cut(&cut);
        drop(cut);
        if returns.send(Return::Cut(result)).is_err() {
            return;
        }
    }
}
