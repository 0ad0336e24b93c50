//! A server whose log is kept, and whose probes can be read.
#![allow(dead_code, reason = "every test takes what it needs")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{ANY_PORT, BINARY, Running, until};

pub struct Server {
    pub process: Running,
    pub url: String,
    log: PathBuf,
}

/// The command that starts a server on these data, with any free port.
pub fn command(data: &Path) -> Command {
    let mut command = Command::new(BINARY);
    command.args(["server", "--listen", ANY_PORT, "--data"]).arg(data);
    command
}

impl Server {
    /// Starts it and waits until it listens.
    #[track_caller]
    pub fn start(mut command: Command, log: &Path) -> Self {
        let stderr = File::create(log).expect("a log file");
        let child = command.stderr(stderr).stdin(Stdio::null()).spawn().expect("the binary starts");
        let mut server = Self { process: Running(child), url: String::new(), log: log.to_owned() };
        until("it says where it listens", || server.address().is_some() || server.log().contains("error:"));
        server.url = server.address().unwrap_or_else(|| panic!("it does not start: {}", server.log()));
        server
    }

    fn address(&self) -> Option<String> {
        let log = self.log();
        let word = log.split_whitespace().find(|word| word.starts_with("http://"))?;
        // The line is written whole.
        log.contains(", data in `").then(|| word.trim_end_matches(',').to_owned())
    }

    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> (u16, Value) {
        self.call("GET", path, "")
    }

    /// Status and body of one request, without any retry.
    #[track_caller]
    pub fn call(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let host = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time limit");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .expect("asked");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        let status = answer.split_whitespace().nth(1).and_then(|status| status.parse().ok());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status.expect("a status"), serde_json::from_str(body).unwrap_or_default())
    }

    /// Whether `/readyz` answers 503 and names this trouble.
    pub fn is_unready(&self, code: &str) -> bool {
        let (status, body) = self.get("/readyz");
        let reasons = body["reasons"].as_array().cloned().unwrap_or_default();
        status == 503 && reasons.iter().any(|reason| reason["code"] == code)
    }

    pub fn is_ready(&self) -> bool {
        self.get("/readyz").0 == 200
    }

    /// SIGTERM, and the exit code.
    #[track_caller]
    pub fn stop(mut self) -> Option<i32> {
        let id = self.process.0.id().to_string();
        assert!(Command::new("kill").arg(id).status().expect("kill runs").success());
        self.process.0.wait().expect("it ends").code()
    }

    /// Waits until it has ended by itself; its exit code and its log.
    #[track_caller]
    pub fn ended(mut self) -> (Option<i32>, String) {
        (self.process.0.wait().expect("it ends").code(), self.log())
    }
}
