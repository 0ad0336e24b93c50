//! How senders prove who they are: each of them has its own headers.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderName};

use super::{InboundSecret, Message};
use crate::problem::EventProblem;

/// How far the clock of a sender may be from ours, in seconds.
const TOLERANCE_SECONDS: u64 = 300;
/// Signatures of one request that are looked at.
const SIGNATURES_MAX: usize = 16;

pub const SIGNATURE_HEADER_DEFAULT: &str = "x-signature-256";

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Scheme {
    /// Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`.
    #[default]
    Standard,
    /// `X-Hub-Signature-256` over the body; `X-GitHub-Delivery` and `X-GitHub-Event` say what it is.
    GitHub,
    /// `X-Gitlab-Token` is the secret itself; `Idempotency-Key` or `X-Gitlab-Event-UUID`, and `X-Gitlab-Event`, say what it is.
    GitLab,
    /// HMAC-SHA256 over the body, in hexadecimal or base64, in a header of the sender's choice.
    Hmac { signature: HeaderName, id: Option<HeaderName> },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownScheme(String);

impl fmt::Display for UnknownScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not one of `standard`, `github`, `gitlab`, `hmac`", self.0)
    }
}

impl std::error::Error for UnknownScheme {}

impl FromStr for Scheme {
    type Err = UnknownScheme;

    fn from_str(text: &str) -> Result<Self, UnknownScheme> {
        match text {
            "standard" => Ok(Self::Standard),
            "github" => Ok(Self::GitHub),
            "gitlab" => Ok(Self::GitLab),
            "hmac" => {
                Ok(Self::Hmac { signature: HeaderName::from_static(SIGNATURE_HEADER_DEFAULT), id: None })
            }
            other => Err(UnknownScheme(other.chars().take(40).collect())),
        }
    }
}

impl Scheme {
    /// A secret in the form that this scheme has.
    pub fn secret(&self, text: &str) -> Result<InboundSecret, super::BadInboundSecret> {
        match self {
            Self::Standard => InboundSecret::standard(text),
            Self::GitHub | Self::GitLab | Self::Hmac { .. } => InboundSecret::text(text),
        }
    }

    pub(super) fn check(
        &self,
        secrets: &[InboundSecret],
        headers: &HeaderMap,
        body: &[u8],
        now_seconds: u64,
    ) -> Result<Message, EventProblem> {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let owned = |name: &str| header(name).filter(|text| !text.is_empty()).map(ToOwned::to_owned);
        match self {
            Self::Standard => standard(secrets, header, body, now_seconds),
            Self::GitHub => {
                let signature = header("x-hub-signature-256").and_then(|text| text.strip_prefix("sha256="));
                signed_body(secrets, signature, body)?;
                let kind = header("x-github-event").map(|event| format!("github.{event}"));
                Ok(Message { id: owned("x-github-delivery"), kind })
            }
            Self::GitLab => {
                let token = header("x-gitlab-token").unwrap_or_default().as_bytes();
                if !secrets.iter().any(|secret| secret.is(token)) {
                    return Err(EventProblem::SignatureInvalid);
                }
                let id = owned("idempotency-key").or_else(|| owned("x-gitlab-event-uuid"));
                Ok(Message { id, kind: header("x-gitlab-event").map(gitlab_kind) })
            }
            Self::Hmac { signature, id } => {
                let text = header(signature.as_str());
                signed_body(secrets, text.map(|text| text.strip_prefix("sha256=").unwrap_or(text)), body)?;
                Ok(Message { id: id.as_ref().and_then(|id| owned(id.as_str())), kind: None })
            }
        }
    }
}

fn standard<'h>(
    secrets: &[InboundSecret],
    header: impl Fn(&str) -> Option<&'h str>,
    body: &[u8],
    now_seconds: u64,
) -> Result<Message, EventProblem> {
    let (Some(id), Some(stamp), Some(signatures)) =
        (header("webhook-id"), header("webhook-timestamp"), header("webhook-signature"))
    else {
        return Err(EventProblem::SignatureInvalid);
    };
    let sent: u64 = stamp.parse().map_err(|_| EventProblem::TimestampInvalid)?;
    if sent.abs_diff(now_seconds) > TOLERANCE_SECONDS {
        return Err(EventProblem::TimestampInvalid);
    }
    let signed = [id.as_bytes(), b".", stamp.as_bytes(), b".", body].concat();
    let is_signed = signatures
        .split(' ')
        .filter_map(|signature| signature.strip_prefix("v1,"))
        .take(SIGNATURES_MAX)
        .filter_map(|coded| BASE64_STANDARD.decode(coded).ok())
        .any(|tag| secrets.iter().any(|secret| secret.signed(&signed, &tag)));
    if is_signed && !id.is_empty() {
        Ok(Message { id: Some(id.to_owned()), kind: None })
    } else {
        Err(EventProblem::SignatureInvalid)
    }
}

