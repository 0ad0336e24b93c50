//! Buckets: where an entity lives. A bucket is the group of its tenant and a part of that group.
//! - BK-1 sub 0 holds everything that is named, keyed or of a run; subs 1 to 15 hold anonymous tasks without a key
//! - BK-2 the group of a tenant comes from [`Groups`] wherever an id is minted; nothing else makes one up

use std::fmt;

use super::numbered_id::NUMBER_BITS;

/// Number of buckets; fixed for ever, ids carry the bucket.
pub const BUCKETS: u16 = 4096;

const SUB_BITS: u32 = 4;
const SUBS: u64 = 1 << SUB_BITS;

/// Tenants that live together: they are on one shard, and move to another one together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Group(u8);

impl Group {
    pub const ZERO: Self = Self(0);

    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    pub const fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The group of a tenant. All are in group 0 until a tenant is an entity that says its group.
pub const fn group_of(_tenant: &str) -> Group {
    Group::ZERO
}

/// Which group each tenant is in. The product uses [`group_of`]; tests put tenants into several groups.
#[derive(Clone, Copy)]
pub struct Groups(fn(&str) -> Group);

impl Groups {
    pub const fn assigned_by(assignment: fn(&str) -> Group) -> Self {
        Self(assignment)
    }

    pub fn of(self, tenant: &str) -> Group {
        (self.0)(tenant)
    }
}

impl Default for Groups {
    fn default() -> Self {
        Self(group_of)
    }
}

impl PartialEq for Groups {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Groups {}

impl fmt::Debug for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Groups")
    }
}

/// One of [`BUCKETS`] buckets: 8 bits of group, 4 bits of sub. A shard owns the buckets of some groups.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bucket(u16);

impl Bucket {
    /// For all that is named, has a key or belongs to a run: one bucket a group.
    pub const fn home(group: Group) -> Self {
        Self((group.0 as u16) << SUB_BITS)
    }

    /// For an anonymous task without a key: any sub but 0, so that a large tenant can be spread over shards.
    pub const fn spread(group: Group, random: u64) -> Self {
        Self(Self::home(group).0 | (1 + random % (SUBS - 1)) as u16)
    }

    /// Of any id that is laid out like a task's.
    pub(super) const fn of_id(bits: u128) -> Self {
        Self((bits >> 64) as u16 % BUCKETS)
    }

    /// Of an id that is counted: its highest 12 bits.
    pub(super) const fn of_numbered(bits: u64) -> Self {
        Self((bits >> NUMBER_BITS) as u16)
    }

    /// As a row carries it; `None`: there are only 12 bits.
    pub const fn from_bits(bits: u64) -> Option<Self> {
        if bits < BUCKETS as u64 { Some(Self(bits as u16)) } else { None }
    }

    pub const fn get(self) -> u16 {
        self.0
    }

    pub const fn group(self) -> Group {
        Group((self.0 >> SUB_BITS) as u8)
    }

    pub const fn sub(self) -> u8 {
        (self.0 % SUBS as u16) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_a_group_and_a_sub() {
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..=u8::MAX {
            let group = Group::new(number);
            let home = Bucket::home(group);
            assert_eq!((home.group(), home.sub()), (group, 0));
            seen.insert(home);
            for random in 0..100 {
                let spread = Bucket::spread(group, random);
                assert_eq!(spread.group(), group);
                assert_ne!(spread.sub(), 0);
                seen.insert(spread);
            }
        }
        assert_eq!(seen.len(), usize::from(BUCKETS));
        assert!(seen.iter().all(|bucket| Bucket::from_bits(bucket.get().into()) == Some(*bucket)));
        assert_eq!(Bucket::from_bits(BUCKETS.into()), None);
    }

    #[test]
    fn every_tenant_is_in_group_0_unless_a_test_says_otherwise() {
        assert_eq!(Groups::default().of("acme"), Group::ZERO);
        let by_length = Groups::assigned_by(|tenant| Group::new(tenant.len() as u8));
        assert_eq!(by_length.of("acme"), Group::new(4));
        assert_ne!(by_length, Groups::default());
    }
}
