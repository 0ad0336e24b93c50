//! Who gets in: servers that others can reach, as processes.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{ANY_PORT, BINARY, Running, command, json, server, stderr, stdout, until};

const TOKEN: &str = "0123456789abcdef-canary-0123456789abcdef";
const EVERYWHERE: &str = "0.0.0.0:0";

fn token_file(dir: &Path, mode: u32) -> PathBuf {
    let path = dir.join(format!("token-{mode:o}"));
    fs::write(&path, format!("{TOKEN}\n")).expect("written");
    fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("set");
    path
}

#[test]
fn a_server_that_others_can_reach_does_not_start_without_a_token() {
    let dir = tempfile::tempdir().expect("a directory");
    let (readable, short) = (token_file(dir.path(), 0o644), dir.path().join("short"));
    fs::write(&short, "secret\n").expect("written");
    fs::set_permissions(&short, PermissionsExt::from_mode(0o600)).expect("set");
    let (readable, short) = (readable.display().to_string(), short.display().to_string());
    let rows: [(&[&str], &str); 6] = [
        (&["server", "--listen", EVERYWHERE], "--token-file"),
        (&["server", "--listen", "[::]:0"], "--token-file"),
        (&["dev", "--listen", EVERYWHERE], "--token-file"),
        (&["server", "--listen", EVERYWHERE, "--token-file", &readable], "chmod 600"),
        (&["server", "--listen", EVERYWHERE, "--token-file", &short], "a token is"),
        (&["server", "--listen", ANY_PORT, "--token-file", "/nowhere"], "cannot read the token"),
    ];
    for (args, wrong) in rows {
        let output = Command::new(BINARY).args(args).arg("--data").arg(dir.path().join("data")).output();
        let output = output.expect("the binary runs");
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {told}");
        assert!(told.contains(wrong) && !told.contains("listening"), "{args:?}: {told}");
        assert!(!told.contains(TOKEN), "{told}");
    }
}

#[test]
fn an_insecure_server_says_so_for_as_long_as_it_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    let log = dir.path().join("log");
    let child = Command::new(BINARY)
        .args(["server", "--listen", EVERYWHERE, "--insecure", "--data"])
        .arg(dir.path().join("data"))
        .stderr(fs::File::create(&log).expect("a file"))
        .spawn();
    let _server = Running(child.expect("the binary starts"));
    let said = || fs::read_to_string(&log).unwrap_or_default();
    until("it warns", || said().contains("warning: --insecure"));
    let said = said();
    let url = said.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");
    let ready = get(url.trim_end_matches(','), "/readyz");
    assert!(ready.contains(r#""insecure":true"#), "{ready}");

    let (_server, url) = server(&dir.path().join("other"), ANY_PORT, &["--insecure"]);
    let ready = get(&url, "/readyz");
    assert!(
        ready.contains("ready") && !ready.contains("insecure"),
        "on loopback there is nothing to say: {ready}"
    );
}

/// A plain request, without a token.
fn get(url: &str, path: &str) -> String {
    use std::io::{Read, Write};
    let address = url.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(address).expect("connects");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn the_token_opens_everything_and_is_in_no_log() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = token_file(dir.path(), 0o600);
    let file = file.to_str().expect("a path");
    let log = dir.path().join("log");
    let logged = || Stdio::from(fs::File::options().create(true).append(true).open(&log).expect("a file"));
    let said = || fs::read_to_string(&log).unwrap_or_default();
    let child = Command::new(BINARY)
        .args(["server", "--listen", EVERYWHERE, "--token-file", file, "--log", "trace", "--data"])
        .arg(dir.path().join("data"))
        .stderr(logged())
        .spawn();
    let _server = Running(child.expect("the binary starts"));
    until("it listens", || said().contains("listening on"));
    let url = said().split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned);
    let url = url.expect("an address").trim_end_matches(',').to_owned();

    let refused = command(&url, &["stats"]).output().expect("runs");
    assert!(!refused.status.success() && stderr(&refused).contains("the token is missing or wrong"));
    assert!(stderr(&refused).contains("MAINSPRING_TOKEN"), "{}", stderr(&refused));
    let wrong =
        command(&url, &["stats"]).env("MAINSPRING_TOKEN", TOKEN.to_uppercase()).output().expect("runs");
    assert!(!wrong.status.success() && !stderr(&wrong).contains(TOKEN));
    assert!(get(&url, "/readyz").contains("200 OK") && get(&url, "/metrics").contains("401"));

    let worker = |state: &str| {
        let mut worker = Command::new(BINARY);
        worker.args(["worker", "--server", &url, "--slots", "2", "--log", "trace", "--state"]);
        worker.arg(dir.path().join(state)).stderr(logged());
        worker
    };
    let stranger = Running(worker("stranger").spawn().expect("starts"));
    until("a worker without it is refused", || said().contains("the server refused this worker"));
    drop(stranger);
    let _by_file = Running(worker("by-file").args(["--token-file", file]).spawn().expect("starts"));
    let task = command(&url, &["submit", "--wait", "--token-file", file, "-o", "json", "--", "env"]).output();
    let task = task.expect("runs");
    assert!(task.status.success(), "{}", stderr(&task));
    let id = json(&task)["task_id"].as_str().expect("an id").to_owned();
    let logs = command(&url, &["task", "logs", &id]).env("MAINSPRING_TOKEN", TOKEN).output().expect("runs");
    assert!(logs.status.success() && stdout(&logs).contains("PATH="), "{}{}", stdout(&logs), stderr(&logs));
    assert!(!stdout(&logs).contains(TOKEN), "a task does not see the token");
    assert!(!said().contains(TOKEN), "the token is in a log");
}

