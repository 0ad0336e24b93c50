//! Job files become jobs: all or nothing, pruned by a tag, followed as they change. And runs that fail explain themselves.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use self::support::{
    ANY_PORT, BINARY, Running, command, json_of, mainspring, server, stderr, stdout, until, worker,
};

fn write(dir: &Path, name: &str, more: &str) {
    let text = format!("job: {name}\ntags: [ops]\ntasks:\n  a: {{noop: {{}}}}\n{more}");
    fs::write(dir.join(format!("{name}.yaml")), text).expect("a file");
}

fn apply(url: &str, dir: &Path, more: &[&str]) -> Output {
    mainspring(url, &[&["apply", "-f", &dir.to_string_lossy(), "-o", "json"], more].concat())
}

/// Jobs that are there, with their versions.
fn jobs(url: &str) -> Vec<(String, u64)> {
    let list = json_of(url, &["job", "list"]);
    let live = list["jobs"].as_array().into_iter().flatten().filter(|job| job["state"] != "deleted");
    live.map(|job| (job["job"].as_str().unwrap_or_default().to_owned(), job["version"].as_u64().unwrap_or(0)))
        .collect()
}

fn changes(output: &Output) -> Vec<(Value, Value)> {
    let answer = support::json(output);
    let jobs = answer["jobs"].as_array().into_iter().flatten();
    jobs.map(|job| (job["job"].clone(), job["change"].clone())).collect()
}

#[test]
fn nothing_is_stored_when_the_server_refuses_one_of_many() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let files = dir.path().join("jobs");
    fs::create_dir(&files).expect("a directory");
    write(&files, "a-first", "");
    write(&files, "b-second", "triggers:\n  - {name: hook, webhook: shop}\n");
    let refused = apply(&url, &files, &[]);
    let told = stderr(&refused);
    assert_eq!(refused.status.code(), Some(1), "{told}");
    assert!(
        told.contains("b-second")
            && told.contains("no webhook `shop`")
            && told.contains("nothing was changed"),
        "{told}"
    );
    assert_eq!(jobs(&url), []);
    write(&files, "b-second", "");
    assert_eq!(apply(&url, &files, &[]).status.code(), Some(0));
    assert_eq!(jobs(&url), [("a-first".to_owned(), 1), ("b-second".to_owned(), 1)]);
}

#[test]
fn jobs_that_left_the_files_are_pruned_by_their_tag() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let (files, others) = (dir.path().join("jobs"), dir.path().join("others"));
    fs::create_dir(&files).expect("a directory");
    fs::create_dir(&others).expect("a directory");
    write(&files, "stays", "");
    write(&files, "leaves", "");
    fs::write(others.join("other.yaml"), "job: other\ntasks:\n  a: {noop: {}}\n").expect("a file");
    assert!(apply(&url, &others, &[]).status.success());
    assert!(apply(&url, &files, &["--prune", "ops"]).status.success());

    let untagged = apply(&url, &others, &["--prune", "ops", "--yes"]);
    assert_eq!(untagged.status.code(), Some(1));
    assert!(stderr(&untagged).contains("`other` does not have the tag `ops`"), "{}", stderr(&untagged));
    assert_eq!(apply(&url, &files, &["--prune"]).status.code(), Some(2), "it needs a tag");

    fs::remove_file(files.join("leaves.yaml")).expect("removed");
    let prune = ["--prune", "ops"];
    let dry = apply(&url, &files, &[&prune[..], &["--dry-run"]].concat());
    let expected = [(json!("stays"), json!("unchanged")), (json!("leaves"), json!("deleted"))];
    assert_eq!(changes(&dry), expected);
    assert_eq!(jobs(&url).len(), 3, "a dry run changes nothing");
    let asked = apply(&url, &files, &prune);
    assert_eq!(asked.status.code(), Some(1), "nobody can be asked here");
    assert_eq!(jobs(&url).len(), 3);
    assert_eq!(changes(&apply(&url, &files, &[&prune[..], &["--yes"]].concat())), expected);
    assert_eq!(
        jobs(&url),
        [("other".to_owned(), 1), ("stays".to_owned(), 1)],
        "a job without the tag is not touched"
    );
}

