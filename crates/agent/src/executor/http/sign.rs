//! Signatures as Standard Webhooks has them: HMAC-SHA256 over `id.timestamp.body`.

use std::fmt;
use std::str::FromStr;

use aws_lc_rs::hmac;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderValue};

/// Written as `whsec_` and base64; never shown.
#[derive(Clone)]
pub struct WebhookSecret(hmac::Key);

/// Why a text is not a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a webhook secret is `whsec_` and 24 to 64 bytes in base64")]
pub struct BadSecret;

impl FromStr for WebhookSecret {
    type Err = BadSecret;

    fn from_str(text: &str) -> Result<Self, BadSecret> {
        let coded = text.strip_prefix("whsec_").ok_or(BadSecret)?;
        let bytes = BASE64_STANDARD.decode(coded).map_err(|_| BadSecret)?;
        if !(24..=64).contains(&bytes.len()) {
            return Err(BadSecret);
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

impl WebhookSecret {
    pub fn sign(&self, headers: &mut HeaderMap, id: &str, unix_seconds: u64, body: &[u8]) {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(format!("{id}.{unix_seconds}.").as_bytes());
        context.update(body);
        let signature = format!("v1,{}", BASE64_STANDARD.encode(context.sign()));
        let rows = [
            ("webhook-id", id),
            ("webhook-timestamp", &unix_seconds.to_string()),
            ("webhook-signature", &signature),
        ];
        for (name, value) in rows {
            // Ids, digits and base64: always fit for a header.
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_as_the_specification_does() {
        // The example of standardwebhooks.com, which every library of theirs tests.
        let secret: WebhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().expect("a secret");
        let mut headers = HeaderMap::new();
        secret.sign(&mut headers, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(headers["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert_eq!(headers["webhook-id"], "msg_p5jXN8AQM9LWM0D4loKWxJek");
        assert_eq!(headers["webhook-timestamp"], "1614265330");
    }

    #[test]
    fn a_secret_is_checked_and_not_shown() {
        for bad in ["", "whsec_", "whsec_c2hvcnQ=", "whsec_!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            assert_eq!(bad.parse::<WebhookSecret>().err(), Some(BadSecret), "{bad}");
        }
        let secret: WebhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().expect("a secret");
        assert_eq!(format!("{secret:?}"), "WebhookSecret(…)");
    }
}
