//! Which faults a seed switches on, and how often each was really seen.
//! - FT-1 a seed has its own subset; some seeds have none, so that a quiet world is tried too

use std::collections::BTreeMap;

use mainspring_core::values::Chance;

/// Everything that can go wrong, by the name under which it is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    AppendError,
    AppendSlow,
    AppendUnknownWritten,
    AppendUnknownLost,
    AppendLate,
    StoreFull,
    CutError,
    CutAnswerLost,
    TablesFail,
    ReadError,
    ServerCrash,
    CrashKeptRecord,
    CrashLostRecord,
    CrashMidCut,
    ServerPause,
    Takeover,
    MessageLost,
    MessageTwice,
    MessageLate,
    Partition,
    OneWayPartition,
    WorkerCrash,
    WorkerPause,
    PoisonTask,
    ClockForward,
    ClockBack,
    ClockWild,
}

impl Fault {
    pub const ALL: [Self; 27] = [
        Self::AppendError,
        Self::AppendSlow,
        Self::AppendUnknownWritten,
        Self::AppendUnknownLost,
        Self::AppendLate,
        Self::StoreFull,
        Self::CutError,
        Self::CutAnswerLost,
        Self::TablesFail,
        Self::ReadError,
        Self::ServerCrash,
        Self::CrashKeptRecord,
        Self::CrashLostRecord,
        Self::CrashMidCut,
        Self::ServerPause,
        Self::Takeover,
        Self::MessageLost,
        Self::MessageTwice,
        Self::MessageLate,
        Self::Partition,
        Self::OneWayPartition,
        Self::WorkerCrash,
        Self::WorkerPause,
        Self::PoisonTask,
        Self::ClockForward,
        Self::ClockBack,
        Self::ClockWild,
    ];

    pub const fn label(self) -> &'static str {
        match self {
            Self::AppendError => "append: error",
            Self::AppendSlow => "append: slow",
            Self::AppendUnknownWritten => "append: unknown, written",
            Self::AppendUnknownLost => "append: unknown, lost",
            Self::AppendLate => "append: written after its answer",
            Self::StoreFull => "store full",
            Self::CutError => "cut: error",
            Self::CutAnswerLost => "cut: written, answer lost",
            Self::TablesFail => "tables: EIO for a while",
            Self::ReadError => "read: error",
            Self::ServerCrash => "server crash",
            Self::CrashKeptRecord => "crash: record in flight kept",
            Self::CrashLostRecord => "crash: record in flight lost",
            Self::CrashMidCut => "crash: during a cut",
            Self::ServerPause => "server pause",
            Self::Takeover => "takeover of a live owner",
            Self::MessageLost => "message lost",
            Self::MessageTwice => "message twice",
            Self::MessageLate => "message late",
            Self::Partition => "partition",
            Self::OneWayPartition => "one-way partition",
            Self::WorkerCrash => "worker crash",
            Self::WorkerPause => "worker pause",
            Self::PoisonTask => "poison task",
            Self::ClockForward => "clock set forward",
            Self::ClockBack => "clock set back",
            Self::ClockWild => "clock wrong by days or years at a start",
        }
    }
}

/// Shares of 1,000, each for its own occasion; zero = off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    pub append_error: u64,
    pub append_slow: u64,
    pub append_unknown: u64,
    pub cut_error: u64,
    pub cut_answer_lost: u64,
    pub read_error: u64,
    /// Of one start of a server: the wall clock is wrong by days or years, for a while.
    pub clock_wild: u64,
    /// Of one output carried out.
    pub crash_between_outputs: u64,
    pub message_lost: u64,
    pub message_twice: u64,
    pub message_late: u64,
    /// Mean milliseconds between two disasters of the world; 0 = none.
    pub disaster_every: u64,
    /// Weights of the disasters, in the order of [`Disaster::ALL`].
    pub disasters: [u64; Disaster::ALL.len()],
}

/// What the world does to itself from time to time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disaster {
    ServerCrash,
    ServerPause,
    Takeover,
    StoreFull,
    TablesFail,
    Partition,
    OneWayPartition,
    WorkerCrash,
    WorkerPause,
    ClockForward,
    ClockBack,
}

impl Disaster {
    pub const ALL: [Self; 11] = [
        Self::ServerCrash,
        Self::ServerPause,
        Self::Takeover,
        Self::StoreFull,
        Self::TablesFail,
        Self::Partition,
        Self::OneWayPartition,
        Self::WorkerCrash,
        Self::WorkerPause,
        Self::ClockForward,
        Self::ClockBack,
    ];
}

impl Rates {
    pub fn draw(chance: &mut Chance) -> Self {
        if chance.per_mille(40) {
            return Self::default();
        }
        let mut share = |on: u64, max: u64| if chance.per_mille(on) { 1 + chance.below(max) } else { 0 };
        let mut rates = Self {
            append_error: share(400, 120),
            append_slow: share(400, 40),
            append_unknown: share(450, 120),
            cut_error: share(350, 250),
            cut_answer_lost: share(350, 150),
            read_error: share(250, 100),
            clock_wild: share(350, 400),
            crash_between_outputs: share(300, 3),
            message_lost: share(500, 200),
            message_twice: share(500, 200),
            message_late: share(500, 150),
            disaster_every: 0,
            disasters: [0; Disaster::ALL.len()],
        };
        for weight in &mut rates.disasters {
            *weight = share(600, 10);
        }
        rates.disaster_every =
            if rates.disasters == [0; Disaster::ALL.len()] { 0 } else { 1_500 + share(1000, 12_000) };
        rates
    }

    pub fn disaster(&self, chance: &mut Chance) -> Option<Disaster> {
        let mut at = chance.below(self.disasters.iter().sum());
        Disaster::ALL.into_iter().zip(self.disasters).find_map(|(disaster, weight)| {
            let hit = at < weight;
            at = at.saturating_sub(weight);
            hit.then_some(disaster)
        })
    }
}

/// How often what was seen.
#[derive(Clone, Debug, Default)]
pub struct Seen(BTreeMap<Fault, u64>);

impl Seen {
    pub fn note(&mut self, fault: Fault) {
        *self.0.entry(fault).or_default() += 1;
    }

    pub fn count(&self, fault: Fault) -> u64 {
        self.0.get(&fault).copied().unwrap_or(0)
    }

    pub fn add(&mut self, other: &Self) {
        for (fault, count) in &other.0 {
            *self.0.entry(*fault).or_default() += count;
        }
    }
}
