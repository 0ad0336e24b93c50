use std::fs;

use mainspring_core::values::{Fence, TaskId};
use mainspring_proto::v1::report::What;

use super::*;
use crate::home::Home;

fn key(number: u128) -> Key {
    Key { task: TaskId::from_bits(number), fence: Fence::from_bits(1) }
}

#[test]
fn messages_are_cut_by_count_and_by_size() {
    let mut outbox = Outbox::default();
    for number in 0..5_000 {
        outbox.say(key(number), What::Progress(String::new()));
    }
    let mut counts = Vec::new();
    while !outbox.is_empty() {
        counts.push(outbox.take().reports.len());
    }
    assert_eq!(counts, [2048, 2048, 904]);

    for (number, bytes) in [(1, 700_000), (2, 700_000), (3, 3_000_000), (4, 1)] {
        outbox.say(key(number), What::Checkpoint(vec![0; bytes]));
    }
    let mut counts = Vec::new();
    while !outbox.is_empty() {
        counts.push(outbox.take().reports.len());
    }
    assert_eq!(counts, [1, 1, 1, 1]);
    assert!(!outbox.is_full());
}

#[test]
fn that_we_are_leaving_is_not_forgotten_with_a_session() {
    let mut outbox = Outbox::default();
    outbox.say_draining();
    outbox.say_heartbeat();
    outbox.say(key(1), What::Progress(String::new()));
    outbox.clear();
    let message = outbox.take();
    assert!(message.draining && message.heartbeat == 0 && message.reports.is_empty());
    assert!(!outbox.take().draining, "said once");
}

fn offsets(logs: &mut LogTails) -> Vec<(u64, usize, bool)> {
    std::iter::from_fn(|| logs.take()).map(|chunk| (chunk.offset, chunk.bytes.len(), chunk.last)).collect()
}

#[test]
fn logs_go_on_from_what_the_server_is_known_to_have() {
    let dir = tempfile::tempdir().expect("a directory");
    let places = Home::open(dir.path(), Some(dir.path())).expect("a home").places();
    fs::write(places.log(key(1), 1), vec![b'x'; 100_000]).expect("written");
    let mut logs = LogTails::new(places);
    logs.begin(key(1), 1);
    logs.grew(key(1), 10);
    logs.grew(key(1), 1000);
    assert_eq!(offsets(&mut logs), [(0, 1000, false)]);
    logs.heartbeat_sent(2);
    logs.grew(key(1), 100_000);
    assert_eq!(offsets(&mut logs), [(1000, 65536, false), (66536, 33464, false)]);
    logs.heartbeat_sent(3);
    logs.confirm(1);
    logs.confirm(2);
    logs.rewind();
    assert_eq!(
        offsets(&mut logs),
        [(1000, 65536, false), (66536, 33464, false)],
        "from the answered heartbeat"
    );
    logs.ended(key(1));
    assert_eq!(offsets(&mut logs), [(100_000, 0, true)]);
    logs.rewind();
    assert_eq!(offsets(&mut logs).last(), Some(&(66536, 33464, true)));
    logs.heartbeat_sent(4);
    logs.confirm(3);
    logs.rewind();
    assert_eq!(offsets(&mut logs).last(), Some(&(66536, 33464, true)), "the answer to an earlier one");
    logs.heartbeat_sent(5);
    logs.confirm(6);
    logs.rewind();
    assert_eq!(offsets(&mut logs), [], "all arrived");
}

#[test]
fn that_an_attempt_wrote_nothing_is_said_once() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut logs = LogTails::new(Home::open(dir.path(), Some(dir.path())).expect("a home").places());
    logs.begin(key(1), 1);
    logs.ended(key(1));
    assert_eq!(offsets(&mut logs), [(0, 0, true)]);
    logs.heartbeat_sent(1);
    logs.confirm(1);
    logs.rewind();
    assert_eq!(offsets(&mut logs), []);
}

#[test]
fn reasons_of_the_server_have_a_class() {
    for (reason, class) in [
        ("cancel", FailureClass::Cancelled),
        ("hard_timeout", FailureClass::Timeout),
        ("no_progress", FailureClass::Timeout),
        ("preempt", FailureClass::Preempted),
        ("anything", FailureClass::Cancelled),
    ] {
        assert_eq!(class_of(reason), class, "{reason}");
    }
}
