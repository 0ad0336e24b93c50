//! A server that stalls: its disk does not answer, or its process is stopped for longer than a lease.

mod support;

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};

use support::{ANY_PORT, BINARY, Running, mainspring, until};

/// Holds `fdatasync` and `fsync` for as long as the file named by `HOLD_SYNC` is there, as a disk does that hangs. Makes the
/// file named by `SYNC_HELD` when it does so.
const SLOW_DISK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static void hold(void) {
    const char *file = getenv("HOLD_SYNC"), *held = getenv("SYNC_HELD");
    while (access(file, F_OK) == 0) {
        close(creat(held, 0600));
        usleep(2000);
    }
}
int fdatasync(int fd) { hold(); return ((int (*)(int)) dlsym(RTLD_NEXT, "fdatasync"))(fd); }
int fsync(int fd) { hold(); return ((int (*)(int)) dlsym(RTLD_NEXT, "fsync"))(fd); }
"#;

/// A server on a disk that can be made to hang.
struct Stalling {
    server: Running,
    address: String,
    stderr: BufReader<ChildStderr>,
    hold: PathBuf,
    held: PathBuf,
    _dir: tempfile::TempDir,
}

impl Stalling {
    fn start(settings: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let (library, hold, held) = (slow_disk(dir.path()), dir.path().join("hold"), dir.path().join("held"));
        let mut command = Command::new(BINARY);
        command.args(["server", "--listen", ANY_PORT, "--data"]).arg(dir.path().join("data"));
        for setting in settings {
            command.args(["--set", setting]);
        }
        command.env("LD_PRELOAD", library).env("HOLD_SYNC", &hold).env("SYNC_HELD", &held);
        let (server, address, stderr) = support::listening(&mut command);
        Self { server, address, stderr, hold, held, _dir: dir }
    }

    fn hang(&self) {
        std::fs::write(&self.hold, "").expect("writable");
    }
}

fn slow_disk(dir: &Path) -> PathBuf {
    let (source, library) = (dir.join("slow_disk.c"), dir.join("slow_disk.so"));
    std::fs::write(&source, SLOW_DISK).expect("writable");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(compiled.expect("a C compiler links every Rust program").success());
    library
}

fn signal(process: &Running, name: &str) {
    let sent = Command::new("kill").args([name, &process.0.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
}

#[test]
fn sigterm_ends_a_server_whose_disk_does_not_answer() {
    let mut stalling = Stalling::start(&["server.drain=100ms", "server.stop_max=1s"]);
    assert!(mainspring(&stalling.address, &["submit", "--", "true"]).status.success());
    stalling.hang();
    let mut waiting = support::command(&stalling.address, &["submit", "--", "true"]);
    let mut waiting =
        Running(waiting.stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts"));
    until("an append is under way", || stalling.held.exists());
    signal(&stalling.server, "-TERM");
    let ended = stalling.server.0.wait().expect("it ends");
    let mut said = String::new();
    stalling.stderr.read_to_string(&mut said).expect("text");
    assert_eq!(ended.code(), Some(1), "{said}");
    assert!(said.contains("did not stop within 1 s and exits now"), "{said}");
    assert!(waiting.0.wait().is_ok_and(|ended| !ended.success()), "its outcome is unknown");
}
