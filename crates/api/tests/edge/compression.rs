//! Answers in JSON are compressed for who takes that; streams are not.

use std::io::Read as _;

use flate2::read::GzDecoder;

use crate::rig::Rig;

const GZIP: [(&str, &str); 1] = [("accept-encoding", "gzip")];

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_is_compressed_and_says_so() {
    let rig = Rig::start().await;
    let plain = rig.get("/openapi.json").await;
    assert_eq!(plain.headers.get("content-encoding"), None);
    let (headers, bytes) = rig.bytes("/openapi.json", &GZIP).await;
    assert_eq!(headers["content-encoding"], "gzip");
    assert_eq!(headers["vary"], "accept-encoding");
    assert_eq!(headers["content-length"], bytes.len().to_string());
    assert!(bytes.len() * 4 < plain.text.len(), "{} of {}", bytes.len(), plain.text.len());
    let mut text = String::new();
    GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("gzip");
    assert_eq!(text, plain.text);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn short_answers_and_streams_stay_as_they_are() {
    let rig = Rig::start().await;
    for path in ["/v1/workers", "/healthz", "/v1/events?for_ms=1", "/metrics"] {
        let (headers, _) = rig.bytes(path, &GZIP).await;
        assert_eq!(headers.get("content-encoding"), None, "{path}");
    }
    let refused = rig.bytes("/v1/runs/run_1", &GZIP).await.0;
    assert_eq!(refused.get("content-encoding"), None);
    assert_eq!(refused["content-type"], "application/json");
    rig.stop().await;
}
