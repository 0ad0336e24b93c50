//! Before every route of REST: the request must ask for an operation of the table, with parameters that the table has.
//! So nothing can be reached that is not documented, and a misspelled parameter is not ignored.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{no_method, revision, seconds};
use crate::catalog::{self, Operation};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::record;

pub(super) async fn gate(State(edge): State<Arc<Edge>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let Some(operation) = catalog::find(request.method().as_str(), path) else {
        // The router takes `{id}:verb` as an id; one without a verb has another method than the one asked for.
        let has_verb = path.rsplit('/').next().is_some_and(|last| last.contains(':'));
        let path = path.chars().take(200).collect();
        return if has_verb {
            Problem::RouteNotFound { path }.into_response()
        } else {
            no_method(request).await
        };
    };
    if let Some(problem) = unknown_parameter(operation, request.uri().query()) {
        return problem.into_response();
    }
    if let Some(problem) = revision::unheeded(operation, request.headers()) {
        return problem.into_response();
    }
    let wants_seconds = seconds::are_wanted(request.headers());
    if !operation.has_record() {
        return next.run(request).await;
    }
    let reached = match record::wanted(request.headers()) {
        Ok(Some(record)) if !takes_older(request.uri().query()) => edge.gateway.reach(record).await,
        Ok(_) => Ok(()),
        Err(problem) => Err(problem),
    };
    if let Err(problem) = reached {
        return problem.into_response();
    }
    let seen = edge.gateway.record();
    let mut response = next.run(request).await;
    record::stamp(&edge, response.headers_mut());
    record::stamp_seen(seen, response.headers_mut());
    if wants_seconds { seconds::written(response).await } else { response }
}

/// The caller takes an answer that is older than the record it names.
fn takes_older(query: Option<&str>) -> bool {
    query.is_some_and(|query| query.split('&').any(|pair| pair == "older=true"))
}

fn unknown_parameter(operation: &Operation, query: Option<&str>) -> Option<Problem> {
    let known = |name: &str| operation.query.iter().any(|parameter| parameter.name == name);
    let pairs = query?.split('&').filter(|pair| !pair.is_empty());
    let name =
        pairs.map(|pair| decoded(pair.split('=').next().unwrap_or_default())).find(|name| !known(name))?;
    let names: Vec<&str> = operation.query.iter().map(|parameter| parameter.name).collect();
    let what = if names.is_empty() {
        "unknown; there are no parameters here".to_owned()
    } else {
        format!("unknown; known are {}", names.join(", "))
    };
    Some(Problem::query(&name, what))
}

/// No name has a character that needs `%`, but a caller may write any so.
fn decoded(name: &str) -> String {
    let uri = http::Uri::builder().path_and_query(format!("/?{name}=")).build();
    let read =
        uri.ok().and_then(|uri| axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&uri).ok());
    let first = read.and_then(|axum::extract::Query(pairs)| pairs.into_iter().next());
    first.map_or_else(|| name.to_owned(), |(name, _)| name)
}
