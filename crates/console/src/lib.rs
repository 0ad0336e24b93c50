//! The console: the files of `web/dist` and the guides of `docs/`, embedded, so that the binary is all that is needed.
//! Entry: [`routes`].
//! - WC-1 every page of `/ui/` is the same document, so that any address can be opened or reloaded; a missing asset is an
//!   error, never that document
//! - WC-2 names of scripts and styles have a hash of their content: they may be kept for ever, the document never
//! - WC-3 no script runs that is not a file of ours, and nothing is loaded from elsewhere (`web/csp.txt`)
//!
//! Not here: the API that the console calls (`mainspring-api`), its source (`web/`).
#![forbid(unsafe_code)]

use std::io::Read as _;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use flate2::read::GzDecoder;
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

/// One file, as `gzip`: nearly all callers take it so.
struct Asset {
    name: &'static str,
    packed: &'static [u8],
}

impl Asset {
    fn plain(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        GzDecoder::new(self.packed).read_to_end(&mut bytes).expect("the build has packed it");
        bytes
    }
}

/// `/`, and everything below `/ui`. None of it says anything about the server's data, so no token is needed. `base`: the
/// folder of the site below which browsers reach the server, as `/tools/mainspring`; empty if it is the whole site.
pub fn routes(base: &str) -> Router {
    let home = format!("{base}/ui/");
    let at_home = home.clone();
    let to_home = move || {
        let to = [(header::LOCATION, at_home.clone())];
        std::future::ready((StatusCode::TEMPORARY_REDIRECT, to, HOME))
    };
    let to_ui = move || std::future::ready(Redirect::temporary(&home));
    Router::new()
        .route("/", get(to_home))
        .route("/ui", get(to_ui))
        .route("/ui/", get(document))
        .route("/ui/{*page}", get(document))
        .route("/ui/assets/{*name}", get(asset))
        .with_state(Arc::new(Below { document: document_below(base) }))
}

/// What is different below a folder.
struct Below {
    /// `None`: the document as it was built.
    document: Option<Vec<u8>>,
}

/// The scripts find the folder by their address; what the document loads must name it.
fn document_below(base: &str) -> Option<Vec<u8>> {
    let asset = ASSETS.iter().find(|asset| asset.name == DOCUMENT).filter(|_| !base.is_empty())?;
    let plain = asset.plain();
    let text = String::from_utf8_lossy(&plain);
    Some(text.replace("=\"/ui/", &format!("=\"{base}/ui/")).into_bytes())
}

async fn document(State(below): State<Arc<Below>>, headers: HeaderMap) -> Response {
    match &below.document {
        Some(document) => with_headers(document.clone().into_response(), DOCUMENT, false),
        None => serve(DOCUMENT, &headers),
    }
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
    let response = if takes_gzip { asset.packed.into_response() } else { asset.plain().into_response() };
    with_headers(response, name, takes_gzip)
}

fn with_headers(mut response: Response, name: &str, is_packed: bool) -> Response {
    let headers = response.headers_mut();
    let mut set = |name, value| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    if is_packed {
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
