//! The room of one worker: what it has, and what its attempts have taken.
//! Entry: [`Room`].
//! - RM-1 what is used is exactly the sum over its attempts, so it can exceed what there is
//! - RM-2 a worker that is overdrawn in anything takes nothing new

use crate::values::{Name, Resources};
use crate::worker::WorkerOffer;

/// How many of the resources that are not cpu are kept beside it in an order of workers:
/// memory, disk, gpus and the first custom one.
pub const SPARE_KINDS: usize = 4;

/// Needs or free amounts in the form that is compared most often.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Amounts {
    pub cpu: u64,
    pub spare: [u64; SPARE_KINDS],
}

impl Amounts {
    pub fn of(need: &Resources) -> Self {
        let custom = need.custom().first().map_or(0, |(_, amount)| *amount);
        Self { cpu: need.cpu_milli, spare: [need.memory_bytes, need.disk_bytes, need.gpus, custom] }
    }

    #[inline]
    pub fn cover(&self, need: &Self) -> bool {
        self.cpu >= need.cpu && covers(&self.spare, &need.spare)
    }
}

#[inline]
pub fn covers(free: &[u64; SPARE_KINDS], need: &[u64; SPARE_KINDS]) -> bool {
    free.iter().zip(need).all(|(free, need)| free >= need)
}

#[derive(Debug, Default)]
pub struct Room {
    slots: u32,
    slots_used: u32,
    overdrawn: bool,
    /// cpu, memory, disk, gpus.
    basic: [Stock; 4],
    custom: Vec<(Name, Stock)>,
}

/// `used` is wide enough for any sum of needs, so giving back is exact (RM-1).
#[derive(Clone, Copy, Debug, Default)]
struct Stock {
    have: u64,
    used: u128,
}

impl Stock {
    const fn free(self) -> u64 {
        (self.have as u128).saturating_sub(self.used) as u64
    }

    const fn is_overdrawn(self) -> bool {
        self.used > self.have as u128
    }
}

impl Room {
    /// Replaces what the worker has; what is used stays.
    pub fn set_offer(&mut self, offer: &WorkerOffer) {
        self.slots = offer.slots;
        for (stock, have) in self.basic.iter_mut().zip(basic(&offer.capacity)) {
            stock.have = have;
        }
        for (_, stock) in &mut self.custom {
            stock.have = 0;
        }
        for (name, have) in offer.capacity.custom() {
            self.custom_mut(name).have = *have;
        }
        self.custom.retain(|(_, stock)| stock.have > 0 || stock.used > 0);
        self.check_overdrawn();
    }

    pub fn is_open(&self) -> bool {
        self.slots_used < self.slots && !self.overdrawn
    }

    pub const fn slots(&self) -> u32 {
        self.slots
    }

    pub fn slots_free(&self) -> u32 {
        self.slots.saturating_sub(self.slots_used)
    }

    pub fn take_slot(&mut self) {
        self.slots_used += 1;
    }

    pub fn give_slot(&mut self) {
        self.slots_used -= 1;
    }

    pub fn take(&mut self, need: &Resources) {
        for (stock, amount) in self.basic.iter_mut().zip(basic(need)) {
            stock.used += u128::from(amount);
        }
        for (name, amount) in need.custom() {
            self.custom_mut(name).used += u128::from(*amount);
        }
        self.check_overdrawn();
    }

    pub fn give(&mut self, need: &Resources) {
        for (stock, amount) in self.basic.iter_mut().zip(basic(need)) {
            stock.used -= u128::from(amount);
        }
        for (name, amount) in need.custom() {
            self.custom_mut(name).used -= u128::from(*amount);
        }
        self.custom.retain(|(_, stock)| stock.have > 0 || stock.used > 0);
        self.check_overdrawn();
    }

    /// What is free, with `custom` as the custom resource to show.
    pub fn free(&self, custom: Option<&Name>) -> Amounts {
        let [cpu, memory, disk, gpus] = self.basic.map(Stock::free);
        let custom = custom.map_or(0, |name| self.custom(name).free());
        Amounts { cpu, spare: [memory, disk, gpus, custom] }
    }

    pub fn fits(&self, need: &Resources) -> bool {
        self.basic.iter().zip(basic(need)).all(|(stock, amount)| stock.free() >= amount)
            && self.fits_custom(need)
    }

    pub fn fits_custom(&self, need: &Resources) -> bool {
        need.custom().iter().all(|(name, amount)| self.custom(name).free() >= *amount)
    }

    /// Whether it would fit if the worker were idle.
    pub fn could_fit(&self, need: &Resources) -> bool {
        self.slots > 0
            && self.basic.iter().zip(basic(need)).all(|(stock, amount)| stock.have >= amount)
            && need.custom().iter().all(|(name, amount)| self.custom(name).have >= *amount)
    }

    /// cpu, memory, disk and gpus of the idle worker.
    pub fn capacity(&self) -> [u64; 4] {
        self.basic.map(|stock| stock.have)
    }

    pub fn custom_capacity(&self, name: &Name) -> u64 {
        self.custom(name).have
    }

    fn custom(&self, name: &Name) -> Stock {
        self.custom.iter().find(|(have, _)| have == name).map(|(_, stock)| *stock).unwrap_or_default()
    }

    fn custom_mut(&mut self, name: &Name) -> &mut Stock {
        let at = self.custom.iter().position(|(have, _)| have == name).unwrap_or_else(|| {
            self.custom.push((name.clone(), Stock::default()));
            self.custom.len() - 1
        });
        &mut self.custom[at].1
    }

    fn check_overdrawn(&mut self) {
        self.overdrawn = self.basic.iter().any(|stock| stock.is_overdrawn())
            || self.custom.iter().any(|(_, stock)| stock.is_overdrawn());
    }
}

pub const fn basic(amounts: &Resources) -> [u64; 4] {
    [amounts.cpu_milli, amounts.memory_bytes, amounts.disk_bytes, amounts.gpus]
}
