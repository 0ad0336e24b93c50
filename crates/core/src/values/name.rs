//! Names given by people: tenants, jobs, pools, labels. Short, printable, cheap to clone.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Longest name in bytes; long enough for a DNS name with a prefix.
pub const NAME_BYTES_MAX: usize = 200;

/// A checked name. The empty name means "none was given".
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(Arc<str>);

/// Why a text is not a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadName {
    TooLong { bytes: usize },
    ControlCharacter { at: usize },
}

impl fmt::Display for BadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => {
                write!(f, "a name has at most {NAME_BYTES_MAX} bytes, this one {bytes}")
            }
            Self::ControlCharacter { at } => {
                write!(f, "a name has no control characters, this one at byte {at}")
            }
        }
    }
}

impl Name {
    pub fn new(text: &str) -> Result<Self, BadName> {
        if text.len() > NAME_BYTES_MAX {
            return Err(BadName::TooLong { bytes: text.len() });
        }
        match text.char_indices().find(|(_, c)| c.is_control()) {
            Some((at, _)) => Err(BadName::ControlCharacter { at }),
            None => Ok(Self(text.into())),
        }
    }

    /// For names written in our own code, which are known to be good.
    pub fn fixed(text: &'static str) -> Self {
        debug_assert!(Self::new(text).is_ok());
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Equal and ordered as its text, so that maps can be asked for a text.
impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Default for Name {
    fn default() -> Self {
        Self("".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_bounded_and_printable() {
        assert!(Name::new(&"x".repeat(NAME_BYTES_MAX)).is_ok());
        assert_eq!(Name::new(&"x".repeat(201)), Err(BadName::TooLong { bytes: 201 }));
        assert_eq!(Name::new("a\nb"), Err(BadName::ControlCharacter { at: 1 }));
    }
}
