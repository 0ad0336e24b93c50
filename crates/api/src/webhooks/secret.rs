//! Secrets of inbound webhooks.

use std::fmt;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// Shortest and longest text of a secret that is not of Standard Webhooks.
const TEXT_BYTES: std::ops::RangeInclusive<usize> = 16..=256;

#[derive(Clone)]
pub struct InboundSecret {
    key: hmac::Key,
    /// As it is sent by those who send it.
    text: Box<[u8]>,
}

/// Why a text is not a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadInboundSecret {
    Standard,
    Text,
}

impl fmt::Display for BadInboundSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Standard => "a secret of Standard Webhooks is `whsec_` and 24 to 64 bytes in base64",
            Self::Text => "a secret has 16 to 256 bytes of printable ASCII without spaces",
        })
    }
}

impl std::error::Error for BadInboundSecret {}

impl InboundSecret {
    /// Written as `whsec_` and base64.
    pub fn standard(text: &str) -> Result<Self, BadInboundSecret> {
        let coded = text.strip_prefix("whsec_").ok_or(BadInboundSecret::Standard)?;
        let bytes = BASE64_STANDARD.decode(coded).map_err(|_| BadInboundSecret::Standard)?;
        if !(24..=64).contains(&bytes.len()) {
            return Err(BadInboundSecret::Standard);
        }
        Ok(Self::of(&bytes))
    }

    /// Its bytes are the key, as GitHub and most others have it.
    pub fn text(text: &str) -> Result<Self, BadInboundSecret> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_plain || !TEXT_BYTES.contains(&text.len()) {
            return Err(BadInboundSecret::Text);
        }
        Ok(Self::of(text.as_bytes()))
    }

    #[cfg(test)]
    pub(super) fn of_any(text: &str) -> Self {
        Self::of(text.as_bytes())
    }

    fn of(bytes: &[u8]) -> Self {
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, bytes), text: bytes.into() }
    }

    /// Takes the same time wherever they differ.
    pub(super) fn signed(&self, message: &[u8], tag: &[u8]) -> bool {
        hmac::verify(&self.key, message, tag).is_ok()
    }

    /// Takes the same time wherever they differ.
    pub(super) fn is(&self, token: &[u8]) -> bool {
        verify_slices_are_equal(&self.text, token).is_ok()
    }
}

impl fmt::Debug for InboundSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InboundSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_a_form_and_is_not_shown() {
        let standard = |text| InboundSecret::standard(text).err();
        assert_eq!(standard("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), None);
        for text in ["", "whsec_", "whsec_AAAA", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_!!"] {
            assert_eq!(standard(text), Some(BadInboundSecret::Standard), "{text}");
        }
        let plain = |text: &str| InboundSecret::text(text).err();
        assert_eq!(plain("It's-a-Secret-to-Everybody"), None);
        let long = "x".repeat(257);
        for text in ["", "too-short", "with a space in it", "sixteen bytes ü…", &long] {
            assert_eq!(plain(text), Some(BadInboundSecret::Text), "{text}");
        }
        let secret = InboundSecret::text("It's-a-Secret-to-Everybody").expect("a secret");
        assert_eq!(format!("{secret:?}"), "InboundSecret(…)");
    }
}
