//! How lists and single things are printed, what is said of a name that is not there, and contexts.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::json;

use self::support::{
    ANY_PORT, BINARY, command, json, json_of, mainspring, server, stderr, stdout, submitted, until,
};

fn applied(url: &str, dir: &Path, name: &str) {
    let file = dir.join(format!("{name}.yaml"));
    let text = format!(
        "job: {name}\ntasks:\n  a: {{noop: {{}}}}\nschedules:\n  - {{name: early, cron: '0 5 * * *'}}\n"
    );
    fs::write(&file, text).expect("a file");
    let output = mainspring(url, &["apply", "-f", &file.to_string_lossy()]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn every_list_is_printed_in_every_form() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    applied(&url, dir.path(), "etl");
    let task = submitted(&url, &["--in", "2h", "--", "true"]);
    let rows: [(&[&str], &str, &str); 4] = [
        (&["task", "list"], "tasks", &task),
        (&["job", "list"], "jobs", "etl"),
        (&["schedule", "list"], "schedules", "etl/early"),
        (&["schedule", "upcoming", "--within", "2d", "--limit", "1"], "windows", "etl/early"),
    ];
    for (args, key, name) in rows {
        let shown = |form: &str| {
            let output = mainspring(&url, &[args, &["-o", form]].concat());
            assert!(output.status.success(), "{args:?} {form}: {}", stderr(&output));
            stdout(&output)
        };
        until("the tables have it", || shown("name").trim_end() == name);
        assert!(shown("yaml").starts_with(&format!("{key}:\n  - ")), "{}", shown("yaml"));
        assert!(shown("json").contains(&format!("\"{key}\"")), "{}", shown("json"));
        let (table, wide) = (shown("table"), shown("wide"));
        assert!(table.contains(name) && wide.contains(name), "{table}{wide}");
        let width = |text: &str| text.lines().next().unwrap_or_default().split("  ").count();
        assert!(width(&wide) > width(&table), "{table}{wide}");
    }
    let one =
        |args: &[&str]| stdout(&mainspring(&url, &[args, &["-o", "name"]].concat())).trim_end().to_owned();
    assert_eq!(one(&["task", "get", &task]), task);
    assert_eq!(one(&["job", "get", "etl"]), "etl");
    assert_eq!(one(&["schedule", "get", "etl"]), "etl/early");
    let yaml = stdout(&mainspring(&url, &["job", "get", "etl", "-o", "yaml"]));
    assert!(yaml.contains("\njob: etl\n") && yaml.contains("\n  tasks:\n    a:\n"), "{yaml}");
    let empty = mainspring(&url, &["backfill", "list"]);
    assert_eq!((stdout(&empty).as_str(), stderr(&empty).as_str()), ("", "(none)\n"));
}

#[test]
fn a_name_that_is_almost_right_is_offered() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    applied(&url, dir.path(), "nightly-report");
    let rows: [(&[&str], &str); 5] = [
        (&["job", "get", "nightly-reprot"], "did you mean `nightly-report`?"),
        (&["job", "trigger", "nightly"], "did you mean `nightly-report`?"),
        (&["job", "delete", "nigthly-report"], "did you mean `nightly-report`?"),
        (&["schedule", "pause", "nightly-report/erly"], "did you mean `nightly-report/early`?"),
        (&["pool", "get", "defualt"], "hint: "),
    ];
    for (args, hint) in rows {
        let output = mainspring(&url, args);
        assert_eq!(output.status.code(), Some(4), "{args:?}");
        assert!(stderr(&output).contains(hint), "{args:?}: {}", stderr(&output));
    }
    let far = mainspring(&url, &["job", "get", "zebra"]);
    assert!(!stderr(&far).contains("did you mean"), "{}", stderr(&far));
}

#[test]
fn a_watched_list_is_printed_again_when_it_changes() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let child = command(&url, &["job", "list", "--watch", "-o", "name"]).stdout(Stdio::piped()).spawn();
    let mut watch = support::Running(child.expect("it starts"));
    let mut lines = BufReader::new(watch.0.stdout.take().expect("piped")).lines().map_while(Result::ok);
    applied(&url, dir.path(), "first");
    assert_eq!(lines.next().as_deref(), Some("first"));
    applied(&url, dir.path(), "second");
    assert_eq!(lines.find(|line| line == "second").as_deref(), Some("second"));
}

