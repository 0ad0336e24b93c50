//! Programs as tasks, from a server double's side.

mod double;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use double::*;
use mainspring_agent::{AgentConfig, CgroupUse};
use mainspring_proto::streams::{LogStream, StreamFilter};
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use serde_json::json;

/// Each of these holds for processes that end with their agent and for those that survive it.
macro_rules! both_ways {
    ($($name:ident)*) => {
        mod bound { $(#[tokio::test] async fn $name() { super::$name(false).await; })* }
        mod kept { $(#[tokio::test] async fn $name() { super::$name(true).await; })* }
    };
}

both_ways! {
    a_program_is_told_who_it_is
    the_agents_environment_stays_with_the_agent
    arguments_are_never_read_by_a_shell
    endings_have_their_class
    a_stop_ends_the_whole_group
    a_polite_program_uses_its_grace_and_leaves_nothing_behind
    output_is_kept_up_to_its_cap
    a_running_program_speaks_through_its_control_directory
    what_a_program_used_comes_with_its_result
    a_program_that_needs_more_memory_than_it_may_says_so
    a_program_runs_as_the_user_it_names
    a_user_that_cannot_be_is_explained
}

async fn bench(kept: bool, change: impl FnOnce(&mut AgentConfig)) -> Connected {
    connected(|settings| {
        if kept {
            settings.keep_longer_than = Duration::ZERO;
        }
        change(settings);
    })
    .await
}

async fn a_program_is_told_who_it_is(kept: bool) {
    let mut bench = bench(kept, |_| ()).await;
    let text =
        r#"env | grep ^MAINSPRING_ | sort > "$MAINSPRING_CONTROL/output"; cat "$MAINSPRING_CHECKPOINT"; cat"#;
    let mut order = process(
        7,
        &json!({"argv": [text], "shell": true, "stdin": "from stdin", "env": {"MAINSPRING_FENCE": "forged"}}),
    );
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
    assert!(!bench.dir.path().join("attempts").exists(), "nothing is left to a successor");
}

async fn the_agents_environment_stays_with_the_agent(kept: bool) {
    let mut bench = bench(kept, |settings| settings.env_passed = vec!["PATH".into()]).await;
    bench.talk.start(process(1, &json!({"argv": ["env"], "env": {"OWN": "1"}}))).await;
    bench.talk.result().await;
    let log = String::from_utf8(bench.talk.log().await).expect("text");
    let foreign = log
        .lines()
        .filter(|line| !["PATH=", "OWN=", "MAINSPRING_", "PWD="].iter().any(|known| line.starts_with(known)));
    assert_eq!(foreign.count(), 0, "{log}");
    bench.worker.ended().await;
}

async fn arguments_are_never_read_by_a_shell(kept: bool) {
    let mut bench = bench(kept, |_| ()).await;
    let odd = [
        "a b",
        "$(id)",
        "`id`",
        "; id",
        "| id",
        "> x",
        "line\nbreak",
        "-n",
        "@file",
        "*",
        "\\",
        "'",
        "\"",
        "",
    ];
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

async fn endings_have_their_class(kept: bool) {
    let mut bench = bench(kept, |_| ()).await;
    let rows = [
        (script(1, "echo broken pipe >&2; exit 3"), "transient", 3, "ended with code 3\nbroken pipe"),
        (script(2, "exit 75"), "transient", 75, "ended with code 75"),
        (script(3, "exit 137"), "resource", 137, "was killed"),
        (script(4, "kill -9 $$"), "resource", 137, "was killed"),
        (
            script(5, "kill -11 $$"),
            "transient",
            139,
            if kept { "ended with code 139" } else { "was ended by signal 11" },
        ),
        (
            process(6, &json!({"argv": ["/no/such/program"]})),
            "permanent",
            0,
            "cannot start `/no/such/program`",
        ),
        (
            process(7, &json!({"argv": ["true"], "cwd": "/no/such/place"})),
            "permanent",
            0,
            "cannot start `true` in",
        ),
        (process(8, &json!({"argv": []})), "permanent", 0, "`argv` names no program"),
        (start(9, "process", "not json"), "permanent", 0, "not a payload of `process`"),
        (
            script(10, "head -c 300000 /dev/zero > $MAINSPRING_CONTROL/output"),
            "permanent",
            0,
            "the output is larger",
        ),
        (script(11, "mkfifo $MAINSPRING_CONTROL/output"), "permanent", 0, "cannot read the output"),
        (
            script(13, "cd $MAINSPRING_CONTROL; echo x > a; ln a output"),
            "permanent",
            0,
            "cannot read the output",
        ),
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

async fn a_stop_ends_the_whole_group(kept: bool) {
    let mut bench = bench(kept, |_| ()).await;
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

async fn a_polite_program_uses_its_grace_and_leaves_nothing_behind(kept: bool) {
    let mut bench = bench(kept, |_| ()).await;
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
    // The shell may say on stderr that its `sleep` was terminated, before or after.
    let log = StreamFilter::new(LogStream::All).take(bench.talk.log().await.into());
    let log = String::from_utf8(log.into()).expect("text");
    assert!(log.lines().any(|line| line == "bye"), "{log}");
    soon("their end", async {
        while pids.split(' ').any(is_alive) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    bench.worker.ended().await;
}

async fn output_is_kept_up_to_its_cap(kept: bool) {
    let mut bench = bench(kept, |settings| settings.log_bytes_max = 300_000).await;
    bench.talk.start(script(1, "yes 0123456789 | head -c 5000000; echo end >&2; exit 1")).await;
    let result = bench.talk.result().await;
    let (class, code, message) = failure(&result);
    assert_eq!((class, code), ("transient", 1), "it did not hang on a full pipe");
    assert!(message.ends_with("end"), "{message}");
    let log = bench.talk.log().await;
    let note = b"\n[mainspring: output cut at 300000 bytes]\n";
    assert_eq!(log.len(), 300_000 + note.len());
    assert!(log.ends_with(note));
    let name = "task_00000000000000000000000000000001-1.log";
    let kept = std::fs::read(bench.dir.path().join("logs").join(name)).expect("the log");
    assert!(kept == log, "the same on disk");
    bench.worker.ended().await;
}

async fn a_running_program_speaks_through_its_control_directory(kept: bool) {
    let mut bench = bench(kept, |_| ()).await;
    let text = r#"
        cd "$MAINSPRING_CONTROL"
        put() { printf %s "$2" > next; mv next "$1"; while [ -e "$1" ]; do sleep 0.01; done; }
        put progress "2 of 3"; put progress ""; put extend 1500; put checkpoint "page 3"
        ln -s /etc/passwd checkpoint; while :; do sleep 0.01; done
    "#;
    let order = script(1, text);
    bench.talk.start(order.clone()).await;
    bench.talk.report_where(|what| matches!(what, What::Progress(text) if text == "2 of 3")).await;
    bench.talk.report_where(|what| matches!(what, What::Progress(text) if text.is_empty())).await;
    bench.talk.report_where(|what| matches!(what, What::ExtendMs(1500))).await;
    bench.talk.report_where(|what| matches!(what, What::Checkpoint(bytes) if bytes == b"page 3")).await;
    let Connected { talk, worker, dir: _dir, mut server } = bench;
    drop(talk);
    // A new session hears of the checkpoint again.
    let mut talk = server.session().await;
    talk.report_where(|what| matches!(what, What::Checkpoint(bytes) if bytes == b"page 3")).await;
    talk.report_where(|what| matches!(what, What::Progress(text) if text == "2 of 3")).await;
    talk.stop(&order, 0, "cancel").await;
    let details = talk.result().await.details.expect("how far it came");
    assert_eq!(details.progress.as_deref(), Some("2 of 3"));
    worker.ended().await;
}

async fn what_a_program_used_comes_with_its_result(kept: bool) {
    const BYTES: u64 = 300 << 20;
    let mut bench = bench(kept, |_| ()).await;
    // What it is not to print yet, `tail` keeps in memory.
    bench.talk.start(script(1, &format!("head -c {BYTES} /dev/zero | tail -c {BYTES} | wc -c"))).await;
    let details = bench.talk.result().await.details.expect("what it used");
    let peak = details.memory_peak_bytes.expect("more than the agent ever had");
    assert!((BYTES..2 * BYTES).contains(&peak), "{peak}");
    assert!((1..60_000).contains(&details.cpu_ms.expect("known of each that was started here")));
    bench.talk.start(start(2, "noop", "")).await;
    assert_eq!(bench.talk.result().await.details, None);
    bench.worker.ended().await;
}

#[tokio::test]
async fn the_next_agent_ends_what_a_killed_one_left() {
    let bench = bench(false, |_| ()).await;
    let pids = bench.dir.path().join("pids");
    let text = format!("echo $$ > {}; while :; do sleep 1; done", pids.display());
    bench.talk.start(script(1, &text)).await;
    let pid = written(&pids).await;
    assert!(is_alive(&pid));
    // What kill -9 leaves behind, as far as files go: the place of a process that runs.
    let bound = bench.dir.path().join("attempts/bound");
    let copy = bench.dir.path().join("copy");
    soon("the place", async {
        while !std::fs::read_to_string(&bound).is_ok_and(|text| text.starts_with(&pid)) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    std::fs::create_dir_all(copy.join("attempts")).expect("a directory");
    std::fs::copy(&bound, copy.join("attempts/bound")).expect("copied");
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

#[tokio::test]
async fn what_nobody_else_may_do_ends_before_the_lease() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut server = Server::start();
    let worker = Worker::spawn(config(&server.url(), dir.path()));
    let mut talk = server.session_with(1_200).await;
    let pids = [1, 2].map(|number| dir.path().join(format!("pid{number}")));
    for (number, pid) in (1..).zip(&pids) {
        let mut order = script(number, &format!("echo $$ > {}; exec sleep 60", pid.display()));
        order.exclusive = number == 1;
        talk.start(order).await;
    }
    let [alone, other] = [written(&pids[0]).await, written(&pids[1]).await];
    // From here on the server is heard no more.
    soon("the end of the exclusive one", async {
        while is_alive(&alone) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(is_alive(&other), "work without limits goes on");
    let result = talk.result().await;
    let (class, _, message) = failure(&result);
    assert_eq!(class, "worker_lost", "{message}");
    assert!(message.contains("not heard for most of a lease"), "{message}");
    worker.ended().await;
}

/// Says where it is, waits to be let go, and leaves an output.
fn patient(pid: &Path, go: &Path) -> v1::Start {
    let text = format!(
        "echo one; echo $$ > {}; until [ -e {} ]; do sleep 0.01; done; echo two; echo fine > $MAINSPRING_CONTROL/output",
        pid.display(),
        go.display()
    );
    process(1, &json!({"argv": [text], "shell": true, "keep": true}))
}

#[tokio::test]
async fn the_next_agent_adopts_what_was_kept() {
    let Connected { talk, worker, dir, mut server } = bench(false, |_| ()).await;
    let (pid, go) = (dir.path().join("pid"), dir.path().join("go"));
    talk.start(patient(&pid, &go)).await;
    let pid = written(&pid).await;
    worker.kill().await;
    drop(talk);
    let worker = Worker::spawn(config(&server.url(), dir.path()));
    let mut talk = server.session().await;
    assert_eq!(talk.hello.holding.len(), 1, "the new life holds what the old one began");
    assert!(is_alive(&pid), "it was not disturbed");
    std::fs::write(&go, "").expect("written");
    assert_eq!(success(&talk.result().await).as_deref(), Some(&b"fine\n"[..]));
    assert_eq!(talk.log().await, b"one\ntwo\n", "the whole log, from its beginning");
    worker.ended().await;
}

#[tokio::test]
async fn what_ended_without_an_agent_is_reported_by_the_next() {
    let Connected { talk, worker, dir, mut server } = bench(false, |_| ()).await;
    let (pid, go) = (dir.path().join("pid"), dir.path().join("go"));
    talk.start(patient(&pid, &go)).await;
    let pid = written(&pid).await;
    worker.kill().await;
    drop(talk);
    std::fs::write(&go, "").expect("written");
    soon("its end", async {
        while is_alive(&pid) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let worker = Worker::spawn(config(&server.url(), dir.path()));
    let mut talk = server.session().await;
    assert_eq!(success(&talk.result().await).as_deref(), Some(&b"fine\n"[..]));
    worker.ended().await;
}

#[tokio::test]
async fn an_upgrade_leaves_what_was_kept_and_can_stop_it_later() {
    let Connected { mut talk, worker, dir, mut server } =
        bench(false, |settings| settings.leave_kept = true).await;
    let (pid, go) = (dir.path().join("pid"), dir.path().join("go"));
    let order = patient(&pid, &go);
    talk.start(order.clone()).await;
    let pid = written(&pid).await;
    talk.report_where(|what| matches!(what, What::Accepted(_))).await;
    worker.ended().await;
    assert!(is_alive(&pid));
    let worker = Worker::spawn(config(&server.url(), dir.path()));
    drop(talk);
    let mut talk = server.session().await;
    talk.stop(&order, 5_000, "cancel").await;
    let result = talk.result().await;
    assert_eq!(failure(&result), ("cancelled", 143, "stopped: cancel"));
    assert!(!is_alive(&pid));
    worker.ended().await;
}

/// A directory of plain files, as a cgroup file system that was delegated; a test's program plays the kernel.
fn cgroup_fs() -> tempfile::TempDir {
    let fs = tempfile::tempdir().expect("a directory");
    std::fs::write(fs.path().join("cgroup.controllers"), "cpu memory pids\n").expect("written");
    fs
}

/// The directories of attempts.
fn cgroups_in(fs: &Path) -> Vec<PathBuf> {
    let dirs = |path: &Path| {
        let entries = std::fs::read_dir(path).expect("a directory").flatten().map(|entry| entry.path());
        entries.filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    dirs(fs).iter().flat_map(|worker| dirs(worker)).collect()
}

async fn a_program_that_needs_more_memory_than_it_may_says_so(kept: bool) {
    let fs = cgroup_fs();
    let under = CgroupUse::Under(fs.path().to_owned());
    let mut bench = bench(kept, |settings| settings.cgroups = under).await;
    let text = r#"cd "$BASE"/mainspring-*/"$MAINSPRING_TASK_ID"-*; cat cgroup.procs; echo 2097152 > memory.peak; printf 'usage_usec 1234567\nuser_usec 1\n' > cpu.stat; printf 'oom 1\noom_kill 1\n' > memory.events; kill -9 $$"#;
    let limits = json!({"processes": 8});
    let payload = json!({"argv": [text], "shell": true, "env": {"BASE": fs.path()}, "limits": limits});
    let mut order = process(1, &payload);
    order.resources = Some(v1::Resources { cpu_milli: 250, memory_bytes: 1 << 20, ..Default::default() });
    order.memory_bytes = 3 << 20;
    bench.talk.start(order).await;

    let report = bench.talk.result().await;
    let (class, code, message) = failure(&report);
    assert_eq!((class, code), ("resource", 137), "{message}");
    assert!(message.contains("its limit of 3145728 bytes of memory"), "{message}");
    let details = report.details.clone().expect("what it used");
    assert_eq!((details.memory_peak_bytes, details.cpu_ms), (Some(2 << 20), Some(1235)));
    assert_eq!(bench.talk.log().await.first(), Some(&b'0'), "it was in before it ran");
    let dir = cgroups_in(fs.path()).pop().expect("the attempt's");
    let read = |file| std::fs::read_to_string(dir.join(file)).unwrap_or_default();
    assert_eq!(read("cpu.max"), "25000 100000");
    assert_eq!(read("pids.max"), if kept { "9" } else { "8" }, "the waiting shell is one more");
    assert_eq!(read("cgroup.kill"), "1", "nothing of it is left");
    bench.worker.ended().await;
}

#[tokio::test]
async fn a_program_without_limits_gets_no_cgroup() {
    let fs = cgroup_fs();
    let under = CgroupUse::Under(fs.path().to_owned());
    let mut bench = bench(false, |settings| settings.cgroups = under).await;
    bench.talk.start(process(1, &json!({"argv": ["true"]}))).await;
    success(&bench.talk.result().await);
    assert_eq!(cgroups_in(fs.path()), Vec::<PathBuf>::new());
    bench.worker.ended().await;
}

#[tokio::test]
async fn the_next_agent_finds_the_cgroup_of_what_it_adopts() {
    let fs = cgroup_fs();
    let under = CgroupUse::Under(fs.path().to_owned());
    let Connected { talk, worker, dir, mut server } =
        bench(false, |settings| settings.cgroups = under.clone()).await;
    let (pid, go) = (dir.path().join("pid"), dir.path().join("go"));
    let text = format!(
        "echo $$ > {}; until [ -e {} ]; do sleep 0.01; done; cd \"$BASE\"/mainspring-*/\"$MAINSPRING_TASK_ID\"-*; \
         printf 'oom 1\\noom_kill 1\\n' > memory.events; kill -9 $$",
        pid.display(),
        go.display()
    );
    let payload = json!({"argv": [text], "shell": true, "keep": true, "env": {"BASE": fs.path()}});
    let mut order = process(1, &payload);
    order.memory_bytes = 3 << 20;
    talk.start(order).await;
    let pid = written(&pid).await;
    let kept = cgroups_in(fs.path()).pop().expect("the attempt's");
    worker.kill().await;
    drop(talk);
    // Of an attempt that nobody kept.
    let lost = kept.with_file_name("task_00000000000000000000000000000002-7");
    std::fs::create_dir(&lost).expect("a directory");

    let worker = Worker::spawn(AgentConfig { cgroups: under, ..config(&server.url(), dir.path()) });
    let mut talk = server.session().await;
    assert!(is_alive(&pid));
    let was_told_to_end = |dir: &Path| std::fs::read_to_string(dir.join("cgroup.kill")).is_ok();
    assert!(was_told_to_end(&lost));
    assert!(!was_told_to_end(&kept), "it was not disturbed");
    std::fs::write(&go, "").expect("written");
    let report = talk.result().await;
    let (class, code, message) = failure(&report);
    assert_eq!((class, code), ("resource", 137), "{message}");
    assert!(message.contains("its limit of 3145728 bytes of memory"), "{message}");
    assert!(was_told_to_end(&kept), "nothing of it is left");
    worker.ended().await;
}

/// What a program of that user says about itself.
async fn identity(bench: &mut Connected, number: u128, user: &str) -> (String, String) {
    let text = r#"pwd; echo "HOME=$HOME USER=$USER"; echo "$(id -u) $(id -g) $(id -G)" > "$MAINSPRING_CONTROL/output""#;
    let payload = json!({"argv": [text], "shell": true, "user": user, "stdin": "", "cwd": "/"});
    bench.talk.start(process(number, &payload)).await;
    let output = success(&bench.talk.result().await).expect("an output");
    let log = bench.talk.log().await;
    bench.talk.logs.clear();
    (String::from_utf8(output).expect("text"), String::from_utf8(log).expect("text"))
}

async fn a_program_runs_as_the_user_it_names(kept: bool) {
    if !rustix::process::geteuid().is_root() {
        return println!("left out: not root");
    }
    let mut bench = bench(kept, |_| ()).await;
    std::fs::set_permissions(bench.dir.path(), Permissions::from_mode(0o755)).expect("open to all");
    let told = std::process::Command::new("sh")
        .args(["-c", r#"echo "$(id -u nobody) $(id -g nobody) $(id -G nobody)""#])
        .output()
        .expect("`id` runs");
    let nobody = String::from_utf8(told.stdout).expect("text");
    let (found, log) = identity(&mut bench, 1, "nobody").await;
    assert_eq!(found, nobody);
    assert!(log.starts_with("/\nHOME=/") && log.ends_with(" USER=nobody\n"), "{log}");
    let (found, log) = identity(&mut bench, 2, "12345:54321").await;
    assert_eq!((found.as_str(), log.as_str()), ("12345 54321 54321\n", "/\nHOME= USER=\n"));

    // Others' things are closed to it: where it works, and the agent's own.
    let closed = bench.dir.path().join("closed");
    std::fs::create_dir(&closed).expect("a directory");
    std::fs::set_permissions(&closed, Permissions::from_mode(0o700)).expect("closed");
    bench.talk.start(process(3, &json!({"argv": ["true"], "user": "nobody", "cwd": closed}))).await;
    let report = bench.talk.result().await;
    let (class, _, message) = failure(&report);
    assert_eq!(class, "permanent", "{message}");
    let text = r#"ls "$MAINSPRING_CONTROL/.." && exit 1; true"#;
    bench.talk.start(process(4, &json!({"argv": [text], "shell": true, "user": "nobody"}))).await;
    success(&bench.talk.result().await);
    bench.worker.ended().await;
}

async fn a_user_that_cannot_be_is_explained(kept: bool) {
    let mut bench = bench(kept, |_| ()).await;
    let not_root = (!rustix::process::geteuid().is_root()).then_some("the worker is not root");
    let rows = [
        ("no-such-user", "this machine has no user `no-such-user`"),
        ("3999999999", "give its group too, as `uid:gid`"),
        ("4294967295:1", "is no user"),
        ("+1:1", "is no user"),
        ("root:root", "is no user"),
    ];
    let rows = rows.into_iter().chain(not_root.map(|why| ("3999999999:1", why)));
    for (number, (user, why)) in (1..).zip(rows) {
        bench.talk.start(process(number, &json!({"argv": ["true"], "user": user}))).await;
        let report = bench.talk.result().await;
        let (class, _, message) = failure(&report);
        assert_eq!(class, "permanent", "{message}");
        assert!(message.contains(why), "{message}");
    }
    bench.worker.ended().await;
}
