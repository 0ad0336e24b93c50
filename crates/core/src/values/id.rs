//! Identities and counters, one type each, so that none can be swapped for another.
//! - ID-1 a task id carries its bucket in bits that no one recomputes
//! - ID-2 a fence of a later epoch is greater than every fence of an earlier one

use std::fmt;
use std::str::FromStr;

use super::bucket::Bucket;

/// A task's identity: `UUIDv7` layout, with the home bucket in the twelve `rand_a` bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(u128);

impl TaskId {
    /// `unix_ms` is cut to 48 bits and `random` to 62, as the layout demands.
    pub const fn new(unix_ms: u64, bucket: Bucket, random: u64) -> Self {
        let time = (unix_ms & 0xffff_ffff_ffff) as u128;
        let low = (random & 0x3fff_ffff_ffff_ffff) as u128;
        Self(time << 80 | 0x7 << 76 | (bucket.get() as u128) << 64 | 0b10 << 62 | low)
    }

    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    pub const fn bits(self) -> u128 {
        self.0
    }

    pub const fn bucket(self) -> Bucket {
        Bucket::of_id(self.0)
    }

    /// The millisecond at which the id was minted, by the clock of the edge that minted it.
    pub const fn minted_ms(self) -> u64 {
        (self.0 >> 80) as u64
    }
}

/// A run's identity, laid out like a task's; its bucket is its tenant's home.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(u128);

/// A backfill's identity, laid out like a task's; its bucket is its tenant's home.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BackfillId(u128);

impl BackfillId {
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    pub const fn bits(self) -> u128 {
        self.0
    }

    pub const fn bucket(self) -> Bucket {
        Bucket::of_id(self.0)
    }

    /// What a window of this backfill begins has this in its id.
    pub(crate) const fn mix(self, window_ms: u64) -> u64 {
        scatter(scatter(self.0 as u64 ^ 0xbacc_f111) ^ window_ms)
    }
}

/// A job's identity: the hash of its tenant and name, so that nobody has to remember it. Frozen for ever: rows have it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(u128);

impl JobId {
    /// FNV-1a, 128 bits. A key whose hash another job has is refused when it is stored (JB-1).
    pub fn of(tenant: &str, name: &str) -> Self {
        const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        // No text has this byte.
        let bytes = tenant.bytes().chain([0xff]).chain(name.bytes());
        Self(bytes.fold(START, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME)))
    }

    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    pub const fn bits(self) -> u128 {
        self.0
    }
}

/// A place in a run: which node, which of its items, and for the how-manieth time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeInstance {
    pub node: u32,
    /// [`NodeInstance::WHOLE`] unless the node is mapped; [`NodeInstance::UNDO`] for what undoes it.
    pub index: u32,
    /// Grows with every round of a loop and every time the node, or an item of it, is cleared.
    pub turn: u32,
}

impl NodeInstance {
    pub const WHOLE: u32 = u32::MAX;
    pub const UNDO: u32 = u32::MAX - 1;
}

impl RunId {
    pub const fn new(unix_ms: u64, bucket: Bucket, random: u64) -> Self {
        Self(TaskId::new(unix_ms, bucket, random).0)
    }

    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    pub const fn bits(self) -> u128 {
        self.0
    }

    pub const fn bucket(self) -> Bucket {
        TaskId(self.0).bucket()
    }

    pub const fn minted_ms(self) -> u64 {
        TaskId(self.0).minted_ms()
    }

    /// The task at this place. Frozen for ever: rows and links name it.
    pub const fn task(self, place: NodeInstance) -> TaskId {
        TaskId::new(self.minted_ms(), self.bucket(), self.mix(place, 1))
    }

    /// The run that a node at this place starts. Frozen like [`RunId::task`].
    pub const fn child(self, place: NodeInstance) -> Self {
        Self::new(self.minted_ms(), self.bucket(), self.mix(place, 2))
    }

    const fn mix(self, place: NodeInstance, salt: u64) -> u64 {
        let spot = (place.node as u64) << 32 | place.index as u64;
        let turn = (place.turn as u64) << 8 | salt;
        scatter(scatter(scatter(self.0 as u64) ^ spot) ^ turn)
    }
}

/// The finisher of splitmix64: every bit of the input moves every bit of the output.
pub(super) const fn scatter(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// A worker's identity; it survives restarts of the worker process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(u128);

impl WorkerId {
    /// No worker has this id.
    pub const NONE: Self = Self(0);

    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    pub const fn bits(self) -> u128 {
        self.0
    }
}

/// Why a text is not an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadId;

impl fmt::Display for BadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id is its kind, an underscore and 32 hexadecimal digits, as in `task_0199…`")
    }
}

macro_rules! text_form {
    ($kind:ident, $prefix:literal) => {
        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "_{:032x}"), self.0)
            }
        }

        impl fmt::Debug for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $kind {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                let digits = text.strip_prefix(concat!($prefix, "_")).ok_or(BadId)?;
                if digits.len() != 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return Err(BadId);
                }
                u128::from_str_radix(digits, 16).map(Self).map_err(|_| BadId)
            }
        }
    };
}

