//! Which windows a backfill would run: those of the timetable that lie behind, less what the ledger says.

use std::collections::BTreeSet;

use mainspring_core::backfill::decide::check_kind;
use mainspring_core::backfill::{BackfillRefusal, Only, Order, WINDOWS_MAX};
use mainspring_core::decision::Rejection;
use mainspring_core::schedule::{Schedule, Timing};
use mainspring_core::values::{Millis, Wall};

use super::ledger;
use super::wish::Wish;
use crate::edge::Edge;
use crate::gateway::now;
use crate::problem::Problem;
use crate::wire::{Moment, PlanView};

/// What was found out; it holds until another window before the schedule's next one begins something.
pub(crate) struct Plan {
    pub(super) schedule: Box<Schedule>,
    from: Wall,
    to: Wall,
    only: Only,
    order: Order,
    pub(super) version: u32,
    in_range: usize,
    ran: usize,
    failed: Option<usize>,
    forgotten: usize,
    /// Ascending.
    pub(super) windows: Vec<Wall>,
}

impl Plan {
    pub(super) async fn make(edge: &Edge, wish: &Wish, schedule: Box<Schedule>) -> Result<Self, Problem> {
        check_kind(&schedule).map_err(Rejection::from)?;
        let range = range(&schedule, wish);
        let in_range = windows_in(&schedule, range)?;
        // What the schedule has told is in the tables before they are read.
        edge.gateway.tables_follow(false).await?;
        let ran = ledger::runs(edge, schedule.id, range).await?;
        let waiting: BTreeSet<Wall> = schedule.rare.waiting.iter().map(|waiting| waiting.window).collect();
        let kept_from = now().day().saturating_sub(edge.config.history_days);
        // It was live then, and nobody knows any more what became of it.
        let is_forgotten = |at: &Wall| *at >= schedule.created && at.day() < kept_from;
        let unknown = |at: &&Wall| !ran.contains_key(*at) && is_forgotten(at);
        let forgotten = in_range.iter().filter(unknown).count();
        let (failed, wanted): (_, BTreeSet<Wall>) = match wish.only {
            Only::Missing => {
                let missing = |at: &Wall| !ran.contains_key(at) && !is_forgotten(at);
                (None, in_range.iter().copied().filter(missing).collect())
            }
            Only::Failed => {
                let failed = ledger::failed(edge, &ran).await?;
                (Some(failed.len()), failed.into_iter().collect())
            }
            Only::All => (None, in_range.iter().copied().collect()),
        };
        // Those that wait for their turn run without a backfill.
        let runs = |at: &Wall| wanted.contains(at) && !waiting.contains(at);
        Ok(Self {
            from: wish.from,
            to: wish.to,
            only: wish.only,
            order: wish.order,
            version: 0,
            in_range: in_range.len(),
            ran: ran.len(),
            failed,
            forgotten,
            windows: in_range.into_iter().filter(runs).collect(),
            schedule,
        })
    }

    pub(crate) fn view(&self) -> PlanView<'_> {
        let key = &*self.schedule.key;
        PlanView {
            tenant: &key.tenant,
            job: &key.job,
            schedule: &key.name,
            from: Moment(self.from),
            to: Moment(self.to),
            only: self.only.label(),
            order: self.order.label(),
            version: self.version,
            in_range: self.in_range,
            ran: self.ran,
            failed: self.failed,
            forgotten: self.forgotten,
            windows: self.windows.len(),
            oldest: self.windows.first().copied().map(Moment),
            newest: self.windows.last().copied().map(Moment),
        }
    }
}

/// As far as it lies behind, and within the schedule's own bounds. The end is not included.
fn range(schedule: &Schedule, wish: &Wish) -> (Wall, Wall) {
    let spec = &schedule.spec;
    let now = now() + Millis::new(1);
    let behind = schedule.next.map_or(now, |next| next.min(now));
    let last = spec.end.map_or(behind, |end| behind.min(end + Millis::new(1)));
    (spec.start.map_or(wish.from, |start| start.max(wish.from)), last.min(wish.to))
}

fn windows_in(schedule: &Schedule, (from, end): (Wall, Wall)) -> Result<Vec<Wall>, Problem> {
    let Timing::Table(table) = &schedule.spec.timing else { return Ok(Vec::new()) };
    if from >= end {
        return Ok(Vec::new());
    }
    let millisecond = Millis::new(1);
    let mut after = from - millisecond;
    // An instant before 1970 does not exist, so the very first one has none before it.
    let count = table.count(after, end - millisecond);
    if count > WINDOWS_MAX as u64 {
        let refusal = BackfillRefusal::TooManyWindows { count, max: WINDOWS_MAX };
        return Err(Rejection::from(refusal).into());
    }
    let mut windows = Vec::with_capacity(count as usize);
    while let Some(next) = table.next(after)
        && next.at < end
        && windows.len() < WINDOWS_MAX
    {
        windows.push(next.at);
        after = next.at;
    }
    Ok(windows)
}
