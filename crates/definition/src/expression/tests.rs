//! Expressions and templates: what they give, what they refuse, and that they end.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::*;
use crate::limits::{EXPRESSION_BYTES_MAX, RESULT_BYTES_MAX};
use crate::mistake::Code;

fn document(value: &Json) -> Document {
    Document::new(value.to_string().into_bytes().into())
}

fn context() -> Context {
    let params = json!({"day": "2026-01-01", "n": 3, "list": [1, 2, 3], "no": null, "o": {"a": {"b": 7}}, "evil": "'; rm -rf / #"});
    let outputs: Vec<Option<Document>> =
        vec![Some(document(&json!({"rows": 1}))), None, Some(document(&json!({"rows": 3})))];
    let tasks = [
        (
            "load",
            Upstream::new(TaskState::Success, Some(document(&json!({"rows": 12, "files": ["a", "b"]})))),
        ),
        ("load-data", Upstream::new(TaskState::Failed, None)),
        ("plain", Upstream::new(TaskState::Success, Some(Document::new(Arc::from(&b"hello\n"[..]))))),
        ("many", Upstream::mapped(TaskState::Success, outputs.into())),
    ];
    Context::new(document(&params))
        .with_run("run_1", "nightly", None)
        .with_tasks(tasks.map(|(name, task)| (name.into(), task)))
        .with_item(4, &document(&json!({"id": 9})))
        .with_failed_upstream(["load-data"])
}

fn value(source: &str) -> Result<Json, String> {
    Expression::parse(source).map_err(|bad| bad.what)?.json(&context())
}

