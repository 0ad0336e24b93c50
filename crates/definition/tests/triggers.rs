//! Triggers of job files: every field reaches the spec, every mistake is told where it is, and expressions see events.

use std::sync::Arc;

use mainspring_core::run::{EndFacts, EvaluateEvent};
use mainspring_core::schedule::Spec;
use mainspring_core::trigger::{On, TriggerSpec};
use mainspring_core::values::{CloudEvent, Name, Wall};
use mainspring_definition::{Definition, Evaluator, Mistake, Options, read};

const TASKS: &str = "\ntasks:\n  x: {noop: {}}\n";

fn job(text: &str) -> Definition {
    match read("job.yaml", &format!("job: a\n{text}{TASKS}"), &Options::default()) {
        Ok(mut jobs) => jobs.remove(0),
        Err(mistakes) => panic!("{mistakes:#?}"),
    }
}

fn one(fields: &str) -> (Name, TriggerSpec) {
    let mut found = job(&format!("triggers: [{{{fields}}}]")).triggers;
    assert_eq!(found.len(), 1, "{fields}");
    found.remove(0)
}

#[test]
fn every_field_reaches_the_spec() {
    let (name, spec) =
        one("event: {type: 'com.example.*', source: /shop}, if: event.data.amount > 10, max_active: 3");
    let On::Event { kind, source } = &spec.on else { panic!("{spec:?}") };
    assert_eq!(
        (&*name, kind.to_string(), source.as_ref().map(ToString::to_string)),
        ("default", "com.example.*".to_owned(), Some("/shop".to_owned()))
    );
    assert_eq!((spec.condition.as_deref(), spec.active_max), (Some("event.data.amount > 10"), 3));
    let (_, inner) = one("event: {type: x, if: event.subject == 'a'}");
    assert_eq!(inner.condition.as_deref(), Some("event.subject == 'a'"));
    assert_eq!((inner.active_max, inner.templated), (16, false));
    let (name, spec) = one("name: shop, webhook: shop");
    assert_eq!((&*name, &spec.on), ("shop", &On::Webhook(Name::fixed("shop"))));
    let (_, spec) = one("after: [load, clean.up]");
    assert_eq!(spec.on, On::After(vec![Name::fixed("load"), Name::fixed("clean.up")]));
    assert_eq!(one("after: load").1.on, On::After(vec![Name::fixed("load")]));
}

