//! `mainspring completion`: what a shell needs to complete commands, and names and ids that only the server knows.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, CommandFactory, ValueEnum};
use mainspring_client::{Client, query};
use serde_json::Value;

use super::connect::Connect;
use super::output::say;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring completion bash > /etc/bash_completion.d/mainspring\n  \
    mainspring completion zsh > \"${fpath[1]}/_mainspring\"\n  \
    mainspring completion fish > ~/.config/fish/completions/mainspring.fish")]
pub(crate) struct Completion {
    /// The shell
    shell: Shell,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Appended to what is known without a server: names and ids of it are asked for with `__complete`.
const BASH: &str = r#"
_mainspring_names() {
    local names
    names=$(mainspring __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ -n $names ]]; then
        local IFS=$'\n'
        COMPREPLY=($(compgen -W "$names" -- "${COMP_WORDS[COMP_CWORD]}"))
    else
        _mainspring "$@"
    fi
}
complete -F _mainspring_names -o nosort -o bashdefault -o default mainspring"#;
const ZSH: &str = r#"
_mainspring_names() {
    local -a names
    names=("${(@f)$(mainspring __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n ${names[1]} ]]; then
        compadd -- "${names[@]}"
    else
        _mainspring "$@"
    fi
}
compdef _mainspring_names mainspring"#;
const FISH: &str = r"
complete -c mainspring -f -a '(mainspring __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'";

impl Completion {
    pub(crate) fn run<Cli: CommandFactory>(&self) -> ExitCode {
        let (shell, names) = match self.shell {
            Shell::Bash => (clap_complete::Shell::Bash, BASH),
            Shell::Zsh => (clap_complete::Shell::Zsh, ZSH),
            Shell::Fish => (clap_complete::Shell::Fish, FISH),
        };
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "mainspring", &mut script);
        say(String::from_utf8_lossy(&script).trim_end());
        say(names);
        ExitCode::SUCCESS
    }
}

/// Names or ids that can stand where the last of these words is being written.
#[derive(Args)]
pub(crate) struct Complete {
    #[command(flatten)]
    connect: Connect,
    /// The words after `mainspring`, the last one as far as it is written
    #[arg(last = true)]
    words: Vec<String>,
}

/// A shell waits no longer for names.
const WAIT_MAX: Duration = Duration::from_secs(2);
const NAMES_MAX: &str = "200";

/// What is named, and where the server lists it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Named {
    path: &'static str,
    key: &'static str,
    fields: &'static [&'static str],
}

const JOBS: Named = Named { path: "/v1/jobs", key: "jobs", fields: &["job"] };
const SCHEDULES: Named = Named { path: "/v1/schedules", key: "schedules", fields: &["job", "name"] };
const TRIGGERS: Named = Named { path: "/v1/triggers", key: "triggers", fields: &["job", "name"] };
const RUNS: Named = Named { path: "/v1/runs", key: "runs", fields: &["run_id"] };
const TASKS: Named = Named { path: "/v1/tasks", key: "tasks", fields: &["task_id"] };
const DEAD_LETTERS: Named = Named { path: "/v1/dead-letters", key: "tasks", fields: &["task_id"] };
const BACKFILLS: Named = Named { path: "/v1/backfills", key: "backfills", fields: &["backfill_id"] };
const WORKERS: Named = Named { path: "/v1/workers", key: "workers", fields: &["name"] };
const POOLS: Named = Named { path: "/v1/pools", key: "pools", fields: &["pool"] };

/// What can stand where something is being written.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Wanted {
    Listed(Named),
    /// Names of the tasks of a run.
    TasksOf(String),
    /// Known without a server.
    Words(&'static [&'static str]),
}

const RUN_STATES: &[&str] = &["queued", "running", "succeeded", "failed", "cancelled"];
const TASK_STATES: &[&str] = &[
    "pending",
    "queued",
    "assigned",
    "running",
    "retry_wait",
    "deferred",
    "succeeded",
    "failed",
    "cancelled",
    "skipped",
    "quarantined",
];

