//! A command comes in; events, effects and an answer come out.

use super::command::{Answer, Command, Configure};
use super::decide::decide;
use super::guard::{PanicSubject, Remedy};
use super::{Batch, Engine};
use crate::decision::{Rejection, View};

impl Engine {
    /// A panic in a decision refuses that command; see `guard`.
    pub fn handle(&mut self, command: Command, batch: &mut Batch) -> Result<Answer, Rejection> {
        let remedy = Remedy::of(&command);
        let subject = PanicSubject::Command(command.label());
        let done = self.guard(subject, batch, |engine, batch| engine.carry_out(command, batch));
        let answer = done.unwrap_or_else(|message| {
            self.remedy(&remedy, &message, batch);
            Err(Rejection::Internal { what: "the decision panicked; the log of the server says where" })
        });
        self.announce_ends(batch);
        answer
    }

    fn carry_out(&mut self, command: Command, batch: &mut Batch) -> Result<Answer, Rejection> {
        match command {
            Command::Report(report) => {
                self.report(&report, batch);
                Ok(Answer::Done)
            }
            Command::Session(session) => {
                self.session(session, batch);
                Ok(Answer::Done)
            }
            Command::Configure(configure) => {
                self.configure(&configure);
                Ok(Answer::Done)
            }
            Command::ContinueOperation { id, parked, more } => {
                self.continue_process(id, parked, more, batch);
                Ok(Answer::Done)
            }
            Command::Ask(question) => self.answer(&question),
            Command::Publish(publish) => self.publish(&publish, batch),
            command @ (Command::Schedule(_) | Command::Run(_) | Command::Keyed(_)) => {
                let touched = self.schedules_touched(&command);
                self.settle_schedules(touched, batch);
                self.decide_and_apply(command, batch)
            }
            command => self.decide_and_apply(command, batch),
        }
    }

    fn decide_and_apply(&mut self, command: Command, batch: &mut Batch) -> Result<Answer, Rejection> {
        let from = batch.events.len();
        let answer = decide(&self.view(), command, &mut batch.events);
        match answer {
            Ok(_) => self.commit(batch, from),
            Err(_) => batch.events.truncate(from),
        }
        answer
    }

    pub(super) fn view(&self) -> View<'_> {
        View {
            state: &self.state,
            dispatcher: &self.dispatcher,
            limits: &self.config.limits,
            pressure: self.pressure,
            late: self.present.since(self.state.now.elapsed),
            breaks: self.config.breaks,
            evaluate: &*self.evaluate,
        }
    }

    fn configure(&mut self, configure: &Configure) {
        match configure {
            Configure::Tenant { tenant, share } => self.dispatcher.set_tenant(tenant, *share),
            Configure::Pool { pool, limit } => self.dispatcher.set_pool(pool, *limit),
            Configure::BackfillShare { percent } => self.dispatcher.set_backfill_share(*percent),
            Configure::Listen { on } => self.has_listeners = *on,
            Configure::Limit { limit, max } => self.dispatcher.set_limit(limit, *max),
        }
    }
}
