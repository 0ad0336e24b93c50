//! The user that a program runs as, if it is not to be the agent's own.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use mainspring_core::values::FailureClass;
use nix::unistd;
use rustix::process::{Gid, Uid};

use crate::attempt::Outcome;

#[derive(Debug)]
pub struct User {
    pub uid: Uid,
    pub gid: Gid,
    groups: Vec<Gid>,
    /// Name and home of one that this machine knows.
    known: Option<(String, PathBuf)>,
}

/// Beside the runtime: who somebody is may have to be asked far away.
pub async fn find(wanted: Option<&str>) -> Result<Option<User>, Outcome> {
    let Some(wanted) = wanted.map(str::to_owned) else {
        return Ok(None);
    };
    let found = tokio::task::spawn_blocking(move || resolve(&wanted)).await;
    found.unwrap_or_else(|error| Err(not_known_now(&error.to_string()))).map(Some)
}

fn resolve(wanted: &str) -> Result<User, Outcome> {
    let user = look_up(wanted)?;
    let own = rustix::process::geteuid();
    if own.is_root() || (own == user.uid && rustix::process::getegid() == user.gid) {
        return Ok(user);
    }
    let what =
        format!("cannot run as user `{wanted}`: the worker is not root, it runs as user {}", own.as_raw());
    Err(Outcome::permanent(what))
}

fn look_up(wanted: &str) -> Result<User, Outcome> {
    let (uid, gid) = match wanted.split_once(':') {
        Some((uid, gid)) => (Some(number(wanted, uid)?), Some(number(wanted, gid)?)),
        None if wanted.starts_with(|first: char| first.is_ascii_digit()) => {
            (Some(number(wanted, wanted)?), None)
        }
        None => (None, None),
    };
    let entry = match uid {
        Some(uid) => unistd::User::from_uid(uid.into()),
        None => unistd::User::from_name(wanted),
    };
    let entry = entry.map_err(|error| not_known_now(&error.to_string()))?;
    let (Some(uid), Some(gid)) = (
        uid.or(entry.as_ref().map(|entry| entry.uid.as_raw())),
        gid.or(entry.as_ref().map(|entry| entry.gid.as_raw())),
    ) else {
        let numbers = if uid.is_some() { "; give its group too, as `uid:gid`" } else { "" };
        return Err(Outcome::permanent(format!("this machine has no user `{wanted}`{numbers}")));
    };
    let groups = match &entry {
        Some(entry) => groups_of(&entry.name, gid).map_err(|error| not_known_now(&error.to_string()))?,
        None => vec![Gid::from_raw(gid)],
    };
    let known = entry.map(|entry| (entry.name, entry.dir));
    Ok(User { uid: Uid::from_raw(uid), gid: Gid::from_raw(gid), groups, known })
}

fn number(wanted: &str, text: &str) -> Result<u32, Outcome> {
    // The kernel reads the highest number as "leave it as it is".
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| is_digits && *number != u32::MAX);
    number.ok_or_else(|| Outcome::permanent(format!("`{wanted}` is no user: a name, `uid`, or `uid:gid`")))
}

fn groups_of(name: &str, gid: u32) -> io::Result<Vec<Gid>> {
    let groups = unistd::getgrouplist(&CString::new(name)?, gid.into())?;
    Ok(groups.into_iter().map(|group| Gid::from_raw(group.as_raw())).collect())
}

fn not_known_now(why: &str) -> Outcome {
    Outcome::failure(FailureClass::Transient, 0, format!("cannot look up the user: {why}"))
}

impl User {
    /// The agent's own home and name are nobody else's.
    pub fn tell(&self, command: &mut Command) {
        if let Some((name, home)) = &self.known {
            command.env("HOME", home).env("USER", name).env("LOGNAME", name);
        } else {
            command.env_remove("HOME").env_remove("USER").env_remove("LOGNAME");
        }
    }

    /// The last thing before the program, which is looked for and found with this user's rights, as `cwd` is.
    pub fn apply(self, command: &mut Command, cwd: Option<&Path>) -> io::Result<()> {
        let cwd = cwd.map(|cwd| CString::new(cwd.as_os_str().as_bytes())).transpose()?;
        let Self { uid, gid, groups, .. } = self;
        let is_root = rustix::process::geteuid().is_root();
        let become_user = move || {
            if is_root {
                rustix::thread::set_thread_groups(&groups)?;
                rustix::thread::set_thread_res_gid(gid, gid, gid)?;
                rustix::thread::set_thread_res_uid(uid, uid, uid)?;
            }
            cwd.as_ref().map_or(Ok(()), |cwd| Ok(rustix::process::chdir(cwd.as_c_str())?))
        };
        // SAFETY: between fork and exec only bare system calls on what was made before; nothing allocates or locks. Of
        // the agent's threads only this one is in the child, so what is set for a thread is set for the process.
        #[expect(
            unsafe_code,
            reason = "rights must be given up after limits are set and before the program runs"
        )]
        unsafe {
            command.pre_exec(become_user);
        }
        Ok(())
    }
}
