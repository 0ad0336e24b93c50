//! Processes of an agent that is gone.
//!
//! Their output went to a pipe that nobody reads, and their exit status to nobody: they cannot be adopted, and the
//! server, which hears that the worker was restarted, decides what becomes of their tasks. So they are ended.

use std::fs;
use std::io;
use std::path::Path;

use rustix::process::Pid;
use tracing::warn;

use super::spawn::Group;
use crate::home::Places;

const RECORD: &str = ".process";

/// Notes which process the attempt is, so that a later agent can find it.
pub fn record(dir: &Path, group: Group) {
    let id = group.0.as_raw_nonzero().get();
    let written = started(id).and_then(|started| fs::write(dir.join(RECORD), format!("{id} {started}")));
    // A program may have ended before it could be looked at; then there is nothing to find.
    if let Err(error) = written
        && error.kind() != io::ErrorKind::NotFound
    {
        warn!(dir = %dir.display(), %error, "cannot note a process");
    }
}

/// Ends what is left of earlier lives of this agent; gives the number of groups killed.
pub fn end_all(places: &Places) -> io::Result<usize> {
    let mut ended = 0;
    for entry in fs::read_dir(places.attempts())? {
        let dir = entry?.path();
        if let Some(group) = survivor(&dir) {
            warn!(dir = %dir.display(), "ending a process of an earlier agent");
            group.kill();
            ended += 1;
        }
        fs::remove_dir_all(&dir)?;
    }
    Ok(ended)
}

fn survivor(dir: &Path) -> Option<Group> {
    let record = fs::read_to_string(dir.join(RECORD)).ok()?;
    let (id, noted) = record.split_once(' ')?;
    let id: i32 = id.parse().ok()?;
    // The number may belong to somebody else by now; the start time does not.
    let same = started(id).ok()? == noted;
    same.then(|| Pid::from_raw(id).map(Group)).flatten()
}

/// When the process started, in ticks since boot: field 22 of its `stat`.
fn started(id: i32) -> io::Result<String> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The second field is the program's name, which may contain anything, also `)`.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let field = after_name.split_whitespace().nth(19);
    field.map(str::to_owned).ok_or_else(|| io::Error::other("no start time"))
}
