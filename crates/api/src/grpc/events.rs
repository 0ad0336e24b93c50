//! `EventService`: events come in, news go out.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{Stream, stream};
use mainspring_core::values::CloudEvent;
use mainspring_proto::v1;
use mainspring_proto::v1::event_service_server::EventService;
use serde::Deserialize;
use serde_json::value::RawValue;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::status::{answer, request_id};
use super::time::{instant, span_field, timestamp};
use crate::edge::Edge;
use crate::feed::Listening;
use crate::operation::events as operation;
use crate::problem::{EventProblem, Problem};
use crate::wire::{
    self, BegunView, DeclinedView, Keys, PublishedView, TENANT_DEFAULT, TimeBody, event_attribute,
    event_data, name,
};

pub(super) struct Events(pub(super) Arc<Edge>);

pub(super) type News = Pin<Box<dyn Stream<Item = Result<v1::CloudEvent, Status>> + Send>>;

#[tonic::async_trait]
impl EventService for Events {
    async fn publish(
        &self,
        request: Request<v1::PublishEventsRequest>,
    ) -> Result<Response<v1::PublishEventsResponse>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, publish(&self.0, &Call::of(request)).await)
    }

    type ListenStream = News;

    async fn listen(&self, request: Request<v1::ListenToEventsRequest>) -> Result<Response<News>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, listen(&self.0, request.get_ref()).await)
    }
}

async fn publish(
    edge: &Edge,
    call: &Call<v1::PublishEventsRequest>,
) -> Result<v1::PublishEventsResponse, Problem> {
    let v1::PublishEventsRequest { events, tenant } = &call.message;
    let caller = call.caller()?;
    let tenant = name("tenant", tenant.as_deref().or(caller.keys.tenant).unwrap_or(TENANT_DEFAULT))?;
    wire::check_event_count(events.len())?;
    let read = |(index, event): (usize, &v1::CloudEvent)| {
        notice(event).map_err(|problem| EventProblem::at(problem, index))
    };
    let notices = events.iter().enumerate().map(read).collect::<Result<_, _>>()?;
    let caller = crate::operation::Caller { keys: Keys { tenant: Some(&tenant), ..caller.keys }, ..caller };
    let results = operation::publish_batch(edge, &tenant, notices, &caller).await?;
    Ok(v1::PublishEventsResponse { results: results.into_iter().map(published).collect() })
}

fn notice(event: &v1::CloudEvent) -> Result<CloudEvent, Problem> {
    let attribute = |name, text: &str| event_attribute(name, text.to_owned());
    let time = |at| instant(at).map_err(|what| EventProblem::invalid("time", what));
    let data = event.data_json.as_deref().map(|text| event_data(None, text.as_bytes()));
    Ok(CloudEvent {
        id: attribute("id", &event.id)?,
        source: attribute("source", &event.source)?,
        kind: attribute("type", &event.r#type)?,
        subject: event.subject.as_deref().map(|text| attribute("subject", text)).transpose()?,
        time: event.time.as_ref().map(time).transpose()?.map(|at| at.0),
        data: data.transpose()?.flatten(),
    })
}

fn published(view: PublishedView) -> v1::PublishedEvent {
    let begun = |view: BegunView| v1::BegunRun { run_id: view.run_id, job: view.job, trigger: view.trigger };
    let declined =
        |view: DeclinedView| v1::DeclinedTrigger { job: view.job, trigger: view.trigger, what: view.what };
    v1::PublishedEvent {
        id: view.id,
        source: view.source,
        duplicate: view.duplicate,
        runs: view.runs.into_iter().map(begun).collect(),
        skipped: view.skipped.into_iter().map(declined).collect(),
        errors: view.errors.into_iter().map(declined).collect(),
    }
}

async fn listen(edge: &Arc<Edge>, request: &v1::ListenToEventsRequest) -> Result<News, Problem> {
    let wanted = operation::ListenBody {
        kind: request.kind.as_deref(),
        tenant: request.tenant.as_deref(),
        job: request.job.as_deref(),
        run_id: request.run_id.as_deref(),
        for_ms: span_field("for_at_most", request.for_at_most.as_ref())?,
        after: request.after.as_deref(),
        digest: span_field("digest", request.digest.as_ref())?,
    };
    let listening = operation::listen(edge, &wanted).await?;
    Ok(Box::pin(stream::unfold(listening, |mut listening| async move {
        let event = next(&mut listening).await?;
        Some((Ok(event), listening))
    })))
}

/// Empty lines are for connections of REST; those of gRPC have signs of life of their own.
async fn next(listening: &mut Listening) -> Option<v1::CloudEvent> {
    loop {
        let line = listening.next().await?;
        if let Some(event) = heard(&line) {
            return Some(event);
        }
    }
}

fn heard(line: &[u8]) -> Option<v1::CloudEvent> {
    #[derive(Deserialize)]
    struct Line<'a> {
        id: String,
        source: String,
        r#type: String,
        subject: Option<String>,
        time: Option<TimeBody>,
        #[serde(borrow)]
        data: Option<&'a RawValue>,
    }
    let line: Line<'_> = serde_json::from_slice(line).ok()?;
    Some(v1::CloudEvent {
        id: line.id,
        source: line.source,
        r#type: line.r#type,
        subject: line.subject,
        time: line.time.map(|at| timestamp(at.0)),
        data_json: line.data.map(|data| data.get().to_owned()),
    })
}
