//! The life of one process, from its control directory to its outcome.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::failure::FailureClass;
use tokio::io::AsyncWriteExt;
use tokio::process::Child;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};
use tracing::warn;

use super::control::Control;
use super::output::Output;
use super::spawn::{Group, Spawned, spawn};
use super::{Payload, Settings, exit, orphans};
use crate::attempt::{Attempt, Outcome, StopOrder};

/// How often a running process's control directory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// A process that left the group may hold the pipes open; what it writes later is not waited for.
const DRAIN_MAX: Duration = Duration::from_secs(1);

pub async fn run(settings: Arc<Settings>, attempt: Attempt) -> Outcome {
    let payload = match Payload::parse(&attempt.payload) {
        Ok(payload) => payload,
        Err(why) => return Outcome::permanent(why),
    };
    let dir = settings.places.attempt(attempt.key);
    let mut control = match Control::create(dir, attempt.checkpoint.as_deref()) {
        Ok(control) => control,
        Err(error) => return no_room(&error),
    };
    let outcome = match spawn(&settings, &payload, &attempt, control.dir()) {
        Ok(spawned) => {
            orphans::record(control.dir(), spawned.group);
            live(&settings, payload, attempt, &mut control, spawned).await
        }
        Err(error) => not_spawned(&payload, &error),
    };
    control.remove();
    outcome
}

async fn live(
    settings: &Settings,
    payload: Payload,
    mut attempt: Attempt,
    control: &mut Control,
    Spawned { mut child, group }: Spawned,
) -> Outcome {
    feed(&mut child, payload.stdin);
    let log = super::log::AttemptLog::new(
        settings.places.log(attempt.key, attempt.number),
        settings.log_bytes_max,
        attempt.reporter.clone(),
    );
    let mut output = Output::new(&mut child, log);
    let (status, stopped) = until_exit(&mut child, group, &mut attempt, control, &mut output).await;
    group.kill();
    if timeout(DRAIN_MAX, output.drain()).await.is_err() {
        warn!(task = %attempt.key.task, "a process outside the group keeps the output open");
    }
    control.look(&attempt.reporter);
    match (status, stopped) {
        (Err(error), _) => {
            Outcome::failure(FailureClass::Transient, 0, format!("cannot wait for the process: {error}"))
        }
        (Ok(status), Some(order)) => order.outcome(exit::code(status)),
        (Ok(status), None) if status.success() => control.outcome(settings.output_bytes_max),
        (Ok(status), None) => exit::failure(status, &output.tail()),
    }
}

/// Returns when the leader has ended, with the order that ended it, if one did.
async fn until_exit(
    child: &mut Child,
    group: Group,
    attempt: &mut Attempt,
    control: &mut Control,
    output: &mut Output,
) -> (io::Result<ExitStatus>, Option<StopOrder>) {
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut stopped: Option<StopOrder> = None;
    let mut kill_at = Instant::now();
    let mut killed = false;
    loop {
        tokio::select! {
            status = child.wait() => return (status, stopped),
            () = output.pump() => {}
            order = attempt.stop.ordered(), if stopped.is_none() => {
                group.ask_to_end();
                kill_at = Instant::now() + order.grace;
                stopped = Some(order);
            }
            () = sleep_until(kill_at), if stopped.is_some() && !killed => {
                group.kill();
                killed = true;
            }
            _ = look.tick() => control.look(&attempt.reporter),
        }
    }
}

/// Beside everything else: a program may well read its input only after it has written much.
fn feed(child: &mut Child, text: Option<String>) {
    if let (Some(mut pipe), Some(text)) = (child.stdin.take(), text) {
        tokio::spawn(async move {
            // A program need not read its input to the end.
            let _ = pipe.write_all(text.as_bytes()).await;
        });
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

fn no_room(error: &io::Error) -> Outcome {
    Outcome::failure(FailureClass::Resource, 0, format!("cannot prepare the control directory: {error}"))
}
