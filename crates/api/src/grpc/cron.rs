//! `ScheduleService.PreviewCron`.

use mainspring_proto::v1;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use super::time::{instant_field, moment};
use crate::operation;
use crate::problem::Problem;
use crate::wire::{CronPreviewBody, CronPreviewView, DstBody};

pub(super) fn preview(request: &v1::PreviewCronRequest) -> Result<v1::CronPreview, Problem> {
    let v1::PreviewCronRequest { expr, timezone, from, count, dst, hash } = request;
    let body = CronPreviewBody {
        expr: expr.clone(),
        timezone: timezone.clone(),
        from: instant_field("from", from.as_ref())?,
        count: *count,
        dst: dst.as_ref().map(policy).transpose()?.unwrap_or_default(),
        hash: hash.clone(),
    };
    operation::preview_cron(body).map(message)
}

fn policy(dst: &v1::Dst) -> Result<DstBody, Problem> {
    Ok(DstBody { missing: word(&dst.missing)?, twice: word(&dst.twice)? })
}

/// A word as REST reads it; an empty one was not set.
fn word<'de, T: Deserialize<'de>>(text: &'de str) -> Result<Option<T>, Problem> {
    let read = |text: &'de str| {
        let text: StrDeserializer<'de, Error> = text.into_deserializer();
        T::deserialize(text).map_err(|error| Problem::field("dst", error.to_string()))
    };
    (!text.is_empty()).then(|| read(text)).transpose()
}

fn message(view: CronPreviewView) -> v1::CronPreview {
    let firings = view.next.into_iter().map(|firing| v1::CronFiring {
        at: Some(moment(firing.at)),
        local: firing.local,
        skipped: firing.skipped,
    });
    v1::CronPreview {
        next: firings.collect(),
        expr: view.expr,
        timezone: view.timezone.to_owned(),
        description: view.description,
        runs_through: view.runs_through,
        skipped: view.skipped,
    }
}
