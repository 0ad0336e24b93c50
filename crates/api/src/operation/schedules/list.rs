//! Schedules by tenant, job and name.

use mainspring_core::job::JobKey;
use mainspring_core::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use mainspring_core::schedule::{Schedule, ScheduleKey};
use mainspring_definition::limits::SCHEDULES_MAX;

use super::{ask, unexpected};
use crate::edge::Edge;
use crate::operation::flows::page_length;
use crate::problem::Problem;
use crate::wire::name;

/// With where the next page begins.
pub(crate) async fn schedules(
    edge: &Edge,
    (tenant, job): (Option<&str>, Option<&str>),
    cursor: Option<&str>,
    limit: Option<usize>,
) -> Result<(Vec<Schedule>, Option<String>), Problem> {
    let limit = page_length(limit)?;
    let tenant = tenant.map(|text| name("tenant", text)).transpose()?;
    let job = job.map(|text| name("job", text)).transpose()?;
    let after = cursor.map(parse_cursor).transpose()?;
    let command = ScheduleCommand::List { after, tenant, job, limit: limit + 1 };
    let mut found = listed(edge, command).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().filter(|_| more).map(|schedule| &schedule.key);
    let next = last.map(|key| format!("{}/{}/{}", key.tenant, key.job, key.name));
    Ok((found, next))
}

/// As many as a file can have; more were put one by one, and have a list of their own.
pub(crate) async fn of_job(edge: &Edge, job: &JobKey) -> Result<Vec<Schedule>, Problem> {
    let (tenant, job) = (Some(job.tenant.clone()), Some(job.name.clone()));
    listed(edge, ScheduleCommand::List { after: None, tenant, job, limit: SCHEDULES_MAX }).await
}

async fn listed(edge: &Edge, command: ScheduleCommand) -> Result<Vec<Schedule>, Problem> {
    let ScheduleCommand::List { tenant, .. } = &command else { return Err(unexpected()) };
    let route = edge.gateway.tenant_or_all(tenant.as_ref());
    match ask(edge, route, command).await? {
        ScheduleAnswer::Schedules(found) => Ok(found),
        _ => Err(unexpected()),
    }
}

/// Only a tenant can have a slash in it.
fn parse_cursor(text: &str) -> Result<ScheduleKey, Problem> {
    let mut parts = text.rsplitn(3, '/');
    let (Some(schedule), Some(job), Some(tenant)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(Problem::query("cursor", "not one that an answer gave"));
    };
    Ok(ScheduleKey {
        tenant: name("cursor", tenant)?,
        job: name("cursor", job)?,
        name: name("cursor", schedule)?,
    })
}
