//! What is told of the end of a run or a task: the data of an event, as JSON.

use std::sync::Arc;

use mainspring_core::run::EndFacts;
use mainspring_core::values::CloudEvent;
use serde_json::{Map, Value as Json, json};

use crate::evaluator::instant;

pub fn data(end: &EndFacts<'_>) -> Arc<[u8]> {
    let mut fields = Map::new();
    if !end.job.is_empty() {
        fields.insert("job".into(), end.job.as_str().into());
    }
    let ids = [("run_id", end.run.map(|id| id.to_string())), ("task_id", end.task.map(|id| id.to_string()))];
    for (name, id) in ids.into_iter().filter_map(|(name, id)| Some((name, id?))) {
        fields.insert(name.into(), id.into());
    }
    fields.insert("state".into(), end.status.into());
    if let Some(window) = end.window {
        let window = json!({
            "at": instant(window.at),
            "start": instant(window.from),
            "end": instant(window.at),
            "schedule": &*window.name,
        });
        fields.insert("window".into(), window);
    }
    if let Some(output) = end.output {
        fields.insert("output".into(), value(output));
    }
    Json::Object(fields).to_string().into_bytes().into()
}

/// An event as those who waited for it see it.
pub fn notice(notice: &CloudEvent, bytes_max: usize) -> Arc<[u8]> {
    let mut fields = json!({ "id": &*notice.id, "source": &*notice.source, "type": &*notice.kind });
    if let Some(subject) = &notice.subject {
        fields["subject"] = (**subject).into();
    }
    if let Some(time) = notice.time {
        fields["time"] = instant(time).into();
    }
    let bare = fields.to_string();
    if let Some(data) = &notice.data {
        fields["data"] = value(data);
    }
    let whole = fields.to_string();
    if whole.len() > bytes_max { bare } else { whole }.into_bytes().into()
}

/// What is no JSON is a text, as for expressions.
fn value(output: &[u8]) -> Json {
    serde_json::from_slice(output)
        .unwrap_or_else(|_| String::from_utf8_lossy(output).trim_end_matches(['\n', '\r']).to_owned().into())
}
