//! Inbound webhooks: who may send, proven by a signature or by a shared token.
//! - WH-1 secrets are never shown; a refusal does not say what is wrong with a signature
//! - WH-2 every secret of a webhook counts, so that one can be replaced while both sides change over

mod scheme;
mod secret;

use std::collections::BTreeMap;

use http::HeaderMap;
use mainspring_core::values::Name;

pub use self::scheme::{SIGNATURE_HEADER_DEFAULT, Scheme, UnknownScheme};
pub use self::secret::{BadInboundSecret, InboundSecret};
use crate::problem::EventProblem;

/// One webhook: whose events they are, and who may send them.
#[derive(Clone, Debug)]
pub struct Webhook {
    pub tenant: Name,
    pub scheme: Scheme,
    pub secrets: Vec<InboundSecret>,
}

/// By name.
#[derive(Clone, Debug, Default)]
pub struct Webhooks(pub BTreeMap<String, Webhook>);

/// What the headers of a call say about it; the call was proven by then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Message {
    /// The same for every attempt to deliver it. `None` if the sender gives none: then each call is an event of its own.
    pub id: Option<String>,
    /// The type of the event, if headers say it.
    pub kind: Option<String>,
}

impl Webhook {
    /// Refuses what was not signed by one of the secrets.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now_seconds: u64,
    ) -> Result<Message, EventProblem> {
        self.scheme.check(&self.secrets, headers, body, now_seconds)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use http::HeaderValue;

    use super::*;

    // The example of standardwebhooks.com, which every library of theirs tests.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const OTHER: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const STAMP: u64 = 1_614_265_330;
    const GOOD: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn webhook(secrets: &[&str]) -> Webhook {
        let secrets = secrets.iter().map(|text| InboundSecret::standard(text).expect("a secret")).collect();
        Webhook { tenant: Name::fixed("default"), scheme: Scheme::Standard, secrets }
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
}
