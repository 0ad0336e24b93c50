//! Programs as tasks, from a server double's side.

mod double;

use std::path::Path;

use double::*;
use mainspring_agent::AgentConfig;
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use serde_json::{Value, json};

struct Bench {
    talk: Talk,
    worker: Worker,
    dir: tempfile::TempDir,
    _server: Server,
}

async fn bench(change: impl FnOnce(&mut AgentConfig)) -> Bench {
    let dir = tempfile::tempdir().expect("a directory");
    let mut server = Server::start().await;
    let mut settings = config(&server.url(), dir.path());
    change(&mut settings);
    let worker = Worker::spawn(settings);
    let talk = server.session().await;
    Bench { talk, worker, dir, _server: server }
}

fn process(number: u128, payload: &Value) -> v1::Start {
    start(number, "process", &payload.to_string())
}

fn script(number: u128, text: &str) -> v1::Start {
    process(number, &json!({"argv": [text], "shell": true}))
}

/// Waits without a clock of its own: the file is written by a process under test.
async fn written(path: &Path) -> String {
    soon("a file", async {
        loop {
            match std::fs::read_to_string(path) {
                Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
                _ => tokio::task::yield_now().await,
            }
        }
    })
    .await
}

fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}

#[tokio::test]
async fn a_program_is_told_who_it_is() {
    let mut bench = bench(|_| ()).await;
    let text = r#"env | grep ^MAINSPRING_ | sort > "$MAINSPRING_CONTROL/output"; cat "$MAINSPRING_CHECKPOINT"; cat"#;
    let mut order = process(7, &json!({"argv": [text], "shell": true, "stdin": "from stdin", "env": {"MAINSPRING_FENCE": "forged"}}));
    order.attempt = 3;
    order.hard_timeout_ms = 60_000;
    order.checkpoint = Some(b"page 12;".to_vec());
    bench.talk.start(order).await;
    let output = success(&bench.talk.result().await).expect("an output");
    let output = String::from_utf8(output).expect("text");
    let task = "task_00000000000000000000000000000007";
    for line in [
        "MAINSPRING_ATTEMPT=3".to_owned(),
        format!("MAINSPRING_FENCE={}", 1_u64 << 32 | 1),
        format!("MAINSPRING_IDEMPOTENCY_KEY={task}"),
        format!("MAINSPRING_TASK_ID={task}"),
        "MAINSPRING_TENANT=acme".to_owned(),
        "MAINSPRING_JOB=nightly".to_owned(),
    ] {
        assert!(output.lines().any(|found| found == line), "{line} in {output}");
    }
    assert!(output.contains("MAINSPRING_DEADLINE_MS="));
    assert_eq!(bench.talk.log().await, b"page 12;from stdin");
    bench.worker.ended().await;
    let left = std::fs::read_dir(bench.dir.path().join("attempts")).expect("the directory").count();
    assert_eq!(left, 0, "control directories are removed");
}

#[tokio::test]
async fn the_agents_environment_stays_with_the_agent() {
    let mut bench = bench(|settings| settings.env_passed = vec!["PATH".into()]).await;
    bench.talk.start(process(1, &json!({"argv": ["env"], "env": {"OWN": "1"}}))).await;
    bench.talk.result().await;
    let log = String::from_utf8(bench.talk.log().await).expect("text");
    let foreign =
        log.lines().filter(|line| !["PATH=", "OWN=", "MAINSPRING_"].iter().any(|known| line.starts_with(known)));
    assert_eq!(foreign.count(), 0, "{log}");
    bench.worker.ended().await;
}

