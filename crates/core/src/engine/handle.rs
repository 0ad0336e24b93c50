//! A command comes in; events, effects and an answer come out.

use super::command::{Answer, Command, Configure};
use super::commands::decide;
use super::decide::{PanicSubject, Undecided};
use super::{Batch, Engine};
use crate::decision::Rejection;
use crate::schedule::decide::due::give_up;

impl Engine {
    /// A panic in a decision refuses that command; see `decide`.
    pub fn handle(&mut self, command: Command, batch: &mut Batch) -> Result<Answer, Rejection> {
        let answer = self.carry_out(command, batch);
        self.announce_ends(batch);
        answer
    }

    /// For operations too, which handle each thing by a command of its own.
    pub(super) fn carry_out(&mut self, command: Command, batch: &mut Batch) -> Result<Answer, Rejection> {
        let subject = PanicSubject::Command(command.label());
        match command {
            Command::Report(report) => {
                self.report(&report, batch);
                Ok(Answer::Done)
            }
            Command::Session(session) => {
                let before = batch.effects.len();
                let done = self.guard(subject, |engine| {
                    engine.session(session, batch);
                    Ok(Answer::Done)
                });
                if done.is_err() {
                    batch.effects.truncate(before);
                }
                done
            }
            Command::Configure(configure) => self.guard(subject, |engine| {
                engine.configure(&configure);
                Ok(Answer::Done)
            }),
            Command::ContinueOperation { id, page } => {
                self.continue_operation(id, *page, batch);
                Ok(Answer::Done)
            }
            Command::Ask(question) => self.guard(subject, |engine| engine.answer(&question)),
            Command::Publish(publish) => self.publish(&publish, batch),
            command @ (Command::Schedule(_) | Command::Run(_) | Command::Keyed(_) | Command::ByActor(_)) => {
                self.edit(subject, command, batch)
            }
            command => {
                let decided = self.decide(subject, batch, |view, out| decide(view, command, out));
                decided.map_err(Undecided::rejection)
            }
        }
    }

    /// Before somebody changes schedules, what has come of them is decided by what they still say. What is given up is
    /// decided with the change: if nothing changes, nothing is given up.
    fn edit(
        &mut self,
        subject: PanicSubject,
        command: Command,
        batch: &mut Batch,
    ) -> Result<Answer, Rejection> {
        let given_up = self.settle_schedules(&command, batch);
        let from = batch.events.len();
        let decided = self.rule(subject, batch, |view, out| {
            for id in given_up {
                give_up(view, id, out);
            }
            let given_up = out.len();
            decide(view, command, out).map(|answer| (answer, given_up, out.has_changes_since(given_up)))
        });
        let (answer, given_up, has_changes) = decided.map_err(Undecided::rejection)?;
        if !has_changes {
            batch.events.drain(from..given_up);
        }
        self.commit(batch, from);
        Ok(answer)
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
