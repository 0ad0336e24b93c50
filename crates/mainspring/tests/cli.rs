//! The command line against a real server: what is printed, where, and with which exit code.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use self::support::{ANY_PORT, BINARY, command, json_of, mainspring, server, stderr, stdout, until, worker};

/// Submits a process with these arguments more.
#[track_caller]
fn submitted(server: &str, more: &[&str], argv: &[&str]) -> String {
    support::submitted(server, &[more, &["--"], argv].concat())
}

fn ids(list: &Value, key: &str) -> Vec<String> {
    let tasks = list[key].as_array().into_iter().flatten();
    tasks.filter_map(|task| task["task_id"].as_str().map(str::to_owned)).collect()
}

#[test]
fn dead_letters_are_listed_requeued_and_discarded() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    let gate = dir.path().join("gate");
    let script = format!("test -e {}", gate.display());
    let fails =
        |tenant: &str| submitted(&url, &["--retries", "0", "--tenant", tenant], &["sh", "-c", &script]);
    let (one, two, other) = (fails("a"), fails("a"), fails("b"));
    until("three dead letters", || ids(&json_of(&url, &["dead-letter", "list"]), "tasks").len() == 3);

    let table = mainspring(&url, &["dead-letter", "list", "--tenant", "b"]);
    let text = stdout(&table);
    assert!(text.starts_with("TASK ") && text.contains(&other) && !text.contains(&one), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours where there is no terminal");

    let dry = json_of(&url, &["dead-letter", "requeue", "--all", "--dry-run"]);
    assert_eq!((&dry["state"], &dry["total"]), (&json!("dry_run"), &json!(3)), "{dry}");
    let asked = mainspring(&url, &["dead-letter", "requeue", "--all"]);
    assert!(stderr(&asked).contains("retry tasks: 3 match"), "{}", stderr(&asked));
    assert_eq!(asked.status.code(), Some(1));
    assert!(stderr(&asked).contains("--yes"), "nobody can be asked: {}", stderr(&asked));
    let discarded = json_of(&url, &["dead-letter", "discard", &other, "--reason", "known"]);
    assert_eq!((&discarded["done"], &discarded["results"][0]["state"]), (&json!(1), &json!("skipped")));
    fs::write(&gate, "").expect("opens the gate");
    let requeued = json_of(&url, &["dead-letter", "requeue", "--all", "--tenant", "a", "--yes"]);
    assert_eq!((&requeued["handled"], &requeued["state"]), (&json!(2), &json!("ended")), "{requeued}");
    for id in [&one, &two] {
        until("completed", || json_of(&url, &["task", "get", id])["state"] == "succeeded");
    }
    let late = mainspring(&url, &["dead-letter", "requeue", &one]);
    assert_eq!(late.status.code(), Some(1), "{}", stdout(&late));
    assert!(stdout(&late).contains("NOT_A_DEAD_LETTER"));
}

