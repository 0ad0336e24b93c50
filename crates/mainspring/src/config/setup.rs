//! From checked settings to what the parts of the product take, and the rules between settings.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use mainspring_agent::{AgentConfig, Allowed, CgroupUse, SessionToken, WebhookSecret};
use mainspring_api::{Access, AllowedHost, ApiConfig, BasePath, Webhooks};
use mainspring_core::engine::Configure;
use mainspring_core::retry::RetryRates;
use mainspring_core::values::{CUSTOM_RESOURCES_MAX, Millis};
use mainspring_runtime::ShardConfig;
use mainspring_store_local::{LocalOptions, LogOptions};

use super::{Config, Value};
use crate::token;

/// All that a server needs.
#[derive(Clone)]
pub(crate) struct ServerSetup {
    pub(crate) data: PathBuf,
    pub(crate) listen: SocketAddr,
    pub(crate) api: ApiConfig,
    pub(crate) shard: ShardConfig,
    pub(crate) store: LocalOptions,
    pub(crate) logs: LogOptions,
    /// Limits of pools, and shares of tenants and backfills.
    pub(crate) shares: Vec<Configure>,
    pub(crate) webhooks: Webhooks,
    /// How long a stop may take.
    pub(crate) stop_max: Duration,
    pub(crate) access: Access,
    pub(crate) base: BasePath,
}

impl Config {
    /// Rules between settings; each mistake says which two.
    pub(super) fn disagreements(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        if self.span("server.heartbeat") * 3 > self.span("server.lease") {
            mistakes.push(format!(
                "`server.heartbeat` ({}) is more than a third of `server.lease` ({}): a worker needs three chances",
                Value::Span(self.span("server.heartbeat")),
                Value::Span(self.span("server.lease")),
            ));
        }
        if self.span("server.drain") >= self.span("server.stop_max") {
            mistakes.push(format!(
                "`server.drain` ({}) is not less than `server.stop_max` ({}): a stop does more than wait for requests",
                Value::Span(self.span("server.drain")),
                Value::Span(self.span("server.stop_max")),
            ));
        }
        for (less, more) in [
            ("limits.payload_bytes_max", "server.body_bytes_max"),
            ("server.body_bytes_max", "server.batch_bytes_max"),
            ("limits.payload_bytes_max", "limits.payload_bytes_held_max"),
        ] {
            if self.bytes(less) > self.bytes(more) {
                let (small, large) = (Value::Bytes(self.bytes(more)), Value::Bytes(self.bytes(less)));
                mistakes.push(format!("`{less}` ({large}) is more than `{more}` ({small})"));
            }
        }
        mistakes.extend(self.too_many_names());
        mistakes.extend(self.webhook_mistakes());
        let resources = self.pairs("worker.resources").len();
        if resources > CUSTOM_RESOURCES_MAX {
            mistakes.push(format!(
                "`worker.resources` has {resources} entries of at most {CUSTOM_RESOURCES_MAX}"
            ));
        }
        for text in self.list("server.allow_hosts") {
            if let Err(bad) = text.parse::<AllowedHost>() {
                mistakes.push(format!("`server.allow_hosts`: {bad}"));
            }
        }
        if let Err(bad) = self.text("server.base_path").parse::<BasePath>() {
            mistakes.push(format!("`server.base_path`: {bad}"));
        }
        for text in self.list("worker.webhook.allow") {
            if let Err(bad) = text.parse::<Allowed>() {
                mistakes.push(format!("`worker.webhook.allow`: {bad}"));
            }
        }
        mistakes
    }

    pub(crate) fn server(&self) -> anyhow::Result<ServerSetup> {
        let lease = self.span("server.lease");
        let api = ApiConfig {
            body_bytes_max: self.bytes("server.body_bytes_max") as usize,
            batch_bytes_max: self.bytes("server.batch_bytes_max") as usize,
            batch_tasks_max: self.count("server.batch_tasks_max") as usize,
            key_life: self.span("server.key_life"),
            lease,
            heartbeat: self.span("server.heartbeat"),
            session_queue_max: self.count("server.session_queue_max") as usize,
            connections_max: self.count("server.connections_max") as usize,
            drain: self.span("server.drain"),
            metrics_jobs_max: self.count("server.metrics_jobs_max") as usize,
            log_followers_max: self.count("server.log_followers_max") as usize,
            log_days: self.count("server.log_days") as u32,
            history_days: self.count("server.history_days") as u32,
            job_tasks_max: self.count("limits.job_tasks_max") as usize,
            ..ApiConfig::default()
        };
        let mut shard = ShardConfig::default();
        // Followers of logs are woken by changes of their task.
        shard.engine.watch = true;
        let limits = &mut shard.engine.limits;
        limits.lease = millis(lease);
        limits.tasks_max = self.count("limits.tasks_max");
        limits.jobs_max = self.count("limits.jobs_max") as usize;
        limits.runs_max = self.count("limits.runs_max") as usize;
        limits.schedules_max = self.count("limits.schedules_max") as usize;
        limits.triggers_max = self.count("limits.triggers_max") as usize;
        limits.backfills_max = self.count("limits.backfills_max") as usize;
        limits.run_output_bytes_max = self.bytes("limits.run_output_bytes_max");
        limits.release_per_second = self.count("limits.release_per_second") as u32;
        limits.payload_bytes_held_max = self.bytes("limits.payload_bytes_held_max");
        limits.payload_bytes_max = self.bytes("limits.payload_bytes_max") as usize;
        limits.output_bytes_max = self.bytes("limits.output_bytes_max") as usize;
        limits.checkpoint_bytes_max = self.bytes("limits.checkpoint_bytes_max") as usize;
        limits.ahead_max = millis(self.span("limits.ahead_max"));
        limits.operations_max = self.count("limits.processes_max") as usize;
        shard.engine.retry_rates = RetryRates {
            overall_per_s: self.count("limits.retries_per_second") as u32,
            per_min: self.count("limits.retries_per_minute") as u32,
            burst: self.count("limits.retry_burst") as u32,
        };
        shard.history_days = self.count("server.history_days") as u32;
        shard.lag_bytes_max = self.bytes("store.lag_bytes_max");
        shard.lag_events_max = self.count("store.lag_events_max");
        shard.cut_every = millis(self.span("store.cut_every"));
        shard.park_beyond = millis(self.span("store.park_beyond"));
        let store = LocalOptions {
            segment_bytes: self.bytes("store.segment_bytes"),
            reserve_bytes: self.bytes("store.reserve_bytes"),
            ..LocalOptions::default()
        };
        let listen = self.text("server.listen").parse().context("`server.listen` was checked before")?;
        let attempt_bytes_max = self.bytes("server.log_bytes_max");
        let logs = LogOptions { attempt_bytes_max, ..LogOptions::default() };
        let data = self.text("server.data").into();
        let percent = self.count("backfill.fleet_share_percent") as u32;
        let (mut shares, webhooks) = (self.configures(), self.webhooks()?);
        shares.push(Configure::BackfillShare { percent });
        let (stop_max, access) = (self.span("server.stop_max"), self.access()?);
        let base = self.text("server.base_path").parse()?;
        Ok(ServerSetup { data, listen, api, shard, store, logs, shares, webhooks, stop_max, access, base })
    }

