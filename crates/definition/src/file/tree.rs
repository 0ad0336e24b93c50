//! A text of YAML or JSON as a tree in which every value knows its place.
//! - YT-1 aliases are followed by copying, and every copy counts against the limit
//! - YT-2 a broken document does not hide the mistakes of the next one

use std::collections::{BTreeSet, HashMap};

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, Tag};

use super::scalar::resolve;
use crate::limits::Limits;
use crate::mistake::{Code, Mistakes, Position, Spot};

#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub at: Position,
    pub value: Value,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    /// Whole and real numbers, each with its spelling.
    Whole(i128, Box<str>),
    Real(f64, Box<str>),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    pub key: String,
    pub at: Position,
    pub node: Node,
}

impl Value {
    /// For messages: "a list".
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Whole(..) => "a whole number",
            Self::Real(..) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "an object",
        }
    }
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Value::Map(entries) = &self.value else { return None };
        entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    fn count(&self) -> usize {
        1 + match &self.value {
            Value::List(items) => items.iter().map(Self::count).sum(),
            Value::Map(entries) => entries.iter().map(|entry| entry.node.count()).sum(),
            _ => 0,
        }
    }
}

/// All documents that have content.
pub fn read(text: &str, limits: &Limits, mistakes: &mut Mistakes) -> Vec<Node> {
    if text.len() > limits.file_bytes_max {
        let what = format!("the text has {} bytes, more than {}", text.len(), limits.file_bytes_max);
        mistakes.add(Code::TooLarge, &Spot::default(), what, "split it into several files");
        return Vec::new();
    }
    let mut options = Options::default();
    options.flow_nesting_limit = limits.depth_max + 1;
    options.block_nesting_limit = limits.depth_max + 1;
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut builder = Builder::new(limits, mistakes);
    loop {
        match parser.next_event() {
            None => break,
            Some(Ok((event, span))) => {
                if builder.take(event, position(&span.start)).is_err() {
                    break;
                }
            }
            Some(Err(error)) => {
                builder.abandon();
                let spot = Spot { at: position(error.marker()), path: String::new() };
                let what = format!("it is neither YAML nor JSON: {}", error.info());
                builder.mistakes.add(Code::Syntax, &spot, what, "");
                if !matches!(parser.proceed_next_document(), Ok(true)) {
                    break;
                }
            }
        }
    }
    builder.documents
}

fn position(marker: &Marker) -> Position {
    Position { line: marker.line() as u32, column: marker.col() as u32 + 1 }
}

/// A limit was hit: reading stops.
struct Stop;

struct Builder<'m> {
    limits: Limits,
    mistakes: &'m mut Mistakes,
    documents: Vec<Node>,
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    values: usize,
}

struct Open {
    at: Position,
    anchor: usize,
    what: Shape,
}

enum Shape {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, seen: BTreeSet<String>, key: Option<(String, Position)>, merged: Vec<Node> },
}

impl<'m> Builder<'m> {
    fn new(limits: &Limits, mistakes: &'m mut Mistakes) -> Self {
        let (documents, open) = (Vec::new(), Vec::new());
        Self { limits: *limits, mistakes, documents, open, anchors: HashMap::new(), values: 0 }
    }

