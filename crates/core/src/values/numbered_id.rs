//! Ids that are counted: the bucket in the high 12 bits, a number in the low 52. A number rises with every new entity of its
//! kind in a shard, and is never given away again.

use std::fmt;

use super::bucket::Bucket;
use super::id::scatter;

pub const NUMBER_BITS: u32 = 52;
/// Greatest number; at a million new ones a second it lasts for a hundred years.
const NUMBER_MAX: u64 = (1 << NUMBER_BITS) - 1;

macro_rules! numbered_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// `number` is cut to 52 bits.
            pub const fn new(bucket: Bucket, number: u64) -> Self {
                Self((bucket.get() as u64) << NUMBER_BITS | number & NUMBER_MAX)
            }

            pub const fn from_bits(bits: u64) -> Self {
                Self(bits)
            }

            pub const fn bits(self) -> u64 {
                self.0
            }

            pub const fn bucket(self) -> Bucket {
                Bucket::of_numbered(self.0)
            }

            pub const fn number(self) -> u64 {
                self.0 & NUMBER_MAX
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "_{:016x}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

numbered_id! {
    /// A trigger; its bucket is its tenant's home.
    TriggerId, "trigger"
}

numbered_id! {
    /// A schedule; its bucket is its tenant's home.
    ScheduleId, "schedule"
}

impl ScheduleId {
    pub(crate) const MIN: Self = Self(0);
    pub(crate) const MAX: Self = Self(u64::MAX);

    /// What a window of this schedule begins has this in its id, so that it is the same however often it is made.
    pub(crate) const fn mix(self, window_ms: u64) -> u64 {
        scatter(scatter(self.0 ^ 0x5c4e_d01e) ^ window_ms)
    }
}

impl TriggerId {
    /// What this trigger begins when something of ours ended: made from what ended, in which record, and the window.
    pub(crate) const fn mix(self, ended: u128, record: u64, window_ms: u64) -> u64 {
        let of_end = scatter(scatter(self.0 ^ 0x7419_9e4d) ^ ended as u64);
        scatter(scatter(of_end ^ record) ^ window_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_carries_bucket_and_number() {
        let bucket = |bits| Bucket::from_bits(bits).expect("twelve bits");
        let id = TriggerId::new(bucket(0xabc), 7);
        assert_eq!(
            (id.bucket().get(), id.number(), id.to_string().as_str()),
            (0xabc, 7, "trigger_abc0000000000007")
        );
        let last = TriggerId::new(bucket(0xfff), u64::MAX);
        assert_eq!((last.bits(), last.number(), last.bucket().get()), (u64::MAX, NUMBER_MAX, 0xfff));
        assert!(TriggerId::new(bucket(1), 2) > TriggerId::new(bucket(1), 1));
    }
}
