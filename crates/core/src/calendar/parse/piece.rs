//! A part of the text that knows where it stands.

use crate::calendar::{CronError, Field};

#[derive(Clone, Copy, Default)]
pub(super) struct Piece<'a> {
    pub text: &'a str,
    /// Bytes before it in the whole expression.
    pub at: usize,
}

impl Piece<'_> {
    pub fn wrong(self, field: Field, wrong: impl Into<String>, advice: impl Into<String>) -> CronError {
        CronError { field: Some(field), position: self.at, wrong: wrong.into(), advice: advice.into() }
    }

    /// The parts between separators.
    pub fn split(self, separator: char) -> impl Iterator<Item = Self> {
        let mut at = self.at;
        self.text.split(separator).map(move |text| {
            let part = Self { text, at };
            at += text.len() + separator.len_utf8();
            part
        })
    }

    /// What is before and after the first separator.
    pub fn cut(self, separator: char) -> Option<(Self, Self)> {
        let (before, after) = self.text.split_once(separator)?;
        let at = self.at + before.len() + separator.len_utf8();
        Some((Self { text: before, at: self.at }, Self { text: after, at }))
    }

    /// Capital letters do not matter.
    pub fn is(self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    pub fn has_prefix(self, prefix: &str) -> bool {
        self.without_prefix(prefix).is_some()
    }

    pub fn without_prefix(self, prefix: &str) -> Option<Self> {
        let (start, rest) = self.text.split_at_checked(prefix.len())?;
        start.eq_ignore_ascii_case(prefix).then_some(Self { text: rest, at: self.at + prefix.len() })
    }

    pub fn without_suffix(self, suffix: &str) -> Option<Self> {
        let (rest, end) = self.text.split_at_checked(self.text.len().checked_sub(suffix.len())?)?;
        end.eq_ignore_ascii_case(suffix).then_some(Self { text: rest, at: self.at })
    }

    /// A number of at most three digits, and nothing else.
    pub fn number(self) -> Option<u32> {
        let digits =
            (1..=3).contains(&self.text.len()) && self.text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| self.text.parse().ok())?
    }
}
