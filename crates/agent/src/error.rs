//! Why an agent cannot start; once it runs, nothing but its shutdown ends it.

use std::io;
use std::path::PathBuf;

#[derive(thiserror::Error, Debug)]
pub enum AgentError {
    #[error("`{server}` is not the address of a server; write `http://host:port`")]
    BadServer { server: String },
    #[error("another agent uses `{}`; give this one a state directory of its own", path.display())]
    InUse { path: PathBuf },
    #[error("`{}` is damaged: {what}; move it away to start as a new worker", path.display())]
    Damaged { path: PathBuf, what: String },
    #[error("cannot use `{}`: {source}", path.display())]
    State { path: PathBuf, source: io::Error },
}

impl AgentError {
    pub(crate) fn state(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::State { path, source }
    }
}
