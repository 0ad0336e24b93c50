//! Answers on which other implementations agree, and expressions that are in use. `MAINSPRING_DATA` names the
//! directory with both.

use mainspring_core::calendar::{Cron, Dst, Zone};
use serde_json::Value;

use super::timestamp;

fn rows(file: &str) -> Option<Vec<Value>> {
    let Some(data) = std::env::var_os("MAINSPRING_DATA") else {
        eprintln!("skipped: MAINSPRING_DATA is not set");
        return None;
    };
    let bytes = std::fs::read(std::path::Path::new(&data).join(file)).expect("the file is there");
    Some(serde_json::from_slice(&bytes).expect("it is a list in JSON"))
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_else(|| panic!("no {key} in {row}"))
}

#[test]
fn other_implementations_agree() {
    let Some(rows) = rows("cron_vectors.json") else { return };
    assert_eq!(rows.len(), 255);
    for row in &rows {
        let cron = Cron::parse(text(row, "expr"), 0).unwrap_or_else(|error| panic!("{row}: {error}"));
        let zone = Zone::find(text(row, "tz")).expect("a zone");
        let base: jiff::Timestamp = text(row, "base").parse().expect("an instant");
        let after = base.as_second() - i64::from(row["inclusive"] == true);
        let next = cron.next_second(zone, Dst::default(), after);
        let (next, _) = next.unwrap_or_else(|| panic!("{row}: never"));
        let expected: jiff::Timestamp = text(row, "next").parse().expect("an instant");
        assert_eq!(timestamp(next), expected, "{row}");
    }
}

#[test]
fn expressions_in_use_are_read() {
    let Some(rows) = rows("real_crons.json") else { return };
    assert_eq!(rows.len(), 229);
    let refused: Vec<&str> = rows
        .iter()
        .filter_map(Value::as_str)
        .filter(|expression| Cron::parse(expression, 0).is_err())
        .collect();
    assert_eq!(refused, ["0 0 30 2 *", "0 0 31 2 *"]);
}
