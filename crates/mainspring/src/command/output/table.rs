//! Tables: which columns, how wide, and ids no longer than needed.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::super::run::undo_name;
use super::clean::{brief, plain};
use super::time;

/// A column of a table, and how to read it from a row.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    head: &'static str,
    field: &'static str,
    kind: Kind,
    /// Only with `-o wide`.
    pub(super) wide: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// Shortened on a terminal.
    Id,
    /// An instant, as how long ago.
    Age,
    /// An instant, on a terminal in the reader's zone.
    Instant,
    /// The time from `field` to this one, or to now.
    Took(&'static str),
    /// Milliseconds.
    Span,
    Bytes,
    /// `field` and this one, as `job/name`.
    Pair(&'static str),
    /// What went wrong, in one short line.
    Error,
    /// The name of a task of a run; its undo task has the same one, and `undo`.
    RunTask,
}

/// A field as it is.
pub(crate) const fn text(head: &'static str, field: &'static str) -> Column {
    Column { head, field, kind: Kind::Text, wide: false }
}

/// What went wrong, in one short line; with `-o wide` all of it.
pub(crate) const fn error(head: &'static str, field: &'static str) -> Column {
    Column { head, field, kind: Kind::Error, wide: false }
}

/// The name of a task of a run; a task that undoes it is told apart.
pub(crate) const fn run_task(head: &'static str, field: &'static str) -> Column {
    Column { head, field, kind: Kind::RunTask, wide: false }
}

/// An id, shortened on a terminal as far as commands take it back.
pub(crate) const fn id(head: &'static str, field: &'static str) -> Column {
    Column { head, field, kind: Kind::Id, wide: false }
}

/// An instant, as how long ago that is, or in how long it will be.
pub(crate) const fn age(head: &'static str, field: &'static str) -> Column {
    Column { head, field, kind: Kind::Age, wide: false }
}

/// An instant of the calendar, such as a window: to the minute on a terminal, in the reader's zone.
pub(crate) const fn instant(head: &'static str, field: &'static str) -> Column {
    Column { head, field, kind: Kind::Instant, wide: false }
}

/// The time from one instant to another; to now if that is still to come.
pub(crate) const fn took(head: &'static str, from: &'static str, to: &'static str) -> Column {
    Column { head, field: from, kind: Kind::Took(to), wide: false }
}

/// Milliseconds, as people say them.
pub(crate) const fn span(head: &'static str, field: &'static str) -> Column {
    Column { head, field, kind: Kind::Span, wide: false }
}

/// A number of bytes, in the unit that fits.
pub(crate) const fn bytes(head: &'static str, field: &'static str) -> Column {
    Column { head, field, kind: Kind::Bytes, wide: false }
}

/// Two names as one, as commands take them: `job/name`.
pub(crate) const fn pair(head: &'static str, first: &'static str, second: &'static str) -> Column {
    Column { head, field: first, kind: Kind::Pair(second), wide: false }
}

/// By the name of the field: ids end in `_id`, instants in `_at`.
impl From<&'static str> for Column {
    fn from(field: &'static str) -> Self {
        let kind = if field.ends_with("_id") {
            Kind::Id
        } else if field.ends_with("_at") {
            Kind::Age
        } else {
            Kind::Text
        };
        Self { head: field, field, kind, wide: false }
    }
}

impl Column {
    /// Only with `-o wide`.
    pub(crate) const fn only_wide(mut self) -> Self {
        self.wide = true;
        self
    }

    /// With `-o wide` nothing is cut.
    pub(super) fn in_full(mut self) -> Self {
        if matches!(self.kind, Kind::Error) {
            self.kind = Kind::Text;
        }
        self
    }

