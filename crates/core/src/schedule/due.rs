//! Which windows have come, and what is to become of each: a pure function of the schedule and the clock.

use super::spec::Timing;
use super::table::Schedule;
use super::window_row::{Reason, Unfired};
use crate::calendar::{Missing, Timetable};
use crate::values::{FiredAs, Millis, Wall};

/// A window this late is late for no reason that anybody should see: a busy disk, a restart.
const ON_TIME: Millis = Millis::from_secs(1);
/// Every window that is less late begins something, also if several came at once.
const SLACK: Millis = Millis::from_secs(10);
/// Of those at most so many in one step.
const TOGETHER_MAX: usize = 100;

/// In this order: what passed, then what begins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct DueWindows {
    pub(crate) passed: Vec<Range>,
    /// Ascending.
    pub(crate) fire: Vec<(Wall, FiredAs)>,
    /// The first window that has not come.
    pub(crate) next: Option<Wall>,
}

/// Windows that passed and begin nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) first: Wall,
    pub(crate) last: Wall,
    pub(crate) count: u64,
    pub(crate) outcome: Unfired,
}

impl Range {
    pub(crate) fn one(window: Wall, outcome: Unfired) -> Self {
        Self { first: window, last: window, count: 1, outcome }
    }
}

/// `None`: nothing has come.
pub(crate) fn due(schedule: &Schedule, now: Wall) -> Option<DueWindows> {
    let first = schedule.next?;
    // Windows begin `offset` later, so they are judged as if it were that much earlier.
    let now = now.millis().checked_sub(schedule.offset.get()).map(Wall::from_millis)?;
    if first > now {
        return None;
    }
    match &schedule.spec.timing {
        // The window after it is known when what it begins has ended.
        Timing::After(_) => {
            Some(DueWindows { fire: vec![(first, fired_as(first, now))], ..DueWindows::default() })
        }
        Timing::Table(table) => Some(of_table(schedule, table, first, now)),
    }
}

/// What has come, if none of it may begin anything any more, and the window after it. `paused`: until now.
pub(crate) fn all_passed(schedule: &Schedule, now: Wall, paused: bool) -> Option<(Vec<Range>, Option<Wall>)> {
    let first = schedule.next?;
    let now = now.millis().checked_sub(schedule.offset.get()).map(Wall::from_millis)?;
    if first > now {
        return None;
    }
    let resumed = if paused { now } else { schedule.rare.resumed };
    let Timing::Table(table) = &schedule.spec.timing else {
        let reason = if paused { Unfired::Skipped(Reason::Paused) } else { Unfired::Missed(Reason::Late) };
        return Some((vec![Range { first, last: first, count: 1, outcome: reason }], None));
    };
    let until = schedule.spec.end.map_or(now, |end| end.min(now));
    let count = table.count(first - Millis::new(1), until);
    let last = table.previous(until + Millis::new(1)).unwrap_or(first);
    let mut passed = Vec::new();
    ranges(resumed, table, (first, last, count), &mut passed);
    Some((passed, schedule.spec.next(until).map(|(next, _)| next)))
}

fn of_table(schedule: &Schedule, table: &Timetable, first: Wall, now: Wall) -> DueWindows {
    let spec = &schedule.spec;
    let until = spec.end.map_or(now, |end| end.min(now));
    let before = first - Millis::new(1);
    let total = table.count(before, until);
    let newest = match total {
        1 => vec![first],
        _ => table.newest(before, until, TOGETHER_MAX + spec.catch_up as usize),
    };
    // What passed during a pause is never on time.
    let fresh = |window: &Wall, span: Millis| *window > schedule.rare.resumed && now.since(*window) <= span;
    let mut begins = newest.iter().rev().take(TOGETHER_MAX).take_while(|window| fresh(window, SLACK)).count();
    if begins == 0 && newest.last().is_some_and(|window| fresh(window, spec.grace)) {
        begins = 1;
    }
    let (old, young) = newest.split_at(newest.len() - begins);
    let made_up = old.len().min(spec.catch_up as usize);
    let caught = &old[old.len() - made_up..];
    let caught = caught.iter().map(|window| (*window, FiredAs::CatchUp));
    let young = young.iter().map(|window| (*window, fired_as(*window, now)));
    let fire: Vec<_> = caught.chain(young).collect();
    let mut due = DueWindows { next: spec.next(until).map(|(next, _)| next), ..DueWindows::default() };
    due.passed.extend(skipped_by_clock(schedule, table, first));
    let missed = total - fire.len() as u64;
    if missed > 0 {
        let last = match fire.first() {
            Some((window, _)) => table.previous(*window),
            None => newest.last().copied(),
        };
        ranges(schedule.rare.resumed, table, (first, last.unwrap_or(first), missed), &mut due.passed);
    }
    due.fire = fire;
    due
}

fn fired_as(window: Wall, now: Wall) -> FiredAs {
    if now.since(window) <= ON_TIME { FiredAs::OnTime } else { FiredAs::Late }
}

/// Splits what passed into what the pause took and what nobody saw.
fn ranges(resumed: Wall, table: &Timetable, (first, last, count): (Wall, Wall, u64), out: &mut Vec<Range>) {
    let paused = match resumed {
        resumed if resumed < first => 0,
        resumed if resumed >= last => count,
        resumed => table.count(first - Millis::new(1), resumed),
    };
    if paused > 0 {
        let last =
            if paused == count { last } else { table.previous(resumed + Millis::new(1)).unwrap_or(last) };
        out.push(Range { first, last, count: paused, outcome: Unfired::Skipped(Reason::Paused) });
    }
    if paused < count {
        let first = if paused == 0 { first } else { table.next(resumed).map_or(first, |next| next.at) };
        out.push(Range { first, last, count: count - paused, outcome: Unfired::Missed(Reason::Late) });
    }
}

/// Local times between the window before and this one that did not exist. They have no instant of their own: the record
/// stands a millisecond before the window that followed.
fn skipped_by_clock(schedule: &Schedule, table: &Timetable, first: Wall) -> Option<Range> {
    let Timetable::Cron { dst, .. } = table else { return None };
    if dst.missing != Missing::Skip || schedule.last == Wall::ZERO {
        return None;
    }
    let next = table.next(schedule.last)?;
    if next.at != first || next.skipped == 0 {
        return None;
    }
    let at = first - Millis::new(1);
    Some(Range {
        first: at,
        last: at,
        count: u64::from(next.skipped),
        outcome: Unfired::Skipped(Reason::NoSuchTime),
    })
}
