//! What a task needs of a worker and what a worker has to give.
//! - RS-1 a task fits where every need is at most what is free, and every label condition holds

use crate::name::Name;

/// Amounts of the four built-in resources and any custom ones (sorted by name, no zeros).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Resources {
    /// Thousandths of a core.
    pub cpu_milli: u64,
    pub memory_bytes: u64,
    pub disk_bytes: u64,
    pub gpus: u64,
    custom: Vec<(Name, u64)>,
}

/// Most custom resources on one task or worker.
pub const CUSTOM_RESOURCES_MAX: usize = 16;

impl Resources {
    pub const fn new(cpu_milli: u64, memory_bytes: u64, disk_bytes: u64, gpus: u64) -> Self {
        Self { cpu_milli, memory_bytes, disk_bytes, gpus, custom: Vec::new() }
    }

    /// Sorts the custom amounts and drops zeros; of two with one name the later counts.
    pub fn with_custom(mut self, custom: impl IntoIterator<Item = (Name, u64)>) -> Self {
        let sorted: std::collections::BTreeMap<_, _> = custom.into_iter().collect();
        self.custom = sorted.into_iter().filter(|(_, amount)| *amount > 0).collect();
        self
    }

    pub fn custom(&self) -> &[(Name, u64)] {
        &self.custom
    }

    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    pub fn fits_in(&self, free: &Self) -> bool {
        self.cpu_milli <= free.cpu_milli
            && self.memory_bytes <= free.memory_bytes
            && self.disk_bytes <= free.disk_bytes
            && self.gpus <= free.gpus
            && self.custom.iter().all(|(name, amount)| *amount <= free.custom_amount(name))
    }

    pub fn custom_amount(&self, name: &Name) -> u64 {
        self.custom.iter().find(|(have, _)| have == name).map_or(0, |(_, amount)| *amount)
    }

    /// Takes `need` away; what is not there counts as zero, because a worker may re-register smaller.
    pub fn take(&mut self, need: &Self) {
        self.change(need, u64::saturating_sub);
    }

    pub fn give_back(&mut self, need: &Self) {
        self.change(need, u64::saturating_add);
    }

    fn change(&mut self, need: &Self, by: fn(u64, u64) -> u64) {
        self.cpu_milli = by(self.cpu_milli, need.cpu_milli);
        self.memory_bytes = by(self.memory_bytes, need.memory_bytes);
        self.disk_bytes = by(self.disk_bytes, need.disk_bytes);
        self.gpus = by(self.gpus, need.gpus);
        for (name, amount) in &need.custom {
            if let Some((_, have)) = self.custom.iter_mut().find(|(have, _)| have == name) {
                *have = by(*have, *amount);
            }
        }
    }
}

/// A condition on a worker's labels.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LabelCondition {
    Is(Name, Name),
    IsNot(Name, Name),
    Has(Name),
}

impl LabelCondition {
    pub fn key(&self) -> &Name {
        match self {
            Self::Is(key, _) | Self::IsNot(key, _) | Self::Has(key) => key,
        }
    }

    /// `value` is what the worker has under this condition's key.
    pub fn holds(&self, value: Option<&Name>) -> bool {
        match self {
            Self::Is(_, wanted) => value == Some(wanted),
            Self::IsNot(_, unwanted) => value != Some(unwanted),
            Self::Has(_) => value.is_some(),
        }
    }
}

/// Everything that decides where a task may run. Tasks that agree in it wait in one queue.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Requirements {
    pub pool: Name,
    pub resources: Resources,
    pub labels: Vec<LabelCondition>,
    /// Empty = any zone.
    pub zone: Name,
}

/// Most label conditions on one task, and most labels on one worker or task.
pub const LABELS_MAX: usize = 32;
