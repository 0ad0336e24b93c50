//! What can be wrong with events and webhooks.

use std::fmt;

use http::StatusCode;

use super::Problem;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventProblem {
    /// `index`: of the batch.
    Invalid {
        index: Option<usize>,
        attribute: &'static str,
        what: String,
    },
    /// A type or source that only the server itself may use.
    Reserved {
        attribute: &'static str,
        value: String,
    },
    MediaType {
        found: String,
    },
    BatchTooLong {
        count: usize,
        max: usize,
    },
    TriggerNotFound {
        job: String,
        name: String,
    },
    WebhookNotFound {
        name: String,
    },
    /// The line that a listener had last is not kept.
    FeedGone {
        after: String,
    },
    /// Missing or wrong; which is not said.
    SignatureInvalid,
    TimestampInvalid,
}

impl EventProblem {
    pub fn invalid(attribute: &'static str, what: impl Into<String>) -> Problem {
        Self::Invalid { index: None, attribute, what: what.into() }.into()
    }

    /// The same of one event of a batch.
    pub fn at(problem: Problem, index: usize) -> Problem {
        match problem {
            Problem::Events(Self::Invalid { attribute, what, .. }) => {
                Self::Invalid { index: Some(index), attribute, what }.into()
            }
            other => other,
        }
    }

    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "EVENT_INVALID",
            Self::Reserved { .. } => "EVENT_RESERVED",
            Self::MediaType { .. } => "EVENT_MEDIA_TYPE",
            Self::BatchTooLong { .. } => "EVENT_BATCH_TOO_LONG",
            Self::TriggerNotFound { .. } => "TRIGGER_NOT_FOUND",
            Self::WebhookNotFound { .. } => "WEBHOOK_NOT_FOUND",
            Self::FeedGone { .. } => "FEED_GONE",
            Self::SignatureInvalid => "WEBHOOK_SIGNATURE_INVALID",
            Self::TimestampInvalid => "WEBHOOK_TIMESTAMP_INVALID",
        }
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::Invalid { .. } => StatusCode::BAD_REQUEST,
            Self::Reserved { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::MediaType { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BatchTooLong { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TriggerNotFound { .. } | Self::WebhookNotFound { .. } => StatusCode::NOT_FOUND,
            Self::FeedGone { .. } => StatusCode::GONE,
            Self::SignatureInvalid | Self::TimestampInvalid => StatusCode::UNAUTHORIZED,
        }
    }

    pub fn advice(&self) -> String {
        match self {
            Self::Invalid { attribute, .. } => {
                format!("put `{attribute}` right; an event is a CloudEvent of version 1.0")
            }
            Self::Reserved { .. } => "use a type and a source of your own".into(),
            Self::MediaType { .. } => {
                "send `application/cloudevents+json`, `application/cloudevents-batch+json`, or `ce-` headers"
                    .into()
            }
            Self::BatchTooLong { max, .. } => format!("send at most {max} events at once"),
            Self::TriggerNotFound { .. } => "list `/v1/triggers`; triggers are in job files".into(),
            Self::WebhookNotFound { .. } => "add `[webhooks.NAME]` to the server's settings".into(),
            Self::FeedGone { .. } => "listen without `after`, then read again what you show".into(),
            Self::SignatureInvalid => {
                "sign the call as the `signature` of this webhook says, with one of its secrets".into()
            }
            Self::TimestampInvalid => "sign each attempt anew, and check the clocks of both sides".into(),
        }
    }
}

impl fmt::Display for EventProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { index: Some(index), attribute, what } => {
                write!(f, "event {index} of the batch: `{attribute}`: {what}")
            }
            Self::Invalid { index: None, attribute, what } => write!(f, "`{attribute}` of the event: {what}"),
            Self::Reserved { attribute, value } => {
                write!(f, "`{attribute}`: `{value}` is for events of the server itself")
            }
            Self::MediaType { found } if found.is_empty() => f.write_str("the request has no content type"),
            Self::MediaType { found } => write!(f, "`{found}` is no form of an event"),
            Self::BatchTooLong { count, max } => write!(f, "the batch has {count} events of at most {max}"),
            Self::TriggerNotFound { job, name } => write!(f, "there is no trigger `{job}/{name}`"),
            Self::WebhookNotFound { name } => write!(f, "there is no webhook `{name}`"),
            Self::FeedGone { after } => write!(f, "event `{after}` is not among those that are kept"),
            Self::SignatureInvalid => f.write_str("the signature is missing or wrong"),
            Self::TimestampInvalid => f.write_str("the timestamp is missing or too far from now"),
        }
    }
}

impl From<EventProblem> for Problem {
    fn from(problem: EventProblem) -> Self {
        Self::Events(problem)
    }
}
