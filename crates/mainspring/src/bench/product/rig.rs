//! A server and a worker of this binary as processes of their own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::machine;
use super::wire::{Wire, request};

const READY_MAX: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(20);

pub(super) struct Rig {
    pub(super) address: SocketAddr,
    /// From starting the process to its first `200` of `/readyz`.
    pub(super) ready_after: Duration,
    server: Running,
    worker: Option<Running>,
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Rig {
    /// With a worker of so many slots.
    pub(super) async fn start(dir: &Path, slots: u32) -> anyhow::Result<Self> {
        Self::start_with(dir, slots, &[]).await
    }

    /// Like [`Rig::start`], with settings of the server.
    pub(super) async fn start_with(dir: &Path, slots: u32, set: &[&str]) -> anyhow::Result<Self> {
        let mut rig = Self::server_set(dir, set).await?;
        let mut worker = this_binary()?;
        worker.args(["worker", "--server", &format!("http://{}", rig.address), "--allow", "127.0.0.0/8"]);
        worker.args(["--slots", &slots.to_string(), "--state"]).arg(dir.join("worker"));
        rig.worker =
            Some(Running(worker.stderr(Stdio::null()).spawn().context("no worker could be started")?));
        let mut wire = rig.wire().await?;
        let begun = Instant::now();
        while stats(&mut wire).await?["sessions"] != 1 {
            ensure!(begun.elapsed() < READY_MAX, "the worker did not reach the server");
            tokio::time::sleep(POLL).await;
        }
        Ok(rig)
    }

    pub(super) async fn server_only(dir: &Path) -> anyhow::Result<Self> {
        Self::server_set(dir, &[]).await
    }

    async fn server_set(dir: &Path, set: &[&str]) -> anyhow::Result<Self> {
        let begun = Instant::now();
        let mut command = this_binary()?;
        command.args(["server", "--listen", "127.0.0.1:0", "--data"]).arg(dir.join("data"));
        command.args(set.iter().flat_map(|setting| ["--set", setting]));
        let child = command.stderr(Stdio::piped()).spawn().context("no server could be started")?;
        let mut server = Running(child);
        let address = listening(&mut server)?;
        let mut wire = Wire::connect(address).await?;
        while wire.call(&request("GET", "/readyz", "")).await?.status != 200 {
            ensure!(begun.elapsed() < READY_MAX, "the server did not become ready");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(Self { address, ready_after: begun.elapsed(), server, worker: None })
    }

    pub(super) async fn wire(&self) -> anyhow::Result<Wire> {
        Wire::connect(self.address).await
    }

    pub(super) fn server_process(&self) -> u32 {
        self.server.0.id()
    }

    pub(super) fn worker_process(&self) -> Option<u32> {
        self.worker.as_ref().map(|worker| worker.0.id())
    }

    /// Of this process, the server and the worker together.
    pub(super) fn cpu_time(&self) -> Duration {
        let worker = self.worker_process().map(machine::cpu_time_of).unwrap_or_default();
        machine::cpu_time() + machine::cpu_time_of(self.server_process()) + worker
    }

    /// Until every task has ended and its result is durable; the tables may be a cut behind.
    pub(super) async fn ended(&self) -> anyhow::Result<()> {
        let mut wire = self.wire().await?;
        loop {
            let stats = stats(&mut wire).await?;
            if stats["queued"] == 0 && stats["running"] == 0 {
                return Ok(());
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Until nothing is left in memory: every task has ended, and the tables hold it.
    pub(super) async fn settled(&self) -> anyhow::Result<()> {
        let mut wire = self.wire().await?;
        loop {
            let stats = stats(&mut wire).await?;
            let in_memory = stats["tasks_in_memory"].as_object().context("stats name the tasks in memory")?;
            if in_memory.values().all(|count| count == 0) {
                return Ok(());
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

pub(super) async fn stats(wire: &mut Wire) -> anyhow::Result<Value> {
    let answer = wire.call(&request("GET", "/v1/stats", "")).await?;
    ensure!(answer.status == 200, "the server answered {} to /v1/stats", answer.status);
    Ok(serde_json::from_slice(answer.body)?)
}

fn this_binary() -> anyhow::Result<Command> {
    let binary = std::env::current_exe().context("this binary has no path")?;
    let mut command = Command::new(binary);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}

/// The address from the server's first line; what follows is read so that the server never waits for a reader.
fn listening(server: &mut Running) -> anyhow::Result<SocketAddr> {
    let mut lines = BufReader::new(server.0.stderr.take().context("stderr is piped")?);
    let mut line = String::new();
    lines.read_line(&mut line)?;
    let Some((_, rest)) = line.split_once("http://") else { bail!("the server did not start: {line}") };
    let address = rest.split([',', ' ', '\n']).next().unwrap_or_default();
    let address = address.parse().with_context(|| format!("no address in `{line}`"))?;
    std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
    Ok(address)
}
