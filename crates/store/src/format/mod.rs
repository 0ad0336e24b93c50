//! The bytes of events and tasks: positional fields, one version byte each, written by hand.
//! Entry: [`write_event`] and [`read_events`] for a record's body, [`write_task`] and [`read_task`] for a
//! row, [`Writer`] and [`Reader`] for whoever keeps a blob of its own.
//! - FM-1 a released encoding is frozen: the golden files say so; a change gets a new version or type byte
//! - FM-2 a value is written in one way only, and every byte of it is looked at when it is read
//! - FM-3 an unknown type or version stops the reader by name; nothing is skipped or guessed
//! - FM-4 no length is trusted: memory is taken only for bytes that are there
//!
//! An event is `length (4 bytes) · type · version · fields`; the length counts from the type on, so that an
//! event of an unknown type can be named. Integers are LEB128 varints in their shortest form, ids 16 bytes
//! with the greatest first (so that they sort as they compare), lists and byte strings carry their length.
//!
//! Not here: the frame around a record (`frame`), files (`store-local`).

mod backfill;
mod cordon;
mod event;
mod event_read;
mod fields;
mod operation;
mod profile;
mod reader;
mod retry;
mod schedule;
mod task;
mod trigger;
mod wait;
mod workflow;
mod writer;

pub use self::{
    backfill::{read_backfill, write_backfill, write_backfill_spec},
    event::write_event,
    event_read::read_events,
    operation::{read_operation, read_operation_work, write_operation, write_operation_work},
    profile::{EncodedProfiles, ProfileCache},
    reader::Reader,
    schedule::{read_schedule, write_schedule},
    task::{read_task, read_task_output, write_task},
    workflow::{
        StoredRun, VersionRef, job_version, read_job, read_plan, read_run, read_run_output, run_version,
        write_job, write_plan, write_run,
    },
    writer::Writer,
};

use mainspring_core::values::Name;

/// Why bytes cannot be read. `at` counts from the start of the slice that was handed in.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FormatError {
    #[error("{what} {found} at byte {at} is newer than this version, which knows up to {known}")]
    Newer { what: &'static str, at: usize, found: u32, known: u32 },
    #[error("the bytes end inside {what} at byte {at}")]
    Short { what: &'static str, at: usize },
    #[error("{what} at byte {at} {why}")]
    Bad { what: &'static str, at: usize, why: &'static str },
    #[error("this version does not know the time zone `{name}` at byte {at}: run a version that does")]
    Zone { name: Name, at: usize },
}

impl FormatError {
    fn bad(what: &'static str, at: usize, why: &'static str) -> Self {
        Self::Bad { what, at, why }
    }

    fn newer(what: &'static str, at: usize, found: u8, known: u8) -> Self {
        Self::Newer { what, at, found: u32::from(found), known: u32::from(known) }
    }
}
