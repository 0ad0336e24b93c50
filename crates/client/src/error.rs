//! Why a call failed, and what a person can do.

use http::StatusCode;

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("`{server}` is not an address; write it as http://127.0.0.1:7070")]
    BadAddress { server: String },
    #[error("the token has characters that no header may have")]
    BadToken,
    #[error("the server at {server} cannot be reached: {why}")]
    Unreachable { server: String, why: String },
    #[error("the connection was lost: {why}")]
    BrokenOff { why: String },
    #[error("the server's answer could not be read: {why}")]
    BadAnswer { why: String },
    #[error("{what} begins with `{prefix}`")]
    NothingBegins { what: &'static str, prefix: String },
    #[error("`{prefix}` is the beginning of more than one:\n  {}", candidates.join("\n  "))]
    Ambiguous { prefix: String, candidates: Vec<String> },
    /// What was written cannot be an id, nor the beginning of one.
    #[error("`{text}` is no id of a {what}, nor the beginning of one")]
    NoId { what: &'static str, text: String },
    /// What was said leaves a choice open.
    #[error("{what}")]
    Unclear { what: String, advice: String },
    /// The server refused, in its own words; `path` is what it was asked.
    #[error("{message}")]
    Refused { status: StatusCode, code: String, message: String, advice: String, path: String },
}

impl ClientError {
    /// What a person can do next.
    pub fn advice(&self) -> Option<&str> {
        match self {
            Self::Refused { advice, .. } if !advice.is_empty() => Some(advice),
            Self::Unclear { advice, .. } => Some(advice),
            Self::Unreachable { .. } => {
                Some("start one with `mainspring dev`, or name another with --server")
            }
            Self::Ambiguous { .. } => Some("write more of it"),
            Self::NothingBegins { .. } => {
                Some("list what there is; an id can be shortened to 6 digits and more")
            }
            Self::NoId { .. } => {
                Some("an id has 32 hexadecimal digits; its first 6 or more are enough if no other begins so")
            }
            Self::Refused { .. }
            | Self::BadAddress { .. }
            | Self::BadToken
            | Self::BadAnswer { .. }
            | Self::BrokenOff { .. } => None,
        }
    }

    /// There is no such thing.
    pub fn is_not_found(&self) -> bool {
        match self {
            Self::Refused { status, .. } => *status == StatusCode::NOT_FOUND,
            Self::NothingBegins { .. } => true,
            Self::BadAddress { .. }
            | Self::BadToken
            | Self::Unreachable { .. }
            | Self::BrokenOff { .. }
            | Self::BadAnswer { .. }
            | Self::Ambiguous { .. }
            | Self::NoId { .. }
            | Self::Unclear { .. } => false,
        }
    }

    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { code, .. } => Some(code),
            Self::BadAddress { .. }
            | Self::BadToken
            | Self::Unreachable { .. }
            | Self::BrokenOff { .. }
            | Self::BadAnswer { .. }
            | Self::NothingBegins { .. }
            | Self::Ambiguous { .. }
            | Self::NoId { .. }
            | Self::Unclear { .. } => None,
        }
    }
}