#[test]
fn expressions_give_values() {
    let rows = [
        ("params.n + 1", json!(4)),
        ("params['day']", json!("2026-01-01")),
        ("params.day[:4]", json!("2026")),
        ("params.o.a.b", json!(7)),
        ("tasks.load.output.rows > 10 and params.day != ''", json!(true)),
        ("tasks['load-data'].state", json!("failed")),
        ("tasks['load-data'].output", json!(null)),
        ("tasks.plain.output", json!("hello")),
        ("tasks.many.outputs", json!([{"rows": 1}, null, {"rows": 3}])),
        ("tasks.many.output | length", json!(3)),
        ("tasks.many.outputs | select | map(attribute='rows') | sum", json!(4)),
        ("item.id", json!(9)),
        ("index", json!(4)),
        ("run.id ~ '/' ~ run.job", json!("run_1/nightly")),
        ("failed_upstream", json!(["load-data"])),
        ("'a' if params.n == 3 else 'b'", json!("a")),
        ("params.no | default('x')", json!("x")),
        ("params.missing | default(0)", json!(0)),
        ("params.missing is defined", json!(false)),
        ("params.n in [1, 2, 3]", json!(true)),
        ("(params.n | int) * 2", json!(6)),
        ("params.list | join('-')", json!("1-2-3")),
        ("params.day | replace('-', '')", json!("20260101")),
        ("{'a': params.n, 'b': [true, none]}", json!({"a": 3, "b": [true, null]})),
        ("params.n / 2 | round(1)", json!(1.5)),
        ("params.list | tojson", json!("[1,2,3]")),
        (r#"[1, "a", {"x": null}]"#, json!([1, "a", {"x": null}])),
        ("true", json!(true)),
    ];
    for (source, expected) in rows {
        assert_eq!(value(source), Ok(expected), "{source}");
    }
}

#[test]
fn what_the_language_lacks_is_refused_before_anything_runs() {
    let rows = [
        ("params.n +", Code::BadExpression, "unexpected end"),
        ("", Code::BadExpression, "empty"),
        ("{{ params.n }}", Code::BadExpression, "template"),
        ("parms.n", Code::BadExpression, "no name `parms`"),
        ("range(10)", Code::BadExpression, "no functions"),
        ("params.day.upper()", Code::BadExpression, "no functions"),
        ("params.n | uper", Code::BadExpression, "no filter `uper`"),
        ("params.n is defind", Code::BadExpression, "no test `defind`"),
        ("tasks[params.day].output", Code::BadExpression, "must be named"),
        ("tasks.load-data.output", Code::BadExpression, "alone says nothing"),
        ("tasks.load.outptu", Code::BadExpression, "no field of a task `outptu`"),
        ("run.idd", Code::BadExpression, "no field of `run` `idd`"),
        ("tasks | length", Code::BadExpression, "must be named"),
        ("params.day * 1000000", Code::BadExpression, "numbers only"),
        ("[1] * 1000000", Code::BadExpression, "numbers only"),
        ("('x' + 'y') * 2", Code::BadExpression, "numbers only"),
        ("params.day | safe", Code::BadExpression, "no filter"),
        ("params.list | map('upper')", Code::BadExpression, ""),
    ];
    for (source, code, what) in &rows[..rows.len() - 1] {
        let bad = Expression::parse(source).err().unwrap_or_else(|| panic!("{source} was taken"));
        assert_eq!(bad.code, *code, "{source}");
        assert!(bad.what.contains(what), "{source}: {}", bad.what);
    }
    assert!(value(rows[rows.len() - 1].0).is_err());
    let long = format!("params.n == {}1", " ".repeat(EXPRESSION_BYTES_MAX));
    assert_eq!(Expression::parse(&long).err().map(|bad| bad.code), Some(Code::TooLarge));
    let deep = format!("{}1{}", "(".repeat(1000), ")".repeat(1000));
    assert!(Expression::parse(&deep).is_err());
    let chain = vec!["params.n"; 300].join(" and ");
    assert!(Expression::parse(&chain).is_err());
    let joins = vec!["params.day"; 70].join(" ~ ");
    assert!(Expression::parse(&joins).err().is_some_and(|bad| bad.what.contains("joins")));
}

#[test]
fn undefined_values_and_wrong_kinds_are_errors() {
    let condition = |source: &str| Expression::parse(source).map_err(|bad| bad.what)?.condition(&context());
    assert_eq!(condition("params.n > 2"), Ok(true));
    for source in ["params.n", "params.missing", "params.missing == 1", "params.day", "tasks.plain.output.x"]
    {
        assert!(condition(source).is_err(), "{source}");
    }
    assert_eq!(
        condition("params.n").err().as_deref(),
        Some("`params.n`: it gives a number, not true or false")
    );
    let list = |source: &str| Expression::parse(source).map_err(|bad| bad.what)?.list(&context());
    assert_eq!(list("tasks.load.output.files"), Ok(vec![json!("a"), json!("b")]));
    for source in ["params.day", "params.o", "params.n", "params.no"] {
        assert!(list(source).is_err(), "{source}");
    }
}

#[test]
fn an_evaluation_is_bounded() {
    let big = Context::new(document(&json!({"s": "x".repeat(60_000)})));
    let growing = "params.s | replace('x', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')";
    let error = Expression::parse(growing).map_err(|bad| bad.what).and_then(|e| e.json(&big));
    assert!(error.is_err_and(|what| what.contains(&RESULT_BYTES_MAX.to_string())));
    let joined = vec!["params.s"; 30].join(" ~ ");
    let error = Expression::parse(&joined).map_err(|bad| bad.what).and_then(|e| e.text(&big));
    assert!(error.is_err_and(|what| what.contains("bytes")));
}

#[test]
fn mentions_are_what_is_read() {
    let source =
        "tasks.a.output.rows[1:] > params.n and tasks['b-c'].state == 'failed' and item.x and params[item.k]";
    let mentions = Expression::parse(source).map(|e| e.mentions().clone()).unwrap_or_default();
    assert!(mentions.params.contains("n") && mentions.params_any && mentions.item && !mentions.index);
    assert!(mentions.tasks["a"].fields.contains("rows") && mentions.tasks["a"].output);
    assert!(mentions.tasks["b-c"].state && !mentions.tasks["b-c"].output);
}

#[test]
fn templates_fill_texts_in_and_values_are_not_looked_at_again() {
    let rows = [
        ("a {{ params.n }} b", Ok("a 3 b")),
        ("{{ params.day }}", Ok("2026-01-01")),
        ("no places }} here", Ok("no places }} here")),
        ("{{ '{{' }} {{ '}}' }}", Ok("{{ }}")),
        ("{{ {'a': {'b': 1}}.a.b }}", Ok("1")),
        ("{{ params.list }}", Ok("[1,2,3]")),
        ("{{ params.no }}", Err("null")),
        ("{{ params.missing }}", Err("undefined")),
    ];
    for (source, expected) in rows {
        let template = Template::parse(source).unwrap_or_else(|bad| panic!("{source}: {}", bad.what));
        match (template.render(&context()), expected) {
            (Ok(text), Ok(expected)) => assert_eq!(text, expected, "{source}"),
            (Err(what), Err(part)) => assert!(what.contains(part), "{source}: {what}"),
            (found, _) => panic!("{source}: {found:?}"),
        }
    }
    for source in ["{{ params.n", "{{ }}", "{{- params.n }}", "{{ params.n -}}", "{{ 'a }}"] {
        assert!(Template::parse(source).is_err(), "{source}");
    }
    let sly = Context::new(document(&json!({"a": "{{ params.b }}", "b": "secret"})));
    let template = Template::parse("{{ params.a }}").unwrap_or_else(|bad| panic!("{}", bad.what));
    assert_eq!(template.render(&sly).as_deref(), Ok("{{ params.b }}"));
}

#[test]
fn payloads_keep_types_only_where_their_reader_takes_any_value() {
    let render = |kind, payload: Json| {
        let payload =
            Payload::parse(kind, payload.to_string().as_bytes()).unwrap_or_else(|bad| panic!("{}", bad.what));
        payload.render(&context()).map(|bytes| serde_json::from_slice::<Json>(&bytes).unwrap_or_default())
    };
    let process = render(Kind::Process, json!({"argv": ["x", "{{ params.n }}"], "keep": true}));
    assert_eq!(process, Ok(json!({"argv": ["x", "3"], "keep": true})));
    let http = render(
        Kind::Http,
        json!({"url": "http://x/{{ params.n }}", "headers": {"n": "{{ params.n }}"}, "body": {"n": "{{ params.n }}", "all": "{{ params.list }}", "t": "n={{ params.n }}"}}),
    );
    let expected =
        json!({"url": "http://x/3", "headers": {"n": "3"}, "body": {"n": 3, "all": [1, 2, 3], "t": "n=3"}});
    assert_eq!(http, Ok(expected));
    let run = render(Kind::Parameters, json!({"n": "{{ params.n }}", "{{ key }}": 1}));
    assert_eq!(run, Ok(json!({"n": 3, "{{ key }}": 1})));
    let nul = Context::new(document(&json!({"s": "a\0b"})));
    let payload = Payload::parse(Kind::Process, br#"{"argv": ["x", "{{ params.s }}"]}"#)
        .unwrap_or_else(|bad| panic!("{}", bad.what));
    assert!(payload.render(&nul).is_err_and(|what| what.contains("NUL")));
}

#[test]
fn the_cache_parses_once_and_stays_small() {
    let cache = Cache::default();
    let source: Arc<str> = "params.n > 2".into();
    for _ in 0..3 {
        assert_eq!(
            cache.expression(&source).map_err(|bad| bad.what).and_then(|e| e.condition(&context())),
            Ok(true)
        );
    }
    for number in 0..50_000 {
        assert!(cache.expression(&format!("params.n > {number}").into()).is_ok());
    }
    assert!(cache.len() <= 20_000);
    assert!(cache.expression(&"params.n >".into()).is_err());
}

#[test]
fn what_made_the_engine_panic_is_an_error() {
    let context = Context::new(document(&json!({"zero": 0, "one": -1, "n": 7, "seven": 7.0})));
    let rows = [
        ("7 is divisibleby params.zero", Err("cannot divide by 0")),
        ("7 is divisibleby 0.0", Err("cannot divide by 0")),
        ("params.seven is divisibleby params.zero", Err("cannot divide by 0")),
        ("(-170141183460469231731687303715884105727 - 1) is divisibleby params.one", Ok(true)),
        ("params.n is divisibleby 7", Ok(true)),
        ("params.seven is divisibleby 2", Ok(false)),
        ("'x' is divisibleby 2", Ok(false)),
    ];
    for (source, expected) in rows {
        let expression = Expression::parse(source).unwrap_or_else(|bad| panic!("{source}: {}", bad.what));
        match (expression.condition(&context), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{source}"),
            (Err(what), Err(part)) => assert!(what.contains(part), "{source}: {what}"),
            (found, _) => panic!("{source}: {found:?}"),
        }
    }
    let expression = Expression::parse("params.n").unwrap_or_else(|bad| panic!("{}", bad.what));
    let guarded: Result<(), String> = expression.guarded(|| panic!("attempt to divide by zero"));
    let why = guarded.expect_err("it panicked");
    assert!(why.contains("`params.n`") && why.contains("panicked"), "{why}");
}