    fn access(&self) -> anyhow::Result<Access> {
        let hosts = self.list("server.allow_hosts").iter().map(|text| text.parse());
        let token = self.path("server.token_file").map(|path| token::read(&path)?.token()).transpose()?;
        let insecure = self.get("server.insecure") == Some(&Value::Switch(true));
        if insecure && token.is_some() {
            bail!(
                "`server.insecure` and `server.token_file` exclude each other: with a token it is required"
            );
        }
        Ok(Access { hosts: hosts.collect::<Result<_, _>>()?, token, insecure })
    }

    pub(crate) fn worker(&self) -> anyhow::Result<AgentConfig> {
        let mut worker = AgentConfig::new(self.text("worker.server"), self.text("worker.state"));
        if let Some(Value::Text(name)) = self.get("worker.name") {
            worker.name.clone_from(name);
        }
        if let Some(Value::Number(slots)) = self.get("worker.slots") {
            worker.slots = *slots as u32;
        }
        let secret = token::of_caller(self.path("worker.token_file").as_deref())?;
        worker.token = secret.as_ref().and_then(|secret| SessionToken::new(secret.text()));
        worker.pool = self.text("worker.pool");
        worker.zone = self.text("worker.zone");
        worker.labels = self.pairs("worker.labels");
        worker.capacity.gpus = self.count("worker.gpus");
        worker.capacity.disk_bytes = self.bytes("worker.disk");
        let custom = self.pairs("worker.resources").into_iter();
        worker.capacity.custom =
            custom.map(|(name, amount)| Ok((name, amount.parse()?))).collect::<anyhow::Result<_>>()?;
        worker.grace = self.span("worker.grace");
        worker.drain_deadline = self.span("worker.drain_deadline");
        worker.keep_longer_than = self.span("worker.keep_longer_than");
        worker.leave_kept = self.get("worker.leave_kept") == Some(&Value::Switch(true));
        worker.exit_when_drained = self.get("worker.exit_when_drained") == Some(&Value::Switch(true));
        worker.log_bytes_max = self.bytes("worker.log_bytes_max");
        worker.log_retention = self.span("worker.log_retention");
        worker.output_bytes_max = self.bytes("worker.output_bytes_max") as usize;
        worker.response_bytes_max = self.bytes("worker.webhook.response_bytes_max") as usize;
        worker.env_passed = self.list("worker.env_passed").to_vec();
        worker.cgroups = if self.text("worker.cgroups") == "off" { CgroupUse::Off } else { CgroupUse::Auto };
        let allow = self.list("worker.webhook.allow").iter().map(|text| text.parse());
        worker.allow = allow.collect::<Result<_, _>>()?;
        if let Some(Value::Text(path)) = self.get("worker.webhook.secret_file") {
            let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{path}`"))?;
            let secret = text.trim().parse::<WebhookSecret>().with_context(|| format!("in `{path}`"))?;
            worker.webhook_secret = Some(secret);
        }
        Ok(worker)
    }

    /// Empty for a setting that has no default and was not given.
    fn text(&self, name: &str) -> String {
        self.get(name).map(Value::to_string).unwrap_or_default()
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(|value| value.to_string().into())
    }

    fn count(&self, name: &str) -> u64 {
        match self.get(name) {
            Some(Value::Number(number)) => *number,
            _ => 0,
        }
    }

    fn bytes(&self, name: &str) -> u64 {
        match self.get(name) {
            Some(Value::Bytes(bytes)) => *bytes,
            _ => 0,
        }
    }

    fn span(&self, name: &str) -> Duration {
        match self.get(name) {
            Some(Value::Span(span)) => *span,
            _ => Duration::ZERO,
        }
    }

    fn list(&self, name: &str) -> &[String] {
        match self.get(name) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }

    fn pairs(&self, name: &str) -> BTreeMap<String, String> {
        match self.get(name) {
            Some(Value::Pairs(pairs)) => pairs.clone(),
            _ => BTreeMap::new(),
        }
    }
}

fn millis(span: Duration) -> Millis {
    Millis::new(span.as_millis() as u64)
}
