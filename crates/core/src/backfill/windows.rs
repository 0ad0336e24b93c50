//! The windows of a backfill, in the order in which it runs them. A regular timetable costs a few bytes, however many.

use std::sync::Arc;

use crate::values::{Millis, Wall};

/// Windows of one backfill.
pub const WINDOWS_MAX: usize = 100_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Order {
    #[default]
    Oldest = 0,
    Newest = 1,
}

impl Order {
    pub const ALL: [Self; 2] = [Self::Oldest, Self::Newest];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Oldest => "oldest",
            Self::Newest => "newest",
        }
    }

    pub fn find(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.label() == label)
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

/// The same gap several times in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stride {
    pub gap: Millis,
    pub times: u32,
}

/// At least one instant, each once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Windows {
    order: Order,
    first: Wall,
    last: Wall,
    count: u32,
    strides: Arc<[Stride]>,
}

/// Where the walk over windows has come to: `at` is the next one, as long as there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowWalk {
    at: Wall,
    passed: u32,
    stride: usize,
    used: u32,
}

impl Windows {
    /// `None` if there are none, or too many, or if they are not ascending.
    pub fn new(ascending: &[Wall], order: Order) -> Option<Self> {
        if !ascending.is_sorted_by(|a, b| a < b) {
            return None;
        }
        let mut strides: Vec<Stride> = Vec::new();
        let mut add = |pair: &[Wall]| {
            let gap = pair[1].since(pair[0]);
            match strides.last_mut() {
                Some(last) if last.gap == gap => last.times += 1,
                _ => strides.push(Stride { gap, times: 1 }),
            }
        };
        match order {
            Order::Oldest => ascending.windows(2).for_each(&mut add),
            Order::Newest => ascending.windows(2).rev().for_each(&mut add),
        }
        let (oldest, newest) = (*ascending.first()?, *ascending.last()?);
        let first = if order == Order::Oldest { oldest } else { newest };
        Self::from_parts(order, first, strides)
    }

    /// The reverse of [`Windows::order`], [`Windows::first`] and [`Windows::strides`]; `None` if these never stood
    /// together.
    pub fn from_parts(order: Order, first: Wall, strides: Vec<Stride>) -> Option<Self> {
        let (mut last, mut count) = (first.millis(), 1_u32);
        for (at, stride) in strides.iter().enumerate() {
            let repeats = at > 0 && strides[at - 1].gap == stride.gap;
            if repeats || stride.times == 0 || stride.gap == Millis::ZERO {
                return None;
            }
            let length = stride.gap.get().checked_mul(u64::from(stride.times))?;
            last = match order {
                Order::Oldest => last.checked_add(length)?,
                Order::Newest => last.checked_sub(length)?,
            };
            count = count.checked_add(stride.times)?;
        }
        let last = Wall::from_millis(last);
        (count as usize <= WINDOWS_MAX).then(|| Self { order, first, last, count, strides: strides.into() })
    }

    pub fn order(&self) -> Order {
        self.order
    }

    /// The one that is run first.
    pub fn first(&self) -> Wall {
        self.first
    }

    pub fn strides(&self) -> &[Stride] {
        &self.strides
    }

    pub fn len(&self) -> u32 {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn oldest(&self) -> Wall {
        self.first.min(self.last)
    }

    pub fn newest(&self) -> Wall {
        self.first.max(self.last)
    }

    /// In the order in which they are run.
    pub fn iter(&self) -> impl Iterator<Item = Wall> + '_ {
        let mut walk = self.walk(0);
        std::iter::from_fn(move || {
            let at = walk.at(self)?;
            walk.step(self);
            Some(at)
        })
    }

    /// A walk that stands at the window with this number, counted from 0.
    pub fn walk(&self, passed: u32) -> WindowWalk {
        let mut walk = WindowWalk { at: self.first, passed: 0, stride: 0, used: 0 };
        while walk.passed < passed.min(self.count) {
            walk.step(self);
        }
        walk
    }
}

impl WindowWalk {
    /// The next window; `None`: all are passed.
    pub fn at(&self, windows: &Windows) -> Option<Wall> {
        (self.passed < windows.count).then_some(self.at)
    }

    pub fn step(&mut self, windows: &Windows) {
        self.passed += 1;
        let Some(stride) = windows.strides.get(self.stride) else { return };
        self.at = match windows.order {
            Order::Oldest => self.at + stride.gap,
            Order::Newest => self.at - stride.gap,
        };
        self.used += 1;
        if self.used == stride.times {
            (self.stride, self.used) = (self.stride + 1, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walls(millis: &[u64]) -> Vec<Wall> {
        millis.iter().map(|ms| Wall::from_millis(*ms)).collect()
    }

    #[test]
    fn windows_come_back_in_the_order_that_was_asked_for() {
        for list in [&[7][..], &[1, 2], &[10, 20, 30, 40, 41, 42, 100, 110], &[5, 10, 16, 21]] {
            let ascending = walls(list);
            for order in Order::ALL {
                let windows = Windows::new(&ascending, order).expect("windows");
                let mut walked: Vec<Wall> = windows.iter().collect();
                assert_eq!(walked.first(), Some(&windows.first()));
                for passed in 0..=list.len() as u32 {
                    assert_eq!(
                        windows.walk(passed).at(&windows),
                        walked.get(passed as usize).copied(),
                        "{list:?}"
                    );
                }
                if order == Order::Newest {
                    walked.reverse();
                }
                assert_eq!(walked, ascending, "{order:?}");
                assert_eq!((windows.oldest(), windows.newest()), (walked[0], walked[walked.len() - 1]));
                let parts = (windows.order(), windows.first(), windows.strides().to_vec());
                assert_eq!(Windows::from_parts(parts.0, parts.1, parts.2), Some(windows));
            }
        }
    }

    #[test]
    fn a_regular_timetable_is_one_stride() {
        let days: Vec<Wall> = (0..1_000).map(|day| Wall::from_millis(day * 86_400_000)).collect();
        let windows = Windows::new(&days, Order::Newest).expect("windows");
        assert_eq!((windows.strides().len(), windows.len()), (1, 1_000));
    }

    #[test]
    fn what_was_never_written_is_nothing() {
        let stride = |gap, times| Stride { gap: Millis::new(gap), times };
        let ten = Wall::from_millis(10);
        let rows = [
            ("a gap of nothing", Order::Oldest, vec![stride(0, 1)]),
            ("no times", Order::Oldest, vec![stride(5, 0)]),
            ("the same gap twice", Order::Oldest, vec![stride(5, 1), stride(5, 1)]),
            ("before the first instant", Order::Newest, vec![stride(11, 1)]),
            ("after the last instant", Order::Oldest, vec![stride(u64::MAX, 2)]),
            ("too many", Order::Oldest, vec![stride(1, WINDOWS_MAX as u32)]),
        ];
        for (name, order, strides) in rows {
            assert_eq!(Windows::from_parts(order, ten, strides), None, "{name}");
        }
        assert_eq!(Windows::new(&[], Order::Oldest), None);
        assert_eq!(Windows::new(&walls(&[2, 1]), Order::Oldest), None);
    }
}