#[test]
fn parameters_are_templates_and_checked_as_far_as_they_are_known() {
    let text = "parameters: {day: {}, n: {type: integer, default: 1}}
triggers:
  - event: {type: x}
    parameters: {day: '{{ event.data.day }}', n: 7}";
    let spec = &job(text).triggers[0].1;
    assert!(spec.templated);
    assert_eq!(&*spec.parameters, br#"{"day":"{{ event.data.day }}","n":7}"#);
}

#[test]
fn a_fallback_is_a_schedule_of_its_own() {
    let job = job(
        "triggers: [{name: t, event: {type: x}, fallback: {cron: '0 6 * * *', timezone: Europe/Berlin}}]",
    );
    let [(name, spec)]: &[(Name, Spec); 1] = job.schedules.as_slice().try_into().expect("one schedule");
    assert_eq!((&**name, &*spec.text), ("@t", "0 6 * * *"));
    let at = |text: &str| {
        let at: jiff::Timestamp = text.parse().expect("an instant");
        Wall::from_millis(at.as_millisecond().unsigned_abs())
    };
    assert_eq!(spec.next(at("2026-06-05T20:00:00Z")).map(|(at, _)| at), Some(at("2026-06-06T04:00:00Z")));
}

#[track_caller]
fn mistakes(text: &str) -> Vec<Mistake> {
    match read("", &format!("job: a\n{text}{TASKS}"), &Options::default()) {
        Ok(_) => panic!("no mistake in {text}"),
        Err(mistakes) => mistakes,
    }
}

#[test]
fn every_mistake_is_told_where_it_is() {
    let rows = [
        ("triggers: [{}]", "no_event", 2, "triggers[0]"),
        ("triggers: [{event: {type: x}, webhook: y}]", "two_events", 2, "triggers[0].webhook"),
        ("triggers: [{event: {}}]", "missing_field", 2, "triggers[0].event"),
        ("triggers: [{event: {type: 'a*b'}}]", "bad_value", 2, "triggers[0].event.type"),
        ("triggers: [{event: {type: x, sauce: y}}]", "unknown_field", 2, "triggers[0].event.sauce"),
        ("triggers: [{event: {type: x}, if: 'event.kind == 1'}]", "bad_expression", 2, "triggers[0].if"),
        ("triggers: [{event: {type: x}, if: 'params.x == 1'}]", "out_of_place", 2, "triggers[0].if"),
        ("triggers: [{after: []}]", "bad_value", 2, "triggers[0].after"),
        ("triggers: [{after: [b, b]}]", "duplicate_dependency", 2, "triggers[0].after[1]"),
        ("triggers: [{after: [a]}]", "calls_itself", 2, "triggers[0].after[0]"),
        ("triggers:\n- {webhook: x}\n- {webhook: y}", "missing_field", 3, "triggers[0]"),
        (
            "triggers:\n- {name: t, webhook: x}\n- {name: t, webhook: y}",
            "duplicate_trigger",
            4,
            "triggers[1]",
        ),
        ("triggers: [{webhook: x, fallback: {timezone: UTC}}]", "no_timing", 2, "triggers[0].fallback"),
        (
            "triggers: [{webhook: x, fallback: {cron: '61 * * * *'}}]",
            "bad_cron",
            2,
            "triggers[0].fallback.cron",
        ),
        (
            "triggers: [{webhook: x, parameters: {n: '{{ event.id }}'}}]",
            "unknown_parameter",
            2,
            "triggers[0].parameters.n",
        ),
        (
            "parameters: {n: {type: integer}}\ntriggers: [{webhook: x, parameters: {n: no}}]",
            "bad_parameter",
            3,
            "triggers[0].parameters.n",
        ),
        (
            "parameters: {n: {required: true}}\ntriggers: [{webhook: x}]",
            "missing_parameter",
            3,
            "triggers[0].parameters.n",
        ),
    ];
    for (text, code, line, path) in rows {
        let found = mistakes(text);
        let told = found.iter().map(|mistake| (mistake.code.label(), mistake.at.line, mistake.path.as_str()));
        assert!(told.clone().any(|told| told == (code, line, path)), "{text}: {found:#?}");
    }
    let many: Vec<String> = (0..33).map(|n| format!("- {{name: t{n}, webhook: x}}\n")).collect();
    let many = many.concat();
    assert_eq!(mistakes(&format!("triggers:\n{many}"))[0].code.label(), "too_many");
}

fn notice() -> CloudEvent {
    CloudEvent {
        id: "7".into(),
        source: "/shop".into(),
        kind: "order.created".into(),
        subject: None,
        time: Some(Wall::from_millis(1_790_000_000_000)),
        data: Some(Arc::from(*br#"{"amount": 12, "day": "2026-11-16"}"#)),
    }
}

#[test]
fn conditions_and_templates_see_the_event() {
    let evaluator = Evaluator::default();
    let rows = [
        ("event.data.amount > 10", Ok(true)),
        ("event.data.amount > 20", Ok(false)),
        ("event.type == 'order.created' and event.subject is none", Ok(true)),
        ("event.time == '2026-09-21T14:13:20Z'", Ok(true)),
        ("event.data.missing > 1", Err(())),
    ];
    for (text, outcome) in rows {
        assert_eq!(evaluator.accepts(&text.into(), &notice()).map_err(drop), outcome, "{text}");
    }
    let template = Arc::from(
        *br#"{"n":"{{ event.data.amount }}","text":"order {{ event.id }} of {{ event.data.day }}"}"#,
    );
    let filled = evaluator.map(&template, &notice()).expect("all is there");
    assert_eq!(std::str::from_utf8(&filled), Ok(r#"{"n":12,"text":"order 7 of 2026-11-16"}"#));
}

#[test]
fn an_end_is_told_as_json_whatever_was_given_out() {
    let evaluator = Evaluator::default();
    let job = Name::fixed("load");
    let (json, text): (Arc<[u8]>, Arc<[u8]>) = (Arc::from(*b"{\"rows\": 3}"), Arc::from(*b"done\n"));
    let told =
        |output| EndFacts { job: &job, run: None, task: None, status: "succeeded", window: None, output };
    let rows = [
        (None, r#"{"job":"load","state":"succeeded"}"#),
        (Some(&json), r#"{"job":"load","output":{"rows":3},"state":"succeeded"}"#),
        (Some(&text), r#"{"job":"load","output":"done","state":"succeeded"}"#),
    ];
    for (output, expected) in rows {
        let data: serde_json::Value = serde_json::from_slice(&evaluator.tell(&told(output))).expect("JSON");
        assert_eq!(
            data.to_string(),
            serde_json::from_str::<serde_json::Value>(expected).expect("JSON").to_string()
        );
    }
}
