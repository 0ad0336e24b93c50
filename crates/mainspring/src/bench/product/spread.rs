//! Many measured times, and their percentiles.

use std::time::Duration;

#[derive(Default)]
pub(super) struct Spread(Vec<f64>);

impl Spread {
    pub(super) fn add(&mut self, time: Duration) {
        self.add_ms(time.as_secs_f64() * 1e3);
    }

    pub(super) fn add_ms(&mut self, ms: f64) {
        self.0.push(ms);
    }

    pub(super) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// In milliseconds; `share` of 0.5 is the median. The nearest rank, never between two.
    pub(super) fn at(&mut self, share: f64) -> f64 {
        self.0.sort_by(f64::total_cmp);
        let rank = (self.0.len() as f64 * share).ceil() as usize;
        self.0.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn percentiles_are_measured_values() {
        let mut spread = Spread::default();
        for ms in (1..=200).rev() {
            spread.add_ms(f64::from(ms));
        }
        for (share, wanted) in [(0.5, 100.0), (0.99, 198.0), (1.0, 200.0)] {
            assert!((spread.at(share) - wanted).abs() < 1e-9, "{share}: {}", spread.at(share));
        }
    }
}
