//! Figures and how they are shown.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::note::note;

#[derive(Default)]
pub(crate) struct Figures(Vec<Figure>);

struct Figure {
    key: String,
    what: String,
    value: f64,
    unit: &'static str,
    floor: &'static str,
    aim: &'static str,
}

impl Figures {
    /// `floor` and `aim` are shown beside the figure; nothing is judged.
    pub(crate) fn add(
        &mut self,
        key: &str,
        what: &str,
        value: f64,
        unit: &'static str,
        (floor, aim): (&'static str, &'static str),
    ) {
        note!("  {what}: {} {unit}", rounded(value));
        self.0.push(Figure { key: key.to_owned(), what: what.to_owned(), value, unit, floor, aim });
    }

    pub(crate) fn to_json(&self) -> Value {
        let figures = self.0.iter().map(|f| (f.key.clone(), json!({ "value": f.value, "unit": f.unit })));
        Value::Object(figures.collect::<Map<_, _>>())
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| what | measured | floor | aim |\n|---|---|---|---|")?;
        for figure in &self.0 {
            let Figure { what, value, unit, floor, aim, .. } = figure;
            writeln!(f, "| {what} | {} {unit} | {floor} | {aim} |", rounded(*value))?;
        }
        Ok(())
    }
}

/// Three significant digits, thousands apart.
fn rounded(value: f64) -> String {
    if value.abs() < 100.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn figures_read_easily() {
        for (value, text) in [(0.1234, "0.12"), (99.0, "99.00"), (250_123.4, "250,123"), (1_000.0, "1,000")] {
            assert_eq!(rounded(value), text);
        }
    }
}
