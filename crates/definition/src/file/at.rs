//! A value at its place, and the ways to read it. What cannot be read becomes a mistake and `None`: the reader
//! goes on, so that all mistakes are found in one go.

use mainspring_core::values::{Millis, Name};

use super::tree::{Node, Value};
use super::units;
use crate::mistake::{Code, Mistakes, Spot};
use crate::suggest::nearest;

#[derive(Clone, Debug)]
pub struct At<'n> {
    pub node: &'n Node,
    pub spot: Spot,
}

impl<'n> At<'n> {
    pub fn root(node: &'n Node, path: &str) -> Self {
        Self { node, spot: Spot { at: node.at, path: path.to_owned() } }
    }

    pub fn wrong(&self, expected: &str, mistakes: &mut Mistakes) {
        let what = format!("{expected} is expected, not {}", self.node.value.kind());
        mistakes.add(Code::WrongType, &self.spot, what, "");
    }

    pub fn bad(&self, what: impl Into<String>, help: impl Into<String>, mistakes: &mut Mistakes) {
        mistakes.add(Code::BadValue, &self.spot, what, help);
    }

    pub fn text(&self, mistakes: &mut Mistakes) -> Option<&'n str> {
        if let Value::Text(text) = &self.node.value {
            Some(text)
        } else {
            self.wrong("a text", mistakes);
            None
        }
    }

    /// A text, or a number or flag that can be taken as one without doubt.
    pub fn word(&self, mistakes: &mut Mistakes) -> Option<String> {
        let (plain, spelled) = match &self.node.value {
            Value::Text(text) => return Some(text.clone()),
            Value::Bool(flag) => return Some(flag.to_string()),
            Value::Whole(number, text) => (number.to_string(), text),
            Value::Real(number, text) => (serde_json::Value::from(*number).to_string(), text),
            _ => {
                self.wrong("a text", mistakes);
                return None;
            }
        };
        if plain != **spelled {
            let what = format!("`{spelled}` is the number {plain} here");
            self.bad(what, format!("put it into quotes: \"{spelled}\""), mistakes);
            return None;
        }
        Some(plain)
    }

    pub fn flag(&self, mistakes: &mut Mistakes) -> Option<bool> {
        if let Value::Bool(flag) = &self.node.value {
            Some(*flag)
        } else {
            self.wrong("true or false", mistakes);
            None
        }
    }

    pub fn whole(&self, least: u64, most: u64, mistakes: &mut Mistakes) -> Option<u64> {
        let Value::Whole(number, _) = &self.node.value else {
            self.wrong("a whole number", mistakes);
            return None;
        };
        let number = u64::try_from(*number).ok().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let bounds = if most == u64::MAX {
                format!("at least {least}")
            } else {
                format!("from {least} to {most}")
            };
            self.bad(format!("the number must be {bounds}"), "", mistakes);
        }
        number
    }

    pub fn count(&self, least: u32, mistakes: &mut Mistakes) -> Option<u32> {
        self.whole(u64::from(least), u64::from(u32::MAX), mistakes).map(|number| number as u32)
    }

    pub fn duration(&self, mistakes: &mut Mistakes) -> Option<Millis> {
        let read = match &self.node.value {
            Value::Text(text) => units::duration(text),
            Value::Whole(seconds, _) => {
                let ms = u64::try_from(*seconds).ok().and_then(|seconds| seconds.checked_mul(1_000));
                ms.ok_or_else(|| format!("{seconds} is not a duration")).and_then(units::checked)
            }
            Value::Real(_, text) => units::duration(&format!("{text}s")),
            _ => {
                self.wrong("a duration", mistakes);
                return None;
            }
        };
        self.or_bad(read, units::DURATIONS, mistakes)
    }

    /// A limit of zero would let nothing run.
    pub fn time_limit(&self, mistakes: &mut Mistakes) -> Option<Millis> {
        let limit = self.duration(mistakes)?;
        if limit == Millis::ZERO {
            self.bad("a limit of nothing lets nothing run", "leave it out for none", mistakes);
            return None;
        }
        Some(limit)
    }

    pub fn size(&self, mistakes: &mut Mistakes) -> Option<u64> {
        let read = match &self.node.value {
            Value::Text(text) => units::size(text),
            Value::Whole(bytes, _) => u64::try_from(*bytes).map_err(|_| format!("{bytes} is not a size")),
            _ => {
                self.wrong("a size", mistakes);
                return None;
            }
        };
        self.or_bad(read, units::SIZES, mistakes)
    }

    fn or_bad<T>(&self, read: Result<T, String>, forms: &str, mistakes: &mut Mistakes) -> Option<T> {
        read.map_err(|what| self.bad(what, format!("write it as {forms}"), mistakes)).ok()
    }

    /// One of a fixed set of words.
    pub fn one_of<T: Copy>(&self, known: &[(&str, T)], mistakes: &mut Mistakes) -> Option<T> {
        let word = self.text(mistakes)?;
        if let Some((_, value)) = known.iter().find(|(name, _)| *name == word) {
            return Some(*value);
        }
        let all: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let meant = nearest(word, all.iter().copied()).map(|near| format!("did you mean `{near}`? "));
        let help = format!("{}one of: {}", meant.unwrap_or_default(), all.join(", "));
        self.bad(format!("`{word}` is not known here"), help, mistakes);
        None
    }

    /// A name that is not empty.
    pub fn name(&self, mistakes: &mut Mistakes) -> Option<Name> {
        let text = self.text(mistakes)?;
        if text.is_empty() {
            mistakes.add(Code::BadName, &self.spot, "a name may not be empty", "");
            return None;
        }
        Name::new(text).map_err(|bad| mistakes.add(Code::BadName, &self.spot, bad.to_string(), "")).ok()
    }

    pub fn list(&self, mistakes: &mut Mistakes) -> Option<Vec<At<'n>>> {
        if let Value::List(items) = &self.node.value {
            Some(self.items(items))
        } else {
            self.wrong("a list", mistakes);
            None
        }
    }

    /// A list of at most `most`, or one value for a list of one.
    pub fn list_or_one(&self, most: usize, mistakes: &mut Mistakes) -> Vec<At<'n>> {
        let items = match &self.node.value {
            Value::List(items) => self.items(items),
            _ => vec![self.clone()],
        };
        if items.len() > most {
            let what = format!("{} entries are more than {most}", items.len());
            mistakes.add(Code::TooMany, &self.spot, what, "");
            return Vec::new();
        }
        items
    }

    fn items(&self, items: &'n [Node]) -> Vec<At<'n>> {
        let item = |(index, node): (usize, &'n Node)| At {
            node,
            spot: Spot { at: node.at, path: format!("{}[{index}]", self.spot.path) },
        };
        items.iter().enumerate().map(item).collect()
    }

    /// Any names with their values.
    pub fn entries(&self, mistakes: &mut Mistakes) -> Option<Vec<Named<'n>>> {
        let Value::Map(entries) = &self.node.value else {
            self.wrong("an object", mistakes);
            return None;
        };
        let entry = |entry: &'n super::tree::Entry| {
            let path = self.path_to(&entry.key);
            let key = Spot { at: entry.at, path: path.clone() };
            Named {
                name: &entry.key,
                key,
                value: At { node: &entry.node, spot: Spot { at: entry.node.at, path } },
            }
        };
        Some(entries.iter().map(entry).collect())
    }

    pub fn path_to(&self, key: &str) -> String {
        if self.spot.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.spot.path) }
    }

    /// An object of which only these fields are known; others are mistakes.
    pub fn fields(&self, known: &[&str], mistakes: &mut Mistakes) -> Option<Fields<'n>> {
        let entries = self.entries(mistakes)?;
        for entry in entries.iter().filter(|entry| !known.contains(&entry.name)) {
            let help = match nearest(entry.name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are: {}", known.join(", ")),
            };
            mistakes.add(Code::UnknownField, &entry.key, format!("there is no field `{}`", entry.name), help);
        }
        Some(Fields { entries, spot: self.spot.clone() })
    }
}

#[derive(Clone, Debug)]
pub struct Named<'n> {
    pub name: &'n str,
    pub key: Spot,
    pub value: At<'n>,
}

#[derive(Clone, Debug)]
pub struct Fields<'n> {
    entries: Vec<Named<'n>>,
    pub spot: Spot,
}

impl<'n> Fields<'n> {
    /// A field without a value counts as not given.
    pub fn get(&self, name: &str) -> Option<&At<'n>> {
        self.named(name).map(|entry| &entry.value).filter(|at| at.node.value != Value::Null)
    }

    pub fn named(&self, name: &str) -> Option<&Named<'n>> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The value of a field, if it is there and can be read.
    pub fn read<T>(
        &self,
        name: &str,
        mistakes: &mut Mistakes,
        read: impl FnOnce(&At<'n>, &mut Mistakes) -> Option<T>,
    ) -> Option<T> {
        self.get(name).and_then(|at| read(at, mistakes))
    }
}
