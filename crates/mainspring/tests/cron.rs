//! `mainspring cron`: what people and programs are told of expressions.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_mainspring");

fn cron(args: &[&str]) -> Output {
    Command::new(BINARY).arg("cron").args(args).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// One answer for each line.
fn batch(args: &[&str], lines: &str) -> Vec<Value> {
    let mut command = Command::new(BINARY);
    command.args(["cron", "next", "--batch"]).args(args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = lines.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).expect("it reads all"));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("written");
    assert!(output.status.success());
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn next_times_are_told_on_the_clock_of_the_zone() {
    let args = ["next", "--expr", "30 2 * * *", "--tz", "america/new_york", "--from", "2025-03-08T00:00:00Z"];
    let output = cron(&[&args[..], &["--count", "2"]].concat());
    let expected = "LOCAL                      AT                    SKIPPED\n\
                    2025-03-08T02:30:00-05:00  2025-03-08T07:30:00Z  0\n\
                    2025-03-10T02:30:00-04:00  2025-03-10T06:30:00Z  1\n";
    assert_eq!(text(&output.stdout), expected);

    let output = cron(&[&args[..], &["--count", "2", "--dst-missing", "after", "-o", "json"]].concat());
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["next"][1]["local"], "2025-03-09T03:00:00-04:00");
    assert_eq!(
        (&answer["timezone"], &answer["description"]),
        (&json!("America/New_York"), &json!("at 02:30 every day"))
    );
    let twice =
        ["next", "--expr", "30 1 * * *", "--tz", "America/New_York", "--from", "1762041600", "--count", "1"];
    let output = cron(&[&twice[..], &["--dst-twice", "second"]].concat());
    assert!(text(&output.stdout).contains("2025-11-02T01:30:00-05:00"), "{}", text(&output.stdout));
    // From now on, where the number of answers is all that is known.
    let output = cron(&["next", "--expr", "@hourly"]);
    assert_eq!(text(&output.stdout).lines().count(), 6);
}

