//! A cron expression as bit masks: what it means, without how it was written.

use super::error::CronError;
use super::parse;
use crate::values::Chance;

/// Parsed cron expression. Small, because there is one for every schedule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cron {
    /// Bits 0 to 59.
    pub(super) seconds: u64,
    pub(super) minutes: u64,
    /// Six bits for each weekday from Sunday: its first to fifth in the month, then its last.
    pub(super) nth: u64,
    /// Bits 0 to 23.
    pub(super) hours: u32,
    /// Bits 1 to 31.
    pub(super) days: u32,
    /// Bit `n`: so many days before the last of the month.
    pub(super) from_last: u32,
    /// Bit `n`: the weekday nearest to day `n`; bit 0: the last weekday of the month.
    pub(super) nearest: u32,
    /// Bits 1 to 12.
    pub(super) months: u16,
    /// Bits 0 (Sunday) to 6.
    pub(super) weekdays: u8,
    pub(super) traits: Traits,
}

const MASKS: usize = 10;
/// The bits that can be set in each of [`Cron::masks`].
const MASKS_KNOWN: [u64; MASKS] = [
    (1 << 60) - 1,
    (1 << 60) - 1,
    (1 << 24) - 1,
    u32::MAX as u64 - 1,
    u32::MAX as u64 >> 1,
    u32::MAX as u64,
    (1 << 13) - 2,
    (1 << 7) - 1,
    (1 << 42) - 1,
    (Traits::BOTH_DAYS.0 | Traits::RUNS_THROUGH.0) as u64,
];

/// What masks cannot say of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Traits(u8);

impl Traits {
    /// The day of month or the day of week begins with `*`: then both have to match, otherwise one is enough.
    pub const BOTH_DAYS: Self = Self(1);
    /// The hour is `*`, `*/n`, `0/n` or `H/n`.
    pub const RUNS_THROUGH: Self = Self(2);

    pub const fn with(self, other: Self, set: bool) -> Self {
        if set { Self(self.0 | other.0) } else { self }
    }

    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

const _: () = assert!(size_of::<Cron>() <= 64, "one cache line");

impl Cron {
    /// Reads five fields, or six with the seconds first, or a name such as `@daily`. `seed` is what `H` is drawn
    /// from: a stable hash of what is scheduled.
    pub fn parse(text: &str, seed: u64) -> Result<Self, CronError> {
        parse::parse(text, seed)
    }

    /// A seed from a text, the same in every process and version: for `H`, the name of what is scheduled.
    pub fn seed(text: &str) -> u64 {
        // FNV-1a, and one draw, because similar names would give similar numbers.
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Chance::new(text.bytes().fold(0xcbf2_9ce4_8422_2325, fold)).draw()
    }

    /// What it means, as numbers, for whoever stores it. [`Cron::from_masks`] makes the same of them.
    pub fn masks(&self) -> [u64; MASKS] {
        [
            self.seconds,
            self.minutes,
            self.hours.into(),
            self.days.into(),
            self.from_last.into(),
            self.nearest.into(),
            self.months.into(),
            self.weekdays.into(),
            self.nth,
            self.traits.0.into(),
        ]
    }

    /// `None`: no expression has these masks.
    pub fn from_masks(masks: [u64; MASKS]) -> Option<Self> {
        let [seconds, minutes, hours, days, from_last, nearest, months, weekdays, nth, traits] = masks;
        if masks.iter().zip(MASKS_KNOWN).any(|(mask, known)| mask & !known != 0) {
            return None;
        }
        let cron = Self {
            seconds,
            minutes,
            hours: hours as u32,
            days: days as u32,
            from_last: from_last as u32,
            nearest: nearest as u32,
            months: months as u16,
            weekdays: weekdays as u8,
            nth,
            traits: Traits(traits as u8),
        };
        (seconds != 0 && minutes != 0 && hours != 0 && parse::can_fire(&cron)).then_some(cron)
    }

    /// Whether the hour is `*`, `*/n`, `0/n` or `H/n`. Such a schedule follows elapsed time: it fires at every instant whose
    /// local time matches, and no policy for clock changes applies.
    pub fn runs_through(&self) -> bool {
        self.traits.has(Traits::RUNS_THROUGH)
    }
}
