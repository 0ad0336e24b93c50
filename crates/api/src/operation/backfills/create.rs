//! Begin a backfill, or tell what it would do.

use std::sync::Arc;

use mainspring_core::backfill::decide::{BackfillAnswer, BackfillCommand, CreateBackfill};
use mainspring_core::backfill::{BackfillRefusal, Windows};
use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::{Definition, Job, Plan as JobPlan};
use mainspring_core::schedule::{Schedule, Target};
use mainspring_core::task::Payload;
use mainspring_core::values::BackfillId;
use mainspring_store::format::{ProfileCache, read_plan};
use serde_json::{Map, Value};

use super::plan::Plan;
use super::wish::Wish;
use super::{send, unexpected};
use crate::edge::Edge;
use crate::operation::Caller;
use crate::operation::audit::Change;
use crate::operation::flows;
use crate::problem::Problem;
use crate::wire::{BackfillBody, OverrideBody, TENANT_DEFAULT};

/// How often windows are looked for again because some were decided meanwhile.
const TRIES_MAX: usize = 3;

const OPERATION: &str = "backfill";

/// What became of the wish.
pub(crate) enum Made {
    Backfill(BackfillId),
    /// It was only asked for, or there is nothing to run.
    Plan(Box<Plan>),
}

pub(crate) async fn create_backfill(
    edge: &Edge,
    body: &BackfillBody,
    caller: &Caller<'_>,
) -> Result<Made, Problem> {
    // Before windows are looked for: those of the first request are not missing any more.
    let tenant = body.tenant.as_deref().or(caller.keys.tenant).unwrap_or(TENANT_DEFAULT);
    let route = edge.gateway.tenant(tenant);
    let first = caller.first_answer(edge, route, (OPERATION, "")).await?;
    if let Some(Answer::Backfill(BackfillAnswer::Created(id))) = first {
        return Ok(Made::Backfill(id));
    }
    let over = OverrideBody { actor: body.actor.clone(), reason: body.reason.clone() };
    let by = Change::by("a backfill was begun", &over, caller)?;
    let wish = Wish::read(body, caller.keys)?;
    let id = BackfillId::from_bits(edge.gateway.mint(&wish.job.tenant).bits());
    for tried in 1.. {
        let schedule = wish.schedule(edge, body.schedule.as_deref()).await?;
        let mut job = flows::job(edge, wish.job.clone()).await?;
        let mut plan = Plan::make(edge, &wish, schedule).await?;
        let pinned = of_version(edge, &mut job, body.version).await?;
        let parameters = parameters(edge, &job, &plan.schedule, body)?;
        plan.version = job.version;
        let windows = Windows::new(&plan.windows, wish.order);
        let Some(windows) = windows.filter(|_| !body.dry_run) else {
            return Ok(Made::Plan(Box::new(plan)));
        };
        let create = CreateBackfill {
            id,
            key: (*plan.schedule.key).clone(),
            from: wish.from,
            to: wish.to,
            only: wish.only,
            windows,
            max_active: wish.max_active,
            version: job.version,
            plan: pinned,
            parameters,
            written_back: plan.schedule.written_back(),
        };
        let command = Command::Backfill(Box::new(BackfillCommand::Create(Box::new(create))));
        let command = caller.keyed(edge, route, (OPERATION, ""), command)?;
        match send(edge, route, command).await {
            Ok(BackfillAnswer::Created(id)) => {
                by.done(id);
                return Ok(Made::Backfill(id));
            }
            Ok(_) => return Err(unexpected()),
            Err(problem) if tried < TRIES_MAX && is_old(&problem) => {}
            Err(problem) => return Err(problem),
        }
    }
    Err(unexpected())
}

fn is_old(problem: &Problem) -> bool {
    matches!(problem, Problem::Rejected(Rejection::Backfill(refusal))
        if matches!(**refusal, BackfillRefusal::PlanOld { .. }))
}

/// Makes the job look as it was in that version; its plan, unless it is the newest.
async fn of_version(
    edge: &Edge,
    job: &mut Job,
    version: Option<u32>,
) -> Result<Option<Arc<JobPlan>>, Problem> {
    let Some(version) = version.filter(|version| *version != job.version) else { return Ok(None) };
    let newest = job.version;
    let key = (*job.key).clone();
    let row = edge.readers.read(move |tables| tables.version(&key, version)).await?;
    let Some(row) = row else {
        return Err(Problem::field("version", format!("the job has versions 1 to {newest}")));
    };
    let plan = read_plan(&row.plan, &mut ProfileCache::default());
    let plan = plan.map_err(|_| Rejection::Internal { what: "the row of this version is damaged" })?;
    let plan = Arc::new(plan);
    job.version = version;
    job.definition = Definition { plan: plan.clone(), source: row.source.into(), hash: row.hash };
    Ok(Some(plan))
}

/// Those of the schedule, with the caller's in place of them; checked, and with the job's defaults.
fn parameters(edge: &Edge, job: &Job, schedule: &Schedule, body: &BackfillBody) -> Result<Payload, Problem> {
    let of_schedule: &[u8] = match &schedule.spec.target {
        Target::Run { parameters, .. } => parameters,
        Target::Task(_) => b"{}",
    };
    let mut all: Map<String, Value> = serde_json::from_slice(of_schedule).unwrap_or_default();
    if let Some(given) = &body.parameters {
        let given: Map<String, Value> = serde_json::from_str(given.get())
            .map_err(|_| Problem::field("parameters", "an object with a value for each name"))?;
        all.extend(given);
    }
    let definition = edge.definitions.of(job)?;
    let checked = definition.check_parameters(Value::Object(all).to_string().as_bytes());
    checked.map(Payload::from).map_err(|mistakes| Problem::ParametersInvalid { mistakes })
}
