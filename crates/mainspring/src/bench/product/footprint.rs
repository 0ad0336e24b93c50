//! What it costs to be there: start, memory and CPU at rest, writes at rest, size of the binary.

use std::path::Path;
use std::time::Duration;

use super::rig::Rig;
use super::spread::Spread;
use super::{Figures, Plan, machine};

const STARTS: u64 = 9;
const SETTLE: Duration = Duration::from_secs(3);
const REST: Duration = Duration::from_secs(20);

pub(super) async fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let mut starts = Spread::default();
    for turn in 0..STARTS {
        starts.add(Rig::server_only(&dir.join(turn.to_string())).await?.ready_after);
    }
    figures.add("start_ms", "start to ready with an empty store, median", starts.at(0.5), "ms", ("300", "–"));
    let rig = Rig::start(&dir.join("rest"), 4).await?;
    tokio::time::sleep(SETTLE).await;
    let server = rig.server_process();
    let used =
        || machine::cpu_time_of(server) + rig.worker_process().map(machine::cpu_time_of).unwrap_or_default();
    let (cpu, written) = (used(), machine::written_bytes_of(server));
    let rest = plan.scaled_time(REST);
    tokio::time::sleep(rest).await;
    let cpu = used().saturating_sub(cpu).as_secs_f64() / rest.as_secs_f64() * 100.0;
    let written = machine::written_bytes_of(server) - written;
    figures.add("idle_cpu_percent", "CPU of server and worker at rest", cpu, "%", ("1", "0.2"));
    figures.add("idle_written_bytes", "bytes written by the server at rest", written as f64, "B", ("0", "0"));
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let resident = mib(machine::resident_bytes_of(server));
    figures.add("idle_resident_mib", "memory of the server at rest", resident, "MiB", ("60", "30"));
    let binary = std::fs::metadata(std::env::current_exe()?)?.len();
    figures.add("binary_mib", "size of this binary", mib(binary), "MiB", ("40", "–"));
    Ok(())
}
