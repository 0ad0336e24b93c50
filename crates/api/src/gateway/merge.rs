//! The answers of several shards to one command, as one answer.
//! - GW-3 what cannot be merged is refused by name; no shard's part is left out silently

use std::collections::BTreeSet;

use mainspring_core::decision::Rejection;
use mainspring_core::dispatch::Depth;
use mainspring_core::engine::question::{
    APPROVALS_MAX, LimitStanding, LimitStandings, PoolRoom, Stats, WaitingGroups, WorkerView,
};
use mainspring_core::engine::{Answer, Counts};
use mainspring_core::retry::RetryCounts;
use mainspring_core::run::decide::RunAnswer;
use mainspring_core::schedule::decide::ScheduleAnswer;
use mainspring_core::values::Name;

type Answered = Result<Answer, Rejection>;

/// At least one answer is there.
pub(super) fn merge(answers: impl IntoIterator<Item = Answered>) -> Answered {
    let none = Err(Rejection::Internal { what: "no shard answered" });
    answers.into_iter().reduce(both).unwrap_or(none)
}

fn both(one: Answered, other: Answered) -> Answered {
    match (one, other) {
        (Ok(one), Ok(other)) => merged(one, other),
        // One shard has the row, the others do not.
        (Ok(found), Err(Rejection::RowNotQuarantined { .. }))
        | (Err(Rejection::RowNotQuarantined { .. }), Ok(found)) => Ok(found),
        (Err(refused), _) | (_, Err(refused)) => Err(refused),
    }
}

fn merged(one: Answer, other: Answer) -> Answered {
    Ok(match (one, other) {
        (Answer::Done, Answer::Done) => Answer::Done,
        (Answer::Stats(one), Answer::Stats(other)) => Answer::Stats(Box::new(stats(*one, *other))),
        (Answer::Limits(one), Answer::Limits(other)) => Answer::Limits(Box::new(limits(*one, *other))),
        (Answer::Waiting(one), Answer::Waiting(other)) => {
            let more = one.more || other.more;
            let groups = sorted(one.groups, other.groups, |a, b| {
                (&a.pool, a.band, &a.tenant).cmp(&(&b.pool, b.band, &b.tenant))
            });
            Answer::Waiting(Box::new(WaitingGroups { groups, more }))
        }
        (Answer::Workers(one), Answer::Workers(other)) => Answer::Workers(workers(one, other)),
        (Answer::CouldRun(one), Answer::CouldRun(other)) => Answer::CouldRun(one.and(other)),
        (Answer::Operations(one), Answer::Operations(other)) => {
            Answer::Operations(sorted(one, other, |a, b| a.id.cmp(&b.id)))
        }
        (Answer::Run(RunAnswer::Jobs(one)), Answer::Run(RunAnswer::Jobs(other))) => {
            Answer::Run(RunAnswer::Jobs(sorted(one, other, |a, b| a.key.cmp(&b.key))))
        }
        (
            Answer::Schedule(ScheduleAnswer::Schedules(one)),
            Answer::Schedule(ScheduleAnswer::Schedules(other)),
        ) => {
            let all = sorted(one, other, |a, b| a.key.cmp(&b.key));
            Answer::Schedule(ScheduleAnswer::Schedules(all))
        }
        (Answer::Triggers(one), Answer::Triggers(other)) => {
            Answer::Triggers(sorted(one, other, |a, b| a.key.cmp(&b.key)))
        }
        (Answer::Approvals(one), Answer::Approvals(other)) => {
            let mut all = sorted(one, other, |a, b| a.run.cmp(&b.run));
            all.truncate(APPROVALS_MAX);
            Answer::Approvals(all)
        }
        (Answer::Quarantine(one), Answer::Quarantine(other)) => {
            Answer::Quarantine(one.into_iter().chain(other).collect())
        }
        (Answer::Remembered(one), Answer::Remembered(other)) => Answer::Remembered(one.or(other)),
        _ => return Err(Rejection::Internal { what: "the answers of several shards cannot be merged" }),
    })
}

fn sorted<T>(one: Vec<T>, other: Vec<T>, order: impl FnMut(&T, &T) -> std::cmp::Ordering) -> Vec<T> {
    let mut all: Vec<T> = one.into_iter().chain(other).collect();
    all.sort_by(order);
    all
}

