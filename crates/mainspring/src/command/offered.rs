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
    resources: Vec<String>,
}

impl Offered {
    /// As settings.
    pub(crate) fn flags(self) -> [(&'static str, Option<String>); 3] {
        let resources = (!self.resources.is_empty()).then(|| self.resources.join(","));
        [("worker.gpus", self.gpus), ("worker.disk", self.disk), ("worker.resources", resources)]
    }
}

fn parse_resource(text: &str) -> Result<String, String> {
    let wrong = || format!("`{text}` is not a resource; write it as NAME=N, for example license=2");
    let (name, number) = text.split_once('=').ok_or_else(wrong)?;
    amount(name, number).map(|(name, number)| format!("{name}={number}"))
}
