//! Server and workers as processes: started, killed with SIGKILL, started again in the same place.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use mainspring_core::values::Chance;

use crate::support::BINARY;

const READY_MAX: Duration = Duration::from_mins(1);

/// A command that can be started again and again.
pub struct Service {
    name: &'static str,
    args: Vec<String>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    /// Gets one message when the service has said that it is ready.
    ready: Receiver<()>,
    log: std::thread::JoinHandle<Vec<String>>,
}

impl Service {
    pub fn server(data: &Path, port: u16) -> Self {
        let listen = format!("127.0.0.1:{port}");
        let args = ["server", "--listen", &listen, "--data", &text(data)].map(str::to_owned).to_vec();
        Self { name: "server", args, running: None }
    }

    pub fn worker(server: &str, state: &Path, slots: u32) -> Self {
        let slots = slots.to_string();
        let fixed = ["worker", "--server", server, "--slots", &slots, "--allow", "127.0.0.0/8"];
        let mut args = fixed.map(str::to_owned).to_vec();
        args.extend(["--state".to_owned(), text(state)]);
        Self { name: "worker", args, running: None }
    }

    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Does not wait: a kill may well hit a process that is still recovering.
    pub fn start(&mut self) {
        let mut child =
            Command::new(BINARY).args(&self.args).stderr(Stdio::piped()).spawn().expect("the binary starts");
        let (sender, ready) = channel();
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let log = std::thread::spawn(move || {
            let mut kept = Vec::new();
            for line in lines.map_while(Result::ok) {
                if line.starts_with("listening on") || line.starts_with("working for") {
                    let _ = sender.send(());
                }
                kept.push(line);
            }
            kept
        });
        self.running = Some(Running { child, ready, log });
    }

    /// Waits until it has said that it is there.
    #[track_caller]
    pub fn until_ready(&mut self) {
        let running = self.running.as_ref().expect("it was started");
        if running.ready.recv_timeout(READY_MAX).is_err() {
            let log = self.kill();
            panic!("the {} did not start:\n{}", self.name, log.join("\n"));
        }
    }

    /// SIGKILL. Gives what it wrote; one that ended by itself has failed the test.
    #[track_caller]
    pub fn kill(&mut self) -> Vec<String> {
        let Some(mut running) = self.running.take() else { return Vec::new() };
        let ended = running.child.try_wait().expect("its state can be asked");
        let _ = running.child.kill();
        let _ = running.child.wait();
        let log = running.log.join().unwrap_or_default();
        if let Some(status) = ended {
            panic!("the {} ended by itself with {status}:\n{}", self.name, log.join("\n"));
        }
        log
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Some(running) = &mut self.running {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Outside of what the kernel deals out to connections: while the server is down nobody else may get its port.
pub fn free_port(chance: &mut Chance) -> u16 {
    loop {
        let port = 20_000 + chance.below(10_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// `mainspring verify`: whether the journal is whole, and what it says.
pub fn verify(data: &Path) -> Result<String, String> {
    let output =
        Command::new(BINARY).arg("verify").arg("--data").arg(data).output().expect("the binary runs");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(told) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
