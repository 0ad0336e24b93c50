//! Filters of lists of runs.

use mainspring_core::run::StartedBy;
use mainspring_core::values::{RunStatus, Wall};

use super::super::Harness;
use super::super::samples::{DAY_MS, name};
use super::{FIRST_DAY, expected, filled, run_id, walk};
use crate::{RunQuery, RunRow};

type Wanted = fn(&RunRow) -> bool;

pub(super) fn runs_narrow<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    let all = RunQuery { limit: 7, ..RunQuery::default() };
    let instant = |n: u64| Some(Wall::from_millis(FIRST_DAY * DAY_MS + n * 1000));
    let label = |key, value| Some((name(key), name(value)));
    let rows: [(&str, RunQuery, Wanted); 13] = [
        ("ids from here on", RunQuery { from: Some(run_id(40)), ..all.clone() }, |row| row.id >= run_id(40)),
        ("tenant", RunQuery { tenant: Some(name("beta")), ..all.clone() }, |row| &*row.job.tenant == "beta"),
        ("job", RunQuery { job: Some(name("größe")), ..all.clone() }, |row| &*row.job.name == "größe"),
        (
            "job of a tenant",
            RunQuery { tenant: Some(name("acme")), job: Some(name("mail")), ..all.clone() },
            |row| &*row.job.tenant == "acme" && &*row.job.name == "mail",
        ),
        ("a tenant that has none", RunQuery { tenant: Some(name("none")), ..all.clone() }, |_| false),
        ("one status", RunQuery { statuses: vec![RunStatus::Running], ..all.clone() }, |row| {
            row.status == RunStatus::Running
        }),
        (
            "two statuses",
            RunQuery { statuses: vec![RunStatus::Failed, RunStatus::Queued], ..all.clone() },
            |row| matches!(row.status, RunStatus::Failed | RunStatus::Queued),
        ),
        ("trigger", RunQuery { trigger: Some(StartedBy::Schedule), ..all.clone() }, |row| {
            row.trigger == StartedBy::Schedule
        }),
        ("label", RunQuery { label: label("team", "größe"), ..all.clone() }, |row| row.labels.len() == 2),
        ("half a label", RunQuery { label: label("env", "pro"), ..all.clone() }, |_| false),
        ("from", RunQuery { created_from: instant(60), ..all.clone() }, |row| {
            row.created >= Wall::from_millis(FIRST_DAY * DAY_MS + 60_000)
        }),
        ("before", RunQuery { created_before: instant(60), ..all.clone() }, |row| {
            row.created < Wall::from_millis(FIRST_DAY * DAY_MS + 60_000)
        }),
        (
            "all at once",
            RunQuery {
                tenant: Some(name("beta")),
                statuses: vec![RunStatus::Succeeded, RunStatus::Cancelled],
                label: label("env", "prod"),
                created_from: instant(20),
                ..all.clone()
            },
            |row| {
                &*row.job.tenant == "beta"
                    && matches!(row.status, RunStatus::Succeeded | RunStatus::Cancelled)
                    && row.labels.first() == Some(&(name("env"), name("prod")))
                    && row.created >= Wall::from_millis(FIRST_DAY * DAY_MS + 20_000)
            },
        ),
    ];
    for (case, query, wanted) in rows {
        assert_eq!(walk(&mut opened.reader, &query), expected(wanted), "{case}");
    }
}

pub(super) fn runs_narrow_by_how_they_ended<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = filled(&store);
    let all = RunQuery { limit: 7, ..RunQuery::default() };
    let instant = |n: u64| Some(Wall::from_millis(FIRST_DAY * DAY_MS + n * 1000));
    let rows: [(&str, RunQuery, Wanted); 2] = [
        (
            "not succeeded",
            RunQuery { statuses: vec![RunStatus::Failed, RunStatus::Cancelled], ..all.clone() },
            |row| matches!(row.status, RunStatus::Failed | RunStatus::Cancelled),
        ),
        (
            "unfinished since",
            RunQuery {
                statuses: vec![RunStatus::Queued, RunStatus::Running],
                created_from: instant(60),
                ..all.clone()
            },
            |row| {
                matches!(row.status, RunStatus::Queued | RunStatus::Running)
                    && row.created >= Wall::from_millis(FIRST_DAY * DAY_MS + 60_000)
            },
        ),
    ];
    for (case, query, wanted) in rows {
        assert_eq!(walk(&mut opened.reader, &query), expected(wanted), "{case}");
    }
}
