//! Whether the kernel vouches for the wall clock.

use mainspring_core::values::Wall;

/// What we read and what the kernel says may differ by the time between the two calls.
const AGREE_MS: u64 = 5_000;

/// Whether a time server has set the kernel's clock, and `wall` is what it shows. In a container or under a tool that
/// fakes the time, the two can differ.
#[cfg(target_os = "linux")]
pub(super) fn vouches_for(wall: Wall) -> bool {
    #[expect(unsafe_code, reason = "there is no other way to ask; every bit pattern is a valid `timex`")]
    let (state, timex) = unsafe {
        let mut timex: libc::timex = std::mem::zeroed();
        // Mode 0 changes nothing.
        (libc::adjtimex(&raw mut timex), timex)
    };
    let unit = if timex.status & libc::STA_NANO == 0 { 1_000 } else { 1_000_000 };
    let kernel = (timex.time.tv_sec as u64).saturating_mul(1_000) + timex.time.tv_usec as u64 / unit;
    let synchronised = state >= 0 && state != libc::TIME_ERROR && timex.status & libc::STA_UNSYNC == 0;
    synchronised && kernel.abs_diff(wall.millis()) <= AGREE_MS
}

#[cfg(not(target_os = "linux"))]
pub(super) fn vouches_for(_: Wall) -> bool {
    false
}