impl Complete {
    /// Prints nothing if nothing can be known: a shell must not show errors.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let begun = self.words.last().cloned().unwrap_or_default();
        let wanted = match wanted(&self.words) {
            None => return Ok(ExitCode::SUCCESS),
            Some(Wanted::Words(words)) => {
                words.iter().filter(|word| word.starts_with(&begun)).for_each(|word| say(word));
                return Ok(ExitCode::SUCCESS);
            }
            Some(wanted) => wanted,
        };
        self.connect.run(async |client, _| {
            let names = async {
                match wanted {
                    Wanted::Listed(named) => names(&client, named).await,
                    Wanted::TasksOf(run) => tasks_of(&client, &run).await,
                    Wanted::Words(_) => Vec::new(),
                }
            };
            let names = tokio::time::timeout(WAIT_MAX, names).await.unwrap_or_default();
            for name in names.iter().filter(|name| name.starts_with(&begun)) {
                say(name);
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// `None`: what is being written is an option or a word of the command line itself.
fn wanted(words: &[String]) -> Option<Wanted> {
    let [before @ .., last] = words else { return None };
    if last.starts_with('-') {
        return None;
    }
    let plain: Vec<&str> = before.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let listed = match before.last().map(String::as_str) {
        Some("--job") => Some(JOBS),
        Some("--pool") => Some(POOLS),
        Some("--worker") => Some(WORKERS),
        Some("--run") => Some(RUNS),
        Some("--task" | "--from-task") if plain.first() == Some(&"run") => {
            return plain.get(2).map(|run| Wanted::TasksOf((*run).to_owned()));
        }
        Some("--state") if plain.as_slice() == ["run", "list"] => return Some(Wanted::Words(RUN_STATES)),
        Some("--state") if matches!(plain.first(), Some(&("task" | "run"))) => {
            return Some(Wanted::Words(TASK_STATES));
        }
        _ => None,
    };
    listed.or_else(|| named(&plain)).map(Wanted::Listed)
}

/// What the command itself takes.
fn named(plain: &[&str]) -> Option<Named> {
    match plain {
        ["job", "get" | "history" | "stats" | "pause" | "resume" | "trigger" | "delete"]
        | ["backfill", "start"] => Some(JOBS),
        ["schedule", "get" | "history" | "put" | "pause" | "resume" | "delete"] => Some(SCHEDULES),
        ["trigger", "get"] => Some(TRIGGERS),
        ["pool", "get"] => Some(POOLS),
        ["worker", "get" | "cordon" | "uncordon" | "drain"] => Some(WORKERS),
        ["backfill", "get" | "watch" | "pause" | "resume" | "cancel"] => Some(BACKFILLS),
        ["dead-letter", "requeue" | "discard", ..] => Some(DEAD_LETTERS),
        ["run", verb] if *verb != "list" => Some(RUNS),
        ["task", verb] if *verb != "list" => Some(TASKS),
        _ => None,
    }
}

async fn names(client: &Client, named: Named) -> Vec<String> {
    let has_limit = named != WORKERS && named != POOLS;
    let path = query(named.path, &[("limit", has_limit.then_some(NAMES_MAX))]);
    let answer = client.get(&path).await.unwrap_or_default();
    let rows = answer.get(named.key).and_then(Value::as_array).into_iter().flatten();
    let name = |row: &Value| {
        let parts: Option<Vec<&str>> = named.fields.iter().map(|field| row.get(field)?.as_str()).collect();
        parts.map(|parts| parts.join("/"))
    };
    rows.filter(|row| row.get("deleted_at").is_none()).filter_map(name).collect()
}

async fn tasks_of(client: &Client, run: &str) -> Vec<String> {
    let Ok(id) = client.run_id(run).await else { return Vec::new() };
    let run = client.get(&format!("/v1/runs/{id}")).await.unwrap_or_default();
    let tasks = run["tasks"].as_array().into_iter().flatten();
    tasks.filter_map(|task| task["name"].as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_asked_for_where_they_can_stand() {
        let listed = |named: Named| Some(Wanted::Listed(named));
        let rows: [(&[&str], Option<Wanted>); 13] = [
            (&["job", "get", ""], listed(JOBS)),
            (&["job", "trigger", "-w", "nig"], listed(JOBS)),
            (&["job", "g"], None),
            (&["job", "get", "--te"], None),
            (&["task", "list", "--job", ""], listed(JOBS)),
            (&["task", "logs", "-f", "task_0"], listed(TASKS)),
            (&["run", "list", ""], None),
            (&["run", "rerun", ""], listed(RUNS)),
            (&["run", "logs", "run_1", "--task", ""], Some(Wanted::TasksOf("run_1".to_owned()))),
            (&["run", "list", "--state", "f"], Some(Wanted::Words(RUN_STATES))),
            (&["run", "items", "run_1", "--state", ""], Some(Wanted::Words(TASK_STATES))),
            (&["schedule", "pause", "etl/"], listed(SCHEDULES)),
            (&[], None),
        ];
        for (words, expected) in rows {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(wanted(&words), expected, "{words:?}");
        }
    }
}
