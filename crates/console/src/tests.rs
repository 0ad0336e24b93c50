use std::io::Read as _;

use axum::body::Body;
use flate2::read::GzDecoder;
use http::Request;
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use super::*;

async fn ask(path: &str, encoding: Option<&str>) -> (StatusCode, HeaderMap, Vec<u8>) {
    ask_below("", path, encoding).await
}

async fn ask_below(base: &str, path: &str, encoding: Option<&str>) -> (StatusCode, HeaderMap, Vec<u8>) {
    let mut request = Request::get(path);
    if let Some(encoding) = encoding {
        request = request.header(header::ACCEPT_ENCODING, encoding);
    }
    let response =
        routes(base).oneshot(request.body(Body::empty()).expect("a request")).await.expect("infallible");
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("a body in memory").to_bytes().to_vec();
    (parts.status, parts.headers, bytes)
}

fn script() -> &'static str {
    ASSETS
        .iter()
        .map(|asset| asset.name)
        .find(|name| name.starts_with("main-"))
        .expect("the page has a script")
}

#[tokio::test]
async fn every_page_is_the_document() {
    for path in ["/ui/", "/ui/runs", "/ui/runs/run_1?view=graph", "/ui/jobs/a%2Fb"] {
        let (status, headers, body) = ask(path, None).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        assert_eq!(headers[header::CONTENT_TYPE], "text/html; charset=utf-8", "{path}");
        assert_eq!(headers[header::CACHE_CONTROL], ASK_EACH_TIME, "{path}");
        let text = String::from_utf8(body).expect("text");
        assert!(text.contains(script()), "the document names the script that is there");
    }
    for path in ["/", "/ui"] {
        let (status, headers, body) = ask(path, None).await;
        assert_eq!(status, StatusCode::TEMPORARY_REDIRECT, "{path}");
        assert_eq!(headers[header::LOCATION], "/ui/", "{path}");
        let text = String::from_utf8(body).expect("text");
        assert_eq!(text.contains("/docs"), path == "/", "who follows nothing reads where to go");
    }
}

#[tokio::test]
async fn below_a_folder_the_document_and_the_ways_to_it_name_the_folder() {
    let (status, headers, body) = ask_below("/tools/m", "/ui/runs", Some("gzip")).await;
    assert_eq!((status, headers.get(header::CONTENT_ENCODING)), (StatusCode::OK, None));
    assert_eq!(headers[header::CONTENT_SECURITY_POLICY], POLICY.trim_ascii());
    let text = String::from_utf8(body).expect("text");
    assert!(text.contains(&format!("src=\"/tools/m/ui/assets/{}\"", script())), "{text}");
    assert!(!text.contains("\"/ui/"), "{text}");
    for path in ["/", "/ui"] {
        let (_, headers, _) = ask_below("/tools/m", path, None).await;
        assert_eq!(headers[header::LOCATION], "/tools/m/ui/", "{path}");
    }
}

#[tokio::test]
async fn a_missing_asset_is_an_error() {
    for name in ["main-AAAAAAAA.js", "BUILD", "..%2Findex.html", "deeper/main.js"] {
        let (status, _, body) = ask(&format!("/ui/assets/{name}"), None).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{name}");
        assert!(!body.starts_with(b"<"), "{name}: never the document");
    }
}

#[tokio::test]
async fn assets_are_kept_for_ever_and_packed() {
    let path = format!("/ui/assets/{}", script());
    let (_, plain_headers, plain) = ask(&path, None).await;
    let (_, headers, packed) = ask(&path, Some("deflate, gzip;q=0.8")).await;
    assert_eq!(headers[header::CACHE_CONTROL], FOR_EVER);
    assert_eq!(headers[header::CONTENT_ENCODING], "gzip");
    assert!(!plain_headers.contains_key(header::CONTENT_ENCODING));
    assert!(packed.len() * 2 < plain.len(), "{} of {}", packed.len(), plain.len());
    let mut unpacked = Vec::new();
    GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).expect("gzip");
    assert!(unpacked == plain);
    let (_, headers, _) = ask(&path, Some("gzip;q=0, br")).await;
    assert!(!headers.contains_key(header::CONTENT_ENCODING), "refused");
}

#[tokio::test]
async fn the_guides_are_there() {
    let (status, headers, text) = ask("/ui/assets/guides.txt", None).await;
    assert_eq!(
        (status, &headers[header::CACHE_CONTROL]),
        (StatusCode::OK, &HeaderValue::from_static(ASK_EACH_TIME))
    );
    let text = String::from_utf8(text).expect("text");
    let pages: Vec<_> = text.split('\u{1e}').skip(1).filter_map(|page| page.split_once('\n')).collect();
    for path in ["concepts.md", "errors/QUEUE_FULL.md", "decisions/0001-layers-and-a-pure-core.md"] {
        let found = pages.iter().find(|(name, _)| *name == path);
        assert!(found.is_some_and(|(_, text)| text.starts_with("# ")), "{path}");
    }
    assert!(
        pages.iter().all(|(name, _)| name.rsplit_once('.').is_some_and(|(_, ending)| ending == "md")),
        "no picture, no document of another kind"
    );
}

#[tokio::test]
async fn nothing_runs_that_is_not_ours() {
    let (_, headers, body) = ask("/ui/now", None).await;
    let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().expect("text");
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ] {
        assert!(policy.contains(part), "{part}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
    assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    let text = String::from_utf8(body).expect("text");
    assert!(!text.contains("://") && !text.contains("<style") && !text.contains("style="), "{text}");
    assert_eq!(
        text.matches("<script").count(),
        text.matches("<script type=\"module\" src=\"/ui/assets/").count()
    );
}