#[test]
fn tasks_are_found_by_the_beginning_of_their_id_filtered_and_cancelled_by_selector() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let first = submitted(&url, &["--in", "2h", "--tenant", "a", "--label", "team=ops"], &["true"]);
    std::thread::sleep(Duration::from_millis(2));
    let second = submitted(&url, &["--in", "30d", "--tenant", "b"], &["true"]);

    until("the tables have both", || {
        ids(&json_of(&url, &["task", "list"]), "tasks").len() == 2
            && mainspring(&url, &["task", "get", &second[..36]]).status.success()
            && mainspring(&url, &["task", "get", &first[..36]]).status.success()
    });
    let found = json_of(&url, &["task", "get", &first[5..36]]);
    assert_eq!(found["task_id"], json!(first), "without `task_` too");
    let many = mainspring(&url, &["task", "get", &first[..12]]);
    let told = stderr(&many);
    assert_eq!(many.status.code(), Some(1));
    assert!(told.contains(&first) && told.contains(&second) && told.contains("hint:"), "{told}");
    let none = mainspring(&url, &["task", "get", "task_00000000"]);
    assert_eq!((none.status.code(), stderr(&none).contains("no task")), (Some(4), true), "{}", stderr(&none));
    assert_eq!(mainspring(&url, &["task", "get", "12"]).status.code(), Some(2), "too short");

    let rows: [(&[&str], usize); 6] = [
        (&["--state", "pending"], 2),
        (&["--tenant", "b"], 1),
        (&["--label", "team=ops"], 1),
        (&["--since", "1h"], 2),
        (&["--since", "0s", "--state", "succeeded"], 0),
        (&["--limit", "1"], 1),
    ];
    for (filter, count) in rows {
        let list = json_of(&url, &[&["task", "list"], filter].concat());
        assert_eq!(ids(&list, "tasks").len(), count, "{filter:?}: {list}");
    }

    let refused = mainspring(&url, &["task", "cancel"]);
    assert_eq!(refused.status.code(), Some(2), "a task or a selector");
    let unasked = mainspring(&url, &["task", "cancel", "--tenant", "a"]);
    assert_eq!(unasked.status.code(), Some(1));
    let narrowed =
        ["task", "cancel", "--all", "--label", "team=ops", "--state", "QUEUED,RETRY_WAIT", "--yes"];
    assert_eq!(json_of(&url, &narrowed)["handled"], 0, "it is pending");
    let narrowed = ["task", "cancel", "--label", "team=ops", "--label", "env=prod", "--yes"];
    assert_eq!(json_of(&url, &narrowed)["handled"], 0, "both labels must be there");
    let process = json_of(&url, &["task", "cancel", "--label", "team=ops", "--type", "process", "--yes"]);
    assert_eq!((&process["state"], &process["handled"]), (&json!("ended"), &json!(1)), "{process}");
    assert_eq!(json_of(&url, &["task", "get", &first])["state"], "cancelled");
    assert_eq!(json_of(&url, &["task", "get", &second])["state"], "pending");
    assert_eq!(json_of(&url, &["task", "cancel", &second[..36]])["state"], "cancelled");
}

#[test]
fn workers_pools_and_stats_are_shown_and_a_worker_is_cordoned_by_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let _worker = worker(&url, &dir.path().join("worker"), &["--set", "worker.name=builder"]);
    until("the worker is there", || json_of(&url, &["worker", "list"])["workers"][0]["name"] == "builder");
    assert_eq!(json_of(&url, &["worker", "cordon", "builder"])["cordoned"], true);
    let id =
        json_of(&url, &["worker", "list"])["workers"][0]["worker_id"].as_str().expect("an id").to_owned();
    submitted(&url, &[], &["true"]);
    let pool = json_of(&url, &["pool", "get", "default"]);
    assert_eq!((&pool["workers_away"], &pool["queued"]), (&json!(1), &json!(1)), "{pool}");
    let table = stdout(&mainspring(&url, &["pool", "list"]));
    assert!(table.starts_with("POOL") && table.lines().count() == 2, "{table}");
    let stats = stdout(&mainspring(&url, &["stats"]));
    assert!(stats.starts_with("POOL") && stats.contains("tasks_in_memory"), "{stats}");
    assert_eq!(json_of(&url, &["stats"])["queued"], 1);
    assert_eq!(json_of(&url, &["worker", "uncordon", &id[..20]])["cordoned"], false);
    until("the task has run", || json_of(&url, &["stats"])["queued"] == 0);
    let drained = json_of(&url, &["worker", "drain", "builder"]);
    assert_eq!((&drained["cordoned"], &drained["state"]), (&json!(true), &json!("drained")), "{drained}");
    assert_eq!(mainspring(&url, &["worker", "drain", "nobody"]).status.code(), Some(4));
    assert_eq!(mainspring(&url, &["pool", "get", "none"]).status.code(), Some(4));
}

