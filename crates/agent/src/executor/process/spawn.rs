//! From a payload to a running process group.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Resource, Rlimit, Signal};

use super::child::Child;
use super::user::User;
use super::{Limits, Payload, Settings, keep};
use crate::attempt::Attempt;
use crate::cgroup::Cgroup;

pub struct Spawned {
    pub child: Child,
    pub group: Group,
    /// Where what it writes to stdout and to stderr can be read, unless it is kept.
    pub output: Option<[OwnedFd; 2]>,
}

pub fn spawn(
    settings: &Settings,
    payload: &Payload,
    attempt: &Attempt,
    control: &Path,
    kept: bool,
    cgroup: Option<&dyn Cgroup>,
    user: Option<User>,
) -> io::Result<Spawned> {
    let mut command = if kept { keep::waiter(settings, payload)? } else { program(payload) };
    command.env_clear();
    command.envs(settings.env.iter().map(|(name, value)| (name, value)));
    if let Some(user) = &user {
        user.tell(&mut command);
    }
    command.envs(&payload.env);
    tell(&mut command, attempt, control);
    attempt.devices.tell(&mut command);
    let output = if kept {
        let log = settings.places.log(attempt.key, attempt.number);
        keep::redirect(&mut command, payload, control, &log)?;
        None
    } else {
        let ((stdout, to_stdout), (stderr, to_stderr)) = (io::pipe()?, io::pipe()?);
        command.stdin(match payload.stdin {
            Some(_) => Stdio::piped(),
            None => settings.nothing.try_clone()?.into(),
        });
        command.stdout(to_stdout).stderr(to_stderr);
        Some([stdout.into(), stderr.into()])
    };
    command.process_group(0);
    if let Some(cgroup) = cgroup {
        enter(&mut command, cgroup.entrance()?);
    }
    limit(&mut command, payload.limits);
    match (user, &payload.cwd) {
        (Some(user), cwd) => user.apply(&mut command, cwd.as_deref())?,
        (None, Some(cwd)) => drop(command.current_dir(cwd)),
        (None, None) => {}
    }
    let child = Child::new(command.spawn()?);
    let group = Group(child.id());
    Ok(Spawned { child, group, output })
}

fn program(payload: &Payload) -> Command {
    if payload.shell {
        let mut command = Command::new("/bin/sh");
        // `sh` is `$0`; the rest are `$1`, `$2`, …, which the script must quote as ever.
        command.arg("-c").arg(&payload.argv[0]).arg("sh").args(&payload.argv[1..]);
        return command;
    }
    let mut command = Command::new(&payload.argv[0]);
    command.args(&payload.argv[1..]);
    command
}

/// What the attempt may know of itself; set last, so that no payload can forge it.
fn tell(command: &mut Command, attempt: &Attempt, control: &Path) {
    let task = attempt.key.task.to_string();
    command.env("MAINSPRING_TASK_ID", &task);
    command.env("MAINSPRING_IDEMPOTENCY_KEY", &task);
    command.env("MAINSPRING_ATTEMPT", attempt.number.to_string());
    command.env("MAINSPRING_ATTEMPT_ID", attempt.key.id().to_string());
    command.env("MAINSPRING_FENCE", attempt.key.fence.bits().to_string());
    command.env("MAINSPRING_TENANT", &attempt.tenant);
    command.env("MAINSPRING_JOB", &attempt.job);
    command.env("MAINSPRING_CONTROL", control);
    command.env("MAINSPRING_CHECKPOINT", control.join(super::control::LAST_CHECKPOINT));
    if let Some(deadline) = attempt.deadline_unix_ms {
        command.env("MAINSPRING_DEADLINE_MS", deadline.to_string());
    }
}

/// Only for those that have a cgroup: it makes every start slower.
fn enter(command: &mut Command, entrance: File) {
    let enter = move || Ok(rustix::io::write(&entrance, b"0").map(drop)?);
    // SAFETY: between fork and exec only `write` is called, a bare system call; nothing allocates or locks.
    #[expect(unsafe_code, reason = "limits must hold before the program's first instruction")]
    unsafe {
        command.pre_exec(enter);
    }
}

fn limit(command: &mut Command, limits: Limits) {
    let asked = [
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Nofile, limits.open_files),
        (Resource::Fsize, limits.file_bytes),
        (Resource::As, limits.address_space_bytes),
        (Resource::Core, limits.core_bytes),
    ];
    if asked.iter().all(|(_, asked)| asked.is_none()) {
        return;
    }
    let set = move || {
        for (resource, asked) in asked {
            if asked.is_some() {
                rustix::process::setrlimit(resource, Rlimit { current: asked, maximum: asked })?;
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec only `setrlimit` is called, a bare system call; nothing allocates or locks.
    #[expect(unsafe_code, reason = "limits must hold before the program's first instruction")]
    unsafe {
        command.pre_exec(set);
    }
}

/// All processes of an attempt, except those that left on purpose (`setsid`).
#[derive(Clone, Copy)]
pub struct Group(pub(super) Pid);

impl Group {
    pub fn ask_to_end(self) {
        self.signal(Signal::TERM);
    }

    /// Right after the leader was waited for this still means its group: the kernel keeps the number while a
    /// member lives, and hands numbers out in turn.
    pub fn kill(self) {
        self.signal(Signal::KILL);
    }

    fn signal(self, signal: Signal) {
        // It fails when nobody is left, which is what was wanted.
        let _ = rustix::process::kill_process_group(self.0, signal);
    }
}
