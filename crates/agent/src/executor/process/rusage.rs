//! What a process used, as the kernel tells whoever waits for its end.

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::Pid;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Used {
    pub memory_peak_bytes: Option<u64>,
    /// User and system time.
    pub cpu_ms: Option<u64>,
}

impl Used {
    /// `self`, and where it says nothing, `other`.
    pub fn or(self, other: Self) -> Self {
        Self {
            memory_peak_bytes: self.memory_peak_bytes.or(other.memory_peak_bytes),
            cpu_ms: self.cpu_ms.or(other.cpu_ms),
        }
    }
}

/// Takes the status of a child that has ended; does not wait.
pub fn reap(child: Pid) -> io::Result<Option<(ExitStatus, Used)>> {
    let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both pointers are to values of the types that the call writes, and live until it returns.
    #[expect(unsafe_code, reason = "the standard library waits without asking what was used")]
    let found = unsafe {
        libc::wait4(child.as_raw_nonzero().get(), &raw mut status, libc::WNOHANG, usage.as_mut_ptr())
    };
    if found < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: numbers only, all of them valid when zero; the call has written them if it found the child.
    #[expect(unsafe_code, reason = "the kernel fills it in")]
    let usage = unsafe { usage.assume_init() };
    Ok((found > 0).then(|| (ExitStatus::from_raw(status), used(&usage, own_peak_bytes()))))
}

/// A process begins with the peak of the one that started it: one that never rose above `floor` was less than that, and
/// nobody knows how much.
fn used(usage: &libc::rusage, floor: u64) -> Used {
    let peak = peak_bytes(usage);
    Used {
        memory_peak_bytes: Some(peak).filter(|peak| *peak > floor),
        cpu_ms: Some((micros(usage.ru_utime) + micros(usage.ru_stime)).div_ceil(1000)),
    }
}

fn own_peak_bytes() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a value of the type that the call writes; numbers only, all of them valid when zero.
    #[expect(unsafe_code, reason = "no safe wrapper tells the peak of memory")]
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return u64::MAX;
        }
        usage.assume_init()
    };
    peak_bytes(&usage)
}

fn peak_bytes(usage: &libc::rusage) -> u64 {
    u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024)
}

fn micros(time: libc::timeval) -> u64 {
    u64::try_from(time.tv_sec * 1_000_000 + time.tv_usec).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_below_that_of_the_starter_is_not_known() {
        // SAFETY: numbers only, all of them valid when zero.
        #[expect(unsafe_code, reason = "the type has no other way to be made")]
        let mut usage: libc::rusage = unsafe { MaybeUninit::zeroed().assume_init() };
        usage.ru_maxrss = 50_000;
        usage.ru_utime = libc::timeval { tv_sec: 1, tv_usec: 1 };
        usage.ru_stime = libc::timeval { tv_sec: 0, tv_usec: 500_000 };
        let rows = [("above", 49_999 * 1024, Some(51_200_000)), ("the same", 51_200_000, None)];
        for (name, floor, memory_peak_bytes) in rows {
            assert_eq!(used(&usage, floor), Used { memory_peak_bytes, cpu_ms: Some(1_501) }, "{name}");
        }
    }
}