/// A worker is known to every shard that it said hello to; each counts the attempts that are its own.
fn workers(one: Vec<WorkerView>, other: Vec<WorkerView>) -> Vec<WorkerView> {
    let mut all: Vec<WorkerView> = Vec::new();
    for view in sorted(one, other, |a, b| a.id.cmp(&b.id)) {
        match all.last_mut().filter(|known| known.id == view.id) {
            Some(known) => {
                known.holds += view.holds;
                known.silent = known.silent.min(view.silent);
                known.leaving |= view.leaving;
                known.session = known.session.min(view.session);
                known.newest_session = known.newest_session.max(view.newest_session);
            }
            None => all.push(view),
        }
    }
    all
}

fn stats(mut all: Stats, other: Stats) -> Stats {
    for depth in other.depths {
        let same = |known: &&mut Depth| {
            (&known.pool, known.band, &known.tenant) == (&depth.pool, depth.band, &depth.tenant)
        };
        match all.depths.iter_mut().find(same) {
            Some(known) => {
                known.queued += depth.queued;
                known.running += depth.running;
                known.placed += depth.placed;
            }
            None => all.depths.push(depth),
        }
    }
    for (status, count) in other.counts {
        match all.counts.iter_mut().find(|(known, _)| *known == status) {
            Some((_, known)) => *known += count,
            None => all.counts.push((status, count)),
        }
    }
    all.engine = counts(all.engine, other.engine);
    // The same workers, seen from another shard.
    all.workers = all.workers.max(other.workers);
    for room in other.pools {
        match all.pools.iter_mut().find(|known| known.pool == room.pool) {
            Some(known) => *known = pool(known, &room),
            None => all.pools.push(room),
        }
    }
    all.pools.sort_by(|a, b| a.pool.cmp(&b.pool));
    for (name, limit) in other.limits {
        if all.limits.iter().all(|(known, _)| *known != name) {
            all.limits.push((name, limit));
        }
    }
    all.limits.sort_by(|(a, _), (b, _)| a.cmp(b));
    all
}

/// A tenant lives on one shard; what is configured and not in use is known to all of them.
fn limits(one: LimitStandings, other: LimitStandings) -> LimitStandings {
    let more = one.more || other.more;
    let order = |a: &LimitStanding, b: &LimitStanding| {
        (&a.usage.tenant, &a.usage.limit).cmp(&(&b.usage.tenant, &b.usage.limit))
    };
    let mut limits = sorted(one.limits, other.limits, order);
    limits.dedup_by(|next, kept| order(next, kept).is_eq());
    let used: BTreeSet<Name> =
        limits.iter().filter(|row| !row.usage.tenant.is_empty()).map(|row| row.usage.limit.clone()).collect();
    limits.retain(|row| !row.usage.tenant.is_empty() || !used.contains(&row.usage.limit));
    LimitStandings { limits, more }
}

fn counts(one: Counts, other: Counts) -> Counts {
    let each = |one: [u64; 3], other: [u64; 3]| std::array::from_fn(|at| one[at] + other[at]);
    Counts {
        stale_reports: one.stale_reports + other.stale_reports,
        duplicate_reports: one.duplicate_reports + other.duplicate_reports,
        workers_lost: one.workers_lost.max(other.workers_lost),
        attempts_lost: one.attempts_lost + other.attempts_lost,
        unassigned: one.unassigned + other.unassigned,
        swept_up: one.swept_up + other.swept_up,
        panics: one.panics + other.panics,
        runs_late: one.runs_late + other.runs_late,
        runs_overdue: one.runs_overdue + other.runs_overdue,
        runs_quiet: one.runs_quiet + other.runs_quiet,
        runs_stalled: one.runs_stalled + other.runs_stalled,
        schedules_unarmed: one.schedules_unarmed + other.schedules_unarmed,
        retries: RetryCounts {
            spent: each(one.retries.spent, other.retries.spent),
            delayed: each(one.retries.delayed, other.retries.delayed),
        },
    }
}

fn pool(one: &PoolRoom, other: &PoolRoom) -> PoolRoom {
    PoolRoom {
        pool: one.pool.clone(),
        connected: one.connected.max(other.connected),
        slots: one.slots.max(other.slots),
        held: one.held + other.held,
    }
}
