//! The `mainspring` binary: flags, wiring, exit codes. One file a command under `command/`.
// `eprintln!` and `println!` panic when the stream cannot be written to: use `note!` and `say`.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod bench;
mod command;
mod config;
mod exits;
mod log;
mod memory;
mod note;
#[cfg(test)]
mod reference;
mod serve;
mod tips;
mod token;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use mimalloc::MiMalloc;

use crate::note::note;

// Millions of small allocations cross threads (payloads, rows); measured a fifth faster than the system's.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  refused or failed; of many, at least one was
  2  the command line is wrong
  3  it ended, but not as wanted: a run failed, a backfill has failed windows, files differ
  4  there is no such task, run, job, schedule, worker, pool or context
  5  no server answered
With --wait, `submit` exits as the command it submitted. What waits exits with 130 after Ctrl-C.

Examples:
  mainspring attention
  mainspring run list --state failed --since 1d
  mainspring submit --wait -- echo hello

`mainspring COMMAND --help` has examples of each.";

/// A job scheduler that never loses track of a job.
#[derive(Parser)]
#[command(name = "mainspring", version, about, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    log: log::Log,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run everything here: server, worker and sample tasks, to try it out
    Dev(command::dev::Dev),
    /// Accept work and give it to workers
    Server(command::server::Server),
    /// Run what a server gives, or list the workers it knows
    Worker(Box<command::worker::Worker>),
    /// Submit a command to run or an HTTP call to make
    Submit(Box<command::submit::Submit>),
    /// Store the jobs of files
    Apply(command::apply::Apply),
    /// Show how job files differ from what the server has
    Diff(command::apply::Diff),
    /// Look at jobs, pause, trigger and delete them
    Job(command::job::Job),
    /// Look at runs, watch, cancel and repeat them
    Run(command::run::Run),
    /// Look at schedules, what became of their windows and which come next; pause and delete them
    Schedule(command::schedule::Schedule),
    /// Run past windows of a schedule, at the lowest priority
    Backfill(Box<command::backfill::Backfill>),
    /// Look at triggers and what they have made of events
    Trigger(command::trigger::Trigger),
    /// Tell the server that something happened
    Event(command::event::Event),
    /// Look at tasks and act on them
    Task(command::task::Task),
    /// Tasks that failed for good: list them, queue them again, discard them
    DeadLetter(command::dead_letter::DeadLetter),
    /// How far bulk work has come, such as the cancelling of many tasks
    Operation(command::operation::Operation),
    /// How much room each pool has, and what waits for it
    Pool(command::pool::Pool),
    /// Named limits, and what waits for them
    Limit(command::limit::Limit),
    /// What needs a person, the most harmful first
    Attention(command::attention::Attention),
    /// The server itself: version, journal, tables, settings
    System(command::system::System),
    /// How much waits and runs
    Stats(command::stats::Stats),
    /// News of tasks and runs, as they happen
    Events(command::events::Events),
    /// Check job files and tell every mistake, without a server
    Validate(command::validate::Validate),
    /// When a cron expression fires, and what it means
    Cron(command::cron::Cron),
    /// Servers by name, each with its token and tenant
    Context(command::context::Context),
    /// Check settings, or show what can be set
    Config(command::config::Config),
    /// Print a script that completes commands in a shell
    Completion(command::completion::Completion),
    /// Names for the completion of a shell
    #[command(name = "__complete", hide = true)]
    Complete(command::completion::Complete),
    /// Run simulated worlds with faults, and check that nothing is lost
    Sim(command::sim::Sim),
    /// Measure this machine with the product's own engine
    Bench(command::bench::Bench),
    /// List rows of the tables that cannot be read, and release them
    Store(command::store::Store),
    /// Walk the journal of a data directory and check its hash chain
    Verify(command::verify::Verify),
}

fn main() -> ExitCode {
    let words = exits::told(Cli::command()).try_get_matches().unwrap_or_else(|error| tips::exit(error));
    let Cli { log, command } = Cli::from_arg_matches(&words).unwrap_or_else(|error| error.exit());
    let kind = match command {
        Command::Dev(_) => log::Kind::Trial,
        Command::Server(_) | Command::Worker(_) => log::Kind::Service,
        _ => log::Kind::Command,
    };
    if let Err(error) = log.start(kind) {
        note!("error: {error:#}");
        return ExitCode::from(2);
    }
    let code = run(command).unwrap_or_else(|error| {
        note!("error: {error:#}");
        ExitCode::from(1)
    });
    log::flush();
    code
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Dev(dev) => dev.run(),
        Command::Server(server) => server.run(),
        Command::Worker(worker) => worker.run(),
        Command::Submit(submit) => submit.run(),
        Command::Apply(apply) => apply.run(),
        Command::Diff(diff) => diff.run(),
        Command::Job(job) => job.run(),
        Command::Run(run) => run.run(),
        Command::Schedule(schedule) => schedule.run(),
        Command::Backfill(backfill) => backfill.run(),
        Command::Trigger(trigger) => trigger.run(),
        Command::Event(event) => event.run(),
        Command::Task(task) => task.run(),
        Command::DeadLetter(dead_letter) => dead_letter.run(),
        Command::Operation(operation) => operation.run(),
        Command::Pool(pool) => pool.run(),
        Command::Limit(limit) => limit.run(),
        Command::Attention(attention) => attention.run(),
        Command::System(system) => system.run(),
        Command::Stats(stats) => stats.run(),
        Command::Events(events) => events.run(),
        Command::Validate(validate) => validate.run(),
        Command::Cron(cron) => cron.run(),
        Command::Context(context) => context.run(),
        Command::Config(config) => Ok(config.run()),
        Command::Completion(completion) => Ok(completion.run::<Cli>()),
        Command::Complete(complete) => complete.run(),
        Command::Sim(sim) => sim.run(),
        Command::Bench(bench) => bench.run(),
        Command::Store(store) => store.run(),
        Command::Verify(verify) => verify.run(),
    }
}

#[cfg(test)]
mod tests {
    use mainspring_api::catalog::{Reach, operations};

    use super::*;

    #[test]
    fn every_command_of_the_table_of_operations_exists() {
        let root = Cli::command();
        for operation in operations() {
            let Reach::At(words) = operation.cli else { continue };
            let mut command = &root;
            for word in words.split(' ') {
                let found = command.find_subcommand(word);
                command =
                    found.unwrap_or_else(|| panic!("{}: there is no `mainspring {words}`", operation.id));
            }
            assert!(!command.has_subcommands(), "{}: `{words}` is a group, not a command", operation.id);
        }
    }
}
