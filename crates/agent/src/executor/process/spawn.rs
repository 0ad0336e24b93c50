//! From a payload to a running process group.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Resource, Signal};

use super::child::Child;
use super::control::LAST_CHECKPOINT;
use super::launch::{Launch, launch};
use super::user::User;
use super::{Limits, Payload, Settings, keep};
use crate::attempt::Attempt;
use crate::cgroup::Cgroup;

const SHELL: &str = "/bin/sh";

pub struct Spawned {
    pub child: Child,
    pub group: Group,
    /// Where it reads, if it is to be fed.
    pub input: Option<OwnedFd>,
    /// Where what it writes can be read, unless it is kept.
    pub output: Option<OwnedFd>,
}

/// Both sides of what a program reads and writes.
pub struct Streams {
    /// None: there is nothing to read.
    pub stdin: Option<OwnedFd>,
    /// Output and errors.
    pub written: OwnedFd,
    pub input: Option<OwnedFd>,
    pub output: Option<OwnedFd>,
}

pub fn spawn(
    settings: &Settings,
    payload: &Payload,
    attempt: &Attempt,
    control: &Path,
    kept: bool,
    cgroup: Option<&dyn Cgroup>,
    user: Option<&User>,
) -> io::Result<Spawned> {
    let (program, argv) = program(settings, payload, kept)?;
    let env = environment(settings, payload, attempt, control, user)?;
    let streams = if kept {
        keep::redirect(payload, control, &settings.places.log(attempt.key, attempt.number))?
    } else {
        Streams::piped(payload)?
    };
    let stdin = streams.stdin.as_ref().map_or(settings.nothing.as_fd(), OwnedFd::as_fd);
    let written = streams.written.as_fd();
    let cwd = payload.cwd.as_ref().map(|cwd| CString::new(cwd.as_os_str().as_bytes())).transpose()?;
    let launched = launch(
        &settings.stacks,
        &Launch {
            program,
            argv,
            env,
            cwd,
            stdio: [stdin, written, written],
            entrance: cgroup.map(Cgroup::entrance).transpose()?,
            limits: limits(payload.limits),
            user,
        },
    )?;
    let group = Group(launched.id);
    let Streams { input, output, .. } = streams;
    Ok(Spawned { child: Child::new(launched), group, input, output })
}

impl Streams {
    /// One pipe for all that it writes.
    fn piped(payload: &Payload) -> io::Result<Self> {
        let (output, written) = io::pipe()?;
        let (stdin, input) = match payload.stdin {
            Some(_) => io::pipe().map(|(stdin, input)| (Some(stdin.into()), Some(input.into())))?,
            None => (None, None),
        };
        Ok(Self { stdin, written: written.into(), input, output: Some(output.into()) })
    }
}

/// What is run, and the words that it is given, the first of which is its name.
fn program(settings: &Settings, payload: &Payload, kept: bool) -> io::Result<(CString, Vec<CString>)> {
    let found = if payload.shell { PathBuf::from(SHELL) } else { keep::find(settings, payload)? };
    let found = found.as_os_str().as_bytes();
    let mut words: Vec<&[u8]> = Vec::with_capacity(payload.argv.len() + 8);
    if kept {
        // The waiting shell, with the program as its parameter.
        words.extend([SHELL.as_bytes(), b"-c", keep::WAITER.as_bytes(), b"sh", found]);
    } else {
        words.push(if payload.shell { found } else { payload.argv[0].as_bytes() });
    }
    if payload.shell {
        // `sh` is `$0`; the rest are `$1`, `$2`, …, which the script must quote as ever.
        words.extend([b"-c", payload.argv[0].as_bytes(), b"sh"]);
    }
    words.extend(payload.argv[1..].iter().map(String::as_bytes));
    let words = words.into_iter().map(CString::new).collect::<Result<_, _>>()?;
    Ok((CString::new(if kept { SHELL.as_bytes() } else { found })?, words))
}

/// What the attempt may know of itself is set last, so that no payload can forge it.
fn environment(
    settings: &Settings,
    payload: &Payload,
    attempt: &Attempt,
    control: &Path,
    user: Option<&User>,
) -> io::Result<Vec<CString>> {
    let mut env: BTreeMap<&str, Cow<'_, OsStr>> = BTreeMap::new();
    let pairs = settings.env.iter().map(|(name, value)| (name.as_str(), OsStr::new(value).into()));
    env.extend(pairs);
    if let Some(user) = user {
        user.tell(&mut env);
    }
    env.extend(payload.env.iter().map(|(name, value)| (name.as_str(), OsStr::new(value).into())));
    let task = attempt.key.task.to_string();
    let mut tell = |name: &'static str, value: String| env.insert(name, Cow::Owned(value.into()));
    tell("MAINSPRING_TASK_ID", task.clone());
    tell("MAINSPRING_IDEMPOTENCY_KEY", task);
    tell("MAINSPRING_ATTEMPT", attempt.number.to_string());
    tell("MAINSPRING_FENCE", attempt.key.fence.bits().to_string());
    if let Some(deadline) = attempt.deadline_unix_ms {
        tell("MAINSPRING_DEADLINE_MS", deadline.to_string());
    }
    env.insert("MAINSPRING_TENANT", OsStr::new(&attempt.tenant).into());
    env.insert("MAINSPRING_JOB", OsStr::new(&attempt.job).into());
    env.insert("MAINSPRING_CONTROL", control.as_os_str().into());
    env.insert("MAINSPRING_CHECKPOINT", Cow::Owned(control.join(LAST_CHECKPOINT).into()));
    let text = |(name, value): (&str, Cow<'_, OsStr>)| {
        CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).map_err(io::Error::from)
    };
    env.into_iter().map(text).collect()
}

fn limits(limits: Limits) -> Vec<(Resource, u64)> {
    let asked = [
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Nofile, limits.open_files),
        (Resource::Fsize, limits.file_bytes),
        (Resource::As, limits.address_space_bytes),
        (Resource::Core, limits.core_bytes),
    ];
    asked.into_iter().filter_map(|(resource, most)| Some((resource, most?))).collect()
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