    /// As scripts read it.
    pub(super) fn whole(self, row: &Value) -> String {
        let field = value(row, self.field);
        match self.kind {
            Kind::Pair(second) => match value(row, second) {
                second if second.is_empty() => field,
                second => format!("{field}/{second}"),
            },
            Kind::RunTask if row["undo"] == true => undo_name(&field),
            Kind::Text
            | Kind::Id
            | Kind::Age
            | Kind::Instant
            | Kind::Took(_)
            | Kind::Span
            | Kind::Bytes
            | Kind::Error
            | Kind::RunTask => field,
        }
    }

    fn shown(self, row: &Value, now: Timestamp) -> String {
        let field = value(row, self.field);
        match self.kind {
            Kind::Text | Kind::Id | Kind::Instant | Kind::Pair(_) | Kind::RunTask => self.whole(row),
            Kind::Error => {
                let text = row.pointer(&pointer(self.field)).and_then(Value::as_str);
                text.map_or(field, brief)
            }
            Kind::Age => time::age(&field, now).unwrap_or(field),
            Kind::Span => field.parse().map_or(field, |ms| time::exact(Duration::from_millis(ms))),
            Kind::Bytes => field.parse().map_or(field, in_unit),
            Kind::Took(to) => {
                let to = Some(value(row, to)).filter(|to| !to.is_empty());
                time::between(&field, &to.unwrap_or_else(|| now.to_string())).unwrap_or_default()
            }
        }
    }
}

/// As `52 MiB`.
fn in_unit(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.into_iter().find(|(_, bits)| bytes >> bits > 0) {
        Some((unit, bits)) if bytes >> bits < 10 => {
            format!("{}.{} {unit}", bytes >> bits, (bytes >> (bits - 10)) % 1024 * 10 / 1024)
        }
        Some((unit, bits)) => format!("{} {unit}", bytes >> bits),
        None => format!("{bytes} B"),
    }
}

fn value(row: &Value, field: &str) -> String {
    row.pointer(&pointer(field)).map(cell).unwrap_or_default()
}

fn pointer(field: &str) -> String {
    format!("/{}", field.replace('.', "/"))
}

/// Cells that fit the terminal.
pub(super) struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    widths: Vec<usize>,
}

/// No column but the first is cut to less.
pub(super) const COLUMN_MIN: usize = 6;
const GAP: usize = 2;

impl Table {
    /// `room`: columns of the terminal; `None`: all ids and cells are whole.
    pub(super) fn of(rows: &[Value], columns: &[Column], room: Option<usize>) -> Self {
        let now = Timestamp::now();
        let mut cells: Vec<Vec<String>> =
            rows.iter().map(|row| columns.iter().map(|column| column.shown(row, now)).collect()).collect();
        let mut heads: Vec<String> =
            columns.iter().map(|column| column.head.replace(['.', '_'], " ").to_uppercase()).collect();
        if let Some(room) = room {
            for (at, column) in columns.iter().enumerate() {
                shorten_column(&mut cells, (at, column), rows);
            }
            if line_width(&widths(&heads, &cells, None)) > room {
                drop_empty(&mut heads, &mut cells);
            }
        }
        let widths = widths(&heads, &cells, room);
        Self { heads, rows: cells, widths }
    }

    /// `paint` gets the text of a cell, and what is shown of it.
    pub(super) fn lines(&self, paint: impl Fn(&str, String) -> String) -> Vec<String> {
        let line = |row: &Vec<String>| {
            let shown: Vec<String> = row
                .iter()
                .zip(&self.widths)
                .map(|(text, width)| paint(text, format!("{:<width$}", cut(text, *width))))
                .collect();
            shown.join(&" ".repeat(GAP)).trim_end().to_owned()
        };
        [&self.heads].into_iter().chain(&self.rows).map(line).collect()
    }
}

fn shorten_column(cells: &mut [Vec<String>], (at, column): (usize, &Column), rows: &[Value]) {
    match column.kind {
        Kind::Id => {
            let is_child: Vec<bool> = rows.iter().map(|row| has_siblings(row, column.field)).collect();
            shorten(cells, at, &is_child);
        }
        Kind::Instant => {
            for row in cells {
                row[at] = time::to_the_minute(&row[at]);
            }
        }
        Kind::Text
        | Kind::Age
        | Kind::Took(_)
        | Kind::Span
        | Kind::Bytes
        | Kind::Pair(_)
        | Kind::Error
        | Kind::RunTask => {}
    }
}

