//! Schedules are many and alike: what one says as its neighbours do is kept once. Only memory depends on it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::spec::{ScheduleKey, Spec, Target};
use super::table::Schedules;
use crate::task::Payload;

/// Texts of timings that are kept for others to point to.
const TEXTS_MAX: usize = 10_000;
/// Longer payloads are rarely the same.
const PAYLOAD_BYTES_MAX: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Shared {
    texts: BTreeSet<Arc<str>>,
    payloads: BTreeMap<Box<[u8]>, Payload>,
}

impl Shared {
    fn text(&mut self, text: &mut Arc<str>) {
        match self.texts.get(text) {
            Some(known) => *text = known.clone(),
            None if self.texts.len() < TEXTS_MAX => drop(self.texts.insert(text.clone())),
            None => {}
        }
    }

    fn payload(&mut self, payload: &mut Payload) {
        if payload.len() > PAYLOAD_BYTES_MAX {
            return;
        }
        match self.payloads.get(&**payload) {
            Some(known) => *payload = known.clone(),
            None if self.payloads.len() < TEXTS_MAX => {
                self.payloads.insert(payload.to_vec().into(), payload.clone());
            }
            None => {}
        }
    }
}

impl Schedules {
    /// Names that the schedule before it by key, which most likely is of the same job, has too.
    pub(super) fn share_names(&self, key: &mut ScheduleKey) {
        let Some(near) = self.near(key) else { return };
        if key.tenant == near.tenant {
            key.tenant = near.tenant.clone();
        }
        if key.job == near.job {
            key.job = near.job.clone();
        }
    }

    /// Lets a new schedule point to what others hold already.
    pub(super) fn share(&mut self, key: &mut Arc<ScheduleKey>, spec: &mut Arc<Spec>) {
        if let Some(key) = Arc::get_mut(key) {
            self.share_names(key);
        }
        let Some(spec) = Arc::get_mut(spec) else { return };
        self.shared.text(&mut spec.text);
        match &mut spec.target {
            Target::Run { parameters, .. } => self.shared.payload(parameters),
            Target::Task(plain) => self.shared.payload(&mut plain.payload),
        }
    }
}