text_form!(TaskId, "task");
text_form!(RunId, "run");
text_form!(BackfillId, "backfill");
text_form!(JobId, "job");
text_form!(WorkerId, "worker");

macro_rules! counter {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(u64);

        impl $name {
            pub const ZERO: Self = Self(0);

            pub const fn new(value: u64) -> Self {
                Self(value)
            }

            pub const fn get(self) -> u64 {
                self.0
            }

            pub const fn next(self) -> Self {
                Self(self.0 + 1)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

counter! {
    /// Position of a record in a shard's journal; the first record is 1.
    Seq
}
counter! {
    /// Owner number of a shard: grows with every opening or takeover, below 2³².
    Epoch
}
counter! {
    /// One link of a worker to its shard; a later one of the same worker has a greater number. It is the number of the
    /// connection (48 bits) and of the hello in it (16 bits), so orders over a link that broke are not taken for those
    /// over the next one.
    Session
}

impl Session {
    const LINK_BITS: u32 = 16;

    /// `None`: the connection has a number that no worker comes to.
    pub const fn linked(connection: u64, link: u16) -> Option<Self> {
        if connection >> (u64::BITS - Self::LINK_BITS) == 0 {
            Some(Self(connection << Self::LINK_BITS | link as u64))
        } else {
            None
        }
    }

    pub const fn connection(self) -> u64 {
        self.0 >> Self::LINK_BITS
    }

    pub const fn link(self) -> u16 {
        self.0 as u16
    }
}

counter! {
    /// One life of a worker process; another value means that the process was restarted.
    Incarnation
}
counter! {
    /// A piece of big work that continues itself between other commands.
    OperationId
}

/// Grows with every grant of an attempt; a report must carry the newest one of its task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Fence(u64);

impl Fence {
    /// The fence of a task that was never granted.
    pub const NONE: Self = Self(0);

    pub const fn new(epoch: Epoch, counter: u32) -> Self {
        Self(epoch.0 << 32 | counter as u64)
    }

    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub const fn bits(self) -> u64 {
        self.0
    }

    pub const fn epoch(self) -> Epoch {
        Epoch(self.0 >> 32)
    }

    pub const fn counter(self) -> u32 {
        self.0 as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(bits: u64) -> Bucket {
        Bucket::from_bits(bits).expect("twelve bits")
    }

    #[test]
    fn a_task_id_carries_time_bucket_and_uuid_version() {
        let id = TaskId::new(1_736_952_000_123, bucket(0xabc), u64::MAX);
        assert_eq!(id.bucket().get(), 0xabc);
        assert_eq!(id.minted_ms(), 1_736_952_000_123);
        assert_eq!(id.bits() >> 76 & 0xf, 7);
        assert_eq!(id.bits() >> 62 & 0b11, 0b10);
    }

    #[test]
    fn text_form_round_trips_and_refuses_what_is_not_an_id() {
        let id = TaskId::new(1, bucket(2), 3);
        assert_eq!(id.to_string().parse(), Ok(id));
        for bad in [
            "",
            "task_",
            "task_zz",
            "worker_00000000000000000000000000000000",
            "task_+0000000000000000000000000000000",
        ] {
            assert_eq!(bad.parse::<TaskId>(), Err(BadId), "{bad}");
        }
    }

    #[test]
    fn ids_inside_a_run_are_frozen_and_differ() {
        let run = RunId::new(1_736_952_000_123, bucket(0xabc), 0x1234_5678_9abc_def0);
        let place = |node, index, turn| NodeInstance { node, index, turn };
        let first = run.task(place(0, NodeInstance::WHOLE, 0));
        assert_eq!(first.to_string(), "task_01946a682e7b7abcabf0200b75a84f96");
        assert_eq!(run.child(place(3, 7, 1)).bucket(), run.bucket());
        let mut seen = std::collections::BTreeSet::new();
        for node in 0..100 {
            for index in (0..100).chain([NodeInstance::WHOLE, NodeInstance::UNDO]) {
                for turn in 0..3 {
                    assert!(seen.insert(run.task(place(node, index, turn)).bits()));
                    assert!(seen.insert(run.child(place(node, index, turn)).bits()));
                }
            }
        }
    }

    #[test]
    fn the_id_of_a_job_is_frozen_and_has_no_seam() {
        assert_eq!(JobId::of("default", "report").bits(), 0x408d_94dd_d598_89f4_dda0_97ec_38ef_1abd);
        assert_ne!(JobId::of("ab", "c"), JobId::of("a", "bc"));
    }

    #[test]
    fn a_later_link_is_a_greater_session_and_so_is_a_later_connection() {
        let session = |connection, link| Session::linked(connection, link).expect("a session");
        let rising = [session(1, 1), session(1, 2), session(1, u16::MAX), session(2, 0), session(2, 1)];
        assert!(rising.is_sorted_by(|a, b| a < b), "{rising:?}");
        assert_eq!((rising[2].connection(), rising[2].link()), (1, u16::MAX));
        assert_eq!(Session::linked(1 << 48, 0), None);
    }

    #[test]
    fn a_later_epoch_always_has_the_greater_fence() {
        assert!(Fence::new(Epoch::new(2), 0) > Fence::new(Epoch::new(1), u32::MAX));
    }
}