/// Columns in which no row has anything give their room to the others.
fn drop_empty(heads: &mut Vec<String>, cells: &mut [Vec<String>]) {
    for at in (1..heads.len()).rev() {
        if cells.iter().all(|row| row[at].is_empty()) {
            heads.remove(at);
            for row in cells.iter_mut() {
                row.remove(at);
            }
        }
    }
}

fn line_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// Digits of an id that say when it was made: enough for what was made by itself.
const DIGITS_ALONE: usize = 12;
/// What a run makes has the time of the run: the digits after it tell tasks of one run apart.
const DIGITS_IN_RUN: usize = 20;

fn has_siblings(row: &Value, field: &str) -> bool {
    let parent = if field == "run_id" { "parent_run_id" } else { "run_id" };
    row.get(parent).is_some()
}

/// The shortest beginnings that are different in this column, and usually on the whole server.
fn shorten(cells: &mut [Vec<String>], at: usize, is_child: &[bool]) {
    let whole: Vec<String> = cells.iter().map(|row| row[at].clone()).collect();
    let mut sorted: Vec<&String> = whole.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    for (row, (id, is_child)) in cells.iter_mut().zip(whole.iter().zip(is_child)) {
        let Some((kind, digits)) = id.split_once('_') else { continue };
        let place = sorted.partition_point(|other| *other < id);
        let neighbours = [place.checked_sub(1), Some(place + 1)];
        let neighbours = neighbours.into_iter().flatten().filter_map(|near| sorted.get(near));
        let shared = neighbours.map(|near| alike(id, near)).max().unwrap_or(0).saturating_sub(kind.len() + 1);
        let least = if *is_child { DIGITS_IN_RUN } else { DIGITS_ALONE };
        let length = least.max(shared + 1).min(digits.len());
        row[at] = digits.get(..length).map_or_else(|| id.clone(), |digits| format!("{kind}_{digits}"));
    }
}

/// Enough of an id to tell it apart from all of its run.
pub(super) fn short_in_run(id: &str) -> String {
    let kind = id.find('_').map_or(0, |at| at + 1);
    id.get(..kind + DIGITS_IN_RUN).unwrap_or(id).to_owned()
}

