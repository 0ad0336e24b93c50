//! Bulk work, as callers see it.

use mainspring_core::operation::Operation;
use serde::Serialize;
use serde_json::value::RawValue;

use super::time::Moment;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Operation"))]
pub(crate) struct OperationView {
    /// 0 in the answer to a dry run, which begins none
    pub operation_id: u64,
    #[cfg_attr(test, schemars(extend("enum" = ["dry_run", "running", "ended", "cancelled"])))]
    pub state: &'static str,
    /// What is done with each
    pub verb: &'static str,
    /// As its caller wrote it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::object"))]
    pub selector: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// How many matched when it began, if they were counted to the end; of a dry run, those that were counted
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Of a dry run: so many were looked at that the count was ended, and at least `total` match
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// Tasks, runs or others that it has looked at
    pub looked_at: u64,
    /// Of these, changed
    pub handled: u64,
    /// Of these, matched and could not be changed
    pub refused: u64,
    /// Why the last of them could not: a code and a sentence
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_refusal: Option<String>,
    /// Who ended it before it was through
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_reason: Option<String>,
    /// Of a dry run: some that match
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub examples: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "OperationPage"))]
pub(crate) struct OperationPage {
    pub operations: Vec<OperationView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

fn text(name: &str) -> Option<String> {
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

impl OperationView {
    /// `None`: it is one of the server's own.
    pub(crate) fn of(operation: &Operation) -> Option<Self> {
        let bulk = operation.bulk()?;
        let state = match (operation.ended, &operation.cancelled) {
            (None, _) => "running",
            (Some(_), None) => "ended",
            (Some(_), Some(_)) => "cancelled",
        };
        let (over, ended_by) = (bulk.over.as_ref(), operation.cancelled.as_ref());
        Some(Self {
            operation_id: operation.id.get(),
            state,
            verb: bulk.verb.label(),
            selector: RawValue::from_string(bulk.words.to_string()).ok(),
            actor: over.and_then(|over| text(&over.actor)),
            reason: over.and_then(|over| text(&over.reason)),
            started_at: Some(Moment(operation.started)),
            ended_at: operation.ended.map(Moment),
            total: bulk.total,
            more: false,
            looked_at: operation.looked,
            handled: operation.handled,
            refused: operation.refused,
            last_refusal: operation.refusal.as_deref().map(str::to_owned),
            cancelled_by: ended_by.and_then(|over| text(&over.actor)),
            cancel_reason: ended_by.and_then(|over| text(&over.reason)),
            examples: Vec::new(),
        })
    }

    /// What a dry run found.
    pub(crate) fn dry_run(verb: &'static str, total: u64, more: bool, examples: Vec<String>) -> Self {
        Self {
            operation_id: 0,
            state: "dry_run",
            verb,
            selector: None,
            actor: None,
            reason: None,
            started_at: None,
            ended_at: None,
            total: Some(total),
            more,
            looked_at: 0,
            handled: 0,
            refused: 0,
            last_refusal: None,
            cancelled_by: None,
            cancel_reason: None,
            examples,
        }
    }
}
