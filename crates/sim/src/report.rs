//! What a range of seeds came to, in numbers and in words.

use std::fmt;

use mainspring_core::task::{ARROWS, Arrow, Status, Transition};

use crate::breaks::BreakMode;
use crate::faults::Fault;
use crate::world::Tally;

/// A run that kept every promise.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub seed: u64,
    pub steps: u64,
    pub simulated_ms: u64,
    /// Of every step and of every byte that was journaled; two runs of a seed have the same.
    pub hash: u64,
    pub tally: Tally,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Its number in the list of invariants, or `panic`, or `determinism`.
    pub invariant: &'static str,
    pub what: String,
    pub step: u64,
    pub seed: u64,
    pub break_mode: Option<BreakMode>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { invariant, what, step, seed, break_mode } = self;
        writeln!(f, "{invariant} broken at step {step} of seed {seed}: {what}")?;
        write!(f, "replay: mainspring sim --seeds {seed}..{}", seed + 1)?;
        if let Some(mode) = break_mode {
            write!(f, " --break {mode}")?;
        }
        write!(f, " --trace")
    }
}

#[derive(Clone, Debug, Default)]
pub struct RangeReport {
    pub seeds: u64,
    pub steps: u64,
    pub simulated_ms: u64,
    pub tally: Tally,
    /// The hash of each seed that kept every promise, as (seed, hash).
    pub hashes: Vec<(u64, u64)>,
    pub violations: Vec<Violation>,
}

/// Fewer operations than this prove nothing.
const OK_OPERATIONS_MIN: u64 = 1_000;

impl RangeReport {
    pub fn add(&mut self, run: Result<Outcome, Violation>) {
        self.seeds += 1;
        match run {
            Ok(outcome) => {
                self.steps += outcome.steps;
                self.simulated_ms += outcome.simulated_ms;
                self.tally.add(&outcome.tally);
                self.hashes.push((outcome.seed, outcome.hash));
            }
            Err(violation) => self.violations.push(violation),
        }
    }

    /// Why the range proves nothing, if it does not (I29).
    pub fn void(&self) -> Option<String> {
        let missing: Vec<&str> = Fault::ALL
            .into_iter()
            .filter(|fault| self.tally.seen.count(*fault) == 0)
            .map(Fault::label)
            .collect();
        if !missing.is_empty() {
            return Some(format!("never seen: {}", missing.join(", ")));
        }
        let floors = [
            ("ok operations", self.tally.ok_operations, OK_OPERATIONS_MIN),
            ("takeovers", self.tally.takeovers, 1),
            ("renewals", self.tally.renewals, 1),
            ("lease expiries", self.tally.lease_expiries, 1),
            ("stale reports refused", self.tally.stale_reports, 1),
            ("tasks released by runs", self.tally.flows.spawned, 1),
            ("joins of mapped nodes", self.tally.flows.joins, 1),
            ("tasks added to runs", self.tally.flows.added, 1),
            ("waits for other jobs", self.tally.flows.awaited, 1),
            ("notes on changes", self.tally.flows.noted, 1),
            ("approvals and rejections", self.tally.flows.approvals, 1),
            ("jobs applied together", self.tally.flows.together, 1),
            ("windows that began something", self.tally.windows.fired, 1),
            ("windows made up for", self.tally.windows.caught_up, 1),
            ("windows skipped", self.tally.windows.skipped, 1),
            ("windows missed", self.tally.windows.missed, 1),
            ("windows that waited", self.tally.windows.held, 1),
            ("windows backfilled", self.tally.windows.backfilled, 1),
            ("runs cleared", self.tally.flows.clears, 1),
            ("items of mapped tasks cleared", self.tally.flows.items_cleared, 1),
            ("events taken", self.tally.events.taken, 1),
            ("runs begun by events", self.tally.events.begun, 1),
            ("ends that triggers wanted", self.tally.events.ends, 1),
            ("records that left ends to later ones", self.tally.events.ends_later, 1),
        ];
        floors
            .into_iter()
            .find(|(_, count, least)| count < least)
            .map(|(what, count, least)| format!("only {count} {what}, at least {least} are needed"))
    }

