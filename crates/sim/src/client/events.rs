//! What callers tell the server: events, some of them twice, for triggers of the world's jobs.

use std::sync::Arc;

use mainspring_core::engine::Command;
use mainspring_core::job::{NodeWork, Plan};
use mainspring_core::key::{KeyClaim, KeyFact, KeyScope};
use mainspring_core::trigger::decide::Publish;
use mainspring_core::trigger::{On, TriggerSpec};
use mainspring_core::values::{Bucket, CloudEvent, Name, Pattern, Wall};

use crate::settings::{GROUPS, TENANTS};
use crate::world::World;

/// How the ids of events of callers begin.
pub(crate) const EVENT_ID: &str = "e-";
/// Events of one world: every run that they begin must end.
const EVENTS_MAX: usize = 8;

impl World {
    /// A new event, or one that was sent before.
    pub(super) fn draw_event(&mut self) -> Command {
        let sent = self.callers.events.len();
        if sent > 0 && (sent >= EVENTS_MAX || self.chance.per_mille(500)) {
            let mut again = self.callers.events[self.chance.below(sent as u64) as usize].clone();
            again.base = self.mint_run(GROUPS.of(&again.tenant));
            return Command::Publish(Box::new(again));
        }
        let tenant = Name::fixed(TENANTS[self.chance.below(2) as usize]);
        let notice = Arc::new(CloudEvent {
            id: format!("{EVENT_ID}{sent}").into(),
            source: "/world".into(),
            kind: ["order.0", "order.1", "order.1.x"][self.chance.below(3) as usize].into(),
            subject: None,
            time: None,
            data: Some(Arc::from(*b"{}")),
        });
        let claim = KeyClaim {
            scope: KeyScope(u128::from(self.chance.draw())),
            request: 0,
            expires: Wall::from_millis(u64::MAX >> 8),
            group: GROUPS.of(&tenant),
        };
        let base = self.mint_run(claim.group);
        let publish = Publish { tenant, notice, key: (claim, KeyFact::Absent), base };
        self.callers.events.push(publish.clone());
        self.checkers.journal.triggers.note_published(&publish);
        Command::Publish(Box::new(publish))
    }

    /// Of a job of the world. Only the second job of a tenant comes after the first, and only if it starts no runs of the
    /// first itself: else they would begin each other without an end.
    pub(super) fn draw_triggers(&mut self, job: u64, plan: &Plan) -> Vec<(Name, TriggerSpec)> {
        let mut specs = Vec::new();
        let bucket = Bucket::home(GROUPS.of(&super::flows::job_key(job).tenant));
        let texts = ["order.*", "order.1", "order.1*"];
        for (name, text) in ["t-0", "t-1"].into_iter().zip(texts) {
            if self.chance.per_mille(300) {
                let kind = Pattern::parse(text).expect("a pattern");
                let on = On::Event { kind, source: None };
                specs.push((Name::fixed(name), self.draw_trigger_spec(on, bucket)));
            }
        }
        // Two for ends of tasks outside of runs: what they begin ends no such task.
        if self.chance.per_mille(300) {
            for (name, text) in [("own-0", "mainspring.task.succeeded"), ("own-1", "mainspring.task.*")] {
                let kind = Pattern::parse(text).expect("a pattern");
                let on = On::Event { kind, source: None };
                specs.push((Name::fixed(name), self.draw_trigger_spec(on, bucket)));
            }
        }
        let starts_runs = plan.nodes().iter().any(|node| matches!(node.work, NodeWork::Run { .. }));
        if job % 2 == 1 && !starts_runs && self.chance.per_mille(400) {
            let first = if job == 1 { "flow-0" } else { "flow-2" };
            let on = On::After(vec![Name::fixed(first)]);
            specs.push((Name::fixed("after"), self.draw_trigger_spec(on, bucket)));
        }
        specs
    }

    fn draw_trigger_spec(&mut self, on: On, bucket: Bucket) -> TriggerSpec {
        TriggerSpec {
            on,
            condition: self.chance.per_mille(150).then(|| "broken".into()),
            parameters: Arc::from(*b"{}"),
            templated: false,
            active_max: 1 + self.chance.below(3) as u32,
            bucket,
        }
    }
}
