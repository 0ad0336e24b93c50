//! The table of trigger rules against the core's own reading of them. `MAINSPRING_DATA` names the directory with it.

use mainspring_core::job::{NodeEnd, RuleVerdict, TriggerRule, UpstreamEnds};
use serde_json::Value;

fn rule(label: &Value) -> TriggerRule {
    let found = TriggerRule::ALL.into_iter().find(|rule| label == rule.label());
    found.unwrap_or_else(|| panic!("no such rule: {label}"))
}

/// `None` while it is at work.
fn end(state: &Value) -> Option<NodeEnd> {
    match state.as_str() {
        Some("success") => Some(NodeEnd::Success),
        Some("failed") => Some(NodeEnd::Failed),
        Some("upstream_failed") => Some(NodeEnd::UpstreamFailed),
        Some("skipped") => Some(NodeEnd::Skipped),
        Some("running") => None,
        _ => panic!("no such state: {state}"),
    }
}

#[test]
fn every_row_of_the_table_is_what_the_core_says() {
    let Some(data) = std::env::var_os("MAINSPRING_DATA") else {
        eprintln!("skipped: MAINSPRING_DATA is not set");
        return;
    };
    let table = std::path::Path::new(&data).join("trigger_rules.json");
    let rows: Vec<Value> =
        serde_json::from_slice(&std::fs::read(table).expect("the table is there")).expect("it is JSON");
    assert_eq!(rows.len(), 240);
    for row in &rows {
        let upstreams = row["upstreams"].as_array().expect("a list");
        let mut ends = UpstreamEnds::default();
        upstreams.iter().filter_map(end).for_each(|end| ends.add(end));
        let found = match rule(&row["rule"]).verdict(upstreams.len() as u32, &ends) {
            RuleVerdict::Wait => "wait",
            RuleVerdict::Run => "run",
            RuleVerdict::Skip => "skipped",
            RuleVerdict::UpstreamFailed => "upstream_failed",
        };
        assert_eq!(row["result"], found, "{row}");
    }
    let rules: std::collections::BTreeSet<&str> =
        rows.iter().filter_map(|row| row["rule"].as_str()).collect();
    assert_eq!(rules.len(), TriggerRule::ALL.len(), "every rule is in the table");
}