#[test]
fn a_cordon_holds_over_restarts_of_the_worker_and_of_the_server() {
    let dir = tempfile::tempdir().expect("a directory");
    let (data, state) = (dir.path().join("data"), dir.path().join("worker"));
    let (killed, url) = server(&data, ANY_PORT, &[]);
    let listen = url.trim_start_matches("http://").to_owned();
    let name = ["--set", "worker.name=builder"];
    let builder = worker(&url, &state, &name);
    until("the worker is there", || json_of(&url, &["worker", "list"])["workers"][0]["name"] == "builder");
    let cordoned = json_of(&url, &["worker", "cordon", "builder", "--reason", "disk is failing"]);
    let id = cordoned["worker_id"].as_str().expect("an id").to_owned();
    let cordon = &cordoned["cordon"];
    assert_eq!(
        (&cordon["reason"], &cordon["draining"]),
        (&json!("disk is failing"), &json!(false)),
        "{cordoned}"
    );
    assert!(cordon["actor"].is_string() && cordon["since"].is_string(), "{cordoned}");

    drop(killed);
    drop(builder);
    let (_server, url) = server(&data, &listen, &[]);
    let away = json_of(&url, &["worker", "get", &id]);
    assert_eq!((&away["state"], &away["cordon"]), (&json!("disconnected"), cordon), "{away}");
    let _builder = worker(&url, &state, &name);
    until("the worker is back", || json_of(&url, &["worker", "get", &id])["state"] == "cordoned");
    let task = submitted(&url, &[], &["true"]);
    assert_eq!(json_of(&url, &["task", "get", &task])["state"], "queued", "the worker is still cordoned");
    let again = json_of(&url, &["worker", "cordon", &id, "--reason", "said again"]);
    assert_eq!(&again["cordon"], cordon, "the first reason stays");
    let opened = json_of(&url, &["worker", "uncordon", "builder"]);
    assert_eq!((&opened["cordoned"], &opened["cordon"]), (&json!(false), &Value::Null), "{opened}");
    until("the task has run", || json_of(&url, &["task", "get", &task])["state"] == "succeeded");
}

#[test]
fn a_worker_is_drained_until_it_is_empty_and_then_ends_by_itself() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let settings = ["--set", "worker.name=builder", "--set", "worker.exit_when_drained=true"];
    let mut worker = worker(&url, &dir.path().join("worker"), &settings);
    let gate = dir.path().join("gate");
    let script = format!("until test -e {}; do sleep 0.05; done", gate.display());
    let task = submitted(&url, &[], &["sh", "-c", &script]);
    until("the task runs", || json_of(&url, &["task", "get", &task])["state"] == "running");

    let early = mainspring(&url, &["worker", "drain", "builder", "--wait", "--timeout", "0s", "-o", "json"]);
    assert_eq!(early.status.code(), Some(1), "{}", stderr(&early));
    assert!(stderr(&early).contains(&format!("still runs 1 attempt: {task}")), "{}", stderr(&early));
    assert_eq!(support::json(&early)["state"], "draining");
    let waits = submitted(&url, &[], &["true"]);

    let drain = command(&url, &["worker", "drain", "builder", "--wait"]).stderr(Stdio::piped()).spawn();
    let mut drain = support::Running(drain.expect("starts"));
    let mut said = String::new();
    let stderr = drain.0.stderr.take().expect("piped");
    BufReader::new(stderr).read_line(&mut said).expect("says what is left");
    assert!(said.contains(&task), "{said}");
    fs::write(&gate, "").expect("opens");
    assert_eq!(drain.0.wait().expect("ends").code(), Some(0));
    assert_eq!(worker.0.wait().expect("ends").code(), Some(0), "it was started to end then");
    assert_eq!(json_of(&url, &["task", "get", &task])["state"], "succeeded");
    assert_eq!(json_of(&url, &["task", "get", &waits])["state"], "queued", "it got nothing new");
}

