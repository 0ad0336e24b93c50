//! Answers in JSON are compressed for callers that take that.
//! - GZ-1 only whole bodies: a stream is sent on as it comes, a piece at a time
//! - GZ-2 short ones stay as they are: they fit in one packet anyway

use std::io::Write as _;

use axum::body::Body;
use axum::body::HttpBody as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, Response, header};
use http_body_util::BodyExt as _;

const BYTES_MIN: u64 = 1_024;
/// Longer ones are compressed on a thread that may take its time.
const AT_ONCE_MAX: u64 = 64 * 1024;

/// Whether a request takes gzip; `gzip;q=0` refuses it.
pub(super) fn is_taken(request: &HeaderMap) -> bool {
    let values = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|part| {
        let mut words = part.split(';').map(str::trim);
        let is_gzip = words.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        is_gzip && !words.any(|word| matches!(word, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

pub(super) async fn compressed(response: Response<Body>) -> Response<Body> {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let is_plain = !response.headers().contains_key(header::CONTENT_ENCODING);
    let length = response.body().size_hint().exact().filter(|length| *length >= BYTES_MIN);
    let Some(length) = length.filter(|_| is_json && is_plain) else { return response };
    let (mut parts, body) = response.into_parts();
    // A body of known length is in memory; it does not fail.
    let Ok(whole) = body.collect().await else { return Response::from_parts(parts, Body::empty()) };
    let plain = whole.to_bytes();
    let packed = if length <= AT_ONCE_MAX {
        packed(&plain)
    } else {
        let plain = plain.clone();
        tokio::task::spawn_blocking(move || packed(&plain)).await.ok().flatten()
    };
    parts.headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    let Some(packed) = packed else { return Response::from_parts(parts, Body::from(plain)) };
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(packed))
}

/// The fastest level: it takes off most of what JSON repeats.
fn packed(plain: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 4), Compression::fast());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_taken_where_it_is_named() {
        let rows = [
            ("gzip", true),
            ("br, gzip;q=0.5", true),
            ("GZip", true),
            ("gzip;q=0", false),
            ("br", false),
            ("", false),
        ];
        for (value, wanted) in rows {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            assert_eq!(is_taken(&headers), wanted, "{value}");
        }
        assert!(!is_taken(&HeaderMap::new()));
    }
}
