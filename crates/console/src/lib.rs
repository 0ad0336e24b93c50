//! The console: the files of `web/dist`, embedded, so that the binary is all that is needed.
//! Entry: [`routes`].
//! - WC-1 every page of `/ui/` is the same document, so that any address can be opened or reloaded; a missing asset is an
//!   error, never that document
//! - WC-2 names of scripts and styles have a hash of their content: they may be kept for ever, the document never
//! - WC-3 no script runs that is not a file of ours, and nothing is loaded from elsewhere (`web/csp.txt`)
//!
//! Not here: the API that the console calls (`mainspring-api`), its source (`web/`).
#![forbid(unsafe_code)]

use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use http::{HeaderMap, HeaderValue, StatusCode, header};

const ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));
const POLICY: &str = include_str!("../../../web/csp.txt");
const DOCUMENT: &str = "index.html";
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const ASK_EACH_TIME: &str = "no-cache";

/// For who asks with `curl`; a browser goes to the console at once.
const HOME: &str = "Mainspring\n\n\
    console   /ui/\n\
    API       /docs, /openapi.json\n\
    health    /healthz, /readyz\n\
    metrics   /metrics\n\n\
    The command line: mainspring --help\n";

/// One file of `web/dist`.
struct Asset {
    name: &'static str,
    plain: &'static [u8],
    packed: &'static [u8],
}

/// `/`, and everything below `/ui`. None of it says anything about the server's data, so no token is needed.
pub fn routes() -> Router {
    Router::new()
        .route("/", get(async || (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "/ui/")], HOME)))
        .route("/ui", get(async || Redirect::temporary("/ui/")))
        .route("/ui/", get(document))
        .route("/ui/{*page}", get(document))
        .route("/ui/assets/{*name}", get(asset))
}

async fn document(headers: HeaderMap) -> Response {
    serve(DOCUMENT, &headers)
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    serve(&name, &headers)
}

fn serve(name: &str, request: &HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        let text = "there is no such file; the server may have been updated: reload the page\n";
        return (StatusCode::NOT_FOUND, text).into_response();
    };
    let takes_gzip = accepts_gzip(request);
    let mut response = if takes_gzip { asset.packed.into_response() } else { asset.plain.into_response() };
    let headers = response.headers_mut();
    let mut set = |name, value| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    if takes_gzip {
        set(header::CONTENT_ENCODING, "gzip");
    }
    set(header::VARY, "accept-encoding");
    set(header::CONTENT_TYPE, media_type(name));
    set(header::CACHE_CONTROL, if has_hash(name) { FOR_EVER } else { ASK_EACH_TIME });
    set(header::CONTENT_SECURITY_POLICY, POLICY.trim_ascii());
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    response
}

/// `gzip;q=0` refuses it.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let values = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|part| {
        let mut words = part.split(';').map(str::trim);
        let is_gzip = words.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        is_gzip && !words.any(|word| matches!(word, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}

/// As `main-FXN65ECX.js`.
fn has_hash(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let hash = stem.rsplit_once('-').map_or("", |(_, hash)| hash);
    hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
