//! Listen to news.

use std::sync::Arc;
use std::time::Duration;

use crate::edge::Edge;
use crate::feed::{self, Kind, Listening, Wanted};
use crate::operation::flows::run_id;
use crate::problem::Problem;
use crate::wire::name;

/// A day.
const FOR_MS_MAX: u64 = 86_400_000;

/// What a listener wants to hear of, as callers write it.
#[derive(Default)]
pub(crate) struct ListenBody<'a> {
    pub kind: Option<&'a str>,
    pub tenant: Option<&'a str>,
    pub job: Option<&'a str>,
    pub run_id: Option<&'a str>,
    pub for_ms: Option<u64>,
}

pub(crate) async fn listen(edge: &Arc<Edge>, wanted: &ListenBody<'_>) -> Result<Listening, Problem> {
    let kind = match wanted.kind {
        None => None,
        Some("task") => Some(Kind::Task),
        Some("run") => Some(Kind::Run),
        Some("job") => Some(Kind::Job),
        Some("schedule") => Some(Kind::Schedule),
        Some("worker") => Some(Kind::Worker),
        Some("operation") => Some(Kind::Operation),
        Some(_) => {
            return Err(Problem::query(
                "kind",
                "it is `task`, `run`, `job`, `schedule`, `worker` or `operation`",
            ));
        }
    };
    let named = |field, text: Option<&str>| {
        text.map(|text| name(field, text).map(|name| name.to_string())).transpose()
    };
    let run = wanted.run_id.map(run_id).transpose()?.map(|id| id.to_string());
    let (tenant, job) = (named("tenant", wanted.tenant)?, named("job", wanted.job)?);
    let for_at_most = match wanted.for_ms {
        None => None,
        Some(ms @ 1..=FOR_MS_MAX) => Some(Duration::from_millis(ms)),
        Some(_) => {
            return Err(Problem::query("for_ms", format!("it is a number from 1 to {FOR_MS_MAX}")));
        }
    };
    feed::listen(edge, Wanted { kind, tenant, job, run }, for_at_most).await
}
