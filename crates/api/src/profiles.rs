//! Profiles by content: equal submissions share one, so that a million tasks of one kind cost one profile and the
//! shard compares pointers.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use mainspring_core::task::Profile;

/// Kinds remembered at once. When they are full all are forgotten: tasks hold on to what they use.
const KINDS_MAX: usize = 10_000;

#[derive(Default)]
pub struct Profiles {
    // Seeded at random: the keys are written by callers.
    known: RwLock<HashMap<Box<[u8]>, Arc<Profile>>>,
}

impl Profiles {
    /// The profile for this canonical text of a kind, made if it is new.
    pub fn get<E>(
        &self,
        kind: &[u8],
        make: impl FnOnce() -> Result<Arc<Profile>, E>,
    ) -> Result<Arc<Profile>, E> {
        if let Some(profile) = self.known.read().ok().and_then(|known| known.get(kind).cloned()) {
            return Ok(profile);
        }
        let profile = make()?;
        if let Ok(mut known) = self.known.write() {
            if known.len() >= KINDS_MAX {
                known.clear();
            }
            // Another request may have made it meanwhile: theirs is shared already.
            return Ok(Arc::clone(known.entry(kind.into()).or_insert(profile)));
        }
        Ok(profile)
    }
}
