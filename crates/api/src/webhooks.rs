//! Inbound webhooks: who may send, proven by a signature as Standard Webhooks has it: HMAC-SHA256 over
//! `id.timestamp.body`.
//! - WH-1 secrets are never shown; a refusal does not say what is wrong with a signature
//! - WH-2 every secret of a webhook counts, so that one can be replaced while both sides change over

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use aws_lc_rs::hmac;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use mainspring_core::values::Name;

use crate::problem::EventProblem;

/// How far the clock of a sender may be from ours, in seconds.
const TOLERANCE_SECONDS: u64 = 300;
/// Signatures of one request that are looked at.
const SIGNATURES_MAX: usize = 16;

/// Written as `whsec_` and base64.
#[derive(Clone)]
pub struct InboundSecret(hmac::Key);

/// Why a text is not a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadInboundSecret;

impl fmt::Display for BadInboundSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a secret of a webhook is `whsec_` and 24 to 64 bytes in base64")
    }
}

impl std::error::Error for BadInboundSecret {}

impl FromStr for InboundSecret {
    type Err = BadInboundSecret;

    fn from_str(text: &str) -> Result<Self, BadInboundSecret> {
        let coded = text.strip_prefix("whsec_").ok_or(BadInboundSecret)?;
        let bytes = BASE64_STANDARD.decode(coded).map_err(|_| BadInboundSecret)?;
        if !(24..=64).contains(&bytes.len()) {
            return Err(BadInboundSecret);
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }
}

impl fmt::Debug for InboundSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InboundSecret(…)")
    }
}

/// One webhook: whose events they are, and who may send them.
#[derive(Clone, Debug)]
pub struct Webhook {
    pub tenant: Name,
    pub secrets: Vec<InboundSecret>,
}

/// By name.
#[derive(Clone, Debug, Default)]
pub struct Webhooks(pub BTreeMap<String, Webhook>);

impl Webhook {
    /// The id of the message, if it was signed by one of the secrets not long ago.
    pub(crate) fn check<'h>(
        &self,
        headers: &'h HeaderMap,
        body: &[u8],
        now_seconds: u64,
    ) -> Result<&'h str, EventProblem> {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
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
            // `verify` takes the same time wherever they differ.
            .any(|tag| self.secrets.iter().any(|secret| hmac::verify(&secret.0, &signed, &tag).is_ok()));
        if is_signed && !id.is_empty() { Ok(id) } else { Err(EventProblem::SignatureInvalid) }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    // The example of standardwebhooks.com, which every library of theirs tests.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const OTHER: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const STAMP: u64 = 1_614_265_330;
    const GOOD: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn webhook(secrets: &[&str]) -> Webhook {
        let secrets = secrets.iter().map(|text| text.parse().expect("a secret")).collect();
        Webhook { tenant: Name::fixed("default"), secrets }
    }

    fn headers(signature: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let rows = [
            ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
            ("webhook-timestamp", "1614265330"),
            ("webhook-signature", signature),
        ];
        for (name, value) in rows {
            headers.insert(name, HeaderValue::from_str(value).expect("a header"));
        }
        headers
    }

    type Row<'a> = (&'a str, &'a [&'a str], &'a str, &'a [u8], u64, Result<(), EventProblem>);

    #[test]
    fn only_a_young_signature_by_a_known_secret_counts() {
        let two = format!("v1,{} v0,x {GOOD}", BASE64_STANDARD.encode([1; 32]));
        let rows: [Row<'_>; 8] = [
            ("as the specification has it", &[SECRET], GOOD, BODY, STAMP, Ok(())),
            ("the older of two secrets", &[OTHER, SECRET], GOOD, BODY, STAMP, Ok(())),
            ("one of several signatures", &[SECRET], &two, BODY, STAMP, Ok(())),
            ("nearly too old", &[SECRET], GOOD, BODY, STAMP + 300, Ok(())),
            ("too old", &[SECRET], GOOD, BODY, STAMP + 301, Err(EventProblem::TimestampInvalid)),
            ("another secret", &[OTHER], GOOD, BODY, STAMP, Err(EventProblem::SignatureInvalid)),
            ("another body", &[SECRET], GOOD, b"{}", STAMP, Err(EventProblem::SignatureInvalid)),
            ("no signature", &[SECRET], "v1,", BODY, STAMP, Err(EventProblem::SignatureInvalid)),
        ];
        for (name, secrets, signature, body, now, outcome) in rows {
            let headers = headers(signature);
            assert_eq!(webhook(secrets).check(&headers, body, now).map(drop), outcome, "{name}");
        }
    }

    #[test]
    fn a_secret_is_checked_and_not_shown() {
        for bad in ["", "whsec_", "whsec_c2hvcnQ=", "whsec_!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            assert_eq!(bad.parse::<InboundSecret>().err(), Some(BadInboundSecret), "{bad}");
        }
        assert_eq!(format!("{:?}", webhook(&[SECRET]).secrets), "[InboundSecret(…)]");
    }
}