#[test]
fn a_file_of_tasks_is_submitted_and_bad_lines_are_named() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let file = dir.path().join("tasks.ndjson");
    let line =
        |n: usize| format!("{{\"task_type\":\"noop\",\"delay_ms\":7200000,\"labels\":{{\"n\":\"{n}\"}}}}\n");
    let good: String = (0..2500).map(line).collect();
    fs::write(&file, &good).expect("written");
    let path = file.display().to_string();
    let args = ["submit", "--file", &path, "--key", "load-1"];
    assert_eq!(json_of(&url, &args)["accepted"], 2500);
    assert_eq!(json_of(&url, &args)["accepted"], 2500, "the same again");
    assert_eq!(
        json_of(&url, &["stats"])["tasks_in_memory"]["pending"].as_u64().map(|n| n <= 2500),
        Some(true)
    );

    fs::write(&file, format!("{}\n{{\"task_type\":\"nope\"}}\nnot json\n", line(1))).expect("written");
    let bad = mainspring(&url, &["submit", "--file", &path]);
    assert_eq!(bad.status.code(), Some(1));
    let text = stdout(&bad);
    assert!(text.contains("3     UNKNOWN_EXECUTOR") && text.contains("4     INVALID_JSON"), "{text}");
    assert!(stderr(&bad).contains("1 accepted, 2 refused"), "{}", stderr(&bad));
    let gone = mainspring(&url, &["submit", "--file", "/no/such/file"]);
    assert!(gone.status.code() == Some(1) && stderr(&gone).contains("/no/such/file"));
}

#[test]
fn what_is_submitted_is_what_was_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let more =
        ["--priority", "P0", "--retries", "5", "--backoff", "fixed:30s", "--timeout", "5m", "--pool", "gpu"];
    let id = submitted(
        &url,
        &[&more[..], &["--tenant", "t", "--label", "a=b", "--in", "1h", "--key", "k"]].concat(),
        &["echo", "x"],
    );
    let task = json_of(&url, &["task", "get", &id]);
    for (field, wanted) in [
        ("/priority/band", json!("P0")),
        ("/max_retries", json!(5)),
        ("/pool", json!("gpu")),
        ("/tenant", json!("t")),
        ("/labels", json!({"a": "b"})),
        ("/payload/argv", json!(["echo", "x"])),
        ("/state", json!("pending")),
    ] {
        assert_eq!(task.pointer(field), Some(&wanted), "{field}: {task}");
    }
    let http = [
        "submit",
        "--http",
        "https://h.example/x",
        "--method",
        "PUT",
        "--header",
        "X-A: 1",
        "--body",
        "{}",
        "--in",
        "1h",
    ];
    let id = json_of(&url, &http)["task_id"].as_str().expect("an id").to_owned();
    let payload = json_of(&url, &["task", "get", &id])["payload"].clone();
    assert_eq!((&payload["method"], &payload["headers"]["X-A"]), (&json!("PUT"), &json!("1")), "{payload}");
    for (args, code) in [
        (vec!["submit", "--backoff", "sometimes", "--", "true"], 2),
        (vec!["submit", "--label", "x", "--", "true"], 2),
        (vec!["submit"], 2),
        (vec!["submit", "--tenant", "t", "--key", "k", "--", "other"], 1),
    ] {
        assert_eq!(mainspring(&url, &args).status.code(), Some(code), "{args:?}");
    }
}

