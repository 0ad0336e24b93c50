//! Listen to news.

use std::sync::Arc;
use std::time::Duration;

use crate::edge::Edge;
use crate::feed::{self, DIGEST_MAX, DIGEST_MIN, Kind, Listening, Manner, Wanted};
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
    /// The id of an event: `EPOCH-NUMBER`.
    pub after: Option<&'a str>,
    /// In milliseconds.
    pub digest: Option<u64>,
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
    let after = wanted.after.map(event_id).transpose()?;
    let digest = wanted.digest.map(Duration::from_millis);
    if digest.is_some_and(|every| !(DIGEST_MIN..=DIGEST_MAX).contains(&every)) {
        return Err(Problem::query("digest", "it is a time from `50ms` to `10s`"));
    }
    let manner = Manner { for_at_most, after, digest };
    feed::listen(edge, Wanted { kind, tenant, job, run }, manner).await
}

/// Epoch and number of an event of the feed.
fn event_id(text: &str) -> Result<(u64, u64), Problem> {
    let read =
        text.split_once('-').and_then(|(epoch, number)| Some((epoch.parse().ok()?, number.parse().ok()?)));
    read.ok_or_else(|| Problem::query("after", "it is the `id` of an event, as `3-1042`"))
}
