//! How answers are shown: tables for people, JSON, YAML and names for scripts. Data goes to stdout, all else to stderr.
//! - OU-1 colours, short ids and cut cells only on a terminal, and no colours with `NO_COLOR`; what a script reads is whole
//! - OU-2 on a terminal a table is as wide as the terminal, or less

mod clean;
mod fold;
mod name;
mod table;
mod time;
mod yaml;

use std::io::{ErrorKind, IsTerminal, Write};

use clap::ValueEnum;
use serde_json::Value;

pub(crate) use self::clean::{brief, plain};
pub(crate) use self::table::{Column, age, bytes, cut, error, id, instant, pair, run_task, span, text, took};
pub(crate) use self::time::{between, exact, moment_of as moment, to_the_minute};
use crate::log;
use crate::note::note;

// No doc comments on the values: with them every `--help` would need three lines an option.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    Table,
    Wide,
    Json,
    Yaml,
    Name,
}

/// Where it is shown, found out once.
#[derive(Clone, Copy)]
pub(crate) struct Print {
    output: Output,
    /// Columns of the terminal; `None`: stdout is none.
    width: Option<usize>,
    colour: bool,
}

/// Of a terminal that does not say how wide it is.
const WIDTH_DEFAULT: usize = 80;
/// Where there is no terminal: a document that needs more stands below its name.
const DOCUMENT_WIDTH: usize = 100;
/// The command line is wrong.
const EXIT_WRONG: i32 = 2;