#[tokio::test]
async fn arguments_are_never_read_by_a_shell() {
    let mut bench = bench(|_| ()).await;
    let odd = ["a b", "$(id)", "`id`", "; id", "| id", "> x", "line\nbreak", "-n", "@file", "*", "\\", "'", "\"", ""];
    let argv: Vec<&str> = ["printf", "%s\\0"].into_iter().chain(odd).collect();
    bench.talk.start(process(1, &json!({"argv": argv}))).await;
    bench.talk.result().await;
    let log = bench.talk.log().await;
    let seen: Vec<&[u8]> = log.split(|byte| *byte == 0).collect();
    let expected: Vec<&[u8]> = odd.iter().map(|text| text.as_bytes()).chain([&b""[..]]).collect();
    assert_eq!(seen, expected);

    bench.talk.start(process(2, &json!({"argv": ["true", "nul\0byte"]}))).await;
    assert_eq!(failure(&bench.talk.result().await).0, "permanent");
    bench.worker.ended().await;
}

#[tokio::test]
async fn endings_have_their_class() {
    let mut bench = bench(|_| ()).await;
    let rows = [
        (script(1, "echo broken pipe >&2; exit 3"), "transient", 3, "ended with code 3\nbroken pipe"),
        (script(2, "exit 75"), "transient", 75, "ended with code 75"),
        (script(3, "exit 137"), "resource", 137, "was killed"),
        (script(4, "kill -9 $$"), "resource", 137, "was killed"),
        (script(5, "kill -11 $$"), "transient", 139, "was ended by signal 11"),
        (process(6, &json!({"argv": ["/no/such/program"]})), "permanent", 0, "cannot start `/no/such/program`"),
        (process(7, &json!({"argv": ["true"], "cwd": "/no/such/place"})), "permanent", 0, "cannot start `true` in"),
        (process(8, &json!({"argv": []})), "permanent", 0, "`argv` names no program"),
        (start(9, "process", "not json"), "permanent", 0, "not a payload of `process`"),
        (script(10, "head -c 300000 /dev/zero > $MAINSPRING_CONTROL/output"), "permanent", 0, "the output is larger"),
        (script(11, "mkfifo $MAINSPRING_CONTROL/output"), "permanent", 0, "cannot read the output"),
        (
            process(12, &json!({"argv": ["ulimit -n; exit 4"], "shell": true, "limits": {"open_files": 64}})),
            "transient",
            4,
            "ended with code 4",
        ),
    ];
    for (order, class, code, message) in rows {
        bench.talk.start(order).await;
        let result = bench.talk.result().await;
        let found = failure(&result);
        assert_eq!((found.0, found.1), (class, code), "{}", found.2);
        assert!(found.2.starts_with(message), "{}", found.2);
    }
    while !bench.talk.logs.iter().any(|chunk| chunk.bytes == b"64\n") {
        assert!(bench.talk.hear().await, "the limit was shown");
    }
    bench.worker.ended().await;
}