#[test]
fn the_server_follows_files_that_are_watched() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let files = dir.path().join("jobs");
    fs::create_dir(&files).expect("a directory");
    write(&files, "etl", "");
    let args = ["apply", "-f", &files.to_string_lossy(), "--watch"];
    let child = command(&url, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut watch = Running(child.expect("it starts"));
    until("the first version", || jobs(&url) == [("etl".to_owned(), 1)]);
    fs::write(files.join("etl.yaml"), "job: etl\ntasks: 7\n").expect("a file");
    write(&files, "more", "");
    fs::write(files.join("etl.yaml"), "job: etl\ntasks:\n  a: {noop: {}}\n  b: {noop: {}}\n")
        .expect("a file");
    until("the second version", || jobs(&url) == [("etl".to_owned(), 2), ("more".to_owned(), 1)]);
    assert!(watch.0.try_wait().expect("asked").is_none(), "it stays");
}

const BROKEN: &str = "\
job: broken
parameters:
  order: {type: string}
  count: {type: integer, default: 1}
tasks:
  fine: {run: [echo, fine]}
  breaks: {shell: 'echo so far so good; echo the disk is full >&2; exit 3', needs: [fine], retries: 0}
";

#[test]
fn a_run_that_failed_shows_ids_errors_and_the_end_of_its_logs() {
    let dir = tempfile::tempdir().expect("a directory");
    // As `dev` has it, so that `verify` can be asked about the same directory.
    let (running, url) = server(&dir.path().join("server"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let file = dir.path().join("broken.yaml");
    fs::write(&file, BROKEN).expect("a file");
    assert!(mainspring(&url, &["apply", "-f", &file.to_string_lossy()]).status.success());

    let waited = mainspring(&url, &["job", "trigger", "broken", "-p", "order=1", "-p", "count=7", "--wait"]);
    let told = stderr(&waited);
    assert_eq!(waited.status.code(), Some(3), "{told}");
    assert!(told.contains("breaks failed: ended with code 3"), "{told}");
    assert!(told.contains("  | so far so good\n") && told.contains("  | the disk is full\n"), "{told}");

    let said = stdout(&waited);
    let id = said.split_whitespace().next().expect("the run");
    let run = json_of(&url, &["run", "get", id]);
    assert_eq!(run["parameters"], json!({"order": "1", "count": 7}), "as they are declared");
    let got = mainspring(&url, &["run", "get", id]);
    let (shown, hint) = (stdout(&got), stderr(&got));
    assert!(hint.contains(&format!("hint: mainspring run logs {id} --task breaks\n")), "{hint}");
    let why = stdout(&mainspring(&url, &["run", "diagnose", id]));
    assert!(why.contains("no earlier run of this job succeeded"), "{why}");
    let task = run["tasks"][1]["task_id"].as_str().expect("an id");
    assert!(shown.contains(task) && shown.contains("ended with code 3 · "), "{shown}");
    let fine = shown.lines().find(|line| line.contains(" fine ")).unwrap_or_default();
    assert!(fine.contains("ms") || fine.contains("s  task_"), "{shown}");
    let short = stdout(&mainspring(&url, &["task", "logs", &task[..25]]));
    assert!(short.contains("so far so good"), "logs take the beginning of an id: {short}");

    drop(running);
    let verified = Command::new(BINARY).args(["verify", "--data"]).arg(dir.path()).output().expect("it runs");
    assert!(verified.status.success() && stdout(&verified).contains("records"), "{}", stderr(&verified));
}

#[test]
fn names_and_ids_of_the_server_can_be_completed() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    for name in ["nightly-report", "nightly-load", "other"] {
        write(dir.path(), name, "");
        let file = dir.path().join(format!("{name}.yaml"));
        assert!(mainspring(&url, &["apply", "-f", &file.to_string_lossy()]).status.success());
    }
    let completed = |words: &[&str]| stdout(&mainspring(&url, &[&["__complete", "--"], words].concat()));
    assert_eq!(completed(&["job", "get", "nightly"]), "nightly-load\nnightly-report\n");
    assert_eq!(completed(&["job", "ge"]), "", "the shell knows commands by itself");
    assert_eq!(completed(&["run", "list", "--job", "o"]), "other\n");
    let away = mainspring("http://127.0.0.1:1", &["__complete", "--", "job", "get", ""]);
    assert_eq!(stdout(&away), "");
}
