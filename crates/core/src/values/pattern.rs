//! Texts that are matched or evaluated.

use std::fmt;
use std::sync::Arc;

/// A text, or with a final `*` every text that begins with it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Pattern {
    pub text: Arc<str>,
    pub prefix: bool,
}

impl Pattern {
    /// `None`: a `*` stands before the end.
    pub fn parse(text: &str) -> Option<Self> {
        let (text, prefix) = text.strip_suffix('*').map_or((text, false), |text| (text, true));
        (!text.contains('*')).then(|| Self { text: text.into(), prefix })
    }

    pub fn matches(&self, text: &str) -> bool {
        if self.prefix { text.starts_with(&*self.text) } else { *text == *self.text }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.text, if self.prefix { "*" } else { "" })
    }
}

/// The source of an expression or template, checked when the job was stored.
pub type Source = Arc<str>;
