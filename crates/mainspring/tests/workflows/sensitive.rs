//! Sensitive parameters through the real binary: what programs write, what commands print, and what the server logs.

use std::io::Read;
use std::process::Command;

use crate::support::{ANY_PORT, BINARY, json_of, listening, mainspring, stderr, stdout, worker};

const SECRET: &str = "correct-horse-battery";

#[test]
fn no_log_and_no_command_shows_a_sensitive_value() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(BINARY);
    command.args(["server", "--listen", ANY_PORT, "--log", "debug", "--data"]).arg(dir.path().join("data"));
    let (mut server, address, mut log) = listening(&mut command);
    let log = std::thread::spawn(move || {
        let mut text = String::new();
        log.read_to_string(&mut text).map(|_| text)
    });
    let _worker = worker(&address, &dir.path().join("worker"), &[]);
    let (ledger, file) = (dir.path().join("ledger"), dir.path().join("job.yaml"));
    let script = format!(
        "printf %s \"$TOKEN\" >> {}; echo out $TOKEN; printf cut-%.7s \"$TOKEN\"; sleep 0.2; printf %s \"$TOKEN\" >&2; \
         printf '{{\"seen\": \"%s\"}}' \"$TOKEN\" > \"$MAINSPRING_CONTROL/output\"",
        ledger.display()
    );
    let job = format!(
        "job: deploy\nparameters: {{token: {{sensitive: true}}}}\ntasks:\n  use:\n    run: [sh, -c, '{}']\n    \
         env: {{TOKEN: '{{{{ params.token }}}}'}}\n  fail:\n    needs: use\n    retries: 0\n    \
         run: [sh, -c, 'echo broken {{{{ params.token }}}}; exit 3']\n",
        script.replace('\'', "''")
    );
    std::fs::write(&file, job).expect("a file");
    let applied = mainspring(&address, &["apply", "-f", &file.to_string_lossy()]);
    assert!(applied.status.success(), "{}", stderr(&applied));
    let parameter = format!("token={SECRET}");
    let run = json_of(&address, &["job", "trigger", "deploy", "-p", &parameter]);
    let id = run["run_id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned();
    let ended = json_of(&address, &["run", "watch", &id]);
    assert_eq!(ended["state"], "failed", "{ended:#}");
    assert_eq!(std::fs::read_to_string(&ledger).expect("written"), SECRET, "the program had it");

    let logs = mainspring(&address, &["run", "logs", &id]);
    let text = stdout(&logs);
    assert!(text.contains("out ***") && text.contains("broken ***"), "{text}");
    let use_id = ended["tasks"][0]["task_id"].as_str().expect("an id").to_owned();
    // What may be the beginning of a value waits for what comes next in its own stream.
    let of = |stream: &str| stdout(&mainspring(&address, &["task", "logs", &use_id, "--stream", stream]));
    assert_eq!((of("stdout"), of("stderr")), ("out ***\ncut-correct".to_owned(), "***".to_owned()));
    let fail_id = ended["tasks"][1]["task_id"].as_str().expect("an id").to_owned();
    let commands: [&[&str]; 12] = [
        &["run", "get", &id],
        &["run", "get", &id, "-o", "json"],
        &["run", "list", "-o", "json"],
        &["run", "diagnose", &id],
        &["run", "logs", &id],
        &["task", "get", &use_id, "-o", "json"],
        &["task", "get", &fail_id, "-o", "json"],
        &["task", "history", &fail_id],
        &["task", "list", "--run", &id, "-o", "json"],
        &["task", "logs", &fail_id],
        &["dead-letter", "list", "-o", "json"],
        &["attention", "-o", "json"],
    ];
    for command in commands {
        let output = mainspring(&address, command);
        let printed = format!("{}{}", stdout(&output), stderr(&output));
        assert!(!printed.is_empty() && !printed.contains(SECRET), "{command:?}: {printed}");
    }
    let again = json_of(&address, &["run", "rerun", &id]);
    let again = json_of(&address, &["run", "watch", again["run_id"].as_str().expect("an id")]);
    assert_eq!(again["state"], "failed");
    assert_eq!(std::fs::read_to_string(&ledger).expect("written"), SECRET.repeat(2), "the rerun had it too");
    server.0.kill().expect("it is killed");
    server.0.wait().expect("it is gone");
    let log = log.join().expect("read").expect("text");
    assert!(log.contains("deploy") || !log.is_empty(), "the server logs something");
    assert!(!log.contains(SECRET), "{log}");
}