fn alike(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// As wide as what is in them; if that is too much, the widest but the first give way.
fn widths(heads: &[String], rows: &[Vec<String>], room: Option<usize>) -> Vec<usize> {
    let wide = |n: usize| {
        let texts = rows.iter().map(|row| &row[n]).chain([&heads[n]]);
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..heads.len()).map(wide).collect();
    while room.is_some_and(|room| line_width(&widths) > room) {
        let widest = widths.iter_mut().skip(1).filter(|width| **width > COLUMN_MIN).max();
        let Some(width) = widest else { break };
        *width -= 1;
    }
    widths
}

pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

pub(super) fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(_) | Value::Array(_) | Value::Bool(_) | Value::Number(_) => value.to_string(),
    };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    plain(&lines.join(" · "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn lines_stand_beside_each_other_in_a_cell() {
        assert_eq!(cell(&Value::from("ended with code 3\noops\n")), "ended with code 3 · oops");
        assert_eq!(cell(&Value::from("a\u{1b}[31mb\rc")), "ab c");
    }

    #[test]
    fn ids_are_as_short_as_they_can_be_told_apart() {
        let lone = "019a88f04c0070008000000000000001";
        let run = ["019a88f04c0170008aaaaaaaaaaaaaaa", "019a88f04c0170008aaabbbbbbbbbbbb"];
        let near = ["019a88f04c0270008000000000000000", "019a88f04c0270008000000000000001"];
        let row = |id: &str| json!({"task_id": format!("task_{id}")});
        let rows = [
            row(lone),
            json!({"task_id": format!("task_{}", run[0]), "run_id": "run_1"}),
            json!({"task_id": format!("task_{}", run[1]), "run_id": "run_1"}),
            row(near[0]),
            row(near[1]),
        ];
        let shown = |room| Table::of(&rows, &[id("TASK", "task_id")], room).lines(|_, shown| shown);
        let lines = shown(Some(80));
        assert_eq!(lines[1], "task_019a88f04c00");
        assert_eq!(lines[2..4], ["task_019a88f04c0170008aaaa", "task_019a88f04c0170008aaab"]);
        assert_eq!(lines[4..], [format!("task_{}", near[0]), format!("task_{}", near[1])]);
        assert_eq!(shown(None)[1], format!("task_{lone}"), "a script gets all of it");
        assert_eq!(short_in_run(&format!("task_{}", run[0])), "task_019a88f04c0170008aaa");
        assert_eq!(short_in_run("none"), "none");
    }

    #[test]
    fn columns_without_anything_give_way_first() {
        let row = json!({"at": "2026-01-01T00:00:00.250Z", "error": "ended with code 65", "state": "failed"});
        let columns = [instant("AT", "at"), text("ACTOR", "actor"), text("ERROR", "error")];
        let lines = |room| Table::of(std::slice::from_ref(&row), &columns, room).lines(|_, shown| shown);
        let narrow = lines(Some(38));
        assert!(!narrow[0].contains("ACTOR") && narrow[1].ends_with("ended with code 65"), "{narrow:?}");
        assert!(lines(Some(80))[0].contains("ACTOR"), "there is room");
        assert!(lines(None)[1].starts_with("2026-01-01T00:00:00.250Z  "), "a script gets all of it");
    }

    #[test]
    fn an_error_is_one_line_and_an_undo_task_is_told_apart() {
        let message = format!("code 1\n{}last", "line\n".repeat(30));
        let row = json!({"run_task": "pay", "undo": true, "error": {"message": message}});
        let columns = [run_task("NAME", "run_task"), error("ERROR", "error.message")];
        let lines = |columns: &[Column]| {
            Table::of(std::slice::from_ref(&row), columns, None).lines(|_, shown| shown)[1].clone()
        };
        assert_eq!(lines(&columns), "undo of pay  code 1 · … · last");
        assert_eq!(lines(&columns.map(Column::in_full)).matches("line").count(), 30, "-o wide");
    }

    #[test]
    fn times_are_ages_and_names_are_joined() {
        let row = json!({"job": "etl", "name": "nightly", "started_at": "2026-01-01T00:00:00Z", "ended_at": "2026-01-01T00:01:05Z"});
        let columns = [pair("SCHEDULE", "job", "name"), took("TOOK", "started_at", "ended_at")];
        let lines = Table::of(std::slice::from_ref(&row), &columns, Some(80)).lines(|_, shown| shown);
        assert_eq!(lines, ["SCHEDULE     TOOK", "etl/nightly  1m 5s"]);
        assert_eq!(columns[0].whole(&json!({"job": "etl"})), "etl");
        let used = json!({"cpu": 1_500, "memory": 55_000_000, "tiny": 900, "few": 3_145_728});
        let columns =
            [span("CPU", "cpu"), bytes("MEMORY", "memory"), bytes("TINY", "tiny"), bytes("FEW", "few")];
        let lines = Table::of(&[used, json!({})], &columns, Some(80)).lines(|_, shown| shown);
        assert_eq!(lines, ["CPU   MEMORY  TINY   FEW", "1.5s  52 MiB  900 B  3.0 MiB", ""]);
        let inferred: [Column; 3] = ["run_id".into(), "created_at".into(), "last_run.state".into()];
        let lines = Table::of(&[json!({})], &inferred, None).lines(|_, shown| shown);
        assert_eq!(lines, ["RUN ID  CREATED AT  LAST RUN STATE", ""]);
    }
}
