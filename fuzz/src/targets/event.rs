//! The body of a record: events are read or refused; what is read is written back as the same bytes.

use mainspring_core::event::Event;
use mainspring_store::format::{EncodedProfiles, FormatError, ProfileCache, read_events, write_event};

use super::golden;

/// The first byte is the number of events.
pub fn run(bytes: &[u8]) {
    let Some((count, body)) = bytes.split_first() else { return };
    if let Ok(events) = read(body, u32::from(*count)) {
        let mut written = Vec::new();
        let mut profiles = EncodedProfiles::default();
        for event in &events {
            write_event(&mut written, event, &mut profiles);
        }
        assert!(written == body, "written back differently: {events:?}");
    }
    // A count that lies takes no more memory than the body has bytes.
    let _ = read(body, u32::MAX);
}

fn read(body: &[u8], count: u32) -> Result<Vec<Event>, FormatError> {
    let mut events = Vec::new();
    let mut profiles = ProfileCache::default();
    read_events::<FormatError>(body, count, &mut profiles, &mut |event| {
        events.push(event);
        Ok(())
    })?;
    Ok(events)
}

pub fn corpus() -> Vec<Vec<u8>> {
    let events = golden::files("event_");
    let all = [vec![events.len() as u8], events.concat()].concat();
    let mut corpus: Vec<Vec<u8>> = events.into_iter().map(|event| [vec![1], event].concat()).collect();
    corpus.push(all);
    for bytes in &corpus {
        assert!(read(&bytes[1..], u32::from(bytes[0])).is_ok(), "a golden event is read");
    }
    corpus
}
