//! Values in shell text. A value is never written into the script: it goes into the environment, and the script
//! gets a quoted reference to it. So no value can become a command, whatever it holds.
//! This file finds out how the script quotes each place, so that the value stays one word.

use super::context::Context;
use super::source::Bad;
use super::template::Template;
use crate::mistake::Code;

/// Names of the variables; a number follows. Names of users may not begin like this.
pub const VARIABLE: &str = "MAINSPRING_VALUE_";
/// The kernel takes 128 KiB for a variable with its name.
const VALUE_BYTES_MAX: usize = 120 << 10;

/// A script with its values beside it.
pub struct Script {
    pub text: String,
    pub variables: Vec<(String, String)>,
}

/// Refuses places where a reference would not be read as one word.
pub fn check(template: &Template) -> Result<(), Bad> {
    quotes(&template.texts).map(drop)
}

pub fn render(template: &Template, context: &Context) -> Result<Script, String> {
    let quotes = quotes(&template.texts).map_err(|bad| bad.what)?;
    let mut variables = Vec::with_capacity(quotes.len());
    let text = template.fill(|index, place| {
        let value = place.text(context)?;
        if value.len() > VALUE_BYTES_MAX {
            return Err(format!(
                "a value of a script has at most {VALUE_BYTES_MAX} bytes; pass it as `stdin`"
            ));
        }
        let name = format!("{VARIABLE}{}", index + 1);
        let reference = match quotes[index] {
            Quote::None => format!("\"${{{name}}}\""),
            Quote::Double => format!("${{{name}}}"),
            Quote::Single => format!("'\"${{{name}}}\"'"),
        };
        variables.push((name, value));
        Ok(reference)
    })?;
    Ok(Script { text, variables })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quote {
    None,
    Double,
    Single,
}

fn quotes(texts: &[String]) -> Result<Vec<Quote>, Bad> {
    let mut lexer = Lexer { frames: vec![Frame::Command { inner: false, parens: 0 }], ..Lexer::default() };
    let mut quotes = Vec::new();
    for text in &texts[..texts.len() - 1] {
        lexer.feed(text);
        quotes.push(lexer.place(text)?);
    }
    Ok(quotes)
}

enum Frame {
    /// A list of commands: the script, or what is in `$( )`.
    Command {
        inner: bool,
        parens: usize,
    },
    Double,
    Single,
    Comment,
    Backtick,
    Brace,
    Arithmetic {
        parens: usize,
    },
    Heredoc(Heredoc),
}

#[derive(Default)]
struct Heredoc {
    word: String,
    quoted: bool,
    tabs: bool,
    line: String,
}

impl Heredoc {
    /// Reads the end mark, of which any part may be quoted; between quotes it may have spaces. How many signs it has.
    fn read_mark(&mut self, signs: &[char]) -> usize {
        let (mut index, mut open) = (0, None);
        while let Some(&sign) = signs.get(index) {
            match (open, sign) {
                (None, '\'' | '"') => (open, self.quoted) = (Some(sign), true),
                (Some(quote), _) if quote == sign => open = None,
                (None | Some('"'), '\\') => {
                    self.quoted = true;
                    index += 1;
                    let next = signs.get(index);
                    // Between double quotes it is a sign as any other, unless what follows is special there.
                    let is_text = open.is_some() && next.is_none_or(|sign| !"$`\"\\".contains(*sign));
                    self.word.extend(is_text.then_some(&'\\').into_iter().chain(next));
                }
                (None, _) if sign.is_whitespace() || ";&|()<>".contains(sign) => break,
                _ => self.word.push(sign),
            }
            index += 1;
        }
        index.min(signs.len())
    }
}

#[derive(Default)]
struct Lexer {
    frames: Vec<Frame>,
    /// Announced on this line; their bodies come after it.
    announced: Vec<Heredoc>,
    /// The last sign was part of a word.
    in_word: bool,
}

impl Lexer {
    fn place(&mut self, before: &str) -> Result<Quote, Bad> {
        let refuse = |what: &str| {
            let help = "set a variable under `env:` and use it: `\"$NAME\"`";
            Err(Bad { code: Code::UnsafeShell, ..Bad::new(what, help) })
        };
        if before.ends_with('\\') {
            return refuse("a value cannot stand behind a backslash");
        }
        if before.ends_with('$') {
            return refuse("a value is written `{{ … }}`, without a `$` before it");
        }
        if before.trim_end_matches([' ', '\t', '-']).ends_with("<<") {
            return refuse("a value cannot be the end mark of a here-document");
        }
        self.in_word = true;
        match self.frames.last_mut() {
            Some(Frame::Command { .. } | Frame::Comment) | None => Ok(Quote::None),
            Some(Frame::Double) => Ok(Quote::Double),
            Some(Frame::Single) => Ok(Quote::Single),
            Some(Frame::Heredoc(document)) if !document.quoted => {
                document.line.push('{');
                Ok(Quote::Double)
            }
            Some(Frame::Heredoc(_)) => refuse("a here-document with a quoted end mark takes no values"),
            Some(Frame::Backtick) => refuse("a value cannot stand in backticks; use `$( )`"),
            Some(Frame::Brace) => refuse("a value cannot stand in `${ }`"),
            Some(Frame::Arithmetic { .. }) => refuse("a value cannot stand in `$(( ))`"),
        }
    }

    fn feed(&mut self, text: &str) {
        let signs: Vec<char> = text.chars().collect();
        let mut index = 0;
        while index < signs.len() {
            index += self.step(&signs[index..]);
        }
    }

    /// How many signs were read.
    fn step(&mut self, signs: &[char]) -> usize {
        let next = signs.get(1).copied();
        match (self.frames.last_mut(), signs[0]) {
            (Some(Frame::Comment), '\n') => {
                self.frames.pop();
                self.newline()
            }
            (Some(Frame::Comment), _) => 1,
            (Some(Frame::Single), '\'') | (Some(Frame::Double), '"') | (Some(Frame::Brace), '}') => {
                self.close()
            }
            (Some(Frame::Backtick), '`') => self.close(),
            (Some(Frame::Single), _) => 1,
            (Some(Frame::Heredoc(document)), sign) => {
                let quoted = document.quoted;
                self.in_document(sign, quoted, signs)
            }
            (_, '\\') => {
                self.in_word = true;
                2
            }
            (Some(Frame::Backtick), _) => 1,
            (_, '$') => self.dollar(next, signs.get(2).copied()),
            (_, '`') => self.open(Frame::Backtick),
            (Some(Frame::Double), _) => 1,
            (_, '"') => self.open(Frame::Double),
            (Some(Frame::Brace), _) => 1,
            (Some(Frame::Arithmetic { parens }), sign) => match (sign, next) {
                ('(', _) => {
                    *parens += 1;
                    1
                }
                (')', Some(')')) if *parens == 0 => {
                    self.frames.pop();
                    2
                }
                (')', _) => {
                    *parens = parens.saturating_sub(1);
                    1
                }
                _ => 1,
            },
            (Some(Frame::Command { .. }) | None, sign) => self.in_command(sign, signs),
        }
    }

    fn in_command(&mut self, sign: char, signs: &[char]) -> usize {
        match sign {
            '\'' => return self.open(Frame::Single),
            '#' if !self.in_word => return self.open(Frame::Comment),
            '\n' => return self.newline(),
            '<' if signs.starts_with(&['<', '<', '<']) => return 3,
            '<' if signs.starts_with(&['<', '<']) => return self.announce(signs),
            '(' | ')' => self.paren(sign),
            _ => {}
        }
        self.in_word = !(sign.is_whitespace() || ";&|()<>".contains(sign));
        1
    }

    fn paren(&mut self, sign: char) {
        let Some(Frame::Command { inner, parens }) = self.frames.last_mut() else { return };
        match (sign, *inner, *parens) {
            ('(', ..) => *parens += 1,
            (_, true, 0) => drop(self.frames.pop()),
            _ => *parens = parens.saturating_sub(1),
        }
    }

    fn dollar(&mut self, next: Option<char>, second: Option<char>) -> usize {
        self.in_word = true;
        match (next, second) {
            (Some('('), Some('(')) => {
                self.frames.push(Frame::Arithmetic { parens: 0 });
                3
            }
            (Some('('), _) => {
                self.frames.push(Frame::Command { inner: true, parens: 0 });
                self.in_word = false;
                2
            }
            (Some('{'), _) => {
                self.frames.push(Frame::Brace);
                2
            }
            _ => 1,
        }
    }

    fn in_document(&mut self, sign: char, quoted: bool, signs: &[char]) -> usize {
        if !quoted && sign == '$' {
            let read = self.dollar(signs.get(1).copied(), signs.get(2).copied());
            if let Some(Frame::Heredoc(document)) = self.frames.last_mut() {
                document.line.push('$');
            }
            return read;
        }
        let Some(Frame::Heredoc(document)) = self.frames.last_mut() else { return 1 };
        if sign != '\n' {
            document.line.push(sign);
            return 1;
        }
        let line = if document.tabs { document.line.trim_start_matches('\t') } else { &document.line };
        let ended = line == document.word;
        document.line.clear();
        if ended {
            self.frames.pop();
            return self.newline();
        }
        1
    }

    /// Reads `<<EOF`, `<<-EOF`, `<< 'END OF FILE'`.
    fn announce(&mut self, signs: &[char]) -> usize {
        let mut index = 2;
        let tabs = signs.get(index) == Some(&'-');
        index += usize::from(tabs);
        while matches!(signs.get(index), Some(' ' | '\t')) {
            index += 1;
        }
        let mut document = Heredoc { tabs, ..Heredoc::default() };
        index += document.read_mark(&signs[index..]);
        self.announced.push(document);
        self.in_word = false;
        index
    }

    fn newline(&mut self) -> usize {
        self.in_word = false;
        if !self.announced.is_empty() {
            let first = self.announced.remove(0);
            self.frames.push(Frame::Heredoc(first));
        }
        1
    }

    fn open(&mut self, frame: Frame) -> usize {
        self.in_word = true;
        self.frames.push(frame);
        1
    }

    fn close(&mut self) -> usize {
        self.in_word = true;
        self.frames.pop();
        1
    }
}
