//! Devices: of resources that are whole things (GPUs, licenses), which attempt has which.
//! Entry: [`Devices::take`].
//! - DV-1 no two attempts have a device at the same time, also over a restart of the agent
//!
//! Not here: whether there is room at all (the server counts amounts).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::process::Command;
use std::str::FromStr;

use mainspring_proto::v1;

use crate::config::Capacity;

/// Of a resource with more of it than this, attempts are not told which they have.
const DEVICES_MAX: u64 = 1_024;
const GPUS: &str = "gpus";
/// The runtimes of GPU makers read these; both count devices in the same way.
const GPU_VARIABLES: [&str; 2] = ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"];
/// What those runtimes take for "none".
const NO_GPU: &str = "-1";

/// Those that no attempt has, by resource.
pub struct Devices(BTreeMap<String, BTreeSet<u32>>);

/// The devices of one attempt, by resource. GPUs are in it wherever the worker has some: an attempt that asked for none
/// must not see any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeviceSet(BTreeMap<String, Vec<u32>>);

impl Devices {
    pub fn new(capacity: &Capacity) -> Self {
        let custom = capacity.custom.iter().map(|(name, amount)| (name.as_str(), *amount));
        let all = custom.chain([(GPUS, capacity.gpus)]);
        let counted = all.filter(|(_, amount)| (1..=DEVICES_MAX).contains(amount));
        Self(counted.map(|(name, amount)| (name.to_owned(), (0..amount as u32).collect())).collect())
    }

    /// The lowest free ones of each resource that is asked for. An error if an attempt that the server holds for ended
    /// still has them.
    pub fn take(&mut self, asked: Option<&v1::Resources>) -> Result<DeviceSet, String> {
        let amount = |name: &str| {
            let asked = asked?;
            if name == GPUS { Some(asked.gpus) } else { asked.custom.get(name).copied() }
        };
        let mut taken = BTreeMap::new();
        for (name, free) in &self.0 {
            let wanted = amount(name).unwrap_or(0);
            if wanted > free.len() as u64 {
                return Err(format!("it asks for {wanted} of `{name}`; only {} are free", free.len()));
            }
            if wanted > 0 || name == GPUS {
                taken.insert(name.clone(), free.iter().copied().take(wanted as usize).collect());
            }
        }
        let taken = DeviceSet(taken);
        self.keep(&taken);
        Ok(taken)
    }

    /// An attempt has these.
    pub fn keep(&mut self, taken: &DeviceSet) {
        for (name, numbers) in &taken.0 {
            if let Some(free) = self.0.get_mut(name) {
                for number in numbers {
                    free.remove(number);
                }
            }
        }
    }

    pub fn give_back(&mut self, taken: &DeviceSet, capacity: &Capacity) {
        for (name, numbers) in &taken.0 {
            let all = if name == GPUS { Some(&capacity.gpus) } else { capacity.custom.get(name) };
            if let (Some(free), Some(all)) = (self.0.get_mut(name), all) {
                // A worker that was started again with fewer does not get back what it has no more.
                free.extend(numbers.iter().filter(|number| u64::from(**number) < *all));
            }
        }
    }
}

impl DeviceSet {
    /// What a program sees of it.
    pub fn tell(&self, command: &mut Command) {
        for (name, numbers) in &self.0 {
            let list = joined(numbers);
            if name == GPUS {
                let visible = if numbers.is_empty() { NO_GPU } else { &list };
                for variable in GPU_VARIABLES {
                    command.env(variable, visible);
                }
                command.env("MAINSPRING_GPUS", &list);
            } else {
                let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
                let variable: String = name.chars().map(plain).collect();
                command.env(format!("MAINSPRING_RESOURCE_{variable}"), list);
            }
        }
    }
}

fn joined(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// One word: names of resources have neither spaces nor these signs.
impl fmt::Display for DeviceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("devices")?;
        self.0.iter().try_for_each(|(name, numbers)| write!(f, ";{name}={}", joined(numbers)))
    }
}

impl FromStr for DeviceSet {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let rest = text.strip_prefix("devices").ok_or(())?;
        let one = |part: &str| {
            let (name, list) = part.split_once('=').ok_or(())?;
            let numbers = list.split(',').filter(|number| !number.is_empty());
            let numbers = numbers.map(|number| number.parse().map_err(|_| ())).collect::<Result<_, _>>()?;
            Ok((name.to_owned(), numbers))
        };
        rest.split(';').filter(|part| !part.is_empty()).map(one).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(gpus: u64, licenses: u64) -> v1::Resources {
        let custom = [("license".to_owned(), licenses)].into_iter().filter(|(_, amount)| *amount > 0);
        v1::Resources { gpus, custom: custom.collect(), ..Default::default() }
    }

    #[test]
    fn no_two_attempts_have_the_same_device() {
        let custom = BTreeMap::from([("license".to_owned(), 3), ("bandwidth".to_owned(), 1_000_000)]);
        let capacity = Capacity { gpus: 4, custom, ..Capacity::default() };
        let mut devices = Devices::new(&capacity);
        let first = devices.take(Some(&asked(2, 1))).expect("room");
        assert_eq!(first.to_string(), "devices;gpus=0,1;license=0");
        let second = devices.take(Some(&asked(1, 2))).expect("room");
        assert_eq!(second.to_string(), "devices;gpus=2;license=1,2");
        let none = devices.take(None).expect("it asks for nothing");
        assert_eq!(none.to_string(), "devices;gpus=");
        assert!(devices.take(Some(&asked(2, 0))).is_err(), "one is left");
        assert!(devices.take(Some(&asked(0, 1))).is_err());
        devices.give_back(&first, &capacity);
        assert_eq!(devices.take(Some(&asked(3, 0))).expect("room").to_string(), "devices;gpus=0,1,3");
    }

    #[test]
    fn the_next_agent_knows_what_is_taken() {
        let capacity = Capacity { gpus: 2, ..Capacity::default() };
        let mut devices = Devices::new(&capacity);
        let kept = devices.take(Some(&asked(1, 0))).expect("room");
        let read: DeviceSet = kept.to_string().parse().expect("as written");
        assert_eq!(read, kept);
        let mut next = Devices::new(&capacity);
        next.keep(&read);
        assert_eq!(next.take(Some(&asked(1, 0))).expect("room").to_string(), "devices;gpus=1");
        let mut smaller = Devices::new(&Capacity { gpus: 1, ..Capacity::default() });
        smaller.give_back(&"devices;gpus=1".parse().expect("a set"), &Capacity { gpus: 1, ..capacity });
        assert_eq!(smaller.take(Some(&asked(1, 0))).expect("room").to_string(), "devices;gpus=0");
        for bad in ["", "gpus=1", "devices;gpus", "devices;gpus=x"] {
            assert!(bad.parse::<DeviceSet>().is_err(), "{bad}");
        }
    }
}
