//! The frozen encodings of entities that have no file of their own here, and of their events; and that they come back.
//! `MAINSPRING_GOLDEN=add cargo test -p mainspring-store --test entities` writes files that are missing.

#[path = "support/frozen.rs"]
mod frozen;

use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::event::Event;
use mainspring_core::operation::{
    Bulk, BulkVerb, Cursor, EndedPlace, Operation, OperationKind, RunSelector, Selection, Selector,
};
use mainspring_core::values::{Actor, Groups, Name, OperationId, Seq, TaskId, Wall, WorkerId};
use mainspring_core::worker::{Cordon, CordonEvent, CordonLifted};
use mainspring_store::entity::{EntityError, ReadWith, entity_row};
use mainspring_store::format::{EncodedProfiles, FormatError, ProfileCache, read_events, write_event};
use mainspring_store::{EntityFormat, EntityRow};

use self::frozen::{golden, hex};

const WORKER: WorkerId = WorkerId::from_bits(0xfeed_0000_0000_0000_0000_0000_0000_beef);

fn by(reason: &'static str) -> Actor {
    Actor { actor: Name::fixed("anna"), reason: Name::fixed(reason) }
}

fn events() -> Vec<(&'static str, Event)> {
    let cordon = |event| Event::Cordon(Box::new(event));
    vec![
        ("cordon_set", cordon(CordonEvent::Set { worker: WORKER, drains: true, by: by("größer") })),
        ("cordon_lifted", cordon(CordonEvent::Lifted { worker: WORKER, by: by("") })),
    ]
}

fn cordons() -> Vec<(&'static str, Cordon)> {
    let since = Wall::from_millis(1_790_000_000_123);
    let plain =
        Cordon { worker: WORKER, drains: false, by: by("disk"), since, lifted: None, touched: Seq::new(300) };
    let lifted = CordonLifted { at: Wall::from_millis(1_790_000_999_999), by: by("done") };
    let full = Cordon { drains: true, lifted: Some(lifted), ..plain.clone() };
    vec![("plain", plain), ("full", full)]
}

fn operations() -> Vec<(&'static str, Operation)> {
    let at = Wall::from_millis(1_790_000_000_123);
    let bulk = |verb, of, over| {
        let words = r#"{"tenant":"acme"}"#.into();
        OperationKind::Bulk(Arc::new(Bulk { verb, of, before: at, over, total: Some(300), words }))
    };
    let selector = RunSelector { tenant: Name::fixed("acme"), ..RunSelector::default() };
    let plain = Operation {
        id: OperationId::new(300),
        work: bulk(BulkVerb::CancelRuns, Selection::Runs(Box::new(selector)), Some(by("old"))),
        cursor: Cursor::Memory(20_000),
        looked: 0,
        handled: 0,
        refused: 0,
        refusal: None,
        started: at,
        ended: None,
        cancelled: None,
        touched: Seq::new(300),
        stored: Soft(false),
    };
    let selector = Selector { job: Name::fixed("load"), ..Selector::default() };
    let full = Operation {
        work: bulk(BulkVerb::RetryTasks, Selection::Tasks(Box::new(selector)), None),
        cursor: Cursor::Ended(EndedPlace {
            day: 20_000,
            id: TaskId::from_bits(0x0199_0000_0001_7abc_8000_0000_0000_0001),
        }),
        looked: 1 << 41,
        handled: 1 << 40,
        refused: 7,
        refusal: Some("TASK_OF_RUN: it is of a run".into()),
        ended: Some(at),
        cancelled: Some(by("a mistake")),
        ..plain.clone()
    };
    vec![("plain", plain), ("full", full)]
}

fn row_of<E: EntityFormat>(entity: &E) -> EntityRow {
    entity_row(entity, Groups::default(), &mut EncodedProfiles::default())
}

fn read<E: EntityFormat>(row: &EntityRow) -> Result<E, EntityError> {
    E::read(row, &mut ReadWith { profiles: &mut ProfileCache::default(), plans: &|_| None })
}

fn decode(bytes: &[u8]) -> Result<Event, FormatError> {
    let mut events = vec![];
    read_events(bytes, 1, &mut ProfileCache::default(), &mut |event| {
        events.push(event);
        Ok::<_, FormatError>(())
    })?;
    Ok(events.remove(0))
}

#[test]
fn events_are_written_and_read_as_ever() {
    for (name, event) in events() {
        let mut bytes = vec![];
        write_event(&mut bytes, &event, &mut EncodedProfiles::default());
        let frozen = golden(&format!("event_{name}.hex"), &bytes);
        assert_eq!(hex(&bytes), hex(&frozen), "{name} is written differently");
        assert_eq!(decode(&frozen).as_ref(), Ok(&event), "{name} is read differently");
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_err(), "{name} cut at {end}");
        }
    }
}

#[test]
fn rows_are_written_and_read_as_ever() {
    for (name, cordon) in cordons() {
        let row = row_of(&cordon);
        let frozen = golden(&format!("cordon_{name}.hex"), &row.bytes);
        assert_eq!(hex(&row.bytes), hex(&frozen), "{name} is written differently");
        assert_eq!(row.ended, cordon.lifted.as_ref().map(|lifted| lifted.at));
        assert_eq!(read(&EntityRow { bytes: frozen, ..row }), Ok(cordon), "{name} is read differently");
    }
}

#[test]
fn rows_of_operations_are_written_and_read_as_ever() {
    for (name, operation) in operations() {
        let row = row_of(&operation);
        let work = row.fixed.clone().expect("written with its first row");
        let frozen = golden(&format!("operation_{name}.hex"), &row.bytes);
        let frozen_work = golden(&format!("operation_work_{name}.hex"), &work);
        assert_eq!((hex(&row.bytes), hex(&work)), (hex(&frozen), hex(&frozen_work)), "{name}");
        let stored = Operation { stored: Soft(true), ..operation };
        assert_eq!(row_of(&stored).fixed, None, "work is written once");
        let found = read::<Operation>(&EntityRow { bytes: frozen, fixed: Some(frozen_work), ..row.clone() });
        assert_eq!(found.as_ref(), Ok(&stored), "{name} is read differently");
        for at in 0..row.bytes.len() {
            let short = EntityRow { bytes: row.bytes[..at].to_vec(), ..row.clone() };
            assert!(read::<Operation>(&short).is_err(), "{name} cut at {at}");
            let mut other = row.clone();
            other.bytes[at] ^= 1;
            assert_ne!(read::<Operation>(&other).ok().as_ref(), Some(&stored), "{name}: byte {at}");
        }
        for at in 0..work.len() {
            let short = EntityRow { fixed: Some(work[..at].to_vec()), ..row.clone() };
            assert!(read::<Operation>(&short).is_err(), "work of {name} cut at {at}");
        }
    }
}

/// Every byte is looked at: none can be lost, or be another one, without being noticed or meaning something else.
#[test]
fn damage_is_noticed() {
    for (name, whole) in cordons() {
        let row = row_of(&whole);
        let damaged = |bytes: Vec<u8>| read::<Cordon>(&EntityRow { bytes, ..row.clone() });
        for at in 0..row.bytes.len() {
            assert!(damaged(row.bytes[..at].to_vec()).is_err(), "{name} cut at {at}");
            let mut other = row.bytes.clone();
            other[at] ^= 1;
            assert_ne!(damaged(other).ok().as_ref(), Some(&whole), "{name}: byte {at} is not looked at");
        }
        assert!(damaged([&row.bytes[..], &[0]].concat()).is_err(), "{name}: a byte too many");
    }
}
