//! The thread that writes the tables, and drops what has been kept long enough.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use mainspring_core::values::Wall;
use mainspring_store::{Cut, Tables};

use super::health::{Health, Part};
use super::shard_thread::Return;

/// Without a cut for this long the tables are idle.
const IDLE_AFTER: Duration = Duration::from_secs(10);
const DAY_MS: u64 = 86_400_000;

pub(super) fn run(
    mut tables: impl Tables,
    history_days: u32,
    orders: &Receiver<Arc<Cut>>,
    returns: &Sender<Return>,
    health: &Health,
) {
    let mut dropped_on = None;
    while let Some(cut) = next(&mut tables, orders, IDLE_AFTER) {
        health.began(Part::Tables);
        let result = tables.cut(&cut);
        health.ended(Part::Tables);
        let (now, day, written) = (cut.now.wall, cut.retention_day, result.is_ok());
        drop(cut);
        if returns.send(Return::Cut { result, made: now }).is_err() {
            return;
        }
        // Once a day, beside a cut: an idle shard ends nothing, so it has nothing new to drop either.
        if written && dropped_on != Some(day) {
            dropped_on = Some(day);
            health.conditions.set_retention_day(day);
            let dawn = Wall::from_millis(u64::from(day) * DAY_MS);
            if let Err(error) = tables.drop_before(day.saturating_sub(history_days), dawn) {
                tracing::warn!(%error, "could not drop old history; it is tried again tomorrow");
            }
        }
    }
}

/// The next cut; `None` when no other can come. Tables that wait long for one are told.
fn next(tables: &mut impl Tables, orders: &Receiver<Arc<Cut>>, idle_after: Duration) -> Option<Arc<Cut>> {
    match orders.recv_timeout(idle_after) {
        Ok(cut) => Some(cut),
        Err(RecvTimeoutError::Timeout) => {
            tables.idle();
            orders.recv().ok()
        }
        Err(RecvTimeoutError::Disconnected) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use crossbeam_channel::unbounded;
    use mainspring_core::values::Now;
    use mainspring_store::CutError;

    use super::*;

    /// Notes the days that were dropped.
    struct Noting(Arc<Mutex<Vec<u32>>>);

    /// Answers with a cut when it is told that it is idle.
    struct Waking(Option<Sender<Arc<Cut>>>);

    impl Tables for Waking {
        fn cut(&mut self, _: &Cut) -> Result<(), CutError> {
            Ok(())
        }

        fn drop_before(&mut self, _: u32, _: Wall) -> Result<(), CutError> {
            Ok(())
        }

        fn idle(&mut self) {
            let orders = self.0.take().expect("told once");
            orders.send(Arc::default()).expect("open");
        }
    }

    #[test]
    fn tables_that_wait_long_are_told_once() {
        let (orders, cuts) = unbounded();
        let mut tables = Waking(Some(orders));
        assert!(next(&mut tables, &cuts, Duration::ZERO).is_some(), "the cut that came after it was told");
        assert!(next(&mut tables, &cuts, Duration::ZERO).is_none(), "no other can come");
    }

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
            let retention_day = now.wall.day();
            orders.send(Arc::new(Cut { now, retention_day, ..Cut::default() })).expect("open");
        }
        drop(orders);
        let dropped = Arc::new(Mutex::new(Vec::new()));
        let (returns_in, returns) = unbounded();
        run(Noting(dropped.clone()), 90, &cuts, &returns_in, &Health::default());
        assert_eq!(*dropped.lock().expect("one thread"), [10, 11]);
        assert_eq!(returns.len(), 5, "every cut is answered");
    }
}
