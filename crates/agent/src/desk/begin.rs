//! How an attempt begins: at once, now, later, or not at all.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use mainspring_core::values::FailureClass;
use mainspring_proto::v1;
use tokio::sync::watch;
use tracing::warn;

use super::deadline::deadline;
use super::{Desk, Held, Running};
use crate::attempt::{Attempt, Event, Key, Outcome, Reporter, StopSignal};
use crate::executor::Executor;
use crate::executor::process::Survivor;
use crate::mask::Secrets;

impl Desk {
    pub(super) fn begin(&mut self, start: v1::Start, now: Instant) {
        let Some(key) = Key::from_wire(&start.task, start.fence) else {
            warn!("a start names no task; ignored");
            return;
        };
        if self.held.contains_key(&key) {
            return;
        }
        if self.is_draining {
            return self.refuse(key, "the worker is leaving");
        }
        let Some(executor) = self.executors.find(&start.executor) else {
            // Another worker may have it.
            return self.refuse(key, &format!("this worker has no executor `{}`", start.executor));
        };
        if let Some(outcome) = executor.at_once() {
            return self.owe(key, outcome, now);
        }
        if let Some(why) = self.misfit(&start) {
            return self.refuse(key, &why);
        }
        if self.running < self.settings.slots {
            let executor = executor.clone();
            self.launch(key, &executor, start, now);
        } else if self.waiting.len() < self.settings.slots {
            self.lease.began(start.exclusive);
            self.waiting.push_back(key);
            self.held.insert(key, Held::Waiting(Box::new(start)));
            self.accepted.push_back((now, key));
        } else {
            self.refuse(key, "every slot is taken, and as many attempts are waiting");
        }
    }

    pub(super) fn launch_waiting(&mut self, key: Key, now: Instant) {
        let Some(Held::Waiting(start)) = self.held.remove(&key) else {
            return;
        };
        self.lease.ended(start.exclusive);
        match self.executors.find(&start.executor).cloned() {
            Some(executor) => self.launch(key, &executor, *start, now),
            // It was there when the attempt was accepted.
            None => self.owe(key, Outcome::permanent("the executor is gone"), now),
        }
    }

    fn launch(&mut self, key: Key, executor: &Arc<dyn Executor>, start: v1::Start, now: Instant) {
        let devices = match self.devices.take(start.resources.as_ref()) {
            Ok(devices) => devices,
            // An attempt that the server holds for ended has not ended here.
            Err(why) => return self.refuse(key, &why),
        };
        let (stop, ordered) = watch::channel(None);
        let grace = match start.grace_ms {
            0 => self.settings.grace,
            ms => Duration::from_millis(ms),
        };
        let program = executor.runs_program();
        let exclusive = start.exclusive;
        self.lease.began(exclusive);
        let deadline = deadline(now, start.hard_timeout_ms);
        self.deadlines.extend(deadline.map(|at| (at, key)));
        let running = Running {
            stop,
            grace,
            began: now,
            deadline,
            devices: devices.clone(),
            checkpoint: None,
            details: None,
            extend_ms: 0,
            kept: false,
            program,
            exclusive,
        };
        self.held.insert(key, Held::Running(Box::new(running)));
        self.running += 1;
        if program {
            self.logs.begin(key, start.attempt);
        }
        self.accepted.push_back((now, key));

        let secrets = Secrets::new(start.secrets.clone());
        let attempt = Attempt {
            key,
            secrets: secrets.clone(),
            memory_bytes: memory(&start),
            cpu_milli: start.resources.as_ref().map_or(0, |asked| asked.cpu_milli),
            devices,
            number: start.attempt,
            tenant: start.tenant,
            job: start.job,
            payload: start.payload,
            checkpoint: start.checkpoint,
            deadline_unix_ms: deadline_unix_ms(start.hard_timeout_ms),
            hard_timeout_ms: start.hard_timeout_ms,
            grace,
            exclusive,
            stop: StopSignal(ordered),
            reporter: Reporter { key, events: self.events.clone() },
        };
        let outcome = executor.run(attempt);
        let masked = !secrets.is_empty();
        let outcome = if masked { async move { secrets.outcome(outcome.await) }.boxed() } else { outcome };
        self.see_through(key, outcome);
    }

