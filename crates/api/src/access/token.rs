//! The shared secret of a server.
//! - AK-1 it is kept as a digest and compared in constant time; nothing shows or logs it

use std::fmt;
use std::str::FromStr;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{Digest, SHA256, digest};
use http::{HeaderMap, header};

/// 16 random bytes in base64 have 24 characters.
const CHARACTERS_MIN: usize = 24;
const CHARACTERS_MAX: usize = 1024;

#[derive(Clone)]
pub struct Token(Digest);

/// Why a text is not a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadToken;

impl fmt::Display for BadToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a token is {CHARACTERS_MIN} to {CHARACTERS_MAX} letters, digits and signs without spaces; \
             `openssl rand -hex 32` makes a good one"
        )
    }
}

impl std::error::Error for BadToken {}

impl FromStr for Token {
    type Err = BadToken;

    fn from_str(text: &str) -> Result<Self, BadToken> {
        let fits = (CHARACTERS_MIN..=CHARACTERS_MAX).contains(&text.len());
        if !fits || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadToken);
        }
        Ok(Self(digest(&SHA256, text.as_bytes())))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// Whether the request carries it: one header `Authorization: Bearer TOKEN`, or without one the cookie of a browser.
    pub(super) fn is_in(&self, headers: &HeaderMap) -> bool {
        if !headers.contains_key(header::AUTHORIZATION) {
            return self.is_in_cookie(headers);
        }
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return false };
        let Some((scheme, token)) = value.as_bytes().split_at_checked(b"Bearer ".len()) else { return false };
        scheme.eq_ignore_ascii_case(b"Bearer ") && self.is(token)
    }

    pub(super) fn is(&self, token: &[u8]) -> bool {
        // Digests are of one length, so that how much of a guess was right cannot be measured.
        verify_slices_are_equal(digest(&SHA256, token).as_ref(), self.0.as_ref()).is_ok()
    }

    /// What a browser keeps instead of the token: a digest, from which the token cannot be found.
    pub(super) fn session(&self) -> String {
        let text = [b"mainspring console session ".as_slice(), self.0.as_ref()].concat();
        digest(&SHA256, &text).as_ref().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
    }

    pub(super) fn is_session(&self, value: &str) -> bool {
        verify_slices_are_equal(
            digest(&SHA256, value.as_bytes()).as_ref(),
            digest(&SHA256, self.session().as_bytes()).as_ref(),
        )
        .is_ok()
    }
}
