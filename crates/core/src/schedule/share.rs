//! Schedules are many and alike: what one says as others do is kept once. Only memory depends on it.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::spec::{ScheduleKey, Spec, Target, Terms, Timing};
use super::table::Schedules;
use crate::calendar::Timetable;
use crate::task::Payload;

/// Of each kind, as many as are kept for others to point to.
const KEPT_MAX: usize = 10_000;
/// Longer payloads are rarely the same, and what nobody uses any more may be kept for a while.
const PAYLOAD_BYTES_MAX: usize = 1_024;
/// As for payloads.
const INSTANTS_MAX: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Shared {
    texts: Kept<str>,
    payloads: Kept<[u8]>,
    terms: Kept<Terms>,
    specs: Kept<Spec>,
}

/// By their hashes, which must never reach an event or a stored byte.
#[derive(Debug)]
struct Kept<T: ?Sized> {
    kept: BTreeMap<u64, Arc<T>>,
    /// How many found no room since it was last made.
    turned_away: usize,
}

impl<T: ?Sized> Default for Kept<T> {
    fn default() -> Self {
        Self { kept: BTreeMap::new(), turned_away: 0 }
    }
}

fn hash<T: ?Sized + Hash>(one: &T) -> u64 {
    FixedState::with_seed(0).hash_one(one)
}

impl<T: ?Sized + Hash + Eq> Kept<T> {
    fn find(&self, one: &T) -> Option<&Arc<T>> {
        self.kept.get(&hash(one)).filter(|kept| ***kept == *one)
    }

    /// The one that is kept. If there is none it is this one from now on.
    fn share(&mut self, one: Arc<T>) -> Arc<T> {
        if let Some(kept) = self.find(&one) {
            return kept.clone();
        }
        if self.has_room() {
            self.kept.insert(hash(&*one), one.clone());
        }
        one
    }

    /// What at most one other points to makes room for what may be asked for more often. Not looked for every time, so
    /// that it costs little also if there is none.
    fn has_room(&mut self) -> bool {
        if self.kept.len() >= KEPT_MAX {
            self.turned_away += 1;
        }
        if self.turned_away >= KEPT_MAX {
            self.turned_away = 0;
            self.kept.retain(|_, kept| Arc::strong_count(kept) > 2);
        }
        self.kept.len() < KEPT_MAX
    }
}

fn payload(target: &Target) -> &Payload {
    match target {
        Target::Run { parameters, .. } => parameters,
        Target::Task(plain) => &plain.payload,
    }
}

fn payload_mut(target: &mut Target) -> &mut Payload {
    match target {
        Target::Run { parameters, .. } => parameters,
        Target::Task(plain) => &mut plain.payload,
    }
}

fn are_short(terms: &Terms) -> bool {
    !matches!(&terms.timing, Timing::Table(Timetable::Instants(list)) if list.len() > INSTANTS_MAX)
}

fn is_short(spec: &Spec) -> bool {
    payload(&spec.target).len() <= PAYLOAD_BYTES_MAX && are_short(spec)
}

impl Schedules {
    /// Names that the schedule before it by key, which most likely is of the same job, has too.
    pub(super) fn share_names(&self, key: &mut ScheduleKey) {
        let Some(near) = self.near(key) else { return };
        if key.tenant == near.tenant {
            key.tenant = near.tenant.clone();
        }
        if key.job == near.job {
            key.job = near.job.clone();
        }
    }

    /// Lets a spec that nobody points to yet point to what others hold already.
    pub(super) fn share_parts(&self, spec: &mut Spec) {
        if let Some(terms) = are_short(spec).then(|| self.shared.terms.find(&spec.terms)).flatten() {
            spec.terms = terms.clone();
        } else if let Some(text) = self.shared.texts.find(&spec.text)
            && let Some(terms) = Arc::get_mut(&mut spec.terms)
        {
            terms.text = text.clone();
        }
        let payload = payload_mut(&mut spec.target);
        if payload.len() <= PAYLOAD_BYTES_MAX
            && let Some(known) = self.shared.payloads.find(payload)
        {
            *payload = known.clone();
        }
    }

    /// The spec that others have who say the same, or this one.
    pub(super) fn share_spec(&mut self, mut spec: Arc<Spec>) -> Arc<Spec> {
        if let Some(known) = is_short(&spec).then(|| self.shared.specs.find(&spec)).flatten() {
            return known.clone();
        }
        if let Some(spec) = Arc::get_mut(&mut spec) {
            self.share_parts(spec);
        }
        self.shared.texts.share(spec.text.clone());
        if are_short(&spec) {
            self.shared.terms.share(spec.terms.clone());
        }
        let payload = payload(&spec.target);
        if payload.len() <= PAYLOAD_BYTES_MAX {
            self.shared.payloads.share(payload.clone());
        }
        if is_short(&spec) { self.shared.specs.share(spec) } else { spec }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: usize) -> Arc<str> {
        number.to_string().into()
    }

    #[test]
    fn what_is_the_same_is_kept_once() {
        let mut kept = Kept::default();
        let first = kept.share(text(1));
        assert!(Arc::ptr_eq(&first, &kept.share(text(1))));
        assert_eq!(&*kept.share(text(2)), "2");
        assert_eq!(kept.kept.len(), 2);
    }

    #[test]
    fn one_whose_hash_another_has_is_not_taken_for_it() {
        let mut kept = Kept::default();
        kept.kept.insert(hash("1"), text(2));
        assert_eq!(kept.find("1"), None);
        assert_eq!(&*kept.share(text(1)), "1");
    }

    #[test]
    fn what_nobody_shares_makes_room() {
        let mut kept = Kept::default();
        let used: Vec<_> = (0..KEPT_MAX).map(|number| kept.share(text(number))).collect();
        // The first ten have two who point to them.
        let shared: Vec<_> = (0..10).map(|number| kept.share(text(number))).collect();
        for number in KEPT_MAX..2 * KEPT_MAX {
            assert!(kept.kept.len() == KEPT_MAX, "all places are taken");
            kept.share(text(number));
        }
        assert_eq!(kept.kept.len(), 11, "those ten, and the last one, which found the room");
        assert!(shared.iter().zip(&used).all(|(one, other)| Arc::ptr_eq(one, other)));
        assert!(Arc::ptr_eq(&kept.share(text(3)), &used[3]));
    }
}
