//! What a cron expression means and when it fires. Asks nobody but the calendar.

use mainspring_core::calendar::{Cron, Timetable};

use crate::gateway::now;
use crate::problem::{CalendarProblem, Problem};
use crate::wire::{CronPreviewBody, CronPreviewView, FiringView, Moment};

const COUNT_DEFAULT: u32 = 5;
/// Most times in one answer.
const COUNT_MAX: u32 = 1_000;
/// Names of a tenant, a job and a schedule are shorter together.
const HASH_CHARACTERS_MAX: usize = 1_000;

pub(crate) fn preview_cron(body: CronPreviewBody) -> Result<CronPreviewView, Problem> {
    let count = body.count.unwrap_or(COUNT_DEFAULT);
    if !(1..=COUNT_MAX).contains(&count) {
        return Err(Problem::field("count", format!("{count} is not between 1 and {COUNT_MAX}")));
    }
    let hash = body.hash.unwrap_or_default();
    if hash.chars().count() > HASH_CHARACTERS_MAX {
        return Err(Problem::field("hash", format!("has more than {HASH_CHARACTERS_MAX} characters")));
    }
    let cron = Cron::parse(&body.expr, Cron::seed(&hash)).map_err(CalendarProblem::from)?;
    let zone = CalendarProblem::zone(body.timezone.as_deref().unwrap_or("UTC"))?;
    let (description, runs_through) = (cron.describe(), cron.runs_through());
    let table = Timetable::Cron { cron, zone, dst: body.dst.into() };
    let mut after = body.from.map_or_else(now, |from| from.0);
    let mut next = Vec::new();
    while next.len() < count as usize
        && let Some(found) = table.next(after)
    {
        let local = zone.local((found.at.millis() / 1000) as i64).to_string();
        next.push(FiringView { at: Moment(found.at), local, skipped: found.skipped });
        after = found.at;
    }
    let skipped = next.iter().map(|firing| u64::from(firing.skipped)).sum();
    Ok(CronPreviewView { expr: body.expr, timezone: zone.name(), description, runs_through, next, skipped })
}
