use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use mainspring_core::values::FailureClass;

use super::*;
use crate::cgroup::MemoryEnd;

#[test]
fn every_way_to_end_has_a_class_and_a_code() {
    use FailureClass::{Resource, Transient};
    let exited = |code: i32| ExitStatus::from_raw(code << 8);
    let signalled = ExitStatus::from_raw;
    let ok = Some(MemoryEnd::default());
    let over = Some(MemoryEnd { killed: 1, over_limit: Some(4096) });
    let machine = Some(MemoryEnd { killed: 1, over_limit: None });
    let rows = [
        ("plain failure", exited(1), None, Transient, 1, "ended with code 1\n"),
        ("asks to be tried again", exited(75), None, Transient, 75, "ended with code 75 (try again)\n"),
        ("a shell's word for SIGKILL", exited(137), None, Resource, 137, "was killed, most likely"),
        ("SIGKILL", signalled(9), None, Resource, 137, "was killed, most likely"),
        ("SIGKILL, and not for memory", signalled(9), ok, Transient, 137, "was killed\n"),
        (
            "over its limit",
            signalled(9),
            over,
            Resource,
            137,
            "was killed: it needed more than its limit of 4096",
        ),
        (
            "a child over the limit",
            exited(1),
            over,
            Resource,
            1,
            "ended with code 1: it needed more than its",
        ),
        (
            "the machine is full",
            signalled(9),
            machine,
            Resource,
            137,
            "was killed: the machine's memory ran out",
        ),
        ("SIGSEGV", signalled(11), ok, Transient, 139, "was ended by signal 11\n"),
        ("not found, says a shell", exited(127), None, Transient, 127, "ended with code 127\n"),
    ];
    for (name, status, memory, class, code, text) in rows {
        match exit::failure(status, "last words", memory) {
            Outcome::Failure { class: found, code: number, message, .. } => {
                assert_eq!((found, number), (class, code), "{name}");
                assert!(message.starts_with(text), "{name}: {message}");
                assert!(message.ends_with("\nlast words"), "{name}: {message}");
            }
            Outcome::Success { .. } | Outcome::Deferred { .. } => panic!("{name}"),
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
        (r#"{"argv":["true"],"user":"root"}"#, true),
        (r#"{"argv":["true"],"user":0}"#, false),
        (r#"{"argv":["true"],"group":"root"}"#, false),
        ("{}", false),
        ("", false),
    ];
    for (text, good) in rows {
        assert_eq!(Payload::parse(text.as_bytes()).is_ok(), good, "{text}");
    }
}
