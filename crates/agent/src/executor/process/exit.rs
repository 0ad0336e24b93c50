//! What an exit status means.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use mainspring_core::failure::FailureClass;

use crate::attempt::Outcome;
use crate::cgroup::MemoryEnd;

/// `EX_TEMPFAIL` of sysexits.h: the program itself says that trying again may help.
const TEMPORARY: i32 = 75;
/// What a shell makes of SIGKILL, which is what the kernel sends when memory runs out.
const KILLED: i32 = 128 + SIGKILL;
const SIGKILL: i32 = 9;

/// As a shell would tell it: signals are 128 and up.
pub fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

/// Of an attempt that nobody stopped.
pub fn failure(status: ExitStatus, tail: &str, memory: MemoryEnd) -> Outcome {
    let code = code(status);
    let (class, what) = match code {
        KILLED if memory.killed > 0 => (FailureClass::Resource, out_of_memory(memory)),
        KILLED => (FailureClass::Resource, "was killed, most likely because memory ran out".to_owned()),
        TEMPORARY => (FailureClass::Transient, "ended with code 75 (try again)".to_owned()),
        _ => match status.signal() {
            Some(signal) => (FailureClass::Transient, format!("was ended by signal {signal}")),
            None => (FailureClass::Transient, format!("ended with code {code}")),
        },
    };
    let message = if tail.is_empty() { what } else { format!("{what}\n{tail}") };
    Outcome::failure(class, code, message)
}

fn out_of_memory(memory: MemoryEnd) -> String {
    match memory.limit_bytes {
        Some(bytes) => format!("was killed: it needed more than its limit of {bytes} bytes of memory"),
        None => "was killed: the machine's memory ran out".to_owned(),
    }
}
