//! Values of settings: what kinds there are, how each is written, and what is said when it is not.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use mainspring_core::values::resource_name;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Text,
    /// Host and port to listen on.
    Address,
    Path,
    Count {
        min: u64,
        max: u64,
    },
    /// A number, or one with a unit: `64MiB`.
    Bytes {
        min: u64,
        max: u64,
    },
    /// `250ms`, `30s`, `5m`, `2h`, `7d`; the bounds in milliseconds.
    Span {
        min: u64,
        max: u64,
    },
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Written with commas outside of files.
    List,
    /// `key=value`, with commas outside of files.
    Pairs,
    /// Names of resources and whole numbers: `license=2`, with commas outside of files.
    Amounts,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Text(String),
    Number(u64),
    Bytes(u64),
    Span(Duration),
    Switch(bool),
    List(Vec<String>),
    Pairs(BTreeMap<String, String>),
}

const UNITS: [(&str, u64); 8] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];
const SPANS: [(&str, u64); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

impl Kind {
    /// From a flag or the environment. The error says what is allowed.
    pub(crate) fn parse(self, text: &str) -> Result<Value, String> {
        let wrong = || format!("`{}` is not {}", text.chars().take(60).collect::<String>(), self.wanted());
        match self {
            Self::Text => Ok(Value::Text(text.to_owned())),
            Self::Path if text.is_empty() => Err(wrong()),
            Self::Path => Ok(Value::Text(text.to_owned())),
            Self::Address => text
                .parse::<std::net::SocketAddr>()
                .map(|_| Value::Text(text.to_owned()))
                .map_err(|_| wrong()),
            Self::Count { .. } => self.number(text.replace('_', "").parse().map_err(|_| wrong())?),
            Self::Bytes { .. } => self.number(with_unit(text, &UNITS, Some(1)).ok_or_else(wrong)?),
            Self::Span { .. } => self.number(with_unit(text, &SPANS, None).ok_or_else(wrong)?),
            Self::Switch => match text {
                "true" | "1" | "yes" => Ok(Value::Switch(true)),
                "false" | "0" | "no" => Ok(Value::Switch(false)),
                _ => Err(wrong()),
            },
            Self::Choice(words) if !words.contains(&text) => Err(wrong()),
            Self::Choice(_) => Ok(Value::Text(text.to_owned())),
            Self::List => Ok(Value::List(parts(text).map(str::to_owned).collect())),
            Self::Pairs => {
                let pair =
                    |part: &str| part.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
                parts(text).map(pair).collect::<Option<_>>().map(Value::Pairs).ok_or_else(wrong)
            }
            Self::Amounts => {
                let pairs = parts(text).map(|part| {
                    let (name, number) = part.split_once('=').ok_or_else(wrong)?;
                    amount(name, number.trim()).map(|(name, amount)| (name, amount.to_string()))
                });
                pairs.collect::<Result<_, _>>().map(Value::Pairs)
            }
        }
    }

    /// Checks the bounds.
    pub(crate) fn number(self, number: u64) -> Result<Value, String> {
        let (min, max, value) = match self {
            Self::Count { min, max } => (min, max, Value::Number(number)),
            Self::Bytes { min, max } => (min, max, Value::Bytes(number)),
            Self::Span { min, max } => (min, max, Value::Span(Duration::from_millis(number))),
            _ => return Err(format!("a number is not {}", self.wanted())),
        };
        if (min..=max).contains(&number) {
            return Ok(value);
        }
        Err(format!("{value} is not {}", self.wanted()))
    }

    /// What is allowed, in words.
    pub(crate) fn wanted(self) -> String {
        match self {
            Self::Text => "a text".into(),
            Self::Address => "an address and a port, like `127.0.0.1:7070`".into(),
            Self::Path => "a path".into(),
            Self::Count { min, max } => format!("a number from {min} to {max}"),
            Self::Bytes { min, max } => {
                let (min, max) = (Value::Bytes(min), Value::Bytes(max));
                format!("a number of bytes from {min} to {max}, like `64MiB`")
            }
            Self::Span { min, max } => {
                let span = |ms| Value::Span(Duration::from_millis(ms));
                format!("a span of time from {} to {}, like `30s` or `5m`", span(min), span(max))
            }
            Self::Switch => "`true` or `false`".into(),
            Self::Choice(words) => format!("one of `{}`", words.join("`, `")),
            Self::List => "a list of texts".into(),
            Self::Pairs => "pairs of key and value, like `zone=a`".into(),
            Self::Amounts => "names and whole numbers, like `license=2`".into(),
        }
    }
}

/// One custom resource and how much of it there is.
pub(crate) fn amount(name: &str, number: &str) -> Result<(String, u64), String> {
    let shown: String = name.chars().take(80).collect();
    resource_name(name).map_err(|bad| format!("`{shown}`: {bad}"))?;
    let amount: u64 = number.replace('_', "").parse().map_err(|_| {
        let number: String = number.chars().take(60).collect();
        format!("`{shown}`: `{number}` is not a whole number")
    })?;
    Ok((name.to_owned(), amount))
}

/// A size as the settings take it, such as `64MiB`.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    with_unit(text, &UNITS, Some(1)).ok_or_else(|| {
        format!("`{}` is not a number of bytes, like `64MiB`", text.chars().take(60).collect::<String>())
    })
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

