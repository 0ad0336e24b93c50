//! A job's row. Its definition is in the row of its newest version.

use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::job::{Definition, Job, JobKey, LastRun, RecentRun};
use mainspring_core::values::{Millis, RunStatus, Seq};

use super::names::{VersionRef, read_version, write_key};
use super::run::{read_note, write_note};
use crate::entity::{EntityBytes, EntityError, EntityFormat, EntityRow, ReadWith, VersionKey};
use crate::format::{EncodedProfiles, FormatError, Reader, Writer};

const VERSION: u8 = 1;

impl EntityFormat for Job {
    fn write(&self, out: &mut EntityBytes, _: &mut EncodedProfiles) {
        write_job(&mut out.bytes, self);
    }

    fn read(row: &EntityRow, with: &mut ReadWith<'_>) -> Result<Self, EntityError> {
        read_job(&row.bytes, |of| with.plan(of))
    }

    fn version(row: &EntityRow) -> Result<Option<VersionKey>, FormatError> {
        let of = job_version(&row.bytes)?;
        Ok(Some((of.key()?, of.version)))
    }
}

pub fn write_job(out: &mut Vec<u8>, job: &Job) {
    let w = &mut Writer::new(out);
    w.byte(VERSION);
    write_key(w, &job.key);
    w.varint(job.version.into());
    w.bool(job.paused);
    w.option(job.deleted, Writer::wall);
    w.wall(job.created);
    w.wall(job.changed);
    w.option(job.last, |w, last| {
        w.wide(last.id.bits());
        w.byte(last.status as u8);
        w.wall(last.at);
    });
    w.varint(job.touched.get());
    w.option(job.succeeded, Writer::wall);
    w.list(&job.notes, write_note);
    w.list(&job.recent, |w, run| {
        w.wide(run.id.bits());
        w.byte(run.status as u8);
        w.varint(run.version.into());
        w.varint(run.took.get());
    });
}

/// Of a job's row only its newest version.
pub fn job_version(bytes: &[u8]) -> Result<VersionRef<'_>, FormatError> {
    let mut r = Reader::new(bytes);
    r.version("job version", VERSION)?;
    read_version(&mut r)
}

/// `definition`: of this version of this job, with the job's key.
pub fn read_job<E: From<FormatError>>(
    bytes: &[u8],
    definition: impl FnOnce(VersionRef<'_>) -> Result<(Arc<JobKey>, Definition), E>,
) -> Result<Job, E> {
    let mut r = Reader::new(bytes);
    r.version("job version", VERSION)?;
    let of = read_version(&mut r)?;
    let (key, definition) = definition(of)?;
    let job = Job {
        id: key.id(),
        key,
        version: of.version,
        definition,
        paused: r.bool("paused")?,
        deleted: r.option("deleted", |r| r.wall("deleted"))?,
        created: r.wall("created")?,
        changed: r.wall("changed")?,
        last: r.option("last run", |r| {
            Ok(LastRun {
                id: r.run_id()?,
                status: r.choice("status of a run", RunStatus::from_index)?,
                at: r.wall("last run")?,
            })
        })?,
        touched: Seq::new(r.varint("touched")?),
        succeeded: r.option("last success", |r| r.wall("last success"))?,
        notes: r.list("notes", read_note)?,
        recent: r.list("recent runs", |r| {
            Ok(RecentRun {
                id: r.run_id()?,
                status: r.choice("status of a run", RunStatus::from_index)?,
                version: r.varint32("version")?,
                took: Millis::new(r.varint("took")?),
            })
        })?,
        lanes: Soft::default(),
    };
    r.finish("job")?;
    Ok(job)
}