    /// A process that an earlier agent began is held and reported like any other; its limit counts from its start.
    pub fn adopt(&mut self, survivor: Survivor) {
        let (key, terms, now) = (survivor.key, survivor.terms.clone(), Instant::now());
        let (stop, ordered) = watch::channel(None);
        let began = now.checked_sub(survivor.age()).unwrap_or(now);
        let deadline = deadline(began, terms.limit_ms);
        self.deadlines.extend(deadline.map(|at| (at, key)));
        self.devices.keep(&terms.devices);
        let running = Running {
            stop,
            grace: terms.grace,
            began,
            deadline,
            devices: terms.devices.clone(),
            checkpoint: None,
            details: None,
            extend_ms: 0,
            kept: true,
            program: true,
            exclusive: false,
        };
        self.held.insert(key, Held::Running(Box::new(running)));
        self.running += 1;
        self.logs.begin(key, terms.attempt);
        let attempt = Attempt {
            key,
            // A program that is kept has none: one that has some is never kept.
            secrets: Secrets::default(),
            number: terms.attempt,
            tenant: String::new(),
            job: String::new(),
            payload: Vec::new(),
            checkpoint: None,
            deadline_unix_ms: None,
            hard_timeout_ms: terms.limit_ms,
            grace: terms.grace,
            exclusive: false,
            // It is in its cgroup already, if any.
            memory_bytes: 0,
            cpu_milli: 0,
            devices: terms.devices,
            stop: StopSignal(ordered),
            reporter: Reporter { key, events: self.events.clone() },
        };
        self.see_through(key, self.executors.adopt(attempt, survivor));
    }

    fn see_through(&self, key: Key, work: BoxFuture<'static, Outcome>) {
        let events = self.events.clone();
        let work = AssertUnwindSafe(work).catch_unwind();
        tokio::spawn(async move {
            let outcome = work.await.unwrap_or_else(|_| {
                Outcome::unknown(
                    FailureClass::Transient,
                    0,
                    "the executor panicked; the worker's log says where",
                )
            });
            // The desk is gone only when the agent has ended.
            let _ = events.send(Event::Ended(key, outcome));
        });
    }

    /// Why the attempt can never run here; the server places by what this worker offered, so this is rare.
    fn misfit(&self, start: &v1::Start) -> Option<String> {
        let capacity = &self.settings.capacity;
        let asked = start.resources.as_ref();
        let memory = start.memory_bytes.max(asked.map_or(0, |asked| asked.memory_bytes));
        let cpu = asked.map_or(0, |asked| asked.cpu_milli);
        let gpus = asked.map_or(0, |asked| asked.gpus);
        let disk = asked.map_or(0, |asked| asked.disk_bytes);
        let rows = [
            ("bytes of memory", memory, capacity.memory_bytes),
            ("thousandths of a processor", cpu, capacity.cpu_milli),
            ("bytes of disk", disk, capacity.disk_bytes),
            ("GPUs", gpus, capacity.gpus),
        ];
        let custom = asked
            .into_iter()
            .flat_map(|asked| &asked.custom)
            .map(|(name, asked)| (name.as_str(), *asked, capacity.custom.get(name).copied().unwrap_or(0)));
        let (what, asked, has) = rows.into_iter().chain(custom).find(|(_, asked, has)| asked > has)?;
        Some(format!("it asks for {asked} {what}; this worker has {has}"))
    }
}

/// As asked for, unless a retry was given more.
fn memory(start: &v1::Start) -> u64 {
    match start.memory_bytes {
        0 => start.resources.as_ref().map_or(0, |asked| asked.memory_bytes),
        bytes => bytes,
    }
}

fn deadline_unix_ms(hard_timeout_ms: u64) -> Option<u64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    (hard_timeout_ms > 0).then(|| now.as_millis() as u64 + hard_timeout_ms)
}
