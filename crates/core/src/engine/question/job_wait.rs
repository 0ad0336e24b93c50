//! What a node of a run needs of another job and does not have.

use std::fmt;

use crate::values::{Millis, Name, Wall};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobWait {
    pub job: Name,
    /// How old a success may be.
    pub within: Option<Millis>,
    pub since: Wall,
    /// When the node gives up, and how long it is until then.
    pub fails: Option<(Wall, Millis)>,
    /// A job that was deleted does not.
    pub exists: bool,
    /// Too long ago, if there was one.
    pub succeeded: Option<Wall>,
}

impl fmt::Display for JobWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.job)?;
        if !self.exists {
            f.write_str(", which does not exist")?;
        }
        if let Some(within) = self.within {
            write!(f, ", at most {within} old")?;
        }
        self.fails.map_or(Ok(()), |(_, left)| write!(f, ", for {left} more"))
    }
}

pub(crate) fn fmt_all(f: &mut fmt::Formatter<'_>, waits: &[JobWait], more: u32) -> fmt::Result {
    f.write_str("it could run, and waits for a success of job ")?;
    for (at, wait) in waits.iter().enumerate() {
        write!(f, "{}{wait}", if at == 0 { "" } else { "; " })?;
    }
    if more > 0 {
        write!(f, "; and {more} more")?;
    }
    Ok(())
}

pub(crate) fn advice(waits: &[JobWait]) -> String {
    match waits.iter().find(|wait| !wait.exists).or(waits.first()) {
        Some(JobWait { job, exists: false, .. }) => format!("apply job `{job}` and trigger it"),
        Some(JobWait { job, .. }) => format!("trigger job `{job}`, or see why it does not succeed"),
        None => "wait a moment".into(),
    }
}
