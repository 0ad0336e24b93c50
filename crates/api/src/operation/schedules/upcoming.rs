//! Which windows come next, over all schedules, in the order of time.
//! - UP-1 what is held grows with the page, not with the schedules or their windows

use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::JobKey;
use mainspring_core::run::decide::{RunAnswer, RunCommand};
use mainspring_core::schedule::decide::{ScheduleAnswer, ScheduleCommand, Upcoming};
use mainspring_core::schedule::{Schedule, Timing};
use mainspring_core::values::{Millis, Wall};

use super::{job_of, unexpected};
use crate::edge::Edge;
use crate::gateway::now;
use crate::operation::flows::page_length;
use crate::problem::Problem;
use crate::wire::{describe, name};

/// How far is looked unless somebody says it, and at most.
const WITHIN_DEFAULT: Millis = Millis::from_secs(3_600);
const WITHIN_MAX: Millis = Millis::from_secs(366 * 86_400);

/// A window that has not come.
#[derive(Debug)]
pub(crate) struct Ahead {
    pub(crate) at: Wall,
    pub(crate) begins: Wall,
    pub(crate) key: std::sync::Arc<mainspring_core::schedule::ScheduleKey>,
    pub(crate) description: String,
    pub(crate) job_paused: bool,
}

/// The first `limit` within this span from now.
pub(crate) async fn upcoming(
    edge: &Edge,
    tenant: Option<&str>,
    within: Option<Millis>,
    limit: Option<usize>,
) -> Result<Vec<Ahead>, Problem> {
    let limit = page_length(limit)?;
    let tenant = tenant.map(|text| name("tenant", text)).transpose()?;
    let within = within.unwrap_or(WITHIN_DEFAULT);
    if within > WITHIN_MAX {
        return Err(Problem::query("within", "at most a year"));
    }
    let until = now() + within;
    let mut found: Vec<(Wall, Wall, Schedule)> = Vec::new();
    for shard in edge.gateway.shards_of(edge.gateway.tenant_or_all(tenant.as_ref())) {
        let mut from = Some(0);
        while let Some(at) = from {
            let command = ScheduleCommand::Upcoming { from: at, until, tenant: tenant.clone() };
            let command = Command::Schedule(Box::new(command));
            let Answer::Schedule(ScheduleAnswer::Upcoming(Upcoming { schedules, more })) =
                edge.gateway.ask_shard(shard, command).await?
            else {
                return Err(unexpected());
            };
            for schedule in schedules {
                expand(&schedule, until, limit, &mut found);
                if found.len() > 2 * limit {
                    keep_first(&mut found, limit);
                }
            }
            from = more;
        }
    }
    keep_first(&mut found, limit);
    shown(edge, found).await
}

fn expand(schedule: &Schedule, until: Wall, limit: usize, out: &mut Vec<(Wall, Wall, Schedule)>) {
    let (spec, offset) = (&schedule.spec, schedule.offset);
    let mut next = schedule.next;
    for _ in 0..limit {
        let Some(at) = next.filter(|at| *at + offset <= until) else { return };
        out.push((at + offset, at, schedule.clone()));
        next = match &spec.timing {
            // What comes after it depends on how long it takes.
            Timing::After(_) => None,
            Timing::Table(_) => spec.next(at).map(|(next, _)| next),
        };
    }
}

fn keep_first(found: &mut Vec<(Wall, Wall, Schedule)>, limit: usize) {
    found.sort_by(|(a, _, one), (b, _, other)| a.cmp(b).then_with(|| one.key.cmp(&other.key)));
    found.truncate(limit);
}

/// The windows of a paused job pass; whoever looks ahead should know.
async fn shown(edge: &Edge, found: Vec<(Wall, Wall, Schedule)>) -> Result<Vec<Ahead>, Problem> {
    let mut jobs: Vec<JobKey> = found.iter().map(|(_, _, schedule)| job_of(&schedule.key)).collect();
    jobs.sort();
    jobs.dedup();
    let read = |key: &JobKey| Command::Run(Box::new(RunCommand::ReadJob { key: key.clone() }));
    let routed = jobs.iter().map(|key| (edge.gateway.home(&key.tenant), read(key))).collect();
    let answers = edge.gateway.ask_split(routed).await?;
    let paused: Vec<bool> = answers
        .iter()
        .map(|answer| matches!(answer, Ok(Answer::Run(RunAnswer::Job(Some(job)))) if job.paused))
        .collect();
    let ahead = found.into_iter().map(|(begins, at, schedule)| {
        let place = jobs.binary_search(&job_of(&schedule.key)).ok();
        let job_paused = place.and_then(|place| paused.get(place)).copied().unwrap_or(false);
        Ahead { at, begins, description: describe(&schedule.spec), key: schedule.key, job_paused }
    });
    Ok(ahead.collect())
}
