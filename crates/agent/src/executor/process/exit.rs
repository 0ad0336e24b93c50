//! What an exit status means.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use mainspring_core::values::FailureClass;

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

/// Of an attempt that nobody stopped. `memory` is the kernel's own word on it, where there is one.
pub fn failure(status: ExitStatus, tail: &str, memory: Option<MemoryEnd>) -> Outcome {
    let code = code(status);
    let (class, what) = match (code, memory) {
        (_, Some(memory)) if memory.killed > 0 => {
            (FailureClass::Resource, format!("{}: {}", ended(status, code), out_of_memory(memory)))
        }
        (KILLED, None) => {
            (FailureClass::Resource, "was killed, most likely because memory ran out".to_owned())
        }
        _ => (FailureClass::Transient, ended(status, code)),
    };
    let message = if tail.is_empty() { what } else { format!("{what}\n{tail}") };
    Outcome::failure(class, code, message)
}

/// Of an attempt whose end nobody saw.
pub fn unseen(memory: Option<MemoryEnd>) -> Outcome {
    match memory {
        Some(memory) if memory.killed > 0 => {
            let what = format!("it ended, and nobody saw how: {}", out_of_memory(memory));
            Outcome::unknown(FailureClass::Resource, 0, what)
        }
        _ => Outcome::unknown(FailureClass::WorkerLost, 0, "it ended, and nobody saw how"),
    }
}

fn ended(status: ExitStatus, code: i32) -> String {
    match (code, status.signal()) {
        (KILLED, _) => "was killed".to_owned(),
        (TEMPORARY, _) => "ended with code 75 (try again)".to_owned(),
        (_, Some(signal)) => format!("was ended by signal {signal}"),
        (_, None) => format!("ended with code {code}"),
    }
}

fn out_of_memory(memory: MemoryEnd) -> String {
    match memory.over_limit {
        Some(bytes) => format!("it needed more than its limit of {bytes} bytes of memory"),
        None => "the machine's memory ran out".to_owned(),
    }
}
