//! Parsed expressions, templates and payloads by their source, so that a server parses each once.
//! - CA-1 bounded: a full cache is emptied; what is in use is parsed again, which costs microseconds

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::payload::{Kind, Payload};
use super::source::{Bad, Expression};
use super::template::Template;

/// Some 4 KiB each at most, mostly far less.
const ENTRIES_MAX: usize = 20_000;

#[derive(Default)]
pub struct Cache {
    expressions: Shelf<Arc<str>, Expression>,
    templates: Shelf<Arc<str>, Arc<Template>>,
    payloads: Shelf<(Kind, Arc<[u8]>), Arc<Payload>>,
}

struct Shelf<K, V>(Mutex<HashMap<K, V>>);

impl<K, V> Default for Shelf<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + std::hash::Hash + Clone, V: Clone> Shelf<K, V> {
    fn get(&self, key: &K, make: impl FnOnce() -> Result<V, Bad>) -> Result<V, Bad> {
        // A panic while it was locked cannot leave half an entry.
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = entries.get(key) {
            return Ok(found.clone());
        }
        let made = make()?;
        if entries.len() >= ENTRIES_MAX {
            entries.clear();
        }
        entries.insert(key.clone(), made.clone());
        Ok(made)
    }

    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
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
        self.expressions.get(source, || Expression::parse(source))
    }

    pub fn template(&self, source: &Arc<str>) -> Result<Arc<Template>, Bad> {
        self.templates.get(source, || Template::parse(source).map(Arc::new))
    }

    pub fn payload(&self, kind: Kind, bytes: &Arc<[u8]>) -> Result<Arc<Payload>, Bad> {
        self.payloads.get(&(kind, bytes.clone()), || Payload::parse(kind, bytes).map(Arc::new))
    }
}
