use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use mainspring_core::failure::FailureClass;

use super::*;
use crate::cgroup::MemoryEnd;

#[test]
fn every_way_to_end_has_a_class_and_a_code() {
    use FailureClass::{Resource, Transient};
    let exited = |code: i32| ExitStatus::from_raw(code << 8);
    let signalled = ExitStatus::from_raw;
    let rows = [
        ("plain failure", exited(1), Transient, 1),
        ("asks to be tried again", exited(75), Transient, 75),
        ("a shell's word for SIGKILL", exited(137), Resource, 137),
        ("SIGKILL", signalled(9), Resource, 137),
        ("SIGSEGV", signalled(11), Transient, 139),
        ("not found, says a shell", exited(127), Transient, 127),
    ];
    for (name, status, class, code) in rows {
        match exit::failure(status, "last words", MemoryEnd::default()) {
            Outcome::Failure { class: found, code: number, message, .. } => {
                assert_eq!((found, number), (class, code), "{name}");
                assert!(message.ends_with("\nlast words"), "{name}: {message}");
            }
            Outcome::Success { .. } => panic!("{name}"),
        }
    }
}

#[test]
fn a_payload_names_a_program_and_nothing_unknown() {
    let rows = [
        (r#"{"argv":["true"]}"#, true),
        (
            r#"{"argv":["true"],"env":{"A":"b"},"cwd":"/","stdin":"x","shell":true,"limits":{"cpu_seconds":1}}"#,
            true,
        ),
        (r#"{"argv":["true"],"limits":{"processes":1}}"#, true),
        (r#"{"argv":["true"],"limits":{"processes":0}}"#, false),
        (r#"{"argv":[]}"#, false),
        (r#"{"argv":[""]}"#, false),
        (r#"{"argv":"true"}"#, false),
        (r#"{"argv":["true"],"user":"root"}"#, false),
        ("{}", false),
        ("", false),
    ];
    for (text, good) in rows {
        assert_eq!(Payload::parse(text.as_bytes()).is_ok(), good, "{text}");
    }
}