    /// No violation, and enough was tried for that to mean something.
    pub fn passed(&self) -> bool {
        self.violations.is_empty() && self.void().is_none()
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.ok_operations += other.ok_operations;
        self.takeovers += other.takeovers;
        self.renewals += other.renewals;
        self.crashes += other.crashes;
        self.lease_expiries += other.lease_expiries;
        self.stale_reports += other.stale_reports;
        self.executions += other.executions;
        self.cuts += other.cuts;
        self.records += other.records;
        self.loads += other.loads;
        self.flows.add(other.flows);
        self.windows.add(other.windows);
        self.events.add(other.events);
        self.pages += other.pages;
        self.arrows.extend(&other.arrows);
        self.seen.add(&other.seen);
    }
}

/// The journal does not know `Running`: what leaves it leaves `Assigned` there.
fn arrows_missed(tally: &Tally) -> impl Iterator<Item = &'static Arrow> + '_ {
    let journaled =
        |arrow: &&Arrow| arrow.from != Some(Status::Running) && arrow.cause != Transition::Accepted;
    ARROWS.iter().filter(journaled).filter(|arrow| !tally.arrows.contains(arrow))
}

impl fmt::Display for RangeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = &self.tally;
        let rows = [
            ("seeds", self.seeds),
            ("steps", self.steps),
            ("simulated hours", self.simulated_ms / 3_600_000),
            ("ok operations", tally.ok_operations),
            ("executions", tally.executions),
            ("records", tally.records),
            ("cuts", tally.cuts),
            ("commands loaded from the tables", tally.loads),
            ("pages of parked tasks", tally.pages),
            ("runs", tally.flows.runs),
            ("runs started by runs", tally.flows.children),
            ("tasks released by runs", tally.flows.spawned),
            ("joins of mapped nodes", tally.flows.joins),
            ("tasks added to runs", tally.flows.added),
            ("waits for other jobs", tally.flows.awaited),
            ("notes on changes", tally.flows.noted),
            ("approvals and rejections", tally.flows.approvals),
            ("jobs applied together", tally.flows.together),
            ("schedules stored", tally.windows.stored),
            ("windows that began something", tally.windows.fired),
            ("windows late", tally.windows.late),
            ("windows made up for", tally.windows.caught_up),
            ("windows skipped", tally.windows.skipped),
            ("windows missed", tally.windows.missed),
            ("windows that waited", tally.windows.held),
            ("windows backfilled", tally.windows.backfilled),
            ("events taken", tally.events.taken),
            ("runs begun by events", tally.events.begun),
            ("windows after other jobs", tally.events.windows),
            ("ends that triggers wanted", tally.events.ends),
            ("records that left ends to later ones", tally.events.ends_later),
            ("further rounds", tally.flows.rounds),
            ("undos", tally.flows.undone),
            ("runs cleared", tally.flows.clears),
            ("items of mapped tasks cleared", tally.flows.items_cleared),
            ("crashes", tally.crashes),
            ("takeovers", tally.takeovers),
            ("renewals", tally.renewals),
            ("lease expiries", tally.lease_expiries),
            ("stale reports refused", tally.stale_reports),
            ("violations", self.violations.len() as u64),
        ];
        for (what, count) in rows {
            writeln!(f, "{what:<34}{count:>12}")?;
        }
        let missed: Vec<String> = arrows_missed(tally).map(|arrow| format!("{arrow:?}")).collect();
        writeln!(f, "{:<34}{:>12}", "arrows not taken", missed.len())?;
        for arrow in missed {
            writeln!(f, "  {arrow}")?;
        }
        writeln!(f, "faults seen")?;
        for fault in Fault::ALL {
            writeln!(f, "  {:<32}{:>12}", fault.label(), tally.seen.count(fault))?;
        }
        for violation in &self.violations {
            writeln!(f, "{violation}")?;
        }
        match self.void() {
            Some(why) => write!(f, "INVALID: {why}"),
            None if self.violations.is_empty() => write!(f, "passed"),
            None => write!(f, "FAILED"),
        }
    }
}
