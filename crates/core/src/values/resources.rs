//! What a task needs of a worker and what a worker has to give.
//! - RS-1 a task fits where every need is at most what is free, and every label condition holds

use std::fmt;

use super::name::Name;

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
/// Longest name of a custom resource, as a DNS label has it.
pub const RESOURCE_NAME_BYTES_MAX: usize = 63;
/// What built-in resources are called in one place or another.
const BUILT_IN: [&str; 8] =
    ["cpu", "cpu_milli", "memory", "memory_bytes", "disk", "disk_bytes", "gpu", "gpus"];

/// Why a text is not the name of a custom resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadResourceName {
    Empty,
    TooLong { bytes: usize },
    Character { at: usize },
    BuiltIn,
}

impl fmt::Display for BadResourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the name of a resource is empty"),
            Self::TooLong { bytes } => {
                write!(
                    f,
                    "the name of a resource has at most {RESOURCE_NAME_BYTES_MAX} bytes, this one {bytes}"
                )
            }
            Self::Character { at } => write!(
                f,
                "the name of a resource has letters, digits, `.`, `_`, `-` and `/`, and begins with a letter or a \
                 digit; this one has something else at byte {at}"
            ),
            Self::BuiltIn => f.write_str("this is a built-in resource, which has a field of its own"),
        }
    }
}

/// The name of a custom resource: fit for variables, files and addresses.
pub fn resource_name(text: &str) -> Result<Name, BadResourceName> {
    let is_good = |at: usize, c: char| c.is_ascii_alphanumeric() || at > 0 && "._-/".contains(c);
    if text.is_empty() {
        return Err(BadResourceName::Empty);
    }
    if text.len() > RESOURCE_NAME_BYTES_MAX {
        return Err(BadResourceName::TooLong { bytes: text.len() });
    }
    if let Some((at, _)) = text.char_indices().find(|(at, c)| !is_good(*at, *c)) {
        return Err(BadResourceName::Character { at });
    }
    if BUILT_IN.contains(&text) {
        return Err(BadResourceName::BuiltIn);
    }
    Name::new(text).map_err(|_| BadResourceName::Character { at: 0 })
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_resources_are_short_and_plain() {
        for good in ["license", "fpga.xilinx", "example.com/fpga", "tape-2", "9p"] {
            assert!(resource_name(good).is_ok(), "{good}");
        }
        let long = "x".repeat(64);
        let rows = [
            ("", BadResourceName::Empty),
            (&*long, BadResourceName::TooLong { bytes: 64 }),
            ("a b", BadResourceName::Character { at: 1 }),
            ("-a", BadResourceName::Character { at: 0 }),
            ("naïve", BadResourceName::Character { at: 2 }),
            ("a=1", BadResourceName::Character { at: 1 }),
            ("gpus", BadResourceName::BuiltIn),
        ];
        for (bad, why) in rows {
            assert_eq!(resource_name(bad), Err(why), "{bad}");
        }
    }
}
