//! Edits of jobs: those applied together are one record (I36), and who says which revision they saw changes that one (I37).

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::job::{Definition, JobKey};
use mainspring_core::run::decide::StoredJob;
use mainspring_core::values::{JobId, Revision, Wall};

use crate::checkers::{Check, require};

/// The hash of a definition that is applied beside others: a mark that they share, and how many they are.
pub fn marked(mark: u64, count: u32, own: u32) -> u128 {
    u128::from(mark) << 64 | u128::from(count) << 32 | u128::from(own)
}

#[derive(Default)]
pub(super) struct Edits {
    /// When each job was changed last, as its revisions count it.
    changed: BTreeMap<JobId, Wall>,
    /// The revision before each one.
    before: BTreeMap<(JobId, Revision), Revision>,
    /// What shows of a job now.
    shown: BTreeMap<JobId, Revision>,
    /// Marks of jobs that were applied together before; the same may come again for some of them.
    known: BTreeSet<u64>,
    /// Of this record: which came with a mark, and how many should. A caller who repeats its call changes one of them again if
    /// somebody else did meanwhile, and all of that may be in one record.
    together: BTreeMap<u64, (BTreeSet<u32>, u32)>,
}

impl Edits {
    pub(super) fn applied(&mut self, key: &JobKey, definition: &Definition, now: Wall) {
        let (mark, count) = ((definition.hash >> 64) as u64, (definition.hash >> 32) as u32);
        if mark > 0 && !self.known.contains(&mark) {
            let (came, _) = self.together.entry(mark).or_insert_with(|| (BTreeSet::new(), count));
            came.insert(definition.hash as u32);
        }
        let revision = self.edited(key, now);
        self.shows(key, revision);
    }

    pub(super) fn paused(&mut self, key: &JobKey, now: Wall) {
        let revision = self.edited(key, now);
        self.shows(key, revision);
    }

    pub(super) fn deleted(&mut self, key: &JobKey, now: Wall) {
        self.edited(key, now);
        self.shows(key, Revision::NONE);
    }

    fn edited(&mut self, key: &JobKey, now: Wall) -> Revision {
        let changed = self.changed.entry(key.id()).or_default();
        *changed = now.max(Wall::from_millis(changed.millis() + 1));
        (*changed).into()
    }

    fn shows(&mut self, key: &JobKey, revision: Revision) {
        let old = self.shown.insert(key.id(), revision).unwrap_or(Revision::NONE);
        self.before.insert((key.id(), revision), old);
    }

    /// How many jobs were applied together.
    pub(super) fn record_ends(&mut self) -> Result<u64, crate::checkers::Broken> {
        let mut several = 0;
        for (mark, (came, count)) in std::mem::take(&mut self.together) {
            let came = came.len() as u32;
            require(came == count, "I36", || {
                format!("{came} of {count} jobs that were applied together are in one record")
            })?;
            self.known.insert(mark);
            several += u64::from(came);
        }
        Ok(several)
    }

    /// A job was changed by somebody who had seen this revision.
    pub(super) fn answered(&self, id: JobId, seen: Revision, stored: StoredJob) -> Check {
        if !stored.changed {
            return Ok(());
        }
        let revision = stored.revision;
        let before = self.before.get(&(id, revision)).copied();
        require(before == Some(seen), "I37", || {
            format!(
                "{id:?} was changed by who had seen revision {seen}, and {before:?} came before {revision}"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mainspring_core::job::{Bounds, FailurePolicy, Plan};
    use mainspring_core::values::Name;

    use super::*;

    fn key(name: &'static str) -> JobKey {
        JobKey { tenant: Name::fixed("acme"), name: Name::fixed(name) }
    }

    fn definition(hash: u128) -> Definition {
        let plan = Plan::new(Vec::new(), FailurePolicy::FailFast, Bounds::default(), None);
        Definition { plan: Arc::new(plan), source: Arc::from(*b"{}"), hash }
    }

    #[test]
    fn jobs_applied_together_in_two_records_are_noticed() {
        let (mut edits, now) = (Edits::default(), Wall::from_millis(5));
        edits.applied(&key("a"), &definition(marked(7, 2, 1)), now);
        edits.applied(&key("b"), &definition(marked(7, 2, 2)), now);
        assert_eq!(edits.record_ends().expect("both came"), 2);
        edits.applied(&key("a"), &definition(marked(7, 2, 1)), now);
        assert_eq!(edits.record_ends().expect("they came together before"), 0);
        edits.applied(&key("a"), &definition(marked(8, 2, 1)), now);
        assert_eq!(edits.record_ends().expect_err("one is missing").invariant, "I36");
    }

    #[test]
    fn a_repeated_call_may_change_one_of_them_again_in_the_same_record() {
        let (mut edits, now) = (Edits::default(), Wall::from_millis(5));
        edits.applied(&key("a"), &definition(marked(7, 2, 1)), now);
        edits.applied(&key("b"), &definition(marked(7, 2, 2)), now);
        edits.applied(&key("a"), &definition(1), now);
        edits.applied(&key("a"), &definition(marked(7, 2, 1)), now);
        assert_eq!(edits.record_ends().expect("both came"), 2);
        edits.applied(&key("a"), &definition(marked(8, 2, 1)), now);
        edits.applied(&key("a"), &definition(marked(8, 2, 1)), now);
        assert_eq!(edits.record_ends().expect_err("one came twice, the other not").invariant, "I36");
    }

    #[test]
    fn a_change_of_what_was_not_seen_is_noticed() {
        let (mut edits, now) = (Edits::default(), Wall::from_millis(5));
        let (id, seen) = (key("a").id(), Revision::new);
        let told = |revision| StoredJob { version: 1, changed: true, revision: Revision::new(revision) };
        edits.applied(&key("a"), &definition(1), now);
        edits.answered(id, Revision::NONE, told(5)).expect("it was new");
        edits.paused(&key("a"), now);
        edits.applied(&key("a"), &definition(2), now);
        edits.answered(id, seen(6), told(7)).expect("it was seen paused");
        assert_eq!(edits.answered(id, seen(5), told(7)).expect_err("it was paused since").invariant, "I37");
        edits.deleted(&key("a"), now);
        edits.applied(&key("a"), &definition(3), now);
        edits.answered(id, Revision::NONE, told(9)).expect("it was deleted");
    }
}