#[test]
fn settings_come_from_flags_environment_and_file_and_mistakes_are_told_at_once() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("m.toml");
    fs::write(&file, "[server]\nhistory_days = 7\nbatch_tasks_max = 3\n[pools.gpu]\nqueued_max = 1\n")
        .expect("written");
    let path = file.display().to_string();
    let check = |more: &[&str]| {
        let mut command = Command::new(BINARY);
        command
            .args(["config", "check", &path])
            .args(more)
            .env("MAINSPRING_LEASE", "20s")
            .current_dir(dir.path());
        command.output().expect("the binary runs")
    };
    let told: Value =
        serde_json::from_slice(&check(&["-o", "json", "--set", "store.cut_every=1s"]).stdout).expect("JSON");
    for (name, value, source) in [
        ("server.history_days", "7", format!("{path}:2")),
        ("server.lease", "20s", "MAINSPRING_LEASE".to_owned()),
        ("store.cut_every", "1s", "flag".to_owned()),
        ("server.heartbeat", "4s", "default".to_owned()),
        ("pools.gpu.queued_max", "1", format!("{path}:5")),
    ] {
        assert_eq!(told["settings"][name], json!({ "value": value, "source": source }), "{name}");
    }
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &["--config", &path]);
    let four = dir.path().join("four.ndjson");
    fs::write(&four, "{\"task_type\":\"noop\"}\n".repeat(4)).expect("written");
    let refused = mainspring(&url, &["submit", "--file", &four.display().to_string()]);
    assert!(
        stderr(&refused).contains("more than 3 tasks"),
        "the server obeys the file: {}",
        stderr(&refused)
    );
    submitted(&url, &["--pool", "gpu"], &["true"]);
    let full = mainspring(&url, &["submit", "--pool", "gpu", "--", "true"]);
    assert!(stderr(&full).contains("raise `pools.gpu.queued_max`"), "{}", stderr(&full));
    let pools = json_of(&url, &["pool", "list"]);
    assert_eq!(
        (&pools["pools"][0]["queued"], &pools["pools"][0]["queued_max"]),
        (&json!(1), &json!(1)),
        "{pools}"
    );

    fs::write(&file, "[server]\nlissten = \"x\"\nhistory_days = 0\n[worker]\nslots = \"two\"\n")
        .expect("written");
    let wrong = check(&[]);
    let text = stderr(&wrong);
    assert_eq!(wrong.status.code(), Some(1));
    for part in ["m.toml:2:", "did you mean `server.listen`", "m.toml:3:", "from 1 to 36500", "m.toml:5:"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let started = Command::new(BINARY).args(["server", "--config", &path]).output().expect("the binary runs");
    assert!(started.status.code() == Some(1) && stderr(&started).contains("lissten"), "{}", stderr(&started));
    let example = Command::new(BINARY).args(["config", "example"]).output().expect("the binary runs");
    assert!(stdout(&example).contains("[worker.webhook]"));
}

#[test]
fn every_command_has_an_example_and_shells_can_complete() {
    let help = |path: &[&str]| {
        let output = Command::new(BINARY).args(path).arg("--help").output().expect("the binary runs");
        stdout(&output)
    };
    let mut open: Vec<Vec<String>> = vec![vec![]];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        let text = help(&names);
        let lines = text.lines().skip_while(|line| *line != "Commands:").skip(1);
        let inner: Vec<String> = lines
            .take_while(|line| line.starts_with("  "))
            .filter(|line| line.chars().nth(2).is_some_and(|c| c != ' '))
            .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
            .filter(|name| name != "help")
            .collect();
        let example = text.contains("Example");
        assert!(
            example || !inner.is_empty() || names == ["config", "example"],
            "{names:?} has no example:\n{text}"
        );
        seen += 1;
        open.extend(inner.into_iter().map(|name| [path.clone(), vec![name]].concat()));
    }
    assert!(seen > 25, "{seen} commands");
    for shell in ["bash", "zsh", "fish"] {
        let script = Command::new(BINARY).args(["completion", shell]).output().expect("the binary runs");
        assert!(stdout(&script).contains("dead-letter"), "{shell}");
    }
}

#[test]
fn who_waits_is_told_why_nothing_begins_and_attempts_are_a_table() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let script = "echo first >&2; echo second >&2; exit 3";
    let args = ["submit", "--wait", "--retries", "0", "--", "sh", "-c", script];
    let mut waits = command(&url, &args).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut said = BufReader::new(waits.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let first = said.next().expect("the task");
    let id = first.split(' ').next().expect("an id");
    let why = said.find(|line| line.contains("has not begun")).expect("the reason");
    assert!(why.contains("worker"), "{why}");
    let _worker = worker(&url, &dir.path().join("worker"), &[]);
    assert_eq!(said.last().expect("how it ended"), format!("{id} failed: ended with code 3"));
    assert_eq!(waits.wait().expect("it ends").code(), Some(3));
    let shown = stdout(&mainspring(&url, &["task", "get", id]));
    let (fields, attempts) = shown.split_once("\n\n").expect("two parts");
    assert!(!fields.contains("\nattempts "), "{shown}");
    assert!(attempts.starts_with("TRY  BEGAN"), "{shown}");
    assert!(attempts.contains("transient") && attempts.contains("code 3 · first · second"), "{shown}");
}

