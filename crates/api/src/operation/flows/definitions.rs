//! Job definitions read from their canonical text, kept because every trigger checks its parameters against one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mainspring_core::job::Job;
use mainspring_definition::{Definition, Options, limits::Limits, read};

use crate::problem::Problem;

const DEFINITIONS_MAX: usize = 1_000;

#[derive(Default)]
pub(crate) struct Definitions(Mutex<HashMap<u128, Arc<Definition>>>);

impl Definitions {
    pub(crate) fn of(&self, job: &Job) -> Result<Arc<Definition>, Problem> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(definition) = known.get(&job.definition.hash) {
            return Ok(definition.clone());
        }
        let definition = Arc::new(parse(&job.definition.source)?);
        insert(&mut known, job.definition.hash, definition.clone());
        Ok(definition)
    }

    /// It was just read: the first trigger need not read it again.
    pub(crate) fn keep(&self, hash: u128, definition: Definition) {
        insert(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), hash, Arc::new(definition));
    }
}

fn insert(known: &mut HashMap<u128, Arc<Definition>>, hash: u128, definition: Arc<Definition>) {
    if known.len() >= DEFINITIONS_MAX {
        known.clear();
    }
    known.insert(hash, definition);
}

fn parse(source: &[u8]) -> Result<Definition, Problem> {
    let text = String::from_utf8_lossy(source);
    let options = Options { limits: Limits::WIDE, ..Options::default() };
    let read =
        read("stored job", &text, &options).map_err(|mistakes| Problem::JobFileInvalid { mistakes })?;
    read.into_iter().next().ok_or_else(super::unexpected)
}
