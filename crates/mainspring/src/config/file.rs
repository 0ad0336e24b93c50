//! Reading a TOML file against the table of settings: every mistake, each with its line.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{KEYS, find, nearest};
use super::named::{self, NamedSetting};
use super::value::{Kind, Value, amount};

/// What a file sets, and on which line.
pub(super) type Settings = Vec<(&'static str, Value, usize)>;

/// All that a file holds.
pub(super) struct Content {
    pub(super) settings: Settings,
    pub(super) named: Vec<(NamedSetting, Value, usize)>,
    /// With their lines.
    pub(super) mistakes: Vec<(usize, String)>,
}

/// Files larger than this are not settings.
pub(super) const FILE_BYTES_MAX: u64 = 1 << 20;

pub(super) fn read(text: &str) -> Content {
    let (table, errors) = DeTable::parse_recoverable(text);
    let line = |at: usize| text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
    let content = Content { settings: Vec::new(), named: Vec::new(), mistakes: Vec::new() };
    let mut reader = Reader { line: &line, content };
    for error in errors {
        let at = error.span().map_or(1, |span| line(span.start));
        reader.content.mistakes.push((at, error.message().trim().replace('\n', ": ")));
    }
    reader.table("", table.get_ref());
    let mut content = reader.content;
    content.mistakes.sort();
    content.mistakes.dedup();
    content
}

struct Reader<'a> {
    line: &'a dyn Fn(usize) -> usize,
    content: Content,
}

impl Reader<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            let at = (self.line)(key.span().start);
            let inner = format!("{name}.");
            match (find(&name), value.get_ref()) {
                (Some(key), _) => match typed(key.kind, value) {
                    Ok(value) => self.content.settings.push((key.name, value, at)),
                    Err(what) => self.mistake(at, format!("`{name}`: {what}")),
                },
                (None, DeValue::Table(table)) if prefix.is_empty() && named::is_table(&name) => {
                    self.named_tables(&name, table);
                }
                (None, DeValue::Table(table)) if KEYS.iter().any(|key| key.name.starts_with(&inner)) => {
                    self.table(&inner, table);
                }
                (None, _) if KEYS.iter().any(|key| key.name.starts_with(&inner)) => {
                    self.mistake(at, format!("`{name}` is a table: write `[{name}]`"));
                }
                (None, _) if prefix.is_empty() && named::is_table(&name) => {
                    self.mistake(at, format!("`{name}` is a table: write `[{name}.NAME]`"));
                }
                (None, _) => self.mistake(at, unknown(&name)),
            }
        }
    }

    /// `[pools.NAME]`, one for each name.
    fn named_tables(&mut self, table: &str, names: &DeTable<'_>) {
        for (name, value) in names {
            let at = (self.line)(name.span().start);
            let DeValue::Table(fields) = value.get_ref() else {
                let name = name.get_ref();
                self.mistake(at, format!("`{table}.{name}` is a table: write `[{table}.{name}]`"));
                continue;
            };
            for (field, value) in fields {
                let at = (self.line)(field.span().start);
                let found = named::find(table, name.get_ref(), field.get_ref());
                let read = found.and_then(|(setting, kind)| match typed(kind, value) {
                    Ok(value) => Ok((setting, value, at)),
                    Err(what) => Err(format!("`{setting}`: {what}")),
                });
                match read {
                    Ok(read) => self.content.named.push(read),
                    Err(what) => self.mistake(at, what),
                }
            }
        }
    }

    fn mistake(&mut self, line: usize, what: String) {
        self.content.mistakes.push((line, what));
    }
}

fn typed(kind: Kind, value: &Spanned<DeValue<'_>>) -> Result<Value, String> {
    match (kind, value.get_ref()) {
        (
            Kind::Text
            | Kind::Address
            | Kind::Path
            | Kind::Choice(_)
            | Kind::Bytes { .. }
            | Kind::Span { .. },
            DeValue::String(text),
        ) => kind.parse(text),
        (Kind::Count { .. } | Kind::Bytes { .. }, DeValue::Integer(number)) => {
            let digits = number.as_str().replace('_', "");
            let number = u64::from_str_radix(&digits, number.radix());
            kind.number(number.map_err(|_| format!("{digits} is not {}", kind.wanted()))?)
        }
        (Kind::Switch, DeValue::Boolean(on)) => Ok(Value::Switch(*on)),
        (Kind::List, DeValue::Array(list)) => {
            let text = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
                DeValue::String(text) => Ok(text.clone().into_owned()),
                other => Err(format!("{} in the list, which is {}", named(other), kind.wanted())),
            };
            list.iter().map(text).collect::<Result<_, _>>().map(Value::List)
        }
        (Kind::Pairs, DeValue::Table(table)) => {
            let pair = |(key, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| match value.get_ref() {
                DeValue::String(text) => Ok((key.get_ref().to_string(), text.to_string())),
                other => Err(format!("`{}` is {}, not a text", key.get_ref(), named(other))),
            };
            table.iter().map(pair).collect::<Result<_, _>>().map(Value::Pairs)
        }
        (Kind::Amounts, DeValue::Table(table)) => {
            let pair = |(key, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| match value.get_ref() {
                DeValue::Integer(number) if number.radix() == 10 => {
                    amount(key.get_ref(), number.as_str()).map(|(name, amount)| (name, amount.to_string()))
                }
                other => Err(format!("`{}` is {}, not a whole number", key.get_ref(), named(other))),
            };
            table.iter().map(pair).collect::<Result<_, _>>().map(Value::Pairs)
        }
        (_, other) => Err(format!("{} is not {}", named(other), kind.wanted())),
    }
}

pub(super) fn unknown(name: &str) -> String {
    let short: String = name.chars().take(80).collect();
    match nearest(name) {
        Some(near) => format!("there is no setting `{short}`; did you mean `{near}`?"),
        None => format!("there is no setting `{short}`; `mainspring config example` shows all of them"),
    }
}

fn named(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "a truth value",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
