//! The life of one process, from its control directory to its outcome.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::values::{AttemptDetails, FailureClass};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::Sender;
use tokio::sync::oneshot;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};
use tracing::warn;

use super::bound::Place;
use super::child::Child;
use super::confine::Confined;
use super::control::Control;
use super::keep::{self, KeptLog};
use super::log::AttemptLog;
use super::output::{Output, Pipes};
use super::record::{Record, Survivor, Terms};
use super::rusage::Used;
use super::spawn::{Group, Spawned, spawn};
use super::user::User;
use super::{Payload, Settings, exit, record, user};
use crate::attempt::{Attempt, Outcome, StopOrder};

/// How often a running process's control directory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// What ends sooner is looked at when it has ended, and not before: watching costs more than it tells.
const SHORT: Duration = Duration::from_millis(20);
/// A process that left the group may hold the pipes open; what it writes later is not waited for.
const DRAIN_MAX: Duration = Duration::from_secs(1);

pub async fn run(settings: Arc<Settings>, attempt: Attempt) -> Outcome {
    let payload = match Payload::parse(&attempt.payload) {
        Ok(payload) => payload,
        Err(why) => return Outcome::permanent(why),
    };
    let user = match user::find(payload.user.as_deref()).await {
        Ok(user) => user,
        Err(outcome) => return outcome,
    };
    let (tell, begun) = oneshot::channel();
    let theirs = settings.clone();
    // Nobody listens any more only when the agent has ended.
    settings.starters.run(move || drop(tell.send(begin(theirs, attempt, payload, user))));
    match begun.await {
        Ok(Begun::Over(outcome)) => outcome,
        Ok(Begun::Runs(life, process)) => life.live(process).await,
        Err(_) => Outcome::unknown(FailureClass::Transient, 0, "it panicked when the program was started"),
    }
}

enum Begun {
    /// It did not start, or has ended already.
    Over(Outcome),
    Runs(Box<Life>, Process),
}

/// On a thread that may be kept waiting.
fn begin(settings: Arc<Settings>, attempt: Attempt, payload: Payload, user: Option<User>) -> Begun {
    let (mut life, mut child) = match start(settings, attempt, payload, user) {
        Ok(started) => started,
        Err(outcome) => return Begun::Over(outcome),
    };
    let patience = life.settings.starters.patience();
    if patience.is_zero() {
        return Begun::Runs(life, Process::Child(child));
    }
    let Some(status) = child.ended_within(patience) else {
        life.settings.starters.learn(patience);
        return Begun::Runs(life, Process::Child(child));
    };
    let status = status.map(Some);
    life.used = child.used();
    life.kill();
    if life.output.drain_now() {
        Begun::Over(life.conclude(status, None))
    } else {
        Begun::Runs(life, Process::Ended(status))
    }
}

fn start(
    settings: Arc<Settings>,
    attempt: Attempt,
    payload: Payload,
    user: Option<User>,
) -> Result<(Box<Life>, Child), Outcome> {
    let dir = settings.places.attempt(attempt.key);
    let control = Control::create(dir, attempt.checkpoint.as_deref(), user.as_ref());
    let control = control.map_err(|error| no_room(&error))?;
    let kept = payload.is_kept(&settings, &attempt);
    let confined = match Confined::create(&settings, &payload, &attempt, kept) {
        Ok(confined) => confined,
        Err(error) => return Err(not_begun(control, None, not_confined(&error))),
    };
    let mut record = match kept.then(|| Record::create(control.dir(), terms(&attempt))).transpose() {
        Ok(record) => record,
        Err(error) => return Err(not_begun(control, Some(confined), no_room(&error))),
    };
    let from = record::ticks();
    let spawned = spawn(&settings, &payload, &attempt, control.dir(), kept, confined.cgroup(), user);
    let Spawned { mut child, group, output } = match spawned {
        Ok(spawned) => spawned,
        Err(error) => {
            if kept {
                record::remove(control.dir());
            }
            return Err(not_begun(control, Some(confined), not_spawned(&payload, &error)));
        }
    };
    let bound = if let Some(record) = &mut record {
        record.started(group, from);
        None
    } else {
        Some(settings.bound.enter(group, from))
    };
    let log = settings.places.log(attempt.key, attempt.number);
    let output = if let Some(ends) = output {
        feed(&mut child, payload.stdin);
        let log = AttemptLog::new(log, settings.log_bytes_max, attempt.reporter.clone());
        Output::Piped(Pipes::new(ends, log, &attempt.secrets))
    } else {
        attempt.reporter.kept();
        Output::Kept(KeptLog::new(log, settings.log_bytes_max, attempt.reporter.clone()))
    };
    let begun = Instant::now();
    let used = None;
    let life = Life { settings, attempt, control, output, group, kept, record, bound, confined, begun, used };
    Ok((Box::new(life), child))
}

