//! Every setting there is: its name, its variable, what it takes, its default and what it is for. The one table that
//! the file, the environment, `config example` and the docs are checked against.

use super::value::Kind;

pub(crate) struct Key {
    /// With its table: `server.listen`.
    pub(crate) name: &'static str,
    pub(crate) env: &'static str,
    pub(crate) kind: Kind,
    /// As [`Kind::parse`] reads it; empty where it is found out at the start.
    pub(crate) default: &'static str,
    pub(crate) about: &'static str,
}

const fn key(
    name: &'static str,
    env: &'static str,
    kind: Kind,
    default: &'static str,
    about: &'static str,
) -> Key {
    Key { name, env, kind, default, about }
}

const fn count(min: u64, max: u64) -> Kind {
    Kind::Count { min, max }
}

const fn bytes(min: u64, max: u64) -> Kind {
    Kind::Bytes { min, max }
}

const fn span(min_ms: u64, max_ms: u64) -> Kind {
    Kind::Span { min: min_ms, max: max_ms }
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const SECOND: u64 = 1_000;
const HOUR: u64 = 3_600 * SECOND;
const DAY: u64 = 24 * HOUR;

#[rustfmt::skip]
pub(crate) const KEYS: &[Key] = &[
    key("server.listen", "MAINSPRING_LISTEN", Kind::Address, "127.0.0.1:7070", "Where REST, gRPC, docs and metrics are served"),
    key("server.data", "MAINSPRING_DATA_DIR", Kind::Path, "data", "The directory of journal and tables; made if it is not there"),
    key("server.allow_hosts", "MAINSPRING_ALLOW_HOSTS", Kind::List, "", "Names of this server that callers may use, beside `localhost`, loopback addresses and the address it is reached at: sched.example, sched.example:7070"),
    key("server.base_path", "MAINSPRING_BASE_PATH", Kind::Text, "/", "The folder of a web site below which a reverse proxy has the server: /tools/mainspring"),
    key("server.token_file", "MAINSPRING_TOKEN_FILE", Kind::Path, "", "A file with the token that every caller must show; required to listen beyond loopback"),
    key("server.insecure", "MAINSPRING_INSECURE", Kind::Switch, "false", "Listen beyond loopback without a token: whoever reaches the address can run programs"),
    key("server.history_days", "MAINSPRING_HISTORY_DAYS", count(1, 36_500), "90", "Whole days for which ended tasks are kept"),
    key("server.key_life", "MAINSPRING_KEY_LIFE", span(DAY, 36_500 * DAY), "24h", "How long an idempotency key is kept at least"),
    key("server.lease", "MAINSPRING_LEASE", span(3 * SECOND, HOUR), "15s", "A worker that is silent for so long is lost, and its work goes to others"),
    key("server.heartbeat", "MAINSPRING_HEARTBEAT", span(100, 20 * 60 * SECOND), "4s", "How often workers are heard; at most a third of the lease"),
    key("server.drain", "MAINSPRING_DRAIN", span(0, HOUR), "10s", "How long a stopping server waits for requests under way"),
    key("server.stop_max", "MAINSPRING_STOP_MAX", span(SECOND, HOUR), "25s", "How long a stop may take in all; then the process exits with code 1. More than server.drain"),
    key("server.body_bytes_max", "MAINSPRING_BODY_BYTES_MAX", bytes(KIB, GIB), "2MiB", "Largest body of a request; not less than limits.payload_bytes_max"),
    key("server.batch_bytes_max", "MAINSPRING_BATCH_BYTES_MAX", bytes(KIB, 4 * GIB), "64MiB", "Largest body of a batch"),
    key("server.batch_tasks_max", "MAINSPRING_BATCH_TASKS_MAX", count(1, 100_000), "10000", "Tasks in one batch"),
    key("server.connections_max", "MAINSPRING_CONNECTIONS_MAX", count(1, 1_000_000), "20000", "Open connections; further ones are closed at once"),
    key("server.session_queue_max", "MAINSPRING_SESSION_QUEUE_MAX", count(1, 100_000_000), "1000000", "Orders that may wait for one worker; beyond that its session is begun anew"),
    key("server.log_days", "MAINSPRING_LOG_DAYS", count(1, 3_650), "7", "Whole days for which logs of attempts are kept"),
    key("server.log_bytes_max", "MAINSPRING_LOG_BYTES_MAX", bytes(KIB, GIB), "64MiB", "Log of one attempt that is kept; the rest is counted and dropped"),
    key("server.metrics_jobs_max", "MAINSPRING_METRICS_JOBS_MAX", count(0, 1_000_000), "1000", "Jobs that have metrics of their own; those of all others are added up under `other`"),
    key("server.log_followers_max", "MAINSPRING_LOG_FOLLOWERS_MAX", count(1, 100_000), "1000", "Callers that follow a log at once, and as many that listen to events"),

    key("limits.tasks_max", "MAINSPRING_TASKS_MAX", count(1, 1_000_000_000), "20000000", "Unfinished tasks held in memory; beyond that submissions are refused"),
    key("limits.payload_bytes_held_max", "MAINSPRING_PAYLOAD_BYTES_HELD_MAX", bytes(MIB, 1024 * GIB), "8GiB", "Payloads held in memory, in all; beyond that submissions are refused"),
    key("limits.payload_bytes_max", "MAINSPRING_PAYLOAD_BYTES_MAX", bytes(1, 64 * MIB), "1MiB", "Largest payload of a task"),
    key("limits.output_bytes_max", "MAINSPRING_OUTPUT_BYTES_MAX", bytes(1, 16 * MIB), "64KiB", "Largest output that is kept with a task"),
    key("limits.checkpoint_bytes_max", "MAINSPRING_CHECKPOINT_BYTES_MAX", bytes(1, 16 * MIB), "64KiB", "Largest checkpoint of an attempt"),
    key("limits.ahead_max", "MAINSPRING_AHEAD_MAX", span(HOUR, 36_600 * DAY), "36600d", "How far ahead a start may lie"),
    key("limits.job_tasks_max", "MAINSPRING_JOB_TASKS_MAX", count(1, 200_000), "10000", "Tasks of one job"),
    key("limits.jobs_max", "MAINSPRING_JOBS_MAX", count(1, 10_000_000), "100000", "Jobs stored"),
    key("limits.runs_max", "MAINSPRING_RUNS_MAX", count(1, 10_000_000), "500000", "Unfinished runs; beyond that triggers are refused"),
    key("limits.schedules_max", "MAINSPRING_SCHEDULES_MAX", count(1, 100_000_000), "5000000", "Schedules; deleted ones count for a day"),
    key("limits.triggers_max", "MAINSPRING_TRIGGERS_MAX", count(1, 100_000_000), "200000", "Triggers; deleted ones count for a day"),
    key("limits.backfills_max", "MAINSPRING_BACKFILLS_MAX", count(1, 100_000), "1000", "Backfills that have not ended"),
    key("limits.run_output_bytes_max", "MAINSPRING_RUN_OUTPUT_BYTES_MAX", bytes(KIB, 16 * GIB), "64MiB", "Outputs that one run keeps for its other tasks"),
    key("limits.release_per_second", "MAINSPRING_RELEASE_PER_SECOND", count(1, 4_294_967_295), "5000", "Tasks that all runs together release in a second"),
    key("limits.retries_per_minute", "MAINSPRING_RETRIES_PER_MINUTE", count(1, 60_000_000), "900", "Retries of one job in a minute; of single tasks, of one program or host. Further ones are delayed"),
    key("limits.retry_burst", "MAINSPRING_RETRY_BURST", count(1, 1_000_000_000), "1000", "Retries of one job, program or host that may come at once, before the rate counts"),
    key("limits.retries_per_second", "MAINSPRING_RETRIES_PER_SECOND", count(1, 1_000_000), "5000", "Retries of all tasks together in a second"),
    key("limits.processes_max", "MAINSPRING_PROCESSES_MAX", count(1, 10_000), "100", "Bulk operations at once"),

    key("backfill.fleet_share_percent", "MAINSPRING_BACKFILL_FLEET_SHARE_PERCENT", count(1, 100), "5", "Per cent of the slots of each pool that tasks of backfills hold at most; one slot at least"),

    key("store.segment_bytes", "MAINSPRING_SEGMENT_BYTES", bytes(MIB, 4 * GIB), "64MiB", "Size of a journal segment"),
    key("store.reserve_bytes", "MAINSPRING_RESERVE_BYTES", bytes(MIB, 4 * GIB), "32MiB", "Room kept free, so that a full disk still takes results"),
    key("store.lag_bytes_max", "MAINSPRING_LAG_BYTES_MAX", bytes(MIB, 64 * GIB), "256MiB", "Journal that is not yet in the tables; beyond that submissions are refused"),
    key("store.lag_events_max", "MAINSPRING_LAG_EVENTS_MAX", count(1_000, 1_000_000_000), "2000000", "The same, counted in events"),
    key("store.cut_every", "MAINSPRING_CUT_EVERY", span(10, 60 * SECOND), "250ms", "How often what has changed goes into the tables"),
    key("store.park_beyond", "MAINSPRING_PARK_BEYOND", span(10 * SECOND, 30 * DAY), "10m", "Tasks due later than this are kept on disk only"),

    key("worker.server", "MAINSPRING_SERVER", Kind::Text, "http://127.0.0.1:7070", "The server to work for"),
    key("worker.token_file", "MAINSPRING_WORKER_TOKEN_FILE", Kind::Path, "", "A file with the token of the server; without it `MAINSPRING_TOKEN` is taken"),
    key("worker.name", "MAINSPRING_WORKER_NAME", Kind::Text, "", "What people call this worker (found out: the host's name)"),
    key("worker.pool", "MAINSPRING_WORKER_POOL", Kind::Text, "default", "The pool to work for"),
    key("worker.slots", "MAINSPRING_WORKER_SLOTS", count(1, 100_000), "", "Tasks at once (found out: one a processor)"),
    key("worker.gpus", "MAINSPRING_WORKER_GPUS", count(0, 1_024), "0", "GPUs for tasks that ask for some; each attempt gets its own"),
    key("worker.disk", "MAINSPRING_WORKER_DISK", bytes(0, 1 << 60), "0", "Disk space for tasks that ask for some; it is counted, not enforced"),
    key("worker.resources", "MAINSPRING_WORKER_RESOURCES", Kind::Amounts, "", "Further resources that tasks can ask for, by name: `license=2`"),
    key("worker.zone", "MAINSPRING_WORKER_ZONE", Kind::Text, "", "Where this worker stands, for tasks that ask for a zone"),
    key("worker.labels", "MAINSPRING_WORKER_LABELS", Kind::Pairs, "", "What tasks can ask for, as key and value"),
    key("worker.state", "MAINSPRING_WORKER_DIR", Kind::Path, "worker", "The directory of its identity, logs and results that are not yet acknowledged"),
    key("worker.grace", "MAINSPRING_WORKER_GRACE", span(0, DAY), "10s", "From SIGTERM to SIGKILL where the task names no grace"),
    key("worker.drain_deadline", "MAINSPRING_WORKER_DRAIN_DEADLINE", span(0, 7 * DAY), "30s", "At shutdown, running work gets this long to end by itself"),
    key("worker.keep_longer_than", "MAINSPRING_WORKER_KEEP_LONGER_THAN", span(0, 365 * DAY), "10m", "Processes that may run longer than this survive the worker, and its successor adopts them"),
    key("worker.leave_kept", "MAINSPRING_WORKER_LEAVE_KEPT", Kind::Switch, "false", "At shutdown, leave such processes to the successor"),
    key("worker.exit_when_drained", "MAINSPRING_WORKER_EXIT_WHEN_DRAINED", Kind::Switch, "false", "End when an operator has drained this worker and it runs nothing any more"),
    key("worker.log_bytes_max", "MAINSPRING_WORKER_LOG_BYTES_MAX", bytes(KIB, 64 * GIB), "64MiB", "Output of one attempt beyond this is thrown away"),
    key("worker.log_retention", "MAINSPRING_WORKER_LOG_RETENTION", span(60 * SECOND, 3_650 * DAY), "24h", "How long logs of ended attempts stay on the worker"),
    key("worker.output_bytes_max", "MAINSPRING_WORKER_OUTPUT_BYTES_MAX", bytes(1, 16 * MIB), "256KiB", "Largest output that a process may hand in"),
    key("worker.env_passed", "MAINSPRING_WORKER_ENV_PASSED", Kind::List, "PATH,HOME,USER,LANG,TZ,TMPDIR", "Variables of the worker's own environment that processes see"),
    key("worker.cgroups", "MAINSPRING_WORKER_CGROUPS", Kind::Choice(&["auto", "off"]), "auto", "Put processes into cgroups, so that limits of memory, processors and processes hold: `auto` where the worker's own cgroup was delegated to it, or `off`"),
    key("worker.webhook.allow", "MAINSPRING_WEBHOOK_ALLOW", Kind::List, "", "Addresses and hosts that HTTP tasks may call although they are private: 10.0.0.0/8, host.example:8080"),
    key("worker.webhook.response_bytes_max", "MAINSPRING_WEBHOOK_RESPONSE_BYTES_MAX", bytes(0, 16 * MIB), "64KiB", "Of an HTTP answer, this much becomes the task's output"),
    key("worker.webhook.secret_file", "MAINSPRING_WEBHOOK_SECRET_FILE", Kind::Path, "", "A file with the secret that signs HTTP calls (Standard Webhooks): `whsec_` and base64"),
];

pub(crate) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The nearest name, if one is near enough to be meant.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let far = |known: &str| distance(known, name).min(distance(&last(known), &last(name)) + 1);
    let tables = KEYS
        .iter()
        .filter_map(|key| key.name.rsplit_once('.'))
        .map(|(table, _)| (distance(table, name), table));
    let best = KEYS.iter().map(|key| (far(key.name), key.name)).chain(tables).min()?;
    (best.0 <= 1 + name.len() / 5).then_some(best.1)
}

/// Letters to change, add or leave out (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let changed = before + usize::from(ca != *cb);
            before = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_variables_are_unique_and_defaults_can_be_read() {
        let names: BTreeSet<&str> = KEYS.iter().map(|key| key.name).collect();
        let variables: BTreeSet<&str> = KEYS.iter().map(|key| key.env).collect();
        assert_eq!((names.len(), variables.len()), (KEYS.len(), KEYS.len()));
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            assert!(key.kind.parse(key.default).is_ok(), "{}", key.name);
        }
    }

    #[test]
    fn every_setting_is_documented() {
        let page = include_str!("../../../../docs/configuration.md");
        for key in KEYS {
            assert!(page.contains(&format!("`{}`", key.name)), "docs/configuration.md lacks `{}`", key.name);
            assert!(page.contains(key.env), "docs/configuration.md lacks `{}`", key.env);
        }
        for key in crate::config::NAMED {
            let name = format!("`{}.NAME.{}`", key.table, key.field);
            assert!(page.contains(&name) && page.contains(key.about), "docs/configuration.md lacks {name}");
        }
    }
}
