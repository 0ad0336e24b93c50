//! Triggers on their way to the tables and back.

use mainspring_core::engine::Engine;
use mainspring_store::format::{read_hook, write_hook};
use mainspring_store::{Cut, OpenError, Recovery, TriggerRow};

use super::recover::unreadable;

/// Rows of what changed.
pub(super) fn add_rows(engine: &mut Engine, cut: &mut Cut) {
    let dirty = engine.state_mut().triggers_mut().take_dirty();
    let triggers = engine.state().triggers();
    for hook in dirty.iter().filter_map(|id| triggers.get(*id)) {
        let mut bytes = Vec::new();
        write_hook(&mut bytes, hook);
        cut.triggers.push(TriggerRow { id: hook.id, bytes });
    }
}

/// Every trigger, deleted ones too: a name that comes back goes on where it stopped.
pub(super) fn load_all(engine: &mut Engine, recovery: &mut dyn Recovery) -> Result<u64, OpenError> {
    let triggers = engine.state_mut().triggers_mut();
    let (mut rows, mut failed) = (0, None);
    recovery.triggers(&mut |row| {
        rows += 1;
        if failed.is_some() {
            return;
        }
        let what = format!("row of trigger {}", row.id.get());
        match read_hook(&row.bytes) {
            // Ids count from 0 and none ever goes: a gap is a row that was lost, or a number that was damaged.
            Ok(hook) if hook.id == row.id && row.id == triggers.next_id() => triggers.load(hook),
            Ok(_) => {
                let why = format!("its number is not the next one, {}", triggers.next_id().get());
                failed = Some(OpenError::Unreadable { what, why });
            }
            Err(error) => failed = Some(unreadable(what)(error)),
        }
    })?;
    failed.map_or(Ok(rows), Err)
}
