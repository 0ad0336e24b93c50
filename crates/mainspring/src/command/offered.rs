//! What a worker has to give, as flags: shared by `worker` and `dev`.

use clap::Args;

use crate::config::amount;

/// Beside processors and memory, which are detected.
#[derive(Args, Default)]
pub(crate) struct Offered {
    /// GPUs for tasks that ask for some; each attempt gets its own [default: 0]
    #[arg(long, value_name = "N")]
    gpus: Option<String>,
    /// Disk space for tasks that ask for some, as 200GiB [default: 0]
    #[arg(long, value_name = "SIZE")]
    disk: Option<String>,
    /// A further resource that tasks can ask for, as NAME=N; may be given more than once
    #[arg(long = "resource", value_name = "NAME=N", value_parser = parse_resource)]
    resources: Vec<(String, u64)>,
}

impl Offered {
    /// As settings.
    pub(crate) fn flags(self) -> [(&'static str, Option<String>); 3] {
        let written = self.resources.iter().map(|(name, number)| format!("{name}={number}"));
        let resources = (!self.resources.is_empty()).then(|| written.collect::<Vec<_>>().join(","));
        [("worker.gpus", self.gpus), ("worker.disk", self.disk), ("worker.resources", resources)]
    }
}

pub(super) fn parse_resource(text: &str) -> Result<(String, u64), String> {
    let wrong = || format!("`{text}` is not a resource; write it as NAME=N, for example license=2");
    let (name, number) = text.split_once('=').ok_or_else(wrong)?;
    amount(name, number)
}
