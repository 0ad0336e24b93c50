//! `ScheduleService`.

use std::sync::Arc;

use mainspring_core::calendar::Timetable;
use mainspring_core::schedule::{Schedule, ScheduleKey, Timing};
use mainspring_core::values::Millis;
use mainspring_proto::v1;
use mainspring_proto::v1::schedule_service_server::ScheduleService;
use prost::Message;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::cron;
use super::runs::run_state;
use super::status::{answer, request_id};
use super::tasks::list;
use super::time::{duration, moment, span_field, timestamp};
use crate::edge::Edge;
use crate::operation::schedules::{self as operation, HistoryFilter, LedgerFilter};
use crate::problem::Problem;
use crate::wire::{LedgerWindowView, OverrideBody, ScheduleView, WindowRowView};

pub(super) struct Schedules(pub(super) Arc<Edge>);

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl ScheduleService for Schedules {
    async fn list(&self, request: Request<v1::ListSchedulesRequest>) -> Answer<v1::ListSchedulesResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, list(&self.0, request.get_ref()).await)
    }

    async fn get(&self, request: Request<v1::GetScheduleRequest>) -> Answer<v1::Schedule> {
        let id = request_id(&request);
        answer(&self.0, &id, get(&self.0, &Call::of(request)).await)
    }

    async fn put(&self, request: Request<v1::PutScheduleRequest>) -> Answer<v1::PutScheduleResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, put(&self.0, &Call::of(request)).await)
    }

    async fn delete(&self, request: Request<v1::DeleteScheduleRequest>) -> Answer<v1::ScheduleChange> {
        let id = request_id(&request);
        answer(&self.0, &id, delete(&self.0, &Call::of(request)).await)
    }

    async fn pause(&self, request: Request<v1::PauseScheduleRequest>) -> Answer<v1::ScheduleChange> {
        let id = request_id(&request);
        answer(&self.0, &id, pause(&self.0, &Call::of(request)).await)
    }

    async fn resume(&self, request: Request<v1::ResumeScheduleRequest>) -> Answer<v1::ScheduleChange> {
        let id = request_id(&request);
        answer(&self.0, &id, resume(&self.0, &Call::of(request)).await)
    }

    async fn windows(&self, request: Request<v1::ListWindowsRequest>) -> Answer<v1::ListWindowsResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, windows(&self.0, request.get_ref()).await)
    }

    async fn history(
        &self,
        request: Request<v1::ScheduleHistoryRequest>,
    ) -> Answer<v1::ScheduleHistoryResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, history(&self.0, &Call::of(request)).await)
    }

    async fn upcoming(
        &self,
        request: Request<v1::UpcomingWindowsRequest>,
    ) -> Answer<v1::UpcomingWindowsResponse> {
        let id = request_id(&request);
        answer(&self.0, &id, upcoming(&self.0, request.get_ref()).await)
    }

    async fn preview_cron(&self, request: Request<v1::PreviewCronRequest>) -> Answer<v1::CronPreview> {
        let id = request_id(&request);
        answer(&self.0, &id, cron::preview(request.get_ref()))
    }
}

fn key<T: Message>(
    call: &Call<T>,
    tenant: Option<&String>,
    (job, name): (&str, &str),
) -> Result<ScheduleKey, Problem> {
    operation::named_schedule(tenant.map(String::as_str), call.caller()?.keys, job, name)
}

async fn list(edge: &Edge, request: &v1::ListSchedulesRequest) -> Result<v1::ListSchedulesResponse, Problem> {
    let wanted = (request.tenant.as_deref(), request.job.as_deref());
    let limit = request.limit.map(|limit| limit as usize);
    let (found, next_cursor) = operation::schedules(edge, wanted, request.cursor.as_deref(), limit).await?;
    Ok(v1::ListSchedulesResponse { schedules: found.iter().map(message).collect(), next_cursor })
}

