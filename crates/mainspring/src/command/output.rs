//! How answers are shown: tables for people, JSON for scripts. Data goes to stdout, all else to stderr.
//! - OU-1 colours and cutting only on a terminal, and no colours with `NO_COLOR`; what a script reads is whole

use std::io::{ErrorKind, IsTerminal, Write};

use clap::ValueEnum;
use serde_json::Value;

use crate::log;
use crate::note::note;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    Table,
    Json,
}

/// Where it is shown, found out once.
#[derive(Clone, Copy)]
pub(crate) struct Print {
    output: Output,
    /// Columns of the terminal; `None`: stdout is none.
    width: Option<usize>,
    colour: bool,
}

/// No column but the first is cut to less.
const COLUMN_MIN: usize = 6;

impl Print {
    pub(crate) fn new(output: Output) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let width =
            terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| usize::from(width.0));
        Self { output, width, colour: terminal && colours_wanted() }
    }

    pub(crate) fn is_json(self) -> bool {
        self.output == Output::Json
    }

    /// One object: its fields one a line, or JSON.
    pub(crate) fn object(self, value: &Value) {
        match (self.output, value) {
            (Output::Table, Value::Object(fields)) => {
                let width = fields.keys().map(String::len).max().unwrap_or(0);
                for (name, value) in fields {
                    say(&format!("{name:width$}  {}", self.painted(&cell(value), cell(value))));
                }
            }
            (Output::Table | Output::Json, _) => say(&format!("{value:#}")),
        }
    }

    /// The list under `key` as a table of these columns, or the whole answer as JSON.
    pub(crate) fn rows(self, answer: &Value, key: &str, columns: &[&str]) {
        if self.is_json() {
            return say(&format!("{answer:#}"));
        }
        let empty = Vec::new();
        let rows = answer.get(key).and_then(Value::as_array).unwrap_or(&empty);
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|row| {
                columns
                    .iter()
                    .map(|column| row.pointer(&pointer(column)).map(cell).unwrap_or_default())
                    .collect()
            })
            .collect();
        let heads: Vec<String> =
            columns.iter().map(|column| column.replace('.', " ").to_uppercase()).collect();
        let widths = widths(&heads, &cells, self.width);
        for row in [&heads].into_iter().chain(&cells) {
            let shown: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(text, width)| self.painted(text, format!("{:<width$}", cut(text, *width))))
                .collect();
            say(shown.join("  ").trim_end());
        }
        if rows.is_empty() {
            note!("(none)");
        }
    }

    /// A state's word or sign in the colour of the state.
    pub(crate) fn state(self, state: &str, shown: String) -> String {
        self.painted(state, shown)
    }

    /// A line of a difference.
    pub(crate) fn change(self, line: &str) -> String {
        let code = match line.bytes().next() {
            Some(b'+') => "32",
            Some(b'-') => "31",
            Some(b'@') => "36",
            _ => return line.to_owned(),
        };
        if self.colour { format!("\u{1b}[{code}m{line}\u{1b}[0m") } else { line.to_owned() }
    }

    /// States in their colour; the word stays, so colour is never the only sign.
    fn painted(self, word: &str, shown: String) -> String {
        let code = match word {
            "succeeded" | "healthy" => "32",
            "failed" | "upstream_failed" | "quarantined" | "unhealthy" | "disconnected" => "31",
            "running" | "assigned" => "36",
            "retry_wait" | "deferred" | "paused" | "stopping" | "draining" => "33",
            "cancelled" | "skipped" => "90",
            _ => return shown,
        };
        if self.colour { format!("\u{1b}[{code}m{shown}\u{1b}[0m") } else { shown }
    }
}

pub(crate) fn colours_wanted() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A line of data on stdout. A reader that has seen enough (`| head`) is no error; a full disk is one.
pub(crate) fn say(line: &str) {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => log::exit(0),
        Err(error) => {
            note!("error: cannot write to stdout: {error}");
            log::exit(1);
        }
    }
}

fn pointer(column: &str) -> String {
    format!("/{}", column.replace('.', "/"))
}

/// As wide as what is in them; if that is too much, the widest but the first give way.
fn widths(heads: &[String], rows: &[Vec<String>], room: Option<usize>) -> Vec<usize> {
    let wide = |n: usize| {
        let texts = rows.iter().map(|row| &row[n]).chain([&heads[n]]);
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..heads.len()).map(wide).collect();
    let gaps = 2 * heads.len().saturating_sub(1);
    while room.is_some_and(|room| widths.iter().sum::<usize>() + gaps > room) {
        let widest = widths.iter_mut().skip(1).filter(|width| **width > COLUMN_MIN).max();
        let Some(width) = widest else { break };
        *width -= 1;
    }
    widths
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(_) | Value::Array(_) | Value::Bool(_) | Value::Number(_) => value.to_string(),
    };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    plain(&lines.join(" · "))
}

/// What a task wrote must not steer the terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(row: &[&str]) -> Vec<String> {
        row.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn columns_are_as_wide_as_needed_and_give_way_on_a_narrow_terminal() {
        let heads = texts(&["ID", "STATUS", "MESSAGE"]);
        let rows = vec![texts(&["task_0123456789", "failed", "a long story about what went wrong"])];
        assert_eq!(widths(&heads, &rows, None), [15, 6, 34]);
        assert_eq!(widths(&heads, &rows, Some(40)), [15, 6, 15]);
        assert_eq!(widths(&heads, &rows, Some(5)), [15, 6, 6], "an id is never cut");
        assert_eq!((cut("größe", 5).as_str(), cut("größer", 5).as_str()), ("größe", "größ…"));
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(cell(&Value::from("a\u{1b}[31mb\rc")), "a\u{fffd}[31mb\u{fffd}c");
    }

    #[test]
    fn lines_stand_beside_each_other_in_a_cell() {
        assert_eq!(cell(&Value::from("ended with code 3\noops\n")), "ended with code 3 · oops");
    }
}