#[test]
fn a_server_that_is_not_there_is_explained() {
    for args in
        [&["stats"][..], &["task", "get", "task_019a88f0"], &["dead-letter", "list"], &["pool", "list"]]
    {
        let output = mainspring("http://127.0.0.1:1", args);
        let text = stderr(&output);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(5), ""), "{args:?}");
        assert!(text.contains("cannot be reached") && text.contains("MAINSPRING_SERVER"), "{args:?}: {text}");
    }
    let output = mainspring("localhost:7070", &["stats"]);
    assert!(stderr(&output).contains("write it as http://"), "{}", stderr(&output));
}

#[test]
fn a_task_is_amended_and_forced_and_a_process_is_shown() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let task = submitted(&url, &["--in", "2h"], &["true"]);
    let before = json_of(&url, &["task", "get", &task]);
    let change =
        ["task", "amend", &task, "--in", "5h", "--priority", "P0", "--payload", r#"{"argv":["false"]}"#];
    assert!(mainspring(&url, &change).status.success());
    let after = json_of(&url, &["task", "get", &task]);
    assert!(after["scheduled_at"].as_str() > before["scheduled_at"].as_str(), "{after:#}");
    assert_eq!(after["payload"]["argv"], json!(["false"]), "{after:#}");
    let nothing = mainspring(&url, &["task", "amend", &task]);
    assert_eq!(nothing.status.code(), Some(2), "{}", stderr(&nothing));

    let forced = json_of(&url, &["task", "force", &task, "skipped", "--reason", "not needed"]);
    assert_eq!(forced["state"], "skipped", "{forced}");
    assert_eq!(json_of(&url, &["task", "get", &task])["forced_by"]["reason"], "not needed");
    let late = mainspring(&url, &["task", "force", &task, "failed"]);
    assert_eq!(late.status.code(), Some(1), "{}", stderr(&late));

    let process = json_of(&url, &["task", "cancel", "--job", "none", "--yes"]);
    let shown = json_of(&url, &["operation", "get", &process["operation_id"].to_string()]);
    assert_eq!((&shown["operation_id"], &shown["state"]), (&process["operation_id"], &json!("ended")));
    let listed = json_of(&url, &["operation", "list"]);
    assert_eq!(listed["operations"][0]["verb"], "cancel_tasks", "{listed}");
    assert_eq!(mainspring(&url, &["operation", "cancel", "1"]).status.code(), Some(1), "it has ended");
    assert_eq!(mainspring(&url, &["operation", "get", "999"]).status.code(), Some(4));
}

#[test]
fn a_schedule_is_put_from_a_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &[]);
    let (job, file) = (dir.path().join("job.yaml"), dir.path().join("schedule.yaml"));
    fs::write(&job, "job: etl\ntasks:\n  a: {noop: {}}\n").expect("a file");
    fs::write(&file, "cron: '0 9 * * 1-5'\ntimezone: Europe/Berlin\n").expect("a file");
    assert!(mainspring(&url, &["apply", "-f", &job.to_string_lossy()]).status.success());
    let put = ["schedule", "put", "etl/morning", "-f", &file.to_string_lossy()];
    assert_eq!(json_of(&url, &put)["changed"], true);
    assert_eq!(json_of(&url, &put)["changed"], false, "the same content");
    let schedule = json_of(&url, &["schedule", "get", "etl"]);
    assert_eq!((&schedule["name"], &schedule["timezone"]), (&json!("morning"), &json!("Europe/Berlin")));
    fs::write(&file, "cron: nonsense\n").expect("a file");
    let bad = mainspring(&url, &put);
    assert_eq!(bad.status.code(), Some(1));
    assert!(stderr(&bad).contains("cron"), "{}", stderr(&bad));
    let none = mainspring(&url, &["schedule", "put", "none/x", "-f", &file.to_string_lossy()]);
    assert_eq!(none.status.code(), Some(4), "{}", stderr(&none));
}