async fn get(edge: &Edge, call: &Call<v1::GetScheduleRequest>) -> Result<v1::Schedule, Problem> {
    let v1::GetScheduleRequest { job, name, tenant } = &call.message;
    let schedule = operation::schedule(edge, key(call, tenant.as_ref(), (job, name))?).await?;
    Ok(message(&schedule))
}

fn message(schedule: &Schedule) -> v1::Schedule {
    let (view, spec) = (ScheduleView::of(schedule), &*schedule.spec);
    let (every, after) = match &spec.timing {
        Timing::Table(Timetable::Every { every, .. }) => (Some(duration(*every)), None),
        Timing::After(delay) => (None, Some(duration(*delay))),
        Timing::Table(Timetable::Cron { .. } | Timetable::Instants(_)) => (None, None),
    };
    v1::Schedule {
        tenant: view.tenant.to_owned(),
        job: view.job.to_owned(),
        name: view.name.to_owned(),
        state: view.state.to_owned(),
        description: view.description,
        cron: view.timing.cron.map(str::to_owned),
        timezone: view.timing.timezone.map(str::to_owned),
        dst: view.timing.dst.map(|dst| v1::Dst { missing: dst.missing.into(), twice: dst.twice.into() }),
        every,
        after,
        at: view.timing.at.into_iter().flatten().map(moment).collect(),
        next: view.next.map(moment),
        next_begins_at: view.next_begins_at.map(moment),
        last: view.last.map(moment),
        last_run_id: view.last_run_id,
        last_task_id: view.last_task_id,
        fired: view.fired,
        skipped: view.skipped,
        missed: view.missed,
        active: view.active as u32,
        waiting: view.waiting as u32,
        overlap: view.overlap.to_owned(),
        max_active: view.max_active,
        catch_up: view.catch_up,
        misfire_grace: Some(duration(spec.grace)),
        jitter: (spec.jitter > Millis::ZERO).then(|| duration(spec.jitter)),
        start: view.start.map(moment),
        end: view.end.map(moment),
        parameters_json: view.parameters.map(|parameters| parameters.get().to_owned()),
        priority: view.priority.map(|priority| v1::Priority {
            band: Some(priority.band.to_owned()),
            level: Some(u32::from(priority.level)),
        }),
        in_file: view.in_file,
        created_at: Some(moment(view.created_at)),
        updated_at: Some(moment(view.updated_at)),
        revision: view.revision,
    }
}

async fn put(edge: &Edge, call: &Call<v1::PutScheduleRequest>) -> Result<v1::PutScheduleResponse, Problem> {
    let v1::PutScheduleRequest { job, name, tenant, schedule_file, actor, reason, if_revision } =
        &call.message;
    let caller = call.caller_of(*if_revision)?;
    let key = key(call, tenant.as_ref(), (job, name))?;
    let over = OverrideBody { actor: actor.clone(), reason: reason.clone() };
    let stored = operation::put_schedule(edge, key.clone(), schedule_file.as_bytes(), &over, &caller).await?;
    let (changed, revision) = (stored.changed, stored.revision.get());
    let v1::ScheduleChange { tenant, job, name } = done(&key);
    Ok(v1::PutScheduleResponse { tenant, job, name, changed, next: stored.next.map(timestamp), revision })
}

async fn delete(edge: &Edge, call: &Call<v1::DeleteScheduleRequest>) -> Result<v1::ScheduleChange, Problem> {
    let v1::DeleteScheduleRequest { job, name, tenant, actor, reason, if_revision } = &call.message;
    let caller = call.caller_of(*if_revision)?;
    let key = key(call, tenant.as_ref(), (job, name))?;
    let over = OverrideBody { actor: actor.clone(), reason: reason.clone() };
    operation::delete_schedule(edge, &key, &over, &caller).await?;
    Ok(done(&key))
}

async fn pause(edge: &Edge, call: &Call<v1::PauseScheduleRequest>) -> Result<v1::ScheduleChange, Problem> {
    let v1::PauseScheduleRequest { job, name, tenant, actor, reason, if_revision } = &call.message;
    let caller = call.caller_of(*if_revision)?;
    let key = key(call, tenant.as_ref(), (job, name))?;
    let over = OverrideBody { actor: actor.clone(), reason: reason.clone() };
    operation::pause_schedule(edge, &key, true, &over, &caller).await?;
    Ok(done(&key))
}

