//! Profiles: written once per kind of task, then copied; read once per kind, then shared.
//! - PF-1 equal bytes give the same `Arc`, as long as the cache remembers them

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use mainspring_core::task::{Delivery, Profile, ProfileSpec, TimeLimits};
use mainspring_core::values::{LabelCondition, Requirements, Resources};

use super::{FormatError, Reader, Writer, retry};

const VERSION: u8 = 1;

/// Profiles remembered; a system has as many as it has kinds of work, so reaching this means that every task
/// is its own kind, and remembering does not help.
const ENTRIES_MAX: usize = 100_000;
/// Bytes remembered: a profile with every list full has 20 KB.
const BYTES_MAX: usize = 64 << 20;

/// For writers: the bytes of profiles seen before.
#[derive(Default)]
pub struct EncodedProfiles {
    /// By fingerprint. Holding the `Arc` keeps the quick comparison by address honest.
    known: HashMap<u64, Known, FixedState>,
    held: usize,
    scratch: Vec<u8>,
}

type Known = (Arc<Profile>, Box<[u8]>);

impl EncodedProfiles {
    pub(super) fn write(&mut self, w: &mut Writer<'_>, profile: &Arc<Profile>) {
        match self.known.get(&profile.fingerprint()) {
            Some((known, bytes)) if Arc::ptr_eq(known, profile) || known == profile => w.bytes(bytes),
            // Two profiles with one fingerprint: the later is written the long way.
            Some(_) => {
                self.encode(profile);
                w.bytes(&self.scratch);
            }
            None => {
                self.encode(profile);
                w.bytes(&self.scratch);
                self.remember(profile);
            }
        }
    }

    fn encode(&mut self, profile: &Profile) {
        self.scratch.clear();
        write_spec(&mut Writer::new(&mut self.scratch), profile);
    }

    fn remember(&mut self, profile: &Arc<Profile>) {
        if self.known.len() >= ENTRIES_MAX || self.held >= BYTES_MAX {
            self.known.clear();
            self.held = 0;
        }
        self.held += self.scratch.len();
        self.known.insert(profile.fingerprint(), (profile.clone(), self.scratch.as_slice().into()));
    }
}

/// For readers: a million tasks of one kind share one profile.
#[derive(Default)]
pub struct ProfileCache {
    known: HashMap<Box<[u8]>, Arc<Profile>, FixedState>,
    held: usize,
}

impl ProfileCache {
    pub(super) fn read(&mut self, r: &mut Reader<'_>) -> Result<Arc<Profile>, FormatError> {
        let bytes = r.bytes("profile")?;
        if let Some(profile) = self.known.get(bytes) {
            return Ok(profile.clone());
        }
        let mut fields = Reader::within(bytes, r.at() - bytes.len());
        let profile = Profile::new(read_spec(&mut fields)?);
        fields.finish("profile")?;
        self.remember(bytes, &profile);
        Ok(profile)
    }

    fn remember(&mut self, bytes: &[u8], profile: &Arc<Profile>) {
        if self.known.len() >= ENTRIES_MAX || self.held >= BYTES_MAX {
            self.known.clear();
            self.held = 0;
        }
        self.held += bytes.len();
        self.known.insert(bytes.into(), profile.clone());
    }
}

fn write_spec(w: &mut Writer<'_>, spec: &ProfileSpec) {
    w.byte(VERSION);
    w.name(&spec.tenant);
    w.name(&spec.job);
    w.name(&spec.executor);
    write_requirements(w, &spec.requirements);
    retry::write(w, &spec.retry);
    w.millis(spec.limits.accept);
    w.option(spec.limits.soft, Writer::millis);
    w.option(spec.limits.hard, Writer::millis);
    w.option(spec.limits.progress, Writer::millis);
    w.millis(spec.limits.grace);
    w.byte(spec.delivery as u8);
}

fn read_spec(r: &mut Reader<'_>) -> Result<ProfileSpec, FormatError> {
    r.version("profile version", VERSION)?;
    Ok(ProfileSpec {
        tenant: r.name("tenant")?,
        job: r.name("job")?,
        executor: r.name("executor")?,
        requirements: read_requirements(r)?,
        retry: retry::read(r)?,
        limits: TimeLimits {
            accept: r.millis("accept limit")?,
            soft: r.option("soft limit", |r| r.millis("soft limit"))?,
            hard: r.option("hard limit", |r| r.millis("hard limit"))?,
            progress: r.option("progress limit", |r| r.millis("progress limit"))?,
            grace: r.millis("grace")?,
        },
        delivery: r.choice("delivery", |byte| match byte {
            0 => Some(Delivery::AtLeastOnce),
            1 => Some(Delivery::AtMostOnce),
            _ => None,
        })?,
    })
}

fn write_requirements(w: &mut Writer<'_>, needs: &Requirements) {
    w.name(&needs.pool);
    w.varint(needs.resources.cpu_milli);
    w.varint(needs.resources.memory_bytes);
    w.varint(needs.resources.disk_bytes);
    w.varint(needs.resources.gpus);
    w.list(needs.resources.custom(), |w, (name, amount)| {
        w.name(name);
        w.varint(*amount);
    });
    w.list(&needs.labels, |w, condition| match condition {
        LabelCondition::Is(key, value) => {
            w.byte(0);
            w.name(key);
            w.name(value);
        }
        LabelCondition::IsNot(key, value) => {
            w.byte(1);
            w.name(key);
            w.name(value);
        }
        LabelCondition::Has(key) => {
            w.byte(2);
            w.name(key);
        }
    });
    w.name(&needs.zone);
}

fn read_requirements(r: &mut Reader<'_>) -> Result<Requirements, FormatError> {
    let pool = r.name("pool")?;
    let mut resources = Resources::default();
    resources.cpu_milli = r.varint("cpu")?;
    resources.memory_bytes = r.varint("memory")?;
    resources.disk_bytes = r.varint("disk")?;
    resources.gpus = r.varint("gpus")?;
    let at = r.at();
    let custom = r.list("custom resources", |r| Ok((r.name("resource")?, r.varint("amount")?)))?;
    let resources = resources.with_custom(custom.clone());
    if resources.custom() != custom {
        // Put right, it would be written as other bytes than were read (FM-2).
        return Err(FormatError::bad(
            "custom resources",
            at,
            "are not in the order in which they are written",
        ));
    }
    let labels = r.list("label conditions", read_condition)?;
    Ok(Requirements { pool, resources, labels, zone: r.name("zone")? })
}

fn read_condition(r: &mut Reader<'_>) -> Result<LabelCondition, FormatError> {
    let at = r.at();
    Ok(match r.byte("label condition")? {
        0 => LabelCondition::Is(r.name("label key")?, r.name("label value")?),
        1 => LabelCondition::IsNot(r.name("label key")?, r.name("label value")?),
        2 => LabelCondition::Has(r.name("label key")?),
        _ => return Err(FormatError::bad("label condition", at, "has no such value")),
    })
}
