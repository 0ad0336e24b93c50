//! The body of a request, within its bound.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::problem::Problem;

/// A body that takes longer keeps its connection busy for nothing.
const BODY_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) async fn read_body(body: Body, max: usize) -> Result<Bytes, Problem> {
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, max).collect()).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::BodyTooLarge { max }),
        Ok(Err(_)) | Err(_) => Err(Problem::BodyUnreadable),
    }
}
