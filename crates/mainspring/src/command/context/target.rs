//! Which server a command talks to, with which token, and for which tenant.
//! - CX-3 the token of a context is shown to no other server than its own

use anyhow::bail;

use super::super::connect::Connect;
use super::file::Contexts;
use crate::config::environment;
use crate::token::{self, Secret};

const SERVER_DEFAULT: &str = "http://127.0.0.1:7070";

pub(in crate::command) struct Target {
    pub(in crate::command) server: String,
    pub(in crate::command) secret: Option<Secret>,
    /// Of the context.
    pub(in crate::command) tenant: Option<String>,
    pub(in crate::command) origin: Origin,
}

/// Who named the server.
pub(in crate::command) enum Origin {
    Flag,
    Variable,
    Context(String),
    Default,
}

impl Origin {
    /// What to do when it cannot be reached.
    pub(in crate::command) fn advice(&self) -> String {
        match self {
            Self::Flag => "that is the server of --server; is it running?".to_owned(),
            Self::Variable => {
                "that is the server of MAINSPRING_SERVER; is it running? Name another with --server"
                    .to_owned()
            }
            Self::Context(name) => format!(
                "that is the server of the context `{name}`; is it running? Take another with `mainspring context use` or --server"
            ),
            Self::Default => {
                "start one with `mainspring dev`, or name another with --server or `mainspring context add`"
                    .to_owned()
            }
        }
    }
}

impl Target {
    pub(in crate::command) fn of(connect: &Connect) -> anyhow::Result<Self> {
        let (server, origin) = match (&connect.server, &connect.context) {
            (Some(server), _) => (Some(server.clone()), Origin::Flag),
            (None, Some(name)) => (None, Origin::Context(name.clone())),
            (None, None) => named_elsewhere()?,
        };
        let token_file =
            connect.token_file.clone().or_else(|| environment("MAINSPRING_TOKEN_FILE").map(Into::into));
        let secret = token::of_caller(token_file.as_deref())?;
        let Origin::Context(name) = &origin else {
            let server = server.unwrap_or_else(|| SERVER_DEFAULT.to_owned());
            return Ok(Self { server, secret, tenant: None, origin });
        };
        let contexts = Contexts::load()?;
        let Some(entry) = contexts.contexts.get(name) else { bail!("{}", contexts.missing(name)) };
        let secret = match (secret, &entry.token) {
            (None, Some(token)) => Some(Secret::new(token)?),
            (secret, _) => secret,
        };
        Ok(Self { server: entry.server.clone(), secret, tenant: entry.tenant.clone(), origin })
    }
}

/// By the environment, else by the current context, else by nobody.
fn named_elsewhere() -> anyhow::Result<(Option<String>, Origin)> {
    if let Some(server) = environment("MAINSPRING_SERVER") {
        return Ok((Some(server), Origin::Variable));
    }
    if let Some(name) = environment("MAINSPRING_CONTEXT") {
        return Ok((None, Origin::Context(name)));
    }
    Ok((None, Contexts::load()?.current.map_or(Origin::Default, Origin::Context)))
}