/// With contexts of its own, and no other setting.
fn with_contexts(file: &Path, args: &[&str], more: &[(&str, &str)]) -> Output {
    let mut command = Command::new(BINARY);
    command.env_remove("MAINSPRING_SERVER").env_remove("MAINSPRING_TOKEN").env("MAINSPRING_CONTEXTS", file);
    command.args(args).envs(more.iter().copied()).stdin(Stdio::null()).output().expect("the binary runs")
}

#[test]
fn a_context_names_server_token_and_tenant_and_flags_go_before() {
    let dir = tempfile::tempdir().expect("a directory");
    let token = dir.path().join("token");
    fs::write(&token, "0123456789abcdef0123456789abcdef\n").expect("a file");
    fs::set_permissions(&token, PermissionsExt::from_mode(0o600)).expect("set");
    let token = token.to_string_lossy().into_owned();
    let (_guarded, guarded) = server(&dir.path().join("a"), ANY_PORT, &["--token-file", &token]);
    let (_open, open) = server(&dir.path().join("b"), ANY_PORT, &[]);
    let file = dir.path().join("settings").join("contexts.json");
    let run = |args: &[&str], more: &[(&str, &str)]| with_contexts(&file, args, more);

    let first = ["context", "add", "prod", "--server", &guarded, "--token-file", &token, "--tenant", "acme"];
    assert!(run(&first, &[]).status.success());
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    assert!(run(&["context", "add", "open", "--server", &open], &[]).status.success());
    let list = json(&run(&["context", "list", "-o", "json"], &[]));
    assert_eq!(
        (&list["contexts"][1]["name"], &list["contexts"][1]["current"]),
        (&json!("prod"), &json!(true))
    );
    assert!(!list.to_string().contains("0123456789abcdef"), "tokens are not printed");

    let submit = ["submit", "-o", "json", "--in", "2h", "--", "true"];
    let task = json(&run(&submit, &[]))["task_id"].as_str().expect("an id").to_owned();
    assert_eq!(json(&run(&["task", "get", &task, "-o", "json"], &[]))["tenant"], "acme");
    let other = [&submit[..3], &["--tenant", "flag"], &submit[3..]].concat();
    let task = json(&run(&other, &[("MAINSPRING_TENANT", "variable")]))["task_id"].clone();
    let task = task.as_str().expect("an id");
    assert_eq!(json(&run(&["task", "get", task, "-o", "json"], &[]))["tenant"], "flag");

    let stats = |args: &[&str], more: &[(&str, &str)]| run(&[&["stats"], args].concat(), more).status.code();
    assert_eq!(
        stats(&[], &[("MAINSPRING_SERVER", &guarded)]),
        Some(1),
        "the context's token is not for others"
    );
    assert_eq!(stats(&["--context", "open"], &[("MAINSPRING_SERVER", "http://127.0.0.1:1")]), Some(0));
    assert_eq!(stats(&["--server", &open], &[("MAINSPRING_CONTEXT", "prod")]), Some(0));
    assert!(run(&["context", "use", "open"], &[]).status.success());
    assert_eq!(json_of(&open, &["stats"])["queued"], json(&run(&["stats", "-o", "json"], &[]))["queued"]);

    let away = run(&["context", "add", "away", "--server", "http://127.0.0.1:1", "--use"], &[]);
    assert!(away.status.success(), "{}", stderr(&away));
    let unreached = run(&["stats"], &[]);
    assert_eq!(unreached.status.code(), Some(5));
    assert!(stderr(&unreached).contains("context `away`"), "{}", stderr(&unreached));
    assert!(run(&["context", "remove", "away"], &[]).status.success());
    for args in [&["context", "use", "away"][..], &["context", "remove", "away"]] {
        let output = run(args, &[]);
        assert_eq!(output.status.code(), Some(4), "{args:?}");
        assert!(stderr(&output).contains("there are: open, prod"), "{}", stderr(&output));
    }
    let unknown = run(&["stats", "--context", "away"], &[]);
    assert!(stderr(&unknown).contains("no context `away`"), "{}", stderr(&unknown));
    fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).expect("set");
    let readable = run(&["stats"], &[]);
    assert!(stderr(&readable).contains("chmod 600"), "{}", stderr(&readable));
}