fn terms(attempt: &Attempt) -> Terms {
    let devices = attempt.devices.clone();
    Terms { attempt: attempt.number, limit_ms: attempt.hard_timeout_ms, grace: attempt.grace, devices }
}

/// Clears away what was prepared.
fn not_begun(control: Control, confined: Option<Confined>, outcome: Outcome) -> Outcome {
    let left = control.leave();
    control.remove(&left);
    if let Some(confined) = confined {
        confined.leave();
    }
    outcome
}

pub async fn adopt(settings: Arc<Settings>, attempt: Attempt, survivor: Survivor) -> Outcome {
    let log = settings.places.log(attempt.key, attempt.number);
    let output = Output::Kept(KeptLog::new(log, settings.log_bytes_max, attempt.reporter.clone()));
    let control = Control::adopt(survivor.dir.clone());
    let record = Record::adopt(&survivor).inspect_err(|error| warn!(%error, "cannot write to a record")).ok();
    let group = Group(survivor.identity.id);
    let confined = Confined::find(&settings, attempt.key);
    let begun = Instant::now();
    let (kept, bound, used) = (true, None, None);
    let life = Life { settings, attempt, control, output, group, kept, record, bound, confined, begun, used };
    Box::new(life).live(Process::Adopted(survivor)).await
}

enum Process {
    Child(Child),
    Adopted(Survivor),
    /// Only its output is awaited.
    Ended(io::Result<Option<ExitStatus>>),
}

impl Process {
    /// None when it ended and nobody saw how.
    async fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        match self {
            Self::Ended(status) => std::mem::replace(status, Ok(None)),
            Self::Child(child) => child.ended().await.map(Some),
            Self::Adopted(survivor) => {
                let code = keep::ended(&survivor.dir, &survivor.identity).await;
                Ok(code.map(|code| ExitStatus::from_raw(code << 8)))
            }
        }
    }
}

impl Process {
    fn used(&self) -> Option<Used> {
        match self {
            Self::Child(child) => child.used(),
            Self::Adopted(_) | Self::Ended(_) => None,
        }
    }
}

struct Life {
    settings: Arc<Settings>,
    attempt: Attempt,
    control: Control,
    output: Output,
    group: Group,
    kept: bool,
    /// Of a kept process.
    record: Option<Record>,
    bound: Option<Place>,
    confined: Confined,
    begun: Instant,
    /// What the kernel said at its end; of a process that an earlier agent began it says nothing.
    used: Option<Used>,
}

enum End {
    Exited(io::Result<Option<ExitStatus>>, Option<StopOrder>),
    /// It runs on; the next agent adopts it.
    Left,
}

impl Life {
    async fn live(mut self: Box<Self>, mut process: Process) -> Outcome {
        let End::Exited(status, stopped) = self.until_end(&mut process).await else {
            return Outcome::failure(FailureClass::Preempted, 0, "left to the next agent");
        };
        self.used = process.used().or(self.used);
        self.settings.starters.learn(self.begun.elapsed());
        self.kill();
        if timeout(DRAIN_MAX, self.output.drain()).await.is_err() {
            warn!(task = %self.attempt.key.task, "a process outside the group keeps the output open");
        }
        self.conclude(status, stopped)
    }