#[test]
fn below_a_folder_of_a_site_everything_names_the_folder() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = token_file(dir.path(), 0o600);
    let token = ["--token-file", file.to_str().expect("a path")];
    let args = [&["--base-path", "/tools/mainspring/"][..], &token].concat();
    let (_server, url) = server(&dir.path().join("data"), ANY_PORT, &args);
    let (root, folder) = url.rsplit_once("/tools/").expect("it says the folder");
    assert_eq!(folder, "mainspring");

    let home = get(root, "/");
    assert!(home.contains("307") && home.contains("location: /tools/mainspring/ui/\r\n"), "{home}");
    let page = get(root, "/tools/mainspring/ui/runs");
    let asset = page.split('"').find(|part| part.contains("/ui/assets/main-")).expect("a script").to_owned();
    assert!(asset.starts_with("/tools/mainspring/ui/assets/main-"), "{asset}");
    // A proxy may take the folder away.
    for path in
        [asset.as_str(), asset.trim_start_matches("/tools/mainspring"), "/tools/mainspring/readyz", "/readyz"]
    {
        assert!(get(root, path).starts_with("HTTP/1.1 200"), "{path}");
    }
    for path in ["/tools/mainspringer/readyz", "/tools/readyz", "/tools/mainspring/tools/mainspring/readyz"] {
        // Without a token nobody is told what there is.
        assert!(get(root, path).starts_with("HTTP/1.1 401"), "{path}");
    }
    let refused = get(root, "/tools/mainspring/v1/stats");
    assert!(refused.contains(r#""docs":"/tools/mainspring/docs/errors/UNAUTHENTICATED""#), "{refused}");
    let session = post(root, "/tools/mainspring/ui/session", &format!(r#"{{"token":"{TOKEN}"}}"#));
    assert!(session.contains("Path=/tools/mainspring/; HttpOnly"), "{session}");
    // The command line, below the folder and beside it.
    for server in [url.as_str(), root] {
        let stats = command(server, &["stats"]).env("MAINSPRING_TOKEN", TOKEN).output().expect("runs");
        assert!(stats.status.success(), "{}", stderr(&stats));
    }
    let document = command(&url, &["config", "example"]).output().expect("runs");
    assert!(stdout(&document).contains("base_path"), "{}", stdout(&document));

    for bad in ["tools", "/a b", "/ui"] {
        let mut server = Command::new(BINARY);
        server
            .args(["server", "--listen", ANY_PORT, "--base-path", bad, "--data"])
            .arg(dir.path().join("other"));
        let output = server.output().expect("runs");
        assert!(
            !output.status.success() && stderr(&output).contains("base path"),
            "{bad}: {}",
            stderr(&output)
        );
    }
}

fn post(url: &str, path: &str, body: &str) -> String {
    use std::io::{Read, Write};
    let address = url.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(address).expect("connects");
    let head = format!("POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n");
    let length = body.len();
    write!(stream, "{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}
