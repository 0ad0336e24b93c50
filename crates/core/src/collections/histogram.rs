//! Counts of measured values in buckets that double. Plain numbers: measuring costs a few instructions and no memory,
//! so it can be done for every task on the shard's thread.

/// Upper bounds are 2⁰, 2¹ … 2²³ of the unit; what is greater has a bucket of its own.
pub const BOUNDS: usize = 24;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Histogram {
    buckets: [u64; BOUNDS + 1],
    sum: u64,
}

impl Histogram {
    pub const fn observe(&mut self, value: u64) {
        self.observe_many(value, 1);
    }

    /// The same value `count` times.
    pub const fn observe_many(&mut self, value: u64, count: u64) {
        let bits = u64::BITS - value.saturating_sub(1).leading_zeros();
        let bucket = if bits as usize > BOUNDS { BOUNDS } else { bits as usize };
        self.buckets[bucket] += count;
        self.sum = self.sum.saturating_add(value.saturating_mul(count));
    }

    /// All values of another, each greater by `more` in the sum, in the buckets they are in.
    pub fn add(&mut self, other: &Self, more: u64) {
        for (bucket, count) in self.buckets.iter_mut().zip(other.buckets) {
            *bucket += count;
        }
        self.sum = self.sum.saturating_add(other.sum).saturating_add(more.saturating_mul(other.count()));
    }

    pub const fn sum(&self) -> u64 {
        self.sum
    }

    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// (upper bound, values in this bucket alone); those beyond the last bound are left out.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        self.buckets[..BOUNDS].iter().enumerate().map(|(bound, count)| (1 << bound, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_in_the_first_bucket_that_holds_it() {
        let rows = [(0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (1 << 23, 1 << 23)];
        for (value, bound) in rows {
            let mut histogram = Histogram::default();
            histogram.observe(value);
            let found = histogram.buckets().find(|(_, count)| *count > 0);
            assert_eq!(found, Some((bound, 1)), "{value}");
            assert_eq!((histogram.count(), histogram.sum()), (1, value));
        }
        let mut beyond = Histogram::default();
        beyond.observe((1 << 23) + 1);
        beyond.observe(u64::MAX);
        assert!(beyond.buckets().all(|(_, count)| count == 0));
        assert_eq!((beyond.count(), beyond.sum()), (2, u64::MAX));
    }
}