async fn resume(edge: &Edge, call: &Call<v1::ResumeScheduleRequest>) -> Result<v1::ScheduleChange, Problem> {
    let v1::ResumeScheduleRequest { job, name, tenant, actor, reason, if_revision } = &call.message;
    let caller = call.caller_of(*if_revision)?;
    let key = key(call, tenant.as_ref(), (job, name))?;
    let over = OverrideBody { actor: actor.clone(), reason: reason.clone() };
    operation::pause_schedule(edge, &key, false, &over, &caller).await?;
    Ok(done(&key))
}

fn done(key: &ScheduleKey) -> v1::ScheduleChange {
    v1::ScheduleChange {
        tenant: key.tenant.to_string(),
        job: key.job.to_string(),
        name: key.name.to_string(),
    }
}

async fn history(
    edge: &Edge,
    call: &Call<v1::ScheduleHistoryRequest>,
) -> Result<v1::ScheduleHistoryResponse, Problem> {
    let v1::ScheduleHistoryRequest { job, name, tenant, limit, cursor, outcome, from, to } = &call.message;
    let key = key(call, tenant.as_ref(), (job, name))?;
    let limit = limit.map(|limit| limit as usize);
    let filter = HistoryFilter {
        outcome: outcome.as_deref(),
        from: list::at("from", from.as_ref())?,
        to: list::at("to", to.as_ref())?,
    };
    let (rows, next_cursor) = operation::history(edge, key, filter, cursor.as_deref(), limit).await?;
    let windows = rows.into_iter().map(window).collect();
    Ok(v1::ScheduleHistoryResponse { windows, next_cursor })
}

async fn windows(edge: &Edge, request: &v1::ListWindowsRequest) -> Result<v1::ListWindowsResponse, Problem> {
    let filter = LedgerFilter {
        tenant: request.tenant.as_deref(),
        job: request.job.as_deref(),
        outcome: request.outcome.as_deref(),
        from: list::at("from", request.from.as_ref())?,
        to: list::at("to", request.to.as_ref())?,
    };
    let page = operation::ledger(edge, filter).await?;
    let row = |view: LedgerWindowView| v1::LedgerWindow {
        tenant: view.tenant,
        job: view.job,
        name: view.name,
        window: Some(window(view.window)),
    };
    Ok(v1::ListWindowsResponse { windows: page.windows.into_iter().map(row).collect(), more: page.more })
}

fn window(view: WindowRowView) -> v1::ScheduleWindow {
    v1::ScheduleWindow {
        first: Some(moment(view.first)),
        last: Some(moment(view.last)),
        count: view.count,
        outcome: view.outcome.to_owned(),
        reason: view.reason.map(str::to_owned),
        run_id: view.run_id,
        task_id: view.task_id,
        decided_at: Some(moment(view.decided_at)),
        run_state: view.run_state.map(run_state),
    }
}

async fn upcoming(
    edge: &Edge,
    request: &v1::UpcomingWindowsRequest,
) -> Result<v1::UpcomingWindowsResponse, Problem> {
    let within = span_field("within", request.within.as_ref())?.map(Millis::new);
    let limit = request.limit.map(|limit| limit as usize);
    let found = operation::upcoming(edge, request.tenant.as_deref(), within, limit).await?;
    let windows = found.into_iter().map(|ahead| v1::UpcomingWindow {
        at: Some(timestamp(ahead.at)),
        begins_at: Some(timestamp(ahead.begins)),
        tenant: ahead.key.tenant.to_string(),
        job: ahead.key.job.to_string(),
        name: ahead.key.name.to_string(),
        description: ahead.description,
        job_paused: ahead.job_paused,
    });
    Ok(v1::UpcomingWindowsResponse { windows: windows.collect() })
}
