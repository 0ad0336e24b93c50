//! Answers whose record cannot be written for now.
//! - UW-1 nobody is told of what is not durable
//! - UW-2 "nothing was recorded" is said only to those of whom nothing can be recorded later

use mainspring_core::decision::Rejection;
use mainspring_core::engine::Answer;
use mainspring_core::values::Millis;

use super::held::Replies;

const RETRY_AFTER: Millis = Millis::from_secs(1);

pub(super) enum Fate {
    /// A worker's: it has nothing better to do than to wait.
    Waits,
    /// The record will hold nothing of the request.
    Refused(Replies),
    /// The record will hold it if it is ever written; the caller must look.
    Unknown,
}

pub(super) fn answer(results: &Replies) -> Fate {
    if results.iter().any(|result| matches!(result, Ok(Answer::Done))) {
        Fate::Waits
    } else if results.iter().all(|result| result.as_ref().is_ok_and(Answer::is_read) || result.is_err()) {
        let refused = || Err(Rejection::StoreUnavailable { retry_after: RETRY_AFTER });
        Fate::Refused(results.iter().map(|_| refused()).collect())
    } else {
        Fate::Unknown
    }
}
