//! Who may talk to the server: which names it answers to, which pages of a browser may call it, which bodies it reads.
//! Entry: [`Access::check`] before every request, [`require_token`] before every route but the open ones, [`json_body`]
//! and [`grpc_body`] before routes with a body.
//! - AC-1 the check of `Host`, `Origin` and `Sec-Fetch-Site` runs before the router, so no route can be without it
//! - AC-2 what a route takes follows from the route that was matched, never from the text of the path
//! - AC-3 no route reads a body of a type that a browser sends without asking first

mod host;
mod media;
mod session;
mod token;

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, Method, header};

pub use self::host::{AllowedHost, BadHost};
use self::host::{Authority, authority_of_origin};
pub(crate) use self::media::{grpc_body, json_body};
pub(crate) use self::session::session_routes;
pub use self::token::{BadToken, Token};
use crate::edge::Edge;
use crate::grpc;
use crate::problem::{AccessProblem, Problem};

/// Who may talk to the server. By default: whoever can reach it and names it by a loopback name.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Names of the server beside `localhost`, loopback addresses and the address a connection arrived at.
    pub hosts: Vec<AllowedHost>,
    /// What every caller must show, except for health and signed webhooks.
    pub token: Option<Token>,
    /// Others than this machine can call without a token. Only told: `/readyz` repeats it.
    pub insecure: bool,
}

impl Access {
    /// `local`: the address of ours that the connection arrived at.
    pub(crate) fn check(&self, request: &Parts, local: Option<IpAddr>) -> Result<(), AccessProblem> {
        let named = self.check_host(request, local)?;
        self.check_origin(&request.headers, &named)?;
        check_fetch_site(request)
    }

    /// A page whose own name leads to this machine (DNS rebinding) is told apart by the name alone.
    fn check_host<'r>(
        &self,
        request: &'r Parts,
        local: Option<IpAddr>,
    ) -> Result<Authority<'r>, AccessProblem> {
        let refused = |text: &str| AccessProblem::HostNotAllowed { host: text.chars().take(100).collect() };
        // HTTP/2 has it in the target; HTTP/1.1 may have both, and either could be the one that somebody trusts.
        let target = request.uri.authority().map(http::uri::Authority::as_str);
        let mut headers = request.headers.get_all(header::HOST).iter();
        let header = headers.next().map(|value| value.to_str().map_err(|_| refused("?"))).transpose()?;
        if headers.next().is_some() {
            return Err(refused("two names at once"));
        }
        let mut named = None;
        for text in header.into_iter().chain(target) {
            let authority = Authority::parse(text).ok_or_else(|| refused(text))?;
            if !authority.is_ours(local) && !self.hosts.iter().any(|host| host.is_host(&authority)) {
                return Err(refused(text));
            }
            named = Some(authority);
        }
        named.ok_or_else(|| refused(""))
    }

    /// Browsers send `Origin` with everything that is not a plain GET; other programs do not send it.
    fn check_origin(&self, headers: &HeaderMap, named: &Authority<'_>) -> Result<(), AccessProblem> {
        for value in headers.get_all(header::ORIGIN) {
            let text = value.to_str().unwrap_or_default();
            let origin = authority_of_origin(text);
            let is_allowed = origin.is_some_and(|origin| {
                origin.is_same(named) || self.hosts.iter().any(|host| host.is_origin(&origin))
            });
            if !is_allowed {
                return Err(AccessProblem::OriginNotAllowed { origin: text.chars().take(100).collect() });
            }
        }
        Ok(())
    }
}

/// A new route needs the token unless it is put among the open ones.
pub(crate) async fn require_token(State(edge): State<Arc<Edge>>, request: Request, next: Next) -> Response {
    match &edge.access().token {
        Some(token) if !token.is_in(request.headers()) => {
            let problem = Problem::Access(AccessProblem::Unauthenticated);
            if grpc::is_call(&request) {
                return grpc::refuse(&edge, &request, &problem);
            }
            ([(header::WWW_AUTHENTICATE, "Bearer realm=\"mainspring\"")], problem).into_response()
        }
        _ => next.run(request).await,
    }
}

/// What another site asked the browser for is refused, unless it is a link that a person follows.
fn check_fetch_site(request: &Parts) -> Result<(), AccessProblem> {
    let is = |name: &str, wanted: &str| {
        let mut values = request.headers.get_all(name).iter();
        values.next().is_some_and(|value| value == wanted) && values.next().is_none()
    };
    let is_link = matches!(request.method, Method::GET | Method::HEAD)
        && is("sec-fetch-mode", "navigate")
        && is("sec-fetch-dest", "document");
    for site in request.headers.get_all("sec-fetch-site") {
        if site != "same-origin" && site != "none" && !is_link {
            let site = site.to_str().unwrap_or_default();
            return Err(AccessProblem::CrossSite { site: site.chars().take(50).collect() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
