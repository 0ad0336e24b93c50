//! What a task says about its retries.

use crate::values::{FailureClass, Millis};

/// Most entries in a list of delays or exit codes.
pub const DELAYS_MAX: usize = 64;

/// How the wait grows from one retry to the next.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Backoff {
    /// At once.
    None,
    Fixed(Millis),
    /// `step`, 2 × `step`, 3 × `step`, …
    Linear(Millis),
    /// `first`, then each time `percent` % of the last (200 doubles).
    Exponential {
        first: Millis,
        percent: u32,
    },
    /// The n-th retry waits the n-th entry, later ones the last.
    List(Vec<Millis>),
}

impl Backoff {
    /// The jitter when none is asked for. A growing wait is a guess, and spread; a wait that was named is kept.
    pub const fn jitter_default(&self) -> Jitter {
        match self {
            Self::Exponential { .. } => Jitter::Full,
            Self::None | Self::Fixed(_) | Self::Linear(_) | Self::List(_) => Jitter::None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Jitter {
    None,
    /// Anywhere between zero and the computed delay.
    Full,
    /// The computed delay plus or minus this share of it, at most 100.
    Percent(u8),
}

/// What a class of failure costs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum ClassRule {
    /// Retry, and spend one.
    Spend = 0,
    /// Retry for free: the task is not to blame.
    Free = 1,
    /// Do not retry.
    Fail = 2,
}

/// Narrows retries to listed failures; an empty list does not narrow.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct RetryOnly {
    pub classes: Vec<FailureClass>,
    pub codes: Vec<i32>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RetryPolicy {
    /// Attempts in all, the first one included; 1 = never retry.
    pub attempts_max: u32,
    pub backoff: Backoff,
    pub cap: Millis,
    pub jitter: Jitter,
    pub only: RetryOnly,
    /// Indexed by [`FailureClass::index`].
    pub rules: [ClassRule; 7],
    pub prefer_other_worker: bool,
    /// After a `resource` failure the next attempt asks for this share of its memory (150 = half more).
    pub memory_growth_percent: u16,
}

impl RetryPolicy {
    pub const RULES_DEFAULT: [ClassRule; 7] = [
        ClassRule::Spend, // transient
        ClassRule::Fail,  // permanent
        ClassRule::Spend, // resource
        ClassRule::Spend, // timeout
        ClassRule::Free,  // worker lost: bounded by quarantine instead
        ClassRule::Free,  // preempted
        ClassRule::Fail,  // cancelled
    ];

    pub const BACKOFF_DEFAULT: Backoff = Backoff::Exponential { first: Millis::from_secs(1), percent: 200 };

    pub fn never() -> Self {
        Self { attempts_max: 1, ..Self::default() }
    }

    pub fn rule(&self, class: FailureClass) -> ClassRule {
        self.rules[class.index()]
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts_max: 4,
            backoff: Self::BACKOFF_DEFAULT,
            cap: Millis::from_secs(3600),
            jitter: Self::BACKOFF_DEFAULT.jitter_default(),
            only: RetryOnly::default(),
            rules: Self::RULES_DEFAULT,
            prefer_other_worker: true,
            memory_growth_percent: 150,
        }
    }
}
