use mainspring_core::values::{Bucket, Fence, Group, TaskId};
use tokio::sync::{mpsc, watch};

use super::*;
use crate::attempt::{Key, Reporter, StopSignal};

fn attempt(payload: &str) -> Attempt {
    let key = Key { task: TaskId::new(1, Bucket::spread(Group::ZERO, 2), 3), fence: Fence::from_bits(7) };
    let (events, _) = mpsc::unbounded_channel();
    Attempt {
        key,
        number: 2,
        tenant: "t".into(),
        job: "j".into(),
        payload: payload.into(),
        checkpoint: None,
        deadline_unix_ms: Some(99),
        hard_timeout_ms: 0,
        grace: Duration::ZERO,
        devices: crate::devices::DeviceSet::default(),
        exclusive: false,
        memory_bytes: 0,
        cpu_milli: 0,
        secrets: crate::mask::Secrets::default(),
        stop: StopSignal(watch::channel(None).1),
        reporter: Reporter { key, events },
    }
}

#[test]
fn a_payload_becomes_a_request_or_a_reason() {
    let rows = [
        (r#"{"url":"http://example.com/a?b=c#d"}"#, Ok("http://example.com/a?b=c")),
        (r#"{"url":"https://example.com:8443","method":"get"}"#, Ok("https://example.com:8443/")),
        (r#"{"url":"http://0x7f.1/"}"#, Ok("http://127.0.0.1/")),
        (r#"{"url":"http://EXAMPLE.com/ü x"}"#, Ok("http://example.com/%C3%BC%20x")),
        (r#"{"url":"file:///etc/passwd"}"#, Err("webhooks are http or https, not `file`")),
        (r#"{"url":"gopher://x/"}"#, Err("webhooks are http or https, not `gopher`")),
        (r#"{"url":"http://u:p@x/"}"#, Err("a URL must not carry")),
        (r#"{"url":"nonsense"}"#, Err("`nonsense` is not a URL")),
        (r#"{"url":"http://x/","method":"CONNECT"}"#, Err("`CONNECT` is not a method")),
        (r#"{"url":"http://x/","method":"A B"}"#, Err("`A B` is not a method")),
        (r#"{"url":"http://x/","headers":{"Host":"y"}}"#, Err("a webhook may not set the header `Host`")),
        (r#"{"url":"http://x/","headers":{"Transfer-Encoding":"chunked"}}"#, Err("a webhook may not set")),
        (r#"{"url":"http://x/","headers":{"a":"b\r\nc: d"}}"#, Err("the header `a` has a value")),
        (r#"{"url":"http://x/","redirects":3}"#, Err("not a payload of `http`")),
        ("{}", Err("not a payload of `http`")),
    ];
    for (payload, expected) in rows {
        match (request::build(&attempt(payload), None), expected) {
            (Ok(call), Ok(uri)) => assert_eq!(call.request.uri().to_string(), uri, "{payload}"),
            (Err(why), Err(begin)) => assert!(why.starts_with(begin), "{payload}: {why}"),
            (Ok(call), Err(why)) => panic!("{payload}: {} instead of {why}", call.request.uri()),
            (Err(why), Ok(_)) => panic!("{payload}: {why}"),
        }
    }
}

#[test]
fn the_attempt_is_told_and_cannot_be_forged() {
    let payload = r#"{"url":"http://x/","headers":{"Idempotency-Key":"forged","X-Own":"1"},"body":{"a":1}}"#;
    let call = request::build(&attempt(payload), None).map_err(|why| panic!("{why}")).expect("a call");
    let headers = call.request.headers();
    let rows = [
        ("idempotency-key", attempt("").key.task.to_string()),
        ("mainspring-attempt", "2".to_owned()),
        ("mainspring-fence", "7".to_owned()),
        ("mainspring-deadline-ms", "99".to_owned()),
        ("x-own", "1".to_owned()),
        ("content-type", "application/json".to_owned()),
        ("host", "x".to_owned()),
    ];
    for (name, value) in rows {
        assert_eq!(headers[name], value, "{name}");
    }
    assert_eq!(call.request.method(), http::Method::POST);
}
