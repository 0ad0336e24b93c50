//! `ETag` and `If-Match`: edits by those who have seen what they change.
//! - EM-1 a request with `If-Match` that cannot heed it is refused (`gate`), so nobody relies on what is not checked

use axum::response::Response;
use http::{HeaderMap, HeaderValue, header};
use mainspring_core::values::Revision;

use crate::catalog::{IF_MATCH, Operation};
use crate::problem::Problem;

/// The revision that the caller has seen, if they say so.
pub(super) fn seen(headers: &HeaderMap) -> Result<Option<Revision>, Problem> {
    let mut given = headers.get_all(header::IF_MATCH).into_iter();
    let Some(value) = given.next() else { return Ok(None) };
    let text = value.to_str().ok().filter(|_| given.next().is_none());
    let quoted = text.and_then(|text| text.trim().strip_prefix('"')?.strip_suffix('"'));
    // Digits alone, without a sign.
    let number = quoted.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let number = number.and_then(|number| number.parse().ok());
    let what =
        "header `If-Match` takes one `ETag` as an answer gave it, in quotes; \"0\" for what is not there yet";
    number.map(Revision::new).map(Some).ok_or_else(|| Problem::field("If-Match", what))
}

/// Why the request cannot be answered as it asks.
pub(super) fn unheeded(operation: &Operation, headers: &HeaderMap) -> Option<Problem> {
    let heeds = operation.headers.iter().any(|parameter| parameter.name == IF_MATCH.name);
    if !operation.changes_something() {
        return None;
    }
    if headers.contains_key(header::IF_NONE_MATCH) {
        let what = "not taken here; `If-Match: \"0\"` stands for what is not there yet";
        return Some(Problem::field("If-None-Match", what));
    }
    let is_given = headers.contains_key(header::IF_MATCH);
    (is_given && !heeds).then(|| Problem::field("If-Match", "not taken by this operation"))
}

pub(super) fn tagged(mut response: Response, revision: Option<Revision>) -> Response {
    let tag = revision.and_then(|revision| HeaderValue::try_from(format!("\"{revision}\"")).ok());
    if let Some(tag) = tag {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_etag_is_read_as_it_was_given_and_nothing_else_is() {
        let read = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::IF_MATCH, value.parse().expect("a header"));
            }
            seen(&headers)
        };
        assert_eq!(read(&[]), Ok(None));
        assert_eq!(read(&["\"17\""]), Ok(Some(Revision::new(17))));
        assert_eq!(read(&["\"0\""]), Ok(Some(Revision::NONE)));
        let odd =
            ["*", "17", "\"\"", "\"+17\"", "W/\"17\"", "\"17\", \"18\"", "\"99999999999999999999\"", ""];
        for odd in odd {
            assert!(read(&[odd]).is_err(), "{odd}");
        }
        assert!(read(&["\"17\"", "\"18\""]).is_err());
    }
}
