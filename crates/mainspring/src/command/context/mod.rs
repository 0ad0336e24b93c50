//! `mainspring context`: servers by name, each with its token and tenant.

mod file;
mod target;

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use mainspring_client::Client;
use serde_json::json;

use self::file::{Contexts, Entry};
pub(super) use self::target::{Origin, Target};
use super::output::{Column, Output, Print, text};
use crate::note::note;
use crate::token;

/// A context is a server with its token and tenant, under a name. They are kept in
/// `~/.config/mainspring/contexts.json` (or the file `MAINSPRING_CONTEXTS`), which only its owner can read.
///
/// What a command talks to: `--server`, else `--context`, else `MAINSPRING_SERVER`, else `MAINSPRING_CONTEXT`, else the
/// current context, else `http://127.0.0.1:7070`. The token and the tenant of a context are only used with its server;
/// `--token-file`, `--tenant` and their variables go before them.
/// Exit: 0 done, 1 refused, 4 there is no such context.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring context add prod --server http://mainspring.example:7070 --token-file token\n  \
    mainspring context use prod\n  \
    mainspring context list")]
pub(crate) struct Context {
    #[command(subcommand)]
    command: ContextCommand,
}

#[derive(Subcommand)]
enum ContextCommand {
    /// Store a server under a name; the first one becomes the current one
    #[command(after_help = "Examples:\n  \
        mainspring context add prod --server http://mainspring.example:7070 --token-file token --tenant acme\n  \
        pass show mainspring | mainspring context add prod --server http://10.0.0.7:7070 --token-file - --use")]
    Add(Add),
    /// Make a context the current one
    #[command(after_help = "Example:\n  mainspring context use prod")]
    Use(Named),
    /// List contexts; the current one has a star
    #[command(after_help = "Example:\n  mainspring context list")]
    List(List),
    /// Forget a context and its token
    #[command(after_help = "Example:\n  mainspring context remove prod")]
    Remove(Named),
}

#[derive(Args)]
struct Add {
    /// Its name; a context of that name is replaced
    name: String,
    /// The server, as `http://127.0.0.1:7070`
    #[arg(long, value_name = "URL")]
    server: String,
    /// A file with the token of the server, or `-` for stdin; the token is kept with the context
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The tenant of commands that name none, as `acme`
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// Make it the current one
    #[arg(long = "use")]
    make_current: bool,
}

#[derive(Args)]
struct Named {
    /// The context
    name: String,
}

#[derive(Args)]
struct List {
    /// How the list is printed; tokens are not
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    output: Output,
}

const COLUMNS: [Column; 5] = [
    text("NAME", "name"),
    text("CURRENT", "mark"),
    text("SERVER", "server"),
    text("TENANT", "tenant"),
    text("TOKEN", "token"),
];

impl Context {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            ContextCommand::Add(add) => add.run(),
            ContextCommand::Use(named) => change(&named.name, |contexts, name| {
                contexts.current = Some(name.to_owned());
                format!("commands talk to `{name}` from now on")
            }),
            ContextCommand::Remove(named) => change(&named.name, |contexts, name| {
                contexts.contexts.remove(name);
                contexts.current.take_if(|current| current == name);
                format!("`{name}` and its token are forgotten")
            }),
            ContextCommand::List(list) => list.run(),
        }
    }
}

impl Add {
    fn run(self) -> anyhow::Result<ExitCode> {
        let Self { name, server, token_file, tenant, make_current } = self;
        if name.is_empty() || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            bail!("`{name}` cannot be the name of a context: take letters, digits and signs, as in prod-eu");
        }
        Client::new(&server)?;
        let token = match &token_file {
            Some(path) if path.as_os_str() == "-" => Some(token_of_stdin()?),
            Some(path) => Some(token::read(path)?),
            None => None,
        };
        let mut contexts = Contexts::load()?;
        let first = contexts.contexts.is_empty();
        let token = token.map(|secret| secret.text().to_owned());
        contexts.contexts.insert(name.clone(), Entry { server, token, tenant });
        if first || make_current {
            contexts.current = Some(name.clone());
        }
        contexts.save()?;
        let current =
            if contexts.current.as_deref() == Some(&*name) { ", and is the current one" } else { "" };
        note!("`{name}` is stored in `{}`{current}", file::path()?.display());
        Ok(ExitCode::SUCCESS)
    }
}

fn token_of_stdin() -> anyhow::Result<token::Secret> {
    let mut text = String::new();
    std::io::stdin()
        .take(token::FILE_BYTES_MAX)
        .read_to_string(&mut text)
        .context("cannot read the token from stdin")?;
    token::Secret::new(text.trim_end_matches(['\n', '\r'])).context("on stdin")
}

fn change(name: &str, change: impl FnOnce(&mut Contexts, &str) -> String) -> anyhow::Result<ExitCode> {
    let mut contexts = Contexts::load()?;
    if !contexts.contexts.contains_key(name) {
        note!("error: {}", contexts.missing(name));
        return Ok(ExitCode::from(super::connect::NOT_FOUND));
    }
    let done = change(&mut contexts, name);
    contexts.save()?;
    note!("{done}");
    Ok(ExitCode::SUCCESS)
}

impl List {
    fn run(self) -> anyhow::Result<ExitCode> {
        let contexts = Contexts::load()?;
        let rows: Vec<_> = contexts
            .contexts
            .iter()
            .map(|(name, entry)| {
                let current = contexts.current.as_deref() == Some(&**name);
                json!({
                    "name": name, "server": entry.server, "tenant": entry.tenant, "current": current,
                    "mark": if current { "*" } else { "" }, "token": if entry.token.is_some() { "yes" } else { "" },
                })
            })
            .collect();
        Print::new(self.output).rows(&json!({ "contexts": rows }), "contexts", &COLUMNS);
        Ok(ExitCode::SUCCESS)
    }
}