    /// After the last of its output.
    fn conclude(
        mut self: Box<Self>,
        status: io::Result<Option<ExitStatus>>,
        stopped: Option<StopOrder>,
    ) -> Outcome {
        drop(self.bound.take());
        let left = self.control.leave();
        if left.has_messages() {
            self.look(true);
        }
        let outcome = match (status, stopped) {
            (Err(error), _) => {
                Outcome::unknown(FailureClass::Transient, 0, format!("cannot wait for the process: {error}"))
            }
            (Ok(status), Some(order)) => order.outcome(status.map_or(0, exit::code)),
            (Ok(None), None) => exit::unseen(self.confined.memory_end()),
            (Ok(Some(status)), None) if status.success() => {
                if left.has_output() {
                    self.control.outcome(self.settings.output_bytes_max)
                } else {
                    Outcome::Success { output: None }
                }
            }
            (Ok(Some(status)), None) => {
                exit::failure(status, &self.output.tail(), self.confined.memory_end())
            }
        };
        self.tell_used();
        if self.kept {
            record::remove(self.control.dir());
        }
        self.control.remove(&left);
        self.confined.leave();
        outcome
    }

    /// The cgroup counts all processes, the kernel's word at the end those that were waited for.
    fn tell_used(&self) {
        let Used { memory_peak_bytes, cpu_ms } = self.confined.used().or(self.used.unwrap_or_default());
        let ran_ms = u64::try_from(self.begun.elapsed().as_millis()).ok();
        self.attempt.reporter.used(AttemptDetails {
            memory_peak_bytes,
            cpu_ms,
            ran_ms,
            ..AttemptDetails::default()
        });
    }

    /// Takes what the process left for the agent.
    fn look(&mut self, ended: bool) {
        let extended_ms = self.control.look(&self.attempt.reporter, ended);
        if extended_ms > 0
            && let Some(record) = &mut self.record
        {
            record.extended(extended_ms);
        }
    }

    /// All of it, also what left the process group if there is a cgroup.
    fn kill(&self) {
        self.group.kill();
        self.confined.kill();
    }

    /// Until the leader has ended, or the agent leaves it.
    async fn until_end(&mut self, process: &mut Process) -> End {
        let mut look = interval_at(Instant::now() + SHORT, LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stopped: Option<StopOrder> = None;
        let mut kill_at = Instant::now();
        let mut killed = false;
        loop {
            tokio::select! {
                status = process.ended() => return End::Exited(status, stopped),
                () = self.output.pump() => {}
                order = self.attempt.stop.ordered(), if stopped.is_none() => {
                    if self.kept && self.attempt.stop.is_abandoned() {
                        return End::Left;
                    }
                    self.group.ask_to_end();
                    kill_at = Instant::now() + order.grace;
                    stopped = Some(order);
                }
                () = sleep_until(kill_at), if stopped.is_some() && !killed => {
                    self.kill();
                    killed = true;
                }
                _ = look.tick() => {
                    self.output.watch();
                    self.look(false);
                }
            }
        }
    }
}

/// Beside everything else: a program may well read its input only after it has written much.
fn feed(child: &mut Child, text: Option<String>) {
    if let (Some(pipe), Some(text)) = (child.take_stdin(), text) {
        match Sender::from_owned_fd(pipe.into()) {
            Ok(mut pipe) => drop(tokio::spawn(async move {
                // A program need not read its input to the end.
                let _ = pipe.write_all(text.as_bytes()).await;
            })),
            Err(error) => warn!(%error, "a program gets no input"),
        }
    }
}

fn not_spawned(payload: &Payload, error: &io::Error) -> Outcome {
    let class = match error.kind() {
        // Too many processes, or no memory for one more.
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => FailureClass::Resource,
        _ => FailureClass::Permanent,
    };
    let wanted = payload.cwd.as_ref().map(|cwd| format!(" in `{}`", cwd.display())).unwrap_or_default();
    Outcome::failure(class, 0, format!("cannot start `{}`{wanted}: {error}", payload.argv[0]))
}

fn not_confined(error: &io::Error) -> Outcome {
    Outcome::failure(FailureClass::Transient, 0, format!("cannot make a cgroup for its limits: {error}"))
}

fn no_room(error: &io::Error) -> Outcome {
    Outcome::failure(FailureClass::Resource, 0, format!("cannot prepare the control directory: {error}"))
}