    fn take(&mut self, event: Event<'_>, at: Position) -> Result<(), Stop> {
        match event {
            Event::DocumentStart(..) => self.abandon(),
            Event::Scalar(text, style, anchor, tag) => {
                let node = self.scalar(text.into_owned(), style, tag.as_deref(), at);
                return self.done(node, anchor);
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), "seq", at);
                self.begin(Shape::List(Vec::new()), anchor, at)?;
            }
            Event::MappingStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), "map", at);
                let (entries, merged) = (Vec::new(), Vec::new());
                let map = Shape::Map { entries, seen: BTreeSet::new(), key: None, merged };
                self.begin(map, anchor, at)?;
            }
            Event::SequenceEnd | Event::MappingEnd => return self.end(),
            Event::Alias(anchor) => return self.alias(anchor, at),
            _ => {}
        }
        Ok(())
    }

    /// Forgets a document that is not whole.
    fn abandon(&mut self) {
        self.open.clear();
        self.anchors.clear();
    }

    fn scalar(&mut self, text: String, style: ScalarStyle, tag: Option<&Tag>, at: Position) -> Node {
        let value = resolve(text, style == ScalarStyle::Plain, tag).unwrap_or_else(|what| {
            let help = "put a text into quotes, and leave tags (`!name`) out";
            self.mistakes.add(Code::BadValue, &Spot { at, path: String::new() }, what, help);
            Value::Null
        });
        Node { at, value }
    }

    fn check_tag(&mut self, tag: Option<&Tag>, expected: &str, at: Position) {
        if let Some(tag) = tag.filter(|tag| tag.core_suffix() != Some(expected)) {
            let what = format!("the tag `{}` means nothing here", tag.original());
            self.mistakes.add(Code::BadValue, &Spot { at, path: String::new() }, what, "leave it out");
        }
    }

    fn begin(&mut self, what: Shape, anchor: usize, at: Position) -> Result<(), Stop> {
        if self.open.len() >= self.limits.depth_max {
            let what = format!("more than {} lists and objects are inside each other", self.limits.depth_max);
            self.mistakes.add(Code::TooDeep, &Spot { at, path: String::new() }, what, "make it flatter");
            return Err(Stop);
        }
        self.open.push(Open { at, anchor, what });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Stop> {
        let Some(Open { at, anchor, what }) = self.open.pop() else { return Ok(()) };
        let value = match what {
            Shape::List(items) => Value::List(items),
            Shape::Map { mut entries, mut seen, merged, .. } => {
                for node in merged {
                    self.merge(node, &mut entries, &mut seen);
                }
                Value::Map(entries)
            }
        };
        self.done(Node { at, value }, anchor)
    }

    /// `<<`: entries of other objects, unless they are given here.
    fn merge(&mut self, node: Node, entries: &mut Vec<Entry>, seen: &mut BTreeSet<String>) {
        match node.value {
            Value::Map(others) => {
                entries.extend(others.into_iter().filter(|entry| seen.insert(entry.key.clone())));
            }
            Value::List(nodes) => nodes.into_iter().for_each(|node| self.merge(node, entries, seen)),
            other => {
                let what = format!("`<<` takes an object or a list of them, not {}", other.kind());
                self.mistakes.add(Code::WrongType, &Spot { at: node.at, path: "<<".to_owned() }, what, "");
            }
        }
    }

    fn alias(&mut self, anchor: usize, at: Position) -> Result<(), Stop> {
        let Some((node, count)) = self.anchors.get(&anchor) else {
            let what = "an alias inside of what it stands for";
            self.mistakes.add(Code::Syntax, &Spot { at, path: String::new() }, what, "write the value out");
            self.attach(Node { at, value: Value::Null });
            return Ok(());
        };
        // Counted before it is copied: a small text may mean a huge one.
        let (count, node) =
            (*count, if self.values + *count > self.limits.values_max { None } else { Some(node.clone()) });
        self.count(count, at)?;
        self.attach(node.unwrap_or(Node { at, value: Value::Null }));
        Ok(())
    }

    fn done(&mut self, node: Node, anchor: usize) -> Result<(), Stop> {
        self.count(1, node.at)?;
        if anchor != 0 {
            let count = node.count();
            self.count(count, node.at)?;
            self.anchors.insert(anchor, (node.clone(), count));
        }
        self.attach(node);
        Ok(())
    }

    fn count(&mut self, more: usize, at: Position) -> Result<(), Stop> {
        self.values += more;
        if self.values <= self.limits.values_max {
            return Ok(());
        }
        let what = format!("the text means more than {} values", self.limits.values_max);
        let help = "split it into several files; aliases count as what they stand for";
        self.mistakes.add(Code::TooMany, &Spot { at, path: String::new() }, what, help);
        Err(Stop)
    }

    fn attach(&mut self, node: Node) {
        match self.open.last_mut().map(|open| &mut open.what) {
            None if node.value == Value::Null => {}
            None => self.documents.push(node),
            Some(Shape::List(items)) => items.push(node),
            Some(Shape::Map { entries, seen, key, merged }) => match key.take() {
                None => {
                    let text = key_of(&node);
                    if text.is_none() {
                        let spot = Spot { at: node.at, path: String::new() };
                        let what = format!("a name is a text, not {}", node.value.kind());
                        self.mistakes.add(Code::WrongType, &spot, what, "");
                    }
                    *key = Some((text.unwrap_or_default(), node.at));
                }
                Some((key, _)) if key == "<<" => merged.push(node),
                Some((key, at)) if seen.insert(key.clone()) => entries.push(Entry { key, at, node }),
                Some((key, at)) => {
                    let path = self.path(&key);
                    let what = format!("`{key}` is given twice");
                    self.mistakes.add(Code::DuplicateKey, &Spot { at, path }, what, "keep one of them");
                }
            },
        }
    }

    /// The names that lead to a key of the innermost object.
    fn path(&self, key: &str) -> String {
        let mut path = String::new();
        for open in &self.open {
            match &open.what {
                Shape::List(items) => path.extend(["[", &items.len().to_string(), "]"]),
                Shape::Map { key: Some((name, _)), .. } => path.extend([".", name]),
                Shape::Map { .. } => path.extend([".", key]),
            }
        }
        path.trim_start_matches('.').to_owned()
    }
}

fn key_of(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) => Some(text.clone()),
        Value::Whole(_, text) | Value::Real(_, text) => Some(text.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null => Some("null".to_owned()),
        Value::List(_) | Value::Map(_) => None,
    }
}
