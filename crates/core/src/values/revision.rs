//! Which edit of a job or schedule somebody has seen.
//! - RV-1 each edit has a later revision than the one before, whatever the clock says; what runs of it do gives none

use std::fmt;

use super::Wall;

/// When it was last edited, in milliseconds, or one more than the edit before. To callers it is only a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Revision(u64);

impl Revision {
    /// Of what is not there.
    pub const NONE: Self = Self(0);

    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    pub const fn get(self) -> u64 {
        self.0
    }

    /// When an edit at this instant counts as made, after one that counts as made then.
    pub(crate) fn next(before: Wall, now: Wall) -> Wall {
        now.max(Wall::from_millis(before.millis() + 1))
    }
}

impl From<Wall> for Revision {
    fn from(changed: Wall) -> Self {
        Self(changed.millis())
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_in_one_millisecond_and_with_a_clock_put_back_have_revisions_of_their_own() {
        let at = Wall::from_millis;
        assert_eq!(Revision::next(at(5), at(9)), at(9));
        assert_eq!(Revision::next(at(9), at(9)), at(10));
        assert_eq!(Revision::next(at(9), at(3)), at(10));
    }
}
