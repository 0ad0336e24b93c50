//! `mainspring validate`: what people and scripts are told of job files.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_mainspring");
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

fn validate(args: &[&str]) -> Output {
    Command::new(BINARY).arg("validate").args(args).current_dir(GOLDEN).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// `UPDATE_GOLDEN=1` writes the file anew.
#[test]
fn many_mistakes_are_told_in_one_go() {
    let output = validate(&["-f", "mistakes.yaml"]);
    let found = text(&output.stderr);
    let golden = format!("{GOLDEN}/mistakes.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &found).expect("written");
    }
    assert_eq!(found, fs::read_to_string(&golden).expect("the golden text"));
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(found.ends_with("10 mistakes\n"));
}

#[test]
fn scripts_get_json() {
    let output = validate(&["mistakes.yaml", "-o", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let codes: Vec<&str> =
        answer["mistakes"].as_array().expect("a list").iter().filter_map(|m| m["code"].as_str()).collect();
    let mut distinct = codes.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert!(distinct.len() >= 9, "{codes:?}");
    assert_eq!(answer["mistakes"][0]["line"], 3);
}

#[test]
fn directories_are_walked_and_doubles_across_files_are_told() {
    let home = tempfile::tempdir().expect("a directory");
    let put = |name: &str, text: &str| {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    };
    put("a.yaml", "job: a\ntasks: {x: {noop: {}}}\n");
    put("deep/b.json", r#"{"job": "b", "tasks": {"x": {"noop": {}}, "y": {"noop": {}, "needs": "x"}}}"#);
    put("deep/notes.txt", "no job");
    put(".hidden/c.yaml", "broken: [");
    let directory = home.path().to_str().expect("UTF-8");
    let output = validate(&["-f", directory]);
    let listed = text(&output.stdout).replace(directory, "");
    assert_eq!(listed, "/a.yaml: a: 1 task\n/deep/b.json: b: 2 tasks\n", "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(0));

    put("z.yml", "job: a\ntasks: {x: {noop: {}}}\n");
    let output = validate(&["-f", directory]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("the job `a` is also in"));
}

#[test]
fn stdin_and_what_cannot_be_read() {
    let mut child = Command::new(BINARY)
        .args(["validate", "-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("piped").write_all(b"job: a\ntasks: {x: {noop: {}}}").expect("written");
    let output = child.wait_with_output().expect("ends");
    assert_eq!(text(&output.stdout), "-: a: 1 task\n");

    let output = validate(&["-f", "nowhere.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot read `nowhere.yaml`"));

    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join("bad.yaml");
    fs::write(&path, b"job: \xff\xfe").expect("written");
    let output = validate(&["-f", path.to_str().expect("UTF-8")]);
    assert!(text(&output.stderr).contains("not UTF-8"));
    fs::write(&path, vec![b'a'; 2 << 20]).expect("written");
    let output = validate(&["-f", path.to_str().expect("UTF-8")]);
    assert!(text(&output.stderr).contains("more than 1048576"), "{}", text(&output.stderr));
}
