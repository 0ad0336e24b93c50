//! Logs: what is written, and in which form. They go to stderr; stdout is data.
//! Processes that run for long write to stderr from a thread of its own (`queue`), so that nothing waits for whoever
//! reads it. All others write at once, so that what they say keeps its place between lines of stdout.

mod queue;

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use tracing::Dispatch;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

use self::queue::Queue;

/// At an exit; longer than any reader needs that reads at all.
const FLUSH_MAX: Duration = Duration::from_secs(2);
/// At a panic, which may be caught: the thread that panicked has other work to do.
const PANIC_FLUSH_MAX: Duration = Duration::from_millis(200);

/// Set for processes that run for long.
static QUEUE: OnceLock<Arc<Queue>> = OnceLock::new();

/// Troubles, and who changed what and why; submissions and events are not among these changes.
const DEFAULT: &str = "warn,mainspring_api::operation::audit=info";

/// Who tries something out sees the answers of commands.
const DEFAULT_TRIAL: &str = "warn";

#[derive(Args)]
#[command(next_help_heading = "Logging")]
pub(crate) struct Log {
    /// What to log to stderr: error, warn, info, debug, trace, or by module, as `info,mainspring_api=debug`
    /// [env: `MAINSPRING_LOG`] [default: warn, and who changed what]
    #[arg(long = "log", value_name = "FILTER", env = "MAINSPRING_LOG", hide_env = true, global = true)]
    filter: Option<String>,
    /// Lines for people, or one JSON object a line [env: `MAINSPRING_LOG_FORMAT`]
    #[arg(
        long = "log-format",
        value_name = "FORMAT",
        env = "MAINSPRING_LOG_FORMAT",
        hide_env = true,
        default_value = "text",
        global = true
    )]
    format: Format,
}

/// What kind of process logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Command,
    /// It runs for long, and must not wait for whoever reads stderr.
    Service,
    /// A service that somebody tries out at a terminal.
    Trial,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Log {
    pub(crate) fn start(&self, kind: Kind) -> anyhow::Result<()> {
        let default = if kind == Kind::Trial { DEFAULT_TRIAL } else { DEFAULT };
        let filter = self.filter.as_deref().filter(|filter| !filter.is_empty()).unwrap_or(default);
        let filter = filter.parse::<Targets>().with_context(|| {
            format!(
                "`--log {filter}` is no filter; write a level such as `info`, or `info,mainspring_api=debug`"
            )
        })?;
        if kind != Kind::Command {
            let direct = self.format.dispatch(Targets::new().with_default(LevelFilter::WARN), io::stderr);
            let queue = Queue::start(io::stderr(), move |lines| tell_dropped(&direct, lines));
            let _ = QUEUE.set(queue.context("no thread for the log")?);
        }
        tracing::dispatcher::set_global_default(self.format.dispatch(filter, || Stderr))
            .context("the log was started twice")?;
        std::panic::set_hook(Box::new(tell_panic));
        Ok(())
    }
}

impl Format {
    fn dispatch(
        self,
        filter: Targets,
        writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static,
    ) -> Dispatch {
        // Whoever read our stderr may be gone: that must not end us.
        let log = tracing_subscriber::fmt()
            .with_max_level(LevelFilter::TRACE)
            .with_writer(writer)
            .with_ansi(io::stderr().is_terminal())
            .log_internal_errors(false);
        match self {
            Self::Text => log.finish().with(filter).into(),
            Self::Json => {
                let log = log.json().flatten_event(true).with_current_span(false).with_span_list(false);
                log.finish().with(filter).into()
            }
        }
    }
}

/// Where everything goes that is said on stderr.
struct Stderr;

impl Write for Stderr {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        match QUEUE.get() {
            Some(queue) => {
                queue.push(lines);
                Ok(lines.len())
            }
            None => io::stderr().write(lines),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A message for people, on stderr; that it cannot be written is ignored.
pub(crate) fn tell(message: fmt::Arguments<'_>) {
    let _ = Stderr.write_all(format!("{message}\n").as_bytes());
}

/// Waits until everything that was said is written, within bounds.
pub(crate) fn flush() {
    if let Some(queue) = QUEUE.get() {
        queue.flush(FLUSH_MAX);
    }
}

/// Ends the process at once, after what was said.
pub(crate) fn exit(code: i32) -> ! {
    flush();
    std::process::exit(code)
}

/// Past the queue and past the filter, in the form of the log.
fn tell_dropped(direct: &Dispatch, lines: u64) {
    tracing::dispatcher::with_default(direct, || {
        tracing::warn!(lines, "log lines were dropped: stderr was not read in time");
    });
}

/// Every panic is in the log with its message and its place, whoever catches it.
fn tell_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("no message");
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current();
    tracing::error!(message, %place, thread = thread.name().unwrap_or("unnamed"), "panicked");
    if let Some(queue) = QUEUE.get() {
        queue.flush(PANIC_FLUSH_MAX);
    }
}
