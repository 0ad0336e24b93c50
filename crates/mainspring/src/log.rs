//! Logs: what is written, and in which form. They go to stderr; stdout is data.

use anyhow::Context;
use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

#[derive(Args)]
pub(crate) struct Log {
    /// What to log: `error`, `warn`, `info`, `debug`, `trace`, or by module as `info,mainspring_api=debug`
    /// [default: warn]
    #[arg(long = "log", value_name = "FILTER", env = "MAINSPRING_LOG", global = true)]
    filter: Option<String>,
    /// Lines for people, or one JSON object a line
    #[arg(
        long = "log-format",
        value_name = "FORMAT",
        env = "MAINSPRING_LOG_FORMAT",
        default_value = "text",
        global = true
    )]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Log {
    pub(crate) fn start(&self) -> anyhow::Result<()> {
        let filter = self.filter.as_deref().filter(|filter| !filter.is_empty()).unwrap_or("warn");
        let filter = EnvFilter::try_new(filter).with_context(|| {
            format!(
                "`--log {filter}` is no filter; write a level such as `info`, or `info,mainspring_api=debug`"
            )
        })?;
        // Whoever read our stderr may be gone: that must not end us.
        let log = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .log_internal_errors(false);
        match self.format {
            Format::Text => log.init(),
            Format::Json => {
                log.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
            }
        }
        std::panic::set_hook(Box::new(tell_panic));
        Ok(())
    }
}

/// Every panic is in the log with its message and its place, whoever catches it.
fn tell_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("no message");
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current();
    tracing::error!(message, %place, thread = thread.name().unwrap_or("unnamed"), "panicked");
}
