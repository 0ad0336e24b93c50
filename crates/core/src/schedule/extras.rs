//! What most schedules have nothing of: a word each, and memory of its own only while there is something.
//! Entry: [`ExtrasCell`], which reads as [`ScheduleExtras`].

use std::collections::VecDeque;
use std::ops::Deref;

use crate::collections::Soft;
use crate::values::{FiredAs, Started, Wall};

#[derive(Clone, Debug, Default)]
pub struct ExtrasCell(Option<Box<ScheduleExtras>>);

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ScheduleExtras {
    pub deleted: Option<Wall>,
    /// It was deleted long ago, and nobody finds it by its name any more.
    pub forgotten: Option<Wall>,
    /// Missed windows up to here passed while it was paused.
    pub resumed: Wall,
    /// Windows that wait for what runs.
    pub waiting: VecDeque<Waiting>,
    /// What it began and has not ended, oldest first.
    pub active: Soft<Vec<Started>>,
    /// There was no room for a window: when to try again.
    pub retry: Soft<Option<Wall>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    pub window: Wall,
    pub fired_as: FiredAs,
}

static NOTHING: ScheduleExtras = ScheduleExtras {
    deleted: None,
    forgotten: None,
    resumed: Wall::ZERO,
    waiting: VecDeque::new(),
    active: Soft(Vec::new()),
    retry: Soft(None),
};

impl ScheduleExtras {
    fn is_nothing(&self) -> bool {
        let Self { deleted, forgotten, resumed, waiting, active, retry } = self;
        deleted.is_none()
            && forgotten.is_none()
            && *resumed == Wall::ZERO
            && waiting.is_empty()
            && active.is_empty()
            && retry.is_none()
    }
}

impl PartialEq for ExtrasCell {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Deref for ExtrasCell {
    type Target = ScheduleExtras;

    fn deref(&self) -> &ScheduleExtras {
        self.0.as_deref().unwrap_or(&NOTHING)
    }
}

impl From<ScheduleExtras> for ExtrasCell {
    fn from(rarely: ScheduleExtras) -> Self {
        Self((!rarely.is_nothing()).then(|| Box::new(rarely)))
    }
}

impl ExtrasCell {
    /// It takes memory of its own.
    #[cfg(test)]
    pub(crate) fn is_any(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn change<T>(&mut self, change: impl FnOnce(&mut ScheduleExtras) -> T) -> T {
        let done = change(self.0.get_or_insert_default());
        self.shrink();
        done
    }

    /// A change that only takes away: nothing stays nothing.
    pub(crate) fn lessen(&mut self, change: impl FnOnce(&mut ScheduleExtras)) {
        if let Some(rarely) = &mut self.0 {
            change(rarely);
            self.shrink();
        }
    }

    pub(super) fn forget_soft(&mut self) {
        self.lessen(|rare| {
            rare.active.clear();
            rare.retry = Soft(None);
        });
    }

    /// What ran once must not cost memory for ever.
    fn shrink(&mut self) {
        let Some(rarely) = &mut self.0 else { return };
        if rarely.active.is_empty() {
            rarely.active = Soft(Vec::new());
        }
        if rarely.waiting.is_empty() {
            rarely.waiting = VecDeque::new();
        }
        if rarely.is_nothing() {
            self.0 = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::TaskId;

    #[test]
    fn memory_goes_with_the_last_of_it() {
        let mut rare = ExtrasCell::default();
        let made = Started::Task(TaskId::from_bits(1));
        rare.change(|rare| rare.active.push(made));
        assert_eq!((rare.active.as_slice(), rare.is_any()), ([made].as_slice(), true));
        assert_eq!(rare, ExtrasCell::default(), "what is soft makes no difference");
        rare.change(|rare| rare.resumed = Wall::from_millis(1));
        rare.lessen(|rare| rare.active.clear());
        assert_eq!((rare.active.capacity(), rare.is_any()), (0, true));
        assert_ne!(rare, ExtrasCell::default());
        rare.lessen(|rare| rare.resumed = Wall::ZERO);
        assert!(!rare.is_any());
    }

    #[test]
    fn taking_away_from_nothing_takes_no_memory() {
        let mut rare = ExtrasCell::default();
        rare.lessen(|_| panic!("there is nothing to take from"));
        rare.forget_soft();
        assert!(!rare.is_any());
        assert!(!ExtrasCell::from(ScheduleExtras::default()).is_any());
    }
}
