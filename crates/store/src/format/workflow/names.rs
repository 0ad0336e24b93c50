//! How rows and events name a job and a version of it.

use mainspring_core::job::JobKey;
use mainspring_core::values::Name;

use crate::format::{FormatError, Reader, Writer};

/// A version of a job, as a row names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct VersionRef<'a> {
    pub tenant: &'a str,
    pub name: &'a str,
    pub version: u32,
}

impl VersionRef<'_> {
    pub fn key(&self) -> Result<JobKey, FormatError> {
        let name = |what, text| {
            Name::new(text).map_err(|_| FormatError::bad(what, 0, "is too long or holds a control character"))
        };
        Ok(JobKey { tenant: name("tenant", self.tenant)?, name: name("job", self.name)? })
    }
}

pub(super) fn write_key(w: &mut Writer<'_>, key: &JobKey) {
    w.name(&key.tenant);
    w.name(&key.name);
}

pub(super) fn read_key(r: &mut Reader<'_>) -> Result<JobKey, FormatError> {
    Ok(JobKey { tenant: r.name("tenant")?, name: r.name("job")? })
}

pub(super) fn read_version<'a>(r: &mut Reader<'a>) -> Result<VersionRef<'a>, FormatError> {
    Ok(VersionRef { tenant: r.text("tenant")?, name: r.text("job")?, version: r.varint32("version")? })
}