#[tokio::test]
async fn a_stop_ends_the_whole_group() {
    let mut bench = bench(|_| ()).await;
    let pids = bench.dir.path().join("pids");
    // The leader ignores SIGTERM, and so does its grandchild: only SIGKILL of the group ends both.
    let text = format!(
        "trap '' TERM; sh -c 'trap \"\" TERM; while :; do sleep 1; done' & echo $$ $! > {}; while :; do sleep 1; done",
        pids.display()
    );
    let order = script(1, &text);
    bench.talk.start(order.clone()).await;
    let pids = written(&pids).await;
    bench.talk.stop(&order, 50, "hard_timeout").await;
    let result = bench.talk.result().await;
    assert_eq!(failure(&result), ("timeout", 137, "stopped: hard_timeout"));
    soon("their end", async {
        while pids.split(' ').any(is_alive) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    bench.worker.ended().await;
}

#[tokio::test]
async fn a_polite_program_uses_its_grace_and_leaves_nothing_behind() {
    let mut bench = bench(|_| ()).await;
    let pids = bench.dir.path().join("pids");
    let text = format!(
        "(trap '' TERM; exec sleep 3600) >/dev/null 2>&1 & trap 'echo bye; exit 0' TERM; echo $$ $! > {}; while :; do sleep 0.01; done",
        pids.display()
    );
    let order = script(1, &text);
    bench.talk.start(order.clone()).await;
    let pids = written(&pids).await;
    bench.talk.stop(&order, 3_600_000, "cancel").await;
    let result = bench.talk.result().await;
    assert_eq!(failure(&result), ("cancelled", 0, "stopped: cancel"), "asked to stop is not success");
    assert_eq!(bench.talk.log().await, b"bye\n");
    soon("their end", async {
        while pids.split(' ').any(is_alive) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    bench.worker.ended().await;
}

#[tokio::test]
async fn output_is_kept_up_to_its_cap() {
    let mut bench = bench(|settings| settings.log_bytes_max = 300_000).await;
    bench.talk.start(script(1, "yes 0123456789 | head -c 5000000; echo end >&2; exit 1")).await;
    let result = bench.talk.result().await;
    assert_eq!(failure(&result), ("transient", 1, "ended with code 1\nend"), "it did not hang on a full pipe");
    let log = bench.talk.log().await;
    let note = b"\n[mainspring: output cut at 300000 bytes]\n";
    assert_eq!(log.len(), 300_000 + note.len());
    assert!(log.ends_with(note));
    let name = "task_00000000000000000000000000000001-1.log";
    let kept = std::fs::read(bench.dir.path().join("logs").join(name)).expect("the log");
    assert!(kept == log, "the same on disk");
    bench.worker.ended().await;
}

#[tokio::test]
async fn a_running_program_speaks_through_its_control_directory() {
    let mut bench = bench(|_| ()).await;
    let text = r#"
        cd "$MAINSPRING_CONTROL"
        put() { printf %s "$2" > next; mv next "$1"; while [ -e "$1" ]; do sleep 0.01; done; }
        put progress ""; put extend 1500; put checkpoint "page 3"
        ln -s /etc/passwd checkpoint; while :; do sleep 0.01; done
    "#;
    let order = script(1, text);
    bench.talk.start(order.clone()).await;
    bench.talk.report_where(|what| matches!(what, What::Progress(true))).await;
    bench.talk.report_where(|what| matches!(what, What::ExtendMs(1500))).await;
    bench.talk.report_where(|what| matches!(what, What::Checkpoint(bytes) if bytes == b"page 3")).await;
    let Bench { talk, worker, dir: _dir, _server: mut server } = bench;
    drop(talk);
    // A new session hears of the checkpoint again.
    let mut talk = server.session().await;
    talk.report_where(|what| matches!(what, What::Checkpoint(bytes) if bytes == b"page 3")).await;
    talk.stop(&order, 0, "cancel").await;
    talk.result().await;
    worker.ended().await;
}

#[tokio::test]
async fn the_next_agent_ends_what_a_killed_one_left() {
    let bench = bench(|_| ()).await;
    let pids = bench.dir.path().join("pids");
    let text = format!("echo $$ > {}; while :; do sleep 1; done", pids.display());
    bench.talk.start(script(1, &text)).await;
    let pid = written(&pids).await;
    assert!(is_alive(&pid));
    // What kill -9 leaves behind, as far as files go: the record of a process that runs.
    let kept = bench.dir.path().join("attempts");
    let copy = bench.dir.path().join("copy");
    let attempt = std::fs::read_dir(&kept).expect("attempts").next().expect("one").expect("an entry").path();
    soon("the record", async {
        while std::fs::read_to_string(attempt.join(".process")).map_or(true, |text| text.is_empty()) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    std::fs::create_dir_all(copy.join("attempts/x")).expect("a directory");
    std::fs::copy(attempt.join(".process"), copy.join("attempts/x/.process")).expect("copied");
    let next = Worker::spawn(config("http://127.0.0.1:1", &copy));
    soon("its end", async {
        while is_alive(&pid) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    next.ended().await;
    bench.worker.ended().await;
}
