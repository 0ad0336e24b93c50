//! From a body to the command that submits it.

use std::cell::RefCell;
use std::time::Duration;

use mainspring_core::key::{KeyClaim, KeyFact, KeyScope};
use mainspring_core::task::decide::{StartTime, Submit};
use mainspring_core::task::{Labels, Payload, Status, TaskSpec};
use mainspring_core::values::{Groups, Millis, Name, PERMITS_MAX, Permit, Permits, TaskId, Wall};

use super::keys::{Keys, check_key};
use super::names::name;
use super::payload;
use super::profile::Kind;
use super::task_body::{LimitBody, TaskBody};
use crate::problem::Problem;
use crate::profiles::Profiles;

/// A checked body; nothing in it can be refused by the edge any more.
pub(crate) struct Submission {
    pub task: TaskSpec,
    start: StartTime,
    claim: Option<KeyClaim>,
}

thread_local! {
    /// The canonical text of a kind; used again and again.
    static KIND: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Submission {
    pub(crate) fn of(
        body: &TaskBody<'_>,
        keys: Keys<'_>,
        profiles: &Profiles,
        (now, key_life): (Wall, Duration),
        groups: Groups,
    ) -> Result<Self, Problem> {
        let kind = Kind::of(body, keys.tenant)?;
        payload::check(kind.executor, body.payload, now)?;
        let payload: Payload = body.payload.map_or("null", |payload| payload.get()).as_bytes().into();
        let start = start(body)?;
        let labels = labels(body)?;
        let permits = permits(body)?;
        let priority = body.priority.map(|priority| priority.0).unwrap_or_default();
        KIND.with_borrow_mut(|text| {
            text.clear();
            // Writing to memory, and maps have text keys: it cannot fail.
            let _ = serde_json::to_writer(&mut *text, &kind);
            let profile = profiles.get(text, || kind.profile())?;
            let task = TaskSpec { profile, payload, priority, labels, permits };
            let mut submission = Self { task, start, claim: None };
            if let Some(scope) = scope(body, keys, kind.tenant)? {
                let request = submission.request_hash(text);
                let expires = now + Millis::new(key_life.as_millis() as u64);
                let group = groups.of(kind.tenant);
                submission.claim = Some(KeyClaim { scope, request, expires, group });
            }
            Ok(submission)
        })
    }

    /// Whether two requests under one key are the same: by what was asked for, not by how it was written.
    fn request_hash(&self, kind: &[u8]) -> u128 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"mainspring request v1\0");
        part(&mut hasher, kind);
        let TaskSpec { payload, priority, labels, permits, .. } = &self.task;
        part(&mut hasher, payload);
        part(&mut hasher, &[priority.band.index() as u8, priority.level()]);
        let (tag, at) = match self.start {
            StartTime::Now => (0, 0),
            StartTime::At(at) => (1, at.millis()),
            StartTime::After(delay) => (2, delay.get()),
        };
        part(&mut hasher, &[tag]);
        part(&mut hasher, &at.to_le_bytes());
        for (key, value) in labels.iter().flat_map(|labels| labels.iter()) {
            part(&mut hasher, key.as_bytes());
            part(&mut hasher, value.as_bytes());
        }
        for Permit { limit, key, max } in permits.iter().flat_map(|permits| permits.iter()) {
            part(&mut hasher, b"limit");
            part(&mut hasher, limit.as_bytes());
            part(&mut hasher, key.as_bytes());
            part(&mut hasher, &max.unwrap_or(0).to_le_bytes());
        }
        first_half(hasher.finalize())
    }

    pub(crate) fn is_keyed(&self) -> bool {
        self.claim.is_some()
    }

    pub(crate) fn command(self, id: TaskId) -> Submit {
        Submit {
            id,
            task: self.task,
            start: self.start,
            key: self.claim.map(|claim| (claim, KeyFact::Absent)),
            resent: false,
        }
    }
}

/// The state that the first answer named, for a request accepted at `accepted`.
pub(crate) fn first_status(start: StartTime, accepted: Wall) -> Status {
    let waits = match start {
        StartTime::Now => false,
        StartTime::At(at) => at > accepted,
        StartTime::After(delay) => delay > Millis::ZERO,
    };
    if waits { Status::Pending } else { Status::Queued }
}

