//! Parsed expressions, templates and payloads by their source, so that a server parses each once.
//! - XC-1 bounded: a full cache is emptied; what is in use is parsed again, which costs microseconds

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::payload::{Kind, Payload};
use super::source::{Bad, Expression};
use super::template::Template;

/// Sources and entries of one kind; what was parsed from a source takes some times its size.
const ENTRIES_MAX: usize = 20_000;
const BYTES_MAX: usize = 16 << 20;

#[derive(Default)]
pub struct Cache {
    expressions: Shelf<Arc<str>, Expression>,
    templates: Shelf<Arc<str>, Arc<Template>>,
    payloads: Shelf<(Kind, Arc<[u8]>), Arc<Payload>>,
    parsed: AtomicUsize,
}

struct Shelf<K, V>(Mutex<Entries<K, V>>);

struct Entries<K, V> {
    by_source: HashMap<K, V>,
    bytes: usize,
}

impl<K, V> Default for Shelf<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Entries { by_source: HashMap::new(), bytes: 0 }))
    }
}

impl<K: Eq + Hash + Clone, V: Clone> Shelf<K, V> {
    fn get(&self, key: &K, bytes: usize, make: impl FnOnce() -> Result<V, Bad>) -> Result<V, Bad> {
        if let Some(found) = self.entries().by_source.get(key) {
            return Ok(found.clone());
        }
        // Not under the lock: two may parse the same source, others go on.
        let made = make()?;
        let mut entries = self.entries();
        if entries.by_source.len() >= ENTRIES_MAX || entries.bytes + bytes > BYTES_MAX {
            entries.by_source.clear();
            entries.bytes = 0;
        }
        entries.bytes += bytes;
        entries.by_source.insert(key.clone(), made.clone());
        Ok(made)
    }

    /// A panic while it was locked cannot leave half an entry.
    fn entries(&self) -> MutexGuard<'_, Entries<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn len(&self) -> usize {
        self.entries().by_source.len()
    }
}

impl Cache {
    /// Entries of all kinds.
    pub fn len(&self) -> usize {
        self.expressions.len() + self.templates.len() + self.payloads.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn expression(&self, source: &Arc<str>) -> Result<Expression, Bad> {
        self.expressions.get(source, source.len(), || {
            self.note_parsed(source.len());
            Expression::parse(source)
        })
    }

    pub fn template(&self, source: &Arc<str>) -> Result<Arc<Template>, Bad> {
        self.templates.get(source, source.len(), || {
            self.note_parsed(source.len());
            Template::parse(source).map(Arc::new)
        })
    }

    pub fn payload(&self, kind: Kind, bytes: &Arc<[u8]>) -> Result<Arc<Payload>, Bad> {
        self.payloads.get(&(kind, bytes.clone()), bytes.len(), || {
            self.note_parsed(bytes.len());
            Payload::parse(kind, bytes).map(Arc::new)
        })
    }

    pub(crate) fn note_parsed(&self, bytes: usize) {
        self.parsed.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes of sources that had to be parsed since this was last asked.
    pub fn take_parsed(&self) -> usize {
        self.parsed.swap(0, Ordering::Relaxed)
    }
}
