//! The thread that writes the tables, and drops what has been kept long enough.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};
use mainspring_store::{Cut, Tables};

use super::health::{Health, Part};
use super::shard_thread::Return;

pub(super) fn run(
    mut tables: impl Tables,
    history_days: u32,
    orders: &Receiver<Arc<Cut>>,
    returns: &Sender<Return>,
    health: &Health,
) {
    let mut dropped_on = None;
    for cut in orders {
        health.began(Part::Tables);
        let result = tables.cut(&cut);
        health.ended(Part::Tables);
        let (now, written) = (cut.now.wall, result.is_ok());
        drop(cut);
        if returns.send(Return::Cut { result, made: now }).is_err() {
            return;
        }
        // Once a day, beside a cut: an idle shard ends nothing, so it has nothing new to drop either.
        if written && dropped_on != Some(now.day()) {
            dropped_on = Some(now.day());
            if let Err(error) = tables.drop_before(now.day().saturating_sub(history_days), now) {
                tracing::warn!(%error, "could not drop old history; it is tried again tomorrow");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use crossbeam_channel::unbounded;
    use mainspring_core::time::{Now, Wall};
    use mainspring_store::CutError;

    use super::*;

    struct Noting(Arc<Mutex<Vec<u32>>>);

    impl Tables for Noting {
        fn cut(&mut self, _: &Cut) -> Result<(), CutError> {
            Ok(())
        }

        fn drop_before(&mut self, day: u32, _: Wall) -> Result<(), CutError> {
            self.0.lock().expect("one thread").push(day);
            Ok(())
        }
    }

    #[test]
    fn old_days_are_dropped_once_a_day() {
        let (orders, cuts) = unbounded();
        for hour in [0, 1, 23, 24, 25] {
            let now = Now::new(0, (100 * 24 + hour) * 3_600_000);
            orders.send(Arc::new(Cut { now, ..Cut::default() })).expect("open");
        }
        drop(orders);
        let dropped = Arc::new(Mutex::new(Vec::new()));
        let (returns_in, returns) = unbounded();
        run(Noting(dropped.clone()), 90, &cuts, &returns_in, &Health::default());
        assert_eq!(*dropped.lock().expect("one thread"), [10, 11]);
        assert_eq!(returns.len(), 5, "every cut is answered");
    }
}
