//! What a task asks of its worker, as flags of `submit`; the flags of `worker` (`offered`) have the same names.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::{Value, json};

use super::offered::parse_resource;
use crate::config::parse_bytes;

#[derive(Args)]
pub(super) struct Needs {
    /// GPUs that it needs for itself
    #[arg(long, value_name = "N")]
    gpus: Option<u64>,
    /// Disk space that it needs, as 20GiB; it is counted, not enforced
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    disk: Option<u64>,
    /// A further resource of workers that it needs, as NAME=N; may be given more than once
    #[arg(long = "resource", value_name = "NAME=N", value_parser = parse_resource)]
    resources: Vec<(String, u64)>,
}

impl Needs {
    /// As `POST /v1/tasks` takes it; `None` if nothing is needed.
    pub(super) fn body(&self) -> Option<Value> {
        let mut body = json!({});
        if let Some(gpus) = self.gpus {
            body["gpus"] = gpus.into();
        }
        if let Some(disk) = self.disk {
            body["disk_bytes"] = disk.into();
        }
        if !self.resources.is_empty() {
            body["custom"] = json!(self.resources.iter().cloned().collect::<BTreeMap<_, _>>());
        }
        body.as_object().is_some_and(|body| !body.is_empty()).then_some(body)
    }
}