#[test]
fn expressions_are_explained() {
    let output = cron(&["explain", "0 9 * * MON-FRI"]);
    let told = text(&output.stdout);
    assert!(told.starts_with("at 09:00 on weekdays\n") && told.contains("policy"), "{told}");
    let output = cron(&["explain", "*/15 * * * *", "-o", "json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expected = json!({"expr": "*/15 * * * *", "description": "every 15 minutes", "runs_through": true});
    assert_eq!(answer, expected);
    let drawn = |name| text(&cron(&["explain", "H H * * *", "--hash", name]).stdout);
    assert_eq!(drawn("acme/a/main"), drawn("acme/a/main"));
    assert_ne!(drawn("acme/a/main"), drawn("acme/b/main"));
}

#[test]
fn refusals_come_with_a_hint() {
    let rows: [(&[&str], &str, &str); 4] = [
        (
            &["explain", "*/90 * * * *"],
            "error: minute, at character 3: a step of 90",
            "hint: use a step of 1 to 59",
        ),
        (&["next", "--expr", "0 0 30 2 *"], "error: the expression can never fire", "hint: "),
        (
            &["next", "--expr", "@daily", "--tz", "Berlin"],
            "no time zone `Berlin`",
            "did you mean `Europe/Berlin`?",
        ),
        (&["next", "--expr", "@daily", "--from", "soon"], "`soon` is not a time", "hint: write it like"),
    ];
    for (args, error, hint) in rows {
        let output = cron(args);
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(1), true), "{args:?}: {told}");
        assert!(told.contains(error) && told.contains(hint), "{args:?}: {told}");
    }
    for args in [
        &["next"][..],
        &["next", "--expr", "@daily", "--count", "1001"],
        &["next", "--expr", "@daily", "--batch"],
    ] {
        assert_eq!(cron(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_batch_answers_every_line_in_its_turn() {
    let long = format!("{{\"expr\":\"@daily\",\"base\":0,\"more\":\"{}\"}}", "x".repeat(70_000));
    let lines = [
        r#"{"expr":"0 9 * * *","tz":"Europe/Berlin","base":"2026-01-15T14:40:00+01:00","count":2}"#,
        r#"{"expr":"0 0 30 2 *","tz":"UTC","base":0}"#,
        r#"{"expr":"* * * * *","base":1000000020,"inclusive":true,"next":"passed over"}"#,
        r#"{"expr":"* * * * *","base":1000000020}"#,
        r#"{"expr":"* * * * *","base":1000000020.5,"inclusive":true}"#,
        r#"{"expr":"* * * * * *","base":"1900-02-20T16:46:00Z","inclusive":true}"#,
        r#"{"expr":"@daily","tz":"Mars","base":0}"#,
        r#"{"expr":"@daily","base":"soon"}"#,
        r#"{"expr":"@daily","base":0,"count":1001}"#,
        r#"{"expr":"@daily","base":0,"count":0}"#,
        "no JSON",
        "",
        &long,
        r#"{"expr":"0 0 29 2 *","base":"9996-03-01T00:00:00Z","count":3}"#,
        r#"{"expr":"@yearly","base":"2030-06-01T00:00:00Z"}"#,
    ];
    let answers = batch(&[], &lines.join("\n"));
    assert_eq!(answers.len(), lines.len());
    let next = |times: &[&str]| json!({ "next": times });
    assert_eq!(answers[0], next(&["2026-01-16T09:00:00+01:00", "2026-01-17T09:00:00+01:00"]));
    assert_eq!(answers[2], next(&["2001-09-09T01:47:00+00:00"]));
    assert_eq!(answers[3], next(&["2001-09-09T01:48:00+00:00"]));
    assert_eq!(answers[4], answers[3], "half a second later");
    assert_eq!(answers[5], next(&["1900-02-20T16:46:00+00:00"]));
    assert_eq!(answers[9], next(&[]));
    assert_eq!(answers[13], next(&[]), "never again");
    assert_eq!(answers[14], next(&["2031-01-01T00:00:00+00:00"]));
    for (at, wrong) in [
        (1, "never fire"),
        (6, "no time zone"),
        (7, "not a time"),
        (8, "at most 1000"),
        (10, "line 1"),
        (11, "EOF"),
        (12, "65536 bytes"),
    ] {
        let error = answers[at]["error"].as_str().unwrap_or_default();
        assert!(error.contains(wrong), "{at}: {}", answers[at]);
    }
}

#[test]
fn a_batch_answers_before_it_waits_for_more() {
    let mut command = Command::new(BINARY);
    command.args(["cron", "next", "--batch", "--tz", "Asia/Tokyo", "--dst-twice", "both"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for day in ["2026-01-01", "2026-01-02"] {
        writeln!(stdin, r#"{{"expr":"@daily","base":"{day}T12:00:00Z"}}"#).expect("it reads");
        let mut line = String::new();
        stdout.read_line(&mut line).expect("an answer");
        assert!(line.contains("T00:00:00+09:00"), "{line}");
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn other_implementations_agree() {
    let Some(data) = std::env::var_os("MAINSPRING_DATA") else {
        eprintln!("skipped: MAINSPRING_DATA is not set");
        return;
    };
    let rows =
        std::fs::read(std::path::Path::new(&data).join("cron_vectors.json")).expect("the file is there");
    let rows: Vec<Value> = serde_json::from_slice(&rows).expect("a list in JSON");
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    let answers = batch(&[], &lines.join("\n"));
    assert_eq!((rows.len(), answers.len()), (255, 255));
    for (row, answer) in rows.iter().zip(&answers) {
        let instant = |text: &Value| text.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
        let found = instant(&answer["next"][0]);
        assert!(found.is_some() && found == instant(&row["next"]), "{row}: {answer}");
    }
}
