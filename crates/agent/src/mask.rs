//! Sensitive values are kept out of what an attempt writes and of why it failed.
//! - MK-1 a value is found however its bytes are cut into pieces; what could be its beginning is held back
//!
//! Not here: values that a program writes in another form (encoded, in parts): nobody can find those.

use std::sync::Arc;

use crate::attempt::Outcome;
use crate::readable::readable;

const MASK: &[u8] = b"***";

/// What an attempt must not show.
#[derive(Clone, Default, Debug)]
pub struct Secrets(Arc<[Vec<u8>]>);

impl Secrets {
    pub fn new(values: Vec<String>) -> Self {
        let mut values: Vec<Vec<u8>> = values.into_iter().map(String::into_bytes).collect();
        values.retain(|value| !value.is_empty());
        // Of two that begin alike the longer one hides more.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values.into())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its message is shown to everybody; what it gave is for other tasks.
    pub fn outcome(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Failure { class, code, message, unknown } if !self.is_empty() => {
                let mut stream = MaskedStream::new(self.clone());
                let mut masked = stream.push(message.as_bytes());
                masked.extend(stream.finish());
                let message = readable(&masked);
                Outcome::Failure { class, code, message, unknown }
            }
            other => other,
        }
    }
}

/// Bytes that come in pieces.
#[derive(Debug)]
pub struct MaskedStream {
    secrets: Secrets,
    /// What may be the beginning of a value.
    held: Vec<u8>,
}

impl MaskedStream {
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets, held: Vec::new() }
    }

    /// What may be shown by now.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        self.shown(false)
    }

    pub fn finish(&mut self) -> Vec<u8> {
        self.shown(true)
    }

    fn shown(&mut self, is_end: bool) -> Vec<u8> {
        let mut shown = Vec::with_capacity(self.held.len());
        let mut at = 0;
        while at < self.held.len() {
            let rest = &self.held[at..];
            // The longest that is whole or may become so decides.
            let found = self.secrets.0.iter().find(|value| {
                rest.starts_with(value) || !is_end && rest.len() < value.len() && value.starts_with(rest)
            });
            match found {
                Some(value) if rest.len() < value.len() => break,
                Some(value) => {
                    shown.extend_from_slice(MASK);
                    at += value.len();
                }
                None => {
                    shown.push(rest[0]);
                    at += 1;
                }
            }
        }
        self.held.drain(..at);
        shown
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::values::FailureClass;

    use super::*;

    fn secrets(values: &[&str]) -> Secrets {
        Secrets::new(values.iter().map(|&value| value.to_owned()).collect())
    }

    #[test]
    fn a_value_is_found_however_it_is_cut() {
        let rows = [
            (&["s3cr3t"][..], "a s3cr3t b", "a *** b"),
            (&["s3cr3t"], "s3cr3ts3cr3t", "******"),
            (&["s3cr3t"], "s3cr3 s3cr", "s3cr3 s3cr"),
            (&["abab"], "ababab", "***ab"),
            (&["aaab"], "aaaab", "a***"),
            (&["abcd", "abcdef"], "abcdef abcdx", "*** ***x"),
            (&["two\nlines"], "two\nlines", "***"),
            (&[], "nothing", "nothing"),
            (&[""], "nothing", "nothing"),
        ];
        for (values, text, wanted) in rows {
            for size in 1..=text.len() {
                let mut stream = MaskedStream::new(secrets(values));
                let mut shown = Vec::new();
                text.as_bytes().chunks(size).for_each(|piece| shown.extend(stream.push(piece)));
                shown.extend(stream.finish());
                assert_eq!(String::from_utf8_lossy(&shown), wanted, "{text} in pieces of {size}");
            }
        }
    }

    #[test]
    fn a_message_is_masked_and_an_output_is_not() {
        let secrets = secrets(&["s3cr3t"]);
        let failure = Outcome::failure(FailureClass::Transient, 1, "no route for s3cr3t");
        let Outcome::Failure { message, .. } = secrets.outcome(failure) else { panic!("a failure") };
        assert_eq!(message, "no route for ***");
        let success = Outcome::Success { output: Some(b"s3cr3t".to_vec()) };
        assert_eq!(secrets.outcome(success.clone()), success);
    }
}