impl Print {
    pub(crate) fn new(output: Output) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let width = || terminal_size::terminal_size().map_or(WIDTH_DEFAULT, |(width, _)| width.0.into());
        let cut = terminal && output != Output::Wide;
        Self { output, width: cut.then(width), colour: terminal && colours_wanted() }
    }

    /// Whether the answer is to be read by a program: then nothing but the answer is printed.
    pub(crate) fn is_data(self) -> bool {
        match self.output {
            Output::Json | Output::Yaml | Output::Name => true,
            Output::Table | Output::Wide => false,
        }
    }

    fn is_wide(self) -> bool {
        self.output == Output::Wide
    }

    /// One object: its fields one a line, or as data.
    pub(crate) fn object(self, value: &Value) {
        match (self.output, value) {
            (Output::Table | Output::Wide, Value::Object(fields)) => {
                let shown = name::in_order(fields);
                let width = shown.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
                for (name, value) in shown {
                    say(&self.field(name, value, width));
                }
            }
            (Output::Name, _) => {
                let Some(name) = name::of(value) else {
                    note!("error: this answer has no id or name\n\nhint: take -o json");
                    log::exit(EXIT_WRONG);
                };
                say(&plain(&name));
            }
            (Output::Yaml, _) => say(yaml::of(value).trim_end()),
            (Output::Table | Output::Wide | Output::Json, _) => say(&format!("{value:#}")),
        }
    }

    /// A document that is nested or does not fit in its line stands below it, as YAML.
    fn field(self, name: &str, value: &Value, width: usize) -> String {
        let flat = flat(value);
        let room = self.width.unwrap_or(DOCUMENT_WIDTH).saturating_sub(width + 2);
        let fits = flat.as_ref().is_some_and(|flat| flat.chars().count() <= room);
        let shown = time::moment(name, value).or(flat).unwrap_or_else(|| table::cell(value));
        if (value.is_object() || value.is_array()) && !fits {
            let below = yaml::of(value);
            let lines: Vec<String> = below.lines().map(|line| format!("\n  {}", plain(line))).collect();
            return format!("{name}{}", lines.concat());
        }
        format!("{name:width$}  {}", self.painted(&shown, shown.clone())).trim_end().to_owned()
    }

    /// The list under `key` as a table of these columns, or the whole answer as data.
    pub(crate) fn rows<C: Copy + Into<Column>>(self, answer: &Value, key: &str, columns: &[C]) {
        let empty = Vec::new();
        let rows = answer.get(key).and_then(Value::as_array).unwrap_or(&empty);
        match self.output {
            Output::Json => return say(&format!("{answer:#}")),
            Output::Yaml => return say(yaml::of(answer).trim_end()),
            Output::Name => {
                let first = columns.first().map(|column| (*column).into());
                let names = rows.iter().filter_map(|row| first.map(|column: Column| column.whole(row)));
                return names.for_each(|name| say(&name));
            }
            Output::Table | Output::Wide => {}
        }
        if rows.is_empty() {
            return note!("(none)");
        }
        for line in self.table(rows, columns) {
            say(&line);
        }
    }

    /// The lines of a table, the heads first.
    fn table<C: Copy + Into<Column>>(self, rows: &[Value], columns: &[C]) -> Vec<String> {
        let columns = columns.iter().map(|column| (*column).into());
        let columns: Vec<Column> = if self.is_wide() {
            columns.map(Column::in_full).collect()
        } else {
            columns.filter(|column| !column.wide).collect()
        };
        let table = table::Table::of(rows, &columns, self.width);
        table.lines(|text, shown| self.painted(text, shown))
    }

    /// An id of something in a run: shortened on a terminal.
    pub(crate) fn short_id(self, id: &str) -> String {
        if self.width.is_some() { table::short_in_run(id) } else { id.to_owned() }
    }

    /// Columns that the terminal leaves beside so many; a few in any case.
    pub(crate) fn room_beside(self, taken: usize) -> usize {
        self.width.map_or(usize::MAX, |width| width.saturating_sub(taken).max(table::COLUMN_MIN))
    }

    /// Prose, in as many lines as the terminal needs; all but the first are indented so far.
    pub(crate) fn folded(self, text: &str, indent: usize) -> Vec<String> {
        fold::fold(text, self.width.unwrap_or(usize::MAX), indent)
    }

    /// A line that fits the terminal.
    pub(crate) fn fitted(self, line: &str) -> String {
        cut(line, self.width.unwrap_or(usize::MAX))
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

/// As `band: P1, level: 5`; `None`: it is nested, or no document.
fn flat(value: &Value) -> Option<String> {
    let is_scalar = |value: &Value| !value.is_object() && !value.is_array();
    let parts: Vec<String> = match value {
        Value::Object(fields) if fields.values().all(is_scalar) => {
            fields.iter().map(|(name, value)| format!("{name}: {}", table::cell(value))).collect()
        }
        Value::Array(list) if list.iter().all(is_scalar) => list.iter().map(table::cell).collect(),
        _ => return None,
    };
    Some(parts.join(", "))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn on_terminal(width: usize) -> Print {
        Print { output: Output::Table, width: Some(width), colour: false }
    }

    #[test]
    fn a_document_that_does_not_fit_stands_below_its_name() {
        let payload = json!({"argv": ["./report.sh", "--day", "yesterday"], "environment": {"LANG": "C"}});
        assert_eq!(
            on_terminal(40).field("payload", &payload, 8),
            "payload\n  argv:\n    - ./report.sh\n    - --day\n    - yesterday\n  environment:\n    LANG: C"
        );
        assert_eq!(on_terminal(40).field("labels", &json!({"a": "b"}), 8), "labels    a: b");
        let priority = json!({"band": "P1", "level": 5});
        let in_a_pipe = Print { output: Output::Table, width: None, colour: false };
        assert_eq!(in_a_pipe.field("priority", &priority, 8), "priority  band: P1, level: 5");
        assert!(in_a_pipe.field("payload", &payload, 8).starts_with("payload\n  argv:"));
        assert_eq!(on_terminal(40).field("reason", &json!(""), 8), "reason");
    }

    #[test]
    fn a_terminal_hides_the_columns_for_wide_output() {
        let rows = [json!({"job": "etl", "tenant": "acme"})];
        let columns = [text("JOB", "job"), text("TENANT", "tenant").only_wide()];
        assert_eq!(on_terminal(80).table(&rows, &columns), ["JOB", "etl"]);
        let wide = Print { output: Output::Wide, width: None, colour: false };
        assert_eq!(wide.table(&rows, &columns), ["JOB  TENANT", "etl  acme"]);
    }
}