fn start(body: &TaskBody<'_>) -> Result<StartTime, Problem> {
    match (body.scheduled_at, body.delay_ms) {
        (None, None) => Ok(StartTime::Now),
        (Some(at), None) => Ok(StartTime::At(at.0)),
        (None, Some(delay)) => Ok(StartTime::After(Millis::new(delay))),
        (Some(_), Some(_)) => Err(Problem::field("delay_ms", "give it or `scheduled_at`, not both")),
    }
}

fn labels(body: &TaskBody<'_>) -> Result<Option<Labels>, Problem> {
    let Some(labels) = body.labels.as_ref().filter(|labels| !labels.is_empty()) else { return Ok(None) };
    let pairs = labels.iter().map(|(key, value)| Ok((name("labels", key)?, name("labels", value)?)));
    pairs.collect::<Result<Vec<_>, Problem>>().map(|labels| Some(labels.into()))
}

fn permits(body: &TaskBody<'_>) -> Result<Option<Permits>, Problem> {
    let permit = |limit: &LimitBody<'_>| {
        let max = limit.max.map(|max| u32::try_from(max).unwrap_or(u32::MAX));
        if max == Some(0) {
            return Err(Problem::field("limits.max", "it is at least 1"));
        }
        let limit_name = name("limits.name", &limit.name)?;
        if limit_name.is_empty() {
            return Err(Problem::field("limits.name", "it may not be empty"));
        }
        let key = limit.key.as_deref().map_or(Ok(Name::default()), |key| name("limits.key", key))?;
        Ok(Permit { limit: limit_name, key, max })
    };
    if body.limits.is_empty() {
        return Ok(None);
    }
    let mut permits: Vec<Permit> = Vec::new();
    for permit in body.limits.iter().map(permit) {
        let permit = permit?;
        // Named twice: the lower maximum counts. One too many is enough to be refused.
        let same = |other: &Permit| (&other.limit, &other.key) == (&permit.limit, &permit.key);
        match permits.iter().position(same) {
            Some(at) => permits[at].max = permits[at].max.into_iter().chain(permit.max).min(),
            None if permits.len() <= PERMITS_MAX => permits.push(permit),
            None => {}
        }
    }
    Ok(Some(permits.into()))
}

fn scope(body: &TaskBody<'_>, keys: Keys<'_>, tenant: &str) -> Result<Option<KeyScope>, Problem> {
    let (key, place) = match (&body.idempotency_key, keys.key) {
        (Some(key), _) => (&**key, None),
        (None, Some(key)) => (key, keys.place),
        (None, None) => return Ok(None),
    };
    let scope = match place {
        None => request_key(tenant, "submit", key)?,
        Some(place) => request_key(tenant, &format!("submit batch {place}"), key)?,
    };
    Ok(Some(scope))
}

/// Hash of tenant, operation and key.
pub(crate) fn request_key(tenant: &str, operation: &str, key: &str) -> Result<KeyScope, Problem> {
    check_key(key)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"mainspring key v1\0");
    for text in [tenant, operation, key] {
        part(&mut hasher, text.as_bytes());
    }
    Ok(KeyScope(first_half(hasher.finalize())))
}

/// Hash of what makes an event the same one: tenant, source and id.
pub(crate) fn event_scope(tenant: &str, source: &str, id: &str) -> KeyScope {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"mainspring event v1\0");
    for text in [tenant, source, id] {
        part(&mut hasher, text.as_bytes());
    }
    KeyScope(first_half(hasher.finalize()))
}

/// Hash of a request that is no submission: what it acts on, and how.
pub(crate) fn request_hash(parts: &[&[u8]]) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"mainspring verb v1\0");
    for bytes in parts {
        part(&mut hasher, bytes);
    }
    first_half(hasher.finalize())
}

/// With its length, so that no two lists of parts run into the same bytes.
fn part(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

fn first_half(hash: blake3::Hash) -> u128 {
    let (half, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
    u128::from_le_bytes(*half)
}