fn with_unit(text: &str, units: &[(&str, u64)], bare: Option<u64>) -> Option<u64> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    let number: u64 = text[..text.len() - unit.len()].replace('_', "").parse().ok()?;
    let size = match unit.trim() {
        "" => bare?,
        unit => units.iter().find(|(name, _)| *name == unit)?.1,
    };
    number.checked_mul(size)
}

/// As it can be written in a file, without quotes around single texts.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Bytes(bytes) => {
                let unit =
                    UNITS[..4].iter().rev().find(|(_, size)| *bytes >= *size && bytes.is_multiple_of(*size));
                match unit {
                    Some((name, size)) => write!(f, "{}{name}", bytes / size),
                    None => bytes.fmt(f),
                }
            }
            Self::Span(span) => {
                let ms = span.as_millis() as u64;
                let unit = SPANS.iter().rev().find(|(_, size)| ms >= *size && ms.is_multiple_of(*size));
                match unit {
                    Some((name, size)) => write!(f, "{}{name}", ms / size),
                    None => f.write_str("0s"),
                }
            }
            Self::Switch(on) => on.fmt(f),
            Self::List(list) => f.write_str(&list.join(",")),
            Self::Pairs(pairs) => {
                let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
                f.write_str(&pairs.join(","))
            }
        }
    }
}

impl Value {
    /// As a TOML file has it.
    pub(crate) fn toml(&self) -> String {
        let quoted = |text: &str| format!("{text:?}");
        match self {
            Self::Number(_) | Self::Switch(_) => self.to_string(),
            Self::List(list) => {
                format!("[{}]", list.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
            }
            Self::Pairs(pairs) => {
                let pair = |(key, value): (&String, &String)| format!("{} = {}", quoted(key), quoted(value));
                let pairs: Vec<String> = pairs.iter().map(pair).collect();
                if pairs.is_empty() { "{}".into() } else { format!("{{ {} }}", pairs.join(", ")) }
            }
            Self::Text(_) | Self::Bytes(_) | Self::Span(_) => quoted(&self.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_written_alike() {
        let bytes = Kind::Bytes { min: 0, max: u64::MAX };
        let span = Kind::Span { min: 0, max: u64::MAX };
        let rows = [
            (bytes, "64MiB", "64MiB"),
            (bytes, "1500", "1500"),
            (bytes, "2_048", "2KiB"),
            (bytes, "2GB", "1953125KiB"),
            (span, "90s", "90s"),
            (span, "120s", "2m"),
            (span, "0s", "0s"),
            (span, "250ms", "250ms"),
            (Kind::Count { min: 1, max: 9_999 }, "1_000", "1000"),
            (Kind::Switch, "yes", "true"),
            (Kind::List, "a, b,", "a,b"),
            (Kind::Pairs, "k=v,z=1=2", "k=v,z=1=2"),
            (Kind::Amounts, "license=1_000, tape=2", "license=1000,tape=2"),
            (bytes, "2TiB", "2TiB"),
        ];
        for (kind, text, written) in rows {
            let value = kind.parse(text).unwrap_or_else(|what| panic!("{text}: {what}"));
            assert_eq!(value.to_string(), written, "{text}");
        }
    }
}