fn signed_body(secrets: &[InboundSecret], signature: Option<&str>, body: &[u8]) -> Result<(), EventProblem> {
    let tag = signature.and_then(|text| hexadecimal(text).or_else(|| BASE64_STANDARD.decode(text).ok()));
    let tag = tag.ok_or(EventProblem::SignatureInvalid)?;
    if secrets.iter().any(|secret| secret.signed(body, &tag)) {
        Ok(())
    } else {
        Err(EventProblem::SignatureInvalid)
    }
}

/// `None` unless these are 32 bytes: base64 of another length could look like it.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    (digits.len() == 64).then_some(bytes)
}

/// `Merge Request Hook` is `gitlab.merge_request`.
fn gitlab_kind(event: &str) -> String {
    let event = event.strip_suffix(" Hook").unwrap_or(event);
    format!("gitlab.{}", event.to_ascii_lowercase().replace(' ', "_"))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(rows: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in rows {
            headers.insert(*name, HeaderValue::from_str(value).expect("a header"));
        }
        headers
    }

    type Checked = Result<Message, EventProblem>;
    type Headers<'a> = &'a [(&'static str, &'a str)];

    #[track_caller]
    fn is_taken(checked: Checked, id: Option<&str>, kind: Option<&str>) {
        let expected = Message { id: id.map(Into::into), kind: kind.map(Into::into) };
        assert_eq!(checked.expect("it is taken"), expected);
    }

    #[test]
    fn github_signs_the_body() {
        // The example of its documentation.
        let secrets = [InboundSecret::of_any("It's a Secret to Everybody")];
        let good = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let check = |rows: Headers<'_>, body: &[u8]| Scheme::GitHub.check(&secrets, &headers(rows), body, 0);
        let whole = [
            ("x-hub-signature-256", good),
            ("x-github-delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
            ("x-github-event", "pull_request"),
        ];
        let id = Some("72d3162e-cc78-11e3-81ab-4c9367dc0958");
        is_taken(check(&whole, b"Hello, World!"), id, Some("github.pull_request"));
        assert_eq!(check(&whole, b"Hello, World?"), Err(EventProblem::SignatureInvalid));
        is_taken(check(&whole[..1], b"Hello, World!"), None, None);
        assert_eq!(check(&whole[1..], b"Hello, World!"), Err(EventProblem::SignatureInvalid));
        let bare = [("x-hub-signature-256", good.trim_start_matches("sha256="))];
        assert_eq!(check(&bare, b"Hello, World!"), Err(EventProblem::SignatureInvalid));
    }

    #[test]
    fn gitlab_sends_the_secret_itself() {
        let secrets = [InboundSecret::text("the-old-token-of-it").expect("a secret")];
        let check = |rows: Headers<'_>| Scheme::GitLab.check(&secrets, &headers(rows), b"{}", 0);
        let token = ("x-gitlab-token", "the-old-token-of-it");
        let uuid = ("x-gitlab-event-uuid", "13792a34");
        let rows: [(Headers<'_>, Option<&str>, Option<&str>); 4] = [
            (&[token], None, None),
            (&[token, uuid, ("x-gitlab-event", "Push Hook")], Some("13792a34"), Some("gitlab.push")),
            (&[token, uuid, ("idempotency-key", "f5e5f430")], Some("f5e5f430"), None),
            (&[token, ("x-gitlab-event", "Merge Request Hook")], None, Some("gitlab.merge_request")),
        ];
        for (rows, id, kind) in rows {
            is_taken(check(rows), id, kind);
        }
        for rows in [&[uuid][..], &[("x-gitlab-token", "the-old-token-of-i")], &[("x-gitlab-token", "")]] {
            assert_eq!(check(rows), Err(EventProblem::SignatureInvalid), "{rows:?}");
        }
    }

    #[test]
    fn a_plain_signature_is_hexadecimal_or_base64_in_the_named_header() {
        let secrets = [InboundSecret::of_any("It's a Secret to Everybody")];
        let hex = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let base64 = BASE64_STANDARD.encode(hexadecimal(hex).expect("bytes"));
        let id = Some(HeaderName::from_static("x-request-id"));
        let scheme = Scheme::Hmac { signature: HeaderName::from_static("x-sign"), id };
        let check = |rows: Headers<'_>| scheme.check(&secrets, &headers(rows), b"Hello, World!", 0);
        let upper = hex.to_ascii_uppercase();
        let prefixed = format!("sha256={hex}");
        for text in [hex, &upper, &prefixed, &base64] {
            is_taken(check(&[("x-sign", text)]), None, None);
        }
        is_taken(check(&[("x-sign", hex), ("x-request-id", "7")]), Some("7"), None);
        for rows in [&[("x-signature-256", hex)][..], &[("x-sign", &hex[1..])], &[("x-sign", "")], &[]] {
            assert_eq!(check(rows), Err(EventProblem::SignatureInvalid), "{rows:?}");
        }
    }

    #[test]
    fn schemes_have_names() {
        for name in ["standard", "github", "gitlab", "hmac"] {
            assert!(name.parse::<Scheme>().is_ok(), "{name}");
        }
        let unknown = "GitHub".parse::<Scheme>().expect_err("small letters");
        assert_eq!(unknown.to_string(), "`GitHub` is not one of `standard`, `github`, `gitlab`, `hmac`");
    }
}
