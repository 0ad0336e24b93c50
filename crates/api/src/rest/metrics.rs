//! `GET /metrics`: counters of the edge, and what the shard says when asked, in the form that the caller accepts.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, header};

use crate::edge::Edge;
use crate::metrics::Told;
use crate::operation;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// What scrapers read that do not say that they know the other form.
const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(super) async fn handle(State(edge): State<Arc<Edge>>, headers: HeaderMap) -> Response {
    let stats = operation::stats(&edge).await.ok();
    let measured = edge.gateway.measured(0).await;
    edge.metrics.sessions.set(edge.sessions.live() as i64);
    edge.metrics.tell(Told { stats, measured });
    let text = edge.metrics.text();
    if knows_open_metrics(&headers) {
        return ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response();
    }
    ([(header::CONTENT_TYPE, PLAIN)], plain(&text)).into_response()
}

/// It accepts it by name, and not with weight zero; or says nothing at all, or everything.
fn knows_open_metrics(headers: &HeaderMap) -> bool {
    let Some(accept) = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()) else { return true };
    accept.split(',').any(|choice| {
        let mut parts = choice.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        let weight = |part: &str| part.strip_prefix("q=").and_then(|text| text.trim().parse::<f64>().ok());
        let refused = parts.filter_map(weight).any(|weight| weight <= 0.0);
        (kind.eq_ignore_ascii_case("application/openmetrics-text") || kind == "*/*") && !refused
    })
}

/// The older form has neither the end mark nor units nor information as a type, and counters have their suffix in their
/// own names.
fn plain(text: &str) -> String {
    let kinds: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' ')).collect();
    let mut out = String::with_capacity(text.len());
    for line in text.lines().filter(|line| *line != "# EOF" && !line.starts_with("# UNIT ")) {
        let described = line.strip_prefix("# ").and_then(|rest| rest.split_once(' '));
        let described = described.and_then(|(word, rest)| Some((word, rest.split_once(' ')?)));
        // Writing to memory cannot fail.
        let _ = match described {
            None => writeln!(out, "{line}"),
            Some((word, (name, told))) => {
                let (suffix, kind) = match kinds.get(name) {
                    Some(&"counter") => ("_total", "counter"),
                    Some(&"info") => ("_info", "gauge"),
                    Some(&"unknown") => ("", "untyped"),
                    _ => ("", told),
                };
                let told = if word == "TYPE" { kind } else { told };
                writeln!(out, "# {word} {name}{suffix} {told}")
            }
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_older_form_names_counters_with_their_suffix_and_has_no_end_mark() {
        let open = "# HELP a_tasks What.\n# TYPE a_tasks counter\n# UNIT a_tasks tasks\na_tasks_total{x=\"1\"} 3\n\
                    # HELP c Of it.\n# TYPE c info\nc_info{v=\"1\"} 1\n# HELP b Now.\n# TYPE b gauge\nb 1\n# EOF\n";
        let wanted = "# HELP a_tasks_total What.\n# TYPE a_tasks_total counter\na_tasks_total{x=\"1\"} 3\n\
                      # HELP c_info Of it.\n# TYPE c_info gauge\nc_info{v=\"1\"} 1\n# HELP b Now.\n# TYPE b gauge\nb 1\n";
        assert_eq!(plain(open), wanted);
    }

    #[test]
    fn the_form_is_chosen_by_what_is_accepted() {
        let rows = [
            (None, true),
            (Some("*/*"), true),
            (Some("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.2"), true),
            (Some("text/plain"), false),
            (Some("application/openmetrics-text;q=0, text/plain"), false),
            (Some("text/html, */*;q=0"), false),
        ];
        for (accept, wanted) in rows {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(header::ACCEPT, accept.parse().expect("a header"));
            }
            assert_eq!(knows_open_metrics(&headers), wanted, "{accept:?}");
        }
    }
}
