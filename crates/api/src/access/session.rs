//! Browsers: whoever shows the token once gets a cookie, so that no script ever holds the token.
//! - AY-1 the cookie is not the token and cannot be turned into it; it is good for as long as the token is
//! - AY-2 scripts cannot read it, and browsers send it only from pages of this server (`SameSite=Strict`); what they send
//!   all the same is refused by its `Origin`

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use http::{HeaderMap, HeaderValue, header};
use serde::Deserialize;
use serde_json::json;

use super::{Token, json_body};
use crate::edge::Edge;
use crate::problem::{AccessProblem, Problem};
use crate::server::read_body;

const BODY_BYTES_MAX: usize = 4096;
pub(super) const COOKIE: &str = "mainspring_session";
/// Thirty days.
const SECONDS: u32 = 30 * 24 * 60 * 60;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionBody {
    token: String,
}

/// Part of the console, so below `/ui`; open, because it is where the token is shown.
pub(crate) fn session_routes() -> Router<Arc<Edge>> {
    Router::new().route("/ui/session", post(begin)).route_layer(axum::middleware::from_fn(json_body))
}

async fn begin(State(edge): State<Arc<Edge>>, body: Body) -> Result<Response, Problem> {
    let bytes = read_body(body, BODY_BYTES_MAX).await?;
    let shown: Option<SessionBody> = serde_json::from_slice(&bytes).ok();
    let mut answer = Json(json!({ "message": "this browser may use the server" })).into_response();
    if let Some(token) = &edge.access().token {
        let refused = Problem::Access(AccessProblem::Unauthenticated);
        let shown = shown.ok_or_else(|| refused.clone())?;
        if !token.is(shown.token.as_bytes()) {
            return Err(refused);
        }
        let (session, base) = (token.session(), edge.base());
        let cookie =
            format!("{COOKIE}={session}; Path={base}/; HttpOnly; SameSite=Strict; Max-Age={SECONDS}");
        if let Ok(value) = HeaderValue::from_str(&cookie) {
            answer.headers_mut().insert(header::SET_COOKIE, value);
        }
    }
    Ok(answer)
}

/// The value of our cookie, if there is exactly one.
pub(super) fn cookie(headers: &HeaderMap) -> Option<&str> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut ours = values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    ours.next().filter(|_| ours.next().is_none())
}

impl Token {
    /// Whether the request comes from a browser that has shown the token.
    pub(super) fn is_in_cookie(&self, headers: &HeaderMap) -> bool {
        cookie(headers).is_some_and(|value| self.is_session(value))
    }
}
