//! Time zones by number: the names of the bundled IANA data, interned once, and their spans, read when first asked for.

use std::cmp::Ordering;
use std::fmt;
use std::sync::OnceLock;

use jiff::tz::{TimeZone, TimeZoneDatabase};

use super::spans::Spans;

/// An IANA time zone. The number is only good within one process: store the name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Zone(u16);

struct ZoneEntry {
    name: String,
    zone: TimeZone,
    spans: OnceLock<Spans>,
}

/// Immutable once filled: all of it comes from data that is part of the program.
static ENTRIES: OnceLock<Vec<ZoneEntry>> = OnceLock::new();

/// Names further away than this are not what was meant, nor are those that differ in more than a quarter.
const SUGGESTION_DISTANCE_MAX: usize = 3;
/// No zone has a longer name; what is longer is not compared.
const NAME_BYTES_MAX: usize = 64;

impl Zone {
    pub const UTC: Self = Self(0);

    /// Finds a zone by its name; capital letters do not matter.
    pub fn find(name: &str) -> Option<Self> {
        if name == "UTC" {
            return Some(Self::UTC);
        }
        let found = entries()[1..].binary_search_by(|entry| compare(&entry.name, name));
        match found {
            Ok(at) => Some(Self(at as u16 + 1)),
            Err(_) => name.eq_ignore_ascii_case("UTC").then_some(Self::UTC),
        }
    }

    pub fn name(self) -> &'static str {
        &self.entry().name
    }

    /// All zones and their other names, UTC first, then by name.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..entries().len()).map(|at| Self(at as u16))
    }

    /// The name that was probably meant by one that is not there.
    pub fn suggest(name: &str) -> Option<&'static str> {
        if name.len() > NAME_BYTES_MAX {
            return None;
        }
        let wanted = plain(name);
        let city = Self::all().map(Self::name).find(|known| {
            let known = plain(known);
            known == wanted || known.rsplit('/').next() == Some(&wanted)
        });
        let near = || {
            let distances = Self::all().map(|zone| (distance(&plain(zone.name()), &wanted), zone));
            let (distance, zone) = distances.min()?;
            (distance <= SUGGESTION_DISTANCE_MAX.min(wanted.len() / 4)).then(|| zone.name())
        };
        city.or_else(near)
    }

    pub(super) fn spans(self) -> &'static Spans {
        let entry = self.entry();
        entry.spans.get_or_init(|| Spans::new(&entry.zone))
    }

    /// Seconds that local time is ahead of UTC at an instant in seconds.
    pub fn offset_at(self, seconds: i64) -> i64 {
        let spans = self.spans();
        spans.get(spans.find(seconds)).offset
    }

    fn entry(self) -> &'static ZoneEntry {
        &entries()[usize::from(self.0)]
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::UTC
    }
}

fn entries() -> &'static [ZoneEntry] {
    ENTRIES.get_or_init(|| {
        let database = TimeZoneDatabase::bundled();
        let named = |name: String| {
            let zone = database.get(&name).ok()?;
            Some(ZoneEntry { name, zone, spans: OnceLock::new() })
        };
        let mut entries: Vec<ZoneEntry> = database
            .available()
            .filter_map(|name| named(name.as_str().to_owned()))
            .filter(|entry| entry.name != "UTC")
            .collect();
        entries.sort_by(|a, b| compare(&a.name, &b.name));
        entries.insert(0, ZoneEntry { name: "UTC".to_owned(), zone: TimeZone::UTC, spans: OnceLock::new() });
        entries
    })
}

fn compare(a: &str, b: &str) -> Ordering {
    let lower = |byte: u8| byte.to_ascii_lowercase();
    a.bytes().map(lower).cmp(b.bytes().map(lower))
}

/// As people type it: without capital letters, blanks as the data has them.
fn plain(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace(' ', "_")
}

/// How many letters have to be added, taken away or changed.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
