//! What an answer means.

use http::{Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use mainspring_core::values::FailureClass;
use serde_json::{Value, json};

use crate::attempt::Outcome;
use crate::readable::readable;

/// Of a refusing answer's body, this much comes along in the failure's message.
const MESSAGE_BYTES: usize = 1 << 10;

pub async fn outcome(response: Response<Incoming>, bytes_max: usize) -> Outcome {
    let status = response.status();
    let (body, whole) = match read(response.into_body(), bytes_max).await {
        Ok(read) => read,
        Err(error) => {
            let message = format!("the answer {status} broke off: {error}");
            return Outcome::unknown(FailureClass::Transient, i32::from(status.as_u16()), message);
        }
    };
    match class(status) {
        None => Outcome::Success { output: Some(output(status, &body, whole)) },
        Some(class) => {
            let text = readable(&body[..body.len().min(MESSAGE_BYTES)]);
            let message = format!("the target answered {status}\n{text}");
            Outcome::failure(class, i32::from(status.as_u16()), message.trim())
        }
    }
}

/// None for success.
fn class(status: StatusCode) -> Option<FailureClass> {
    match status.as_u16() {
        200..=299 => None,
        408 | 425 | 429 | 500..=599 => Some(FailureClass::Transient),
        _ => Some(FailureClass::Permanent),
    }
}

/// The beginning of a body, and whether that is all of it.
async fn read(mut body: Incoming, bytes_max: usize) -> Result<(Vec<u8>, bool), hyper::Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        let room = bytes_max - bytes.len();
        bytes.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            return Ok((bytes, false));
        }
    }
    Ok((bytes, true))
}

fn output(status: StatusCode, body: &[u8], whole: bool) -> Vec<u8> {
    let as_json = whole.then(|| serde_json::from_slice::<Value>(body).ok()).flatten();
    let body = as_json.unwrap_or_else(|| readable(body).into());
    let output = if whole {
        json!({"status": status.as_u16(), "body": body})
    } else {
        json!({"status": status.as_u16(), "body": body, "truncated": true})
    };
    output.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_class() {
        use FailureClass::{Permanent, Transient};
        let rows = [
            (200, None),
            (204, None),
            (299, None),
            (301, Some(Permanent)),
            (307, Some(Permanent)),
            (400, Some(Permanent)),
            (404, Some(Permanent)),
            (408, Some(Transient)),
            (409, Some(Permanent)),
            (425, Some(Transient)),
            (429, Some(Transient)),
            (500, Some(Transient)),
            (503, Some(Transient)),
        ];
        for (status, expected) in rows {
            assert_eq!(class(StatusCode::from_u16(status).expect("a status")), expected, "{status}");
        }
    }
}
