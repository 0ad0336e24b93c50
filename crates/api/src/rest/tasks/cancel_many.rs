//! `POST /v1/tasks:cancel`: cancel everything that matches and is there now. The work goes on in steps after the
//! answer; `GET /v1/processes/{id}` tells how far it is.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::Slot;
use mainspring_core::name::Name;
use mainspring_core::process::Selector;
use mainspring_core::question::Progress;
use serde::Deserialize;
use std::collections::BTreeMap;

use super::super::call::Call;
use super::super::processes::{self, ProcessBody};
use super::super::{body, json};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::name;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct SelectorBody {
    tenant: Option<String>,
    job: Option<String>,
    pool: Option<String>,
    labels: BTreeMap<String, String>,
    /// Nothing but this selects every task there is.
    all: bool,
    /// Stop running ones too.
    force: bool,
}

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let call = Call::read(&edge, request).await?;
    let wanted: SelectorBody = body::parse_optional(&call.bytes)?;
    let stop_running = wanted.force;
    let command = Command::BulkCancel { selector: wanted.selector()?, stop_running };
    let command = call.keyed(&edge, "cancel many", "", command)?;
    let Answer::Process(id) = edge.gateway.ask(Slot::from_hash(0), command).await? else {
        return Err(Rejection::Internal { what: "a bulk cancel was answered with something else" }.into());
    };
    let progress = processes::ask(&edge, id).await?;
    let progress = progress.unwrap_or(Progress { id, running: true, handled: None });
    Ok(json(StatusCode::ACCEPTED, &ProcessBody::of(progress)))
}

impl SelectorBody {
    fn selector(&self) -> Result<Selector, Problem> {
        let named = |field: &'static str, text: &Option<String>| {
            text.as_deref().map_or_else(|| Ok(Name::fixed("")), |text| name(field, text))
        };
        if self.labels.len() > 1 {
            return Err(Problem::TooManyEntries { field: "labels", count: self.labels.len(), max: 1 });
        }
        let label = match self.labels.iter().next() {
            Some((key, value)) => Some((name("labels", key)?, name("labels", value)?)),
            None => None,
        };
        let selector = Selector {
            tenant: named("tenant", &self.tenant)?,
            job: named("job", &self.job)?,
            pool: named("pool", &self.pool)?,
            label,
        };
        // Empty names match everything, which must be said and not be slipped into.
        match (selector == Selector::default(), self.all) {
            (true, false) => Err(Problem::field(
                "body",
                "name `tenant`, `job`, `pool` or one of `labels`, or say `\"all\": true`",
            )),
            (false, true) => Err(Problem::field("all", "it cannot be narrowed; leave it out")),
            (true, true) | (false, false) => Ok(selector),
        }
    }
}
