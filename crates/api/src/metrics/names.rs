//! A bound on label values that callers choose: the first ones seen keep their name, all others share one.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Distinct values of one label.
pub const VALUES_MAX: usize = 200;
pub const OTHER: &str = "other";

/// Remembers which values have a name of their own, so that none changes its name between two scrapes.
#[derive(Debug, Default)]
pub struct Names(Mutex<BTreeSet<String>>);

impl Names {
    pub fn shown(&self, value: &str) -> String {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(value) {
            return value.to_owned();
        }
        if known.len() >= VALUES_MAX {
            return OTHER.to_owned();
        }
        known.insert(value.to_owned());
        value.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_keep_their_names_and_the_rest_share_one() {
        let names = Names::default();
        for n in 0..VALUES_MAX {
            assert_eq!(names.shown(&format!("t{n}")), format!("t{n}"));
        }
        assert_eq!(names.shown("late"), OTHER);
        assert_eq!(names.shown("t7"), "t7");
    }
}
