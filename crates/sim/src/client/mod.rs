//! Callers: they submit, repeat, cancel, amend and read, lose answers, ask again, and remember what was answered.
//! - CL-1 an operation that was sent once and refused did not happen; without an answer its outcome is unknown
//!
//! Not here: what is asked for (`draw`).

mod approvals;
mod asks;
mod backfills;
mod cordons;
mod draw;
mod events;
mod flows;
mod plans;
mod schedules;

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::engine::{Answer, Command, Keyed};
use mainspring_core::key::KeyClaim;
use mainspring_core::run::decide::{RunAnswer, RunCommand, TriggerRun};
use mainspring_core::task::decide::Submit;
use mainspring_core::trigger::decide::Publish;
use mainspring_core::values::{BackfillId, RunId, TaskId};
use mainspring_runtime::{Envelope, Replies};

use self::asks::{asked, hinders, target};
pub(crate) use self::draw::BULK;
pub(crate) use self::events::EVENT_ID;
use crate::checkers::{Asked, Broken, Check, Told, require};
use crate::network::{Direction, Peer};
use crate::server::{Mail, Ticket};
use crate::world::{Happening, World};

#[derive(Clone, Copy, Debug)]
pub enum CallerEvent {
    /// The next operation begins.
    Next,
    /// Operators let every worker work again.
    Uncordon,
    /// Operators let every run go on that was paused.
    Relieve,
    /// No answer yet: ask again or give up.
    Patience { operation: u64, sends: u32 },
}

#[derive(Debug)]
struct Operation {
    commands: Vec<Command>,
    asked: Vec<Asked>,
    /// Whether the task was known to be accepted when this began.
    acked: Vec<bool>,
    sends: u32,
    /// Copies on the network.
    copies: u32,
    /// Whether each command came through, once answered.
    told: Option<Vec<Told>>,
    /// A connection keeps order: a copy sent later does not arrive earlier, and is not read earlier.
    arrives: u64,
    unread_until: u64,
}

pub struct Callers {
    left: u64,
    operations: Vec<Operation>,
    /// Tasks that were submitted, whatever came of it.
    tasks: Vec<TaskId>,
    keyed: Vec<(KeyClaim, Submit)>,
    /// Commands under a key that were sent before.
    keyed_others: Vec<Keyed>,
    acked: BTreeSet<TaskId>,
    refused: BTreeMap<TaskId, u64>,
    /// Jobs that were applied, whatever came of it.
    jobs: u64,
    /// Runs that were triggered, whatever came of it.
    runs: Vec<RunId>,
    keyed_triggers: Vec<TriggerRun>,
    /// Backfills that were asked for, whatever came of it.
    backfills: Vec<BackfillId>,
    /// Events that were sent.
    events: Vec<Publish>,
    acked_runs: BTreeSet<RunId>,
    refused_runs: BTreeSet<RunId>,
    waiting: BTreeSet<u64>,
}

/// Times an operation is sent at most.
const SENDS_MAX: u32 = 5;
/// How often operators look for what is paused, once the world has healed.
const RELIEF_EVERY_MS: u64 = 15_000;

impl Callers {
    /// Until when a server that was paused has not read a copy that arrived before.
    pub(crate) fn unread_until(&mut self, operation: u64) -> &mut u64 {
        &mut self.operations[operation as usize].unread_until
    }

    pub fn new(left: u64) -> Self {
        Self {
            left,
            operations: Vec::new(),
            tasks: Vec::new(),
            keyed: Vec::new(),
            keyed_others: Vec::new(),
            acked: BTreeSet::new(),
            refused: BTreeMap::new(),
            jobs: 0,
            runs: Vec::new(),
            keyed_triggers: Vec::new(),
            backfills: Vec::new(),
            events: Vec::new(),
            acked_runs: BTreeSet::new(),
            refused_runs: BTreeSet::new(),
            waiting: BTreeSet::new(),
        }
    }

    /// No operation hopes for an answer.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }
}

impl World {
    pub(crate) fn caller_event(&mut self, what: CallerEvent) {
        match what {
            CallerEvent::Next => {
                if self.callers.left == 0 || self.healed {
                    return;
                }
                self.callers.left -= 1;
                let commands = self.draw_commands();
                self.begin_operation(commands);
                let after = self.span(self.settings.operation_every * 2);
                self.put(after, Happening::Caller(CallerEvent::Next));
            }
            CallerEvent::Uncordon => self.uncordon(),
            CallerEvent::Relieve => {
                self.relieve();
                self.put(RELIEF_EVERY_MS, Happening::Caller(CallerEvent::Relieve));
            }
            CallerEvent::Patience { operation, sends } => self.patience(operation, sends),
        }
    }

    pub(crate) fn begin_operation(&mut self, commands: Vec<Command>) -> u64 {
        let operation = self.callers.operations.len() as u64;
        let asked: Vec<Asked> = commands.iter().map(asked).collect();
        for what in &asked {
            self.note_asked(*what);
        }
        let acked = asked.iter().map(|what| {
            target(*what).is_some_and(|id| self.callers.acked.contains(&id))
                || what.run().is_some_and(|id| self.callers.acked_runs.contains(&id))
        });
        let acked = acked.collect();
        self.trace.say(self.now, format_args!("operation {operation}: {asked:?}"));
        self.callers.waiting.insert(operation);
        self.callers.operations.push(Operation {
            commands,
            asked,
            acked,
            sends: 0,
            copies: 0,
            told: None,
            arrives: 0,
            unread_until: 0,
        });
        self.send_operation(operation);
        operation
    }

    fn note_asked(&mut self, what: Asked) {
        match what {
            Asked::Submit { id, .. } => self.callers.tasks.push(id),
            Asked::Trigger { id, .. } | Asked::Rerun { id } => self.callers.runs.push(id),
            Asked::RunNow { id } => self.checkers.journal.note_asked_now(id),
            _ => {}
        }
    }

    fn send_operation(&mut self, number: u64) {
        let server = self.draw_server();
        let delays = self.delays(Peer::Callers, Direction::ToServer);
        let patience = self.settings.hop * 4 + self.span(6_000);
        let operation = &mut self.callers.operations[number as usize];
        operation.sends += 1;
        let sends = operation.sends;
        self.put(patience, Happening::Caller(CallerEvent::Patience { operation: number, sends }));
        let Some(server) = server else { return };
        let operation = &mut self.callers.operations[number as usize];
        // Without a key nobody could tell a copy made by the network from a second wish.
        let copies = if operation.commands.iter().any(unkeyed) { 1 } else { delays.len() };
        if let [Command::Submit(submit)] = &mut operation.commands[..] {
            submit.resent = sends > 1;
        }
        let mut mails = Vec::new();
        for after in delays.into_iter().take(copies) {
            operation.copies += 1;
            let at = operation.arrives.max(self.now + after);
            operation.arrives = at;
            let mail = Envelope { commands: operation.commands.clone(), reply: Ticket::Operation(number) };
            mails.push((at - self.now, Mail::Commands(mail)));
        }
        for (after, mail) in mails {
            self.put(after, Happening::ToServer { server, mail: Box::new(mail) });
        }
    }

    fn patience(&mut self, number: u64, sends: u32) {
        let operation = &self.callers.operations[number as usize];
        if operation.told.is_some() || operation.sends != sends {
            return;
        }
        // Without history nobody knows a task that has ended, so a submission without a key is not repeated.
        let known = self.settings.shard.history || !operation.commands.iter().any(unkeyed);
        let lone = operation.commands.len() == 1;
        let known = known && !(self.healed && operation.commands.iter().any(hinders));
        let known = known && !operation.commands.iter().any(anew);
        if known && lone && sends < SENDS_MAX && (self.healed || self.chance.per_mille(700)) {
            self.send_operation(number);
        } else {
            self.callers.waiting.remove(&number);
        }
    }

    /// A server lets an answer out: from here on it must be true.
    pub(crate) fn give_answer(&mut self, number: u64, results: &Replies, newest: bool) -> Result<(), Broken> {
        let operation = &self.callers.operations[number as usize];
        for ((asked, acked), result) in operation.asked.iter().zip(&operation.acked).zip(results) {
            self.checkers.answered(*asked, result, (newest, *acked))?;
        }
        for after in self.delays(Peer::Callers, Direction::FromServer) {
            let results = results.clone();
            self.put(after, Happening::ToCaller { operation: number, results });
        }
        Ok(())
    }

    pub(crate) fn caller_told(&mut self, number: u64, results: &Replies) {
        let operation = &mut self.callers.operations[number as usize];
        self.callers.waiting.remove(&number);
        if operation.told.is_some() {
            return;
        }
        let told: Vec<Told> =
            results.iter().map(|result| if result.is_ok() { Told::Ok } else { Told::Fail }).collect();
        for ((asked, told), result) in operation.asked.iter().zip(&told).zip(results) {
            self.trace.mix(u64::from(*told == Told::Ok));
            if let Asked::Submit { id, .. } = asked {
                match told {
                    Told::Ok => self.callers.acked.extend(accepted(result)),
                    Told::Fail if operation.copies == 1 => drop(self.callers.refused.insert(*id, number)),
                    Told::Fail => {}
                }
            }
            if let Asked::Trigger { id, .. } | Asked::Rerun { id } = asked {
                match told {
                    Told::Ok => self.callers.acked_runs.extend(begun(result)),
                    // A key's rerun is sent by several operations; a trigger has its id for itself.
                    Told::Fail if operation.copies == 1 && matches!(asked, Asked::Trigger { .. }) => {
                        self.callers.refused_runs.insert(*id);
                    }
                    Told::Fail => {}
                }
            }
            self.tally.ok_operations += u64::from(*told == Told::Ok);
        }
        self.trace.say(self.now, format_args!("operation {number} is told {results:?}"));
        operation.told = Some(told);
    }

    /// I1 and I2 at the end.
    pub(crate) fn check_callers(&self) -> Check {
        for id in &self.callers.acked {
            self.checkers.accounted_for(*id)?;
        }
        for id in self.callers.refused.keys() {
            self.checkers.never_accepted(*id)?;
        }
        let asked: BTreeSet<TaskId> = self.callers.tasks.iter().copied().collect();
        for id in self.checkers.journal.known() {
            let made = asked.contains(&id)
                || self.checkers.journal.flows.is_of_run(id)
                || self.checkers.journal.windows.made_task(id);
            require(made, "I2", || format!("{id} was never submitted by anyone"))?;
        }
        self.check_runs()
    }

    fn check_runs(&self) -> Check {
        let flows = &self.checkers.journal.flows;
        for id in &self.callers.acked_runs {
            let status = flows.run(*id).map(|run| run.status);
            let ended = status.is_some_and(mainspring_core::values::RunStatus::is_ended);
            require(ended, "I1", || format!("{id} was acknowledged and is {status:?}"))?;
        }
        for id in &self.callers.refused_runs {
            require(flows.run(*id).is_none(), "I2", || format!("{id} was refused and is in the journal"))?;
        }
        for id in flows.made_by_callers() {
            require(self.callers.runs.contains(&id), "I2", || format!("{id} was never triggered by anyone"))?;
        }
        Ok(())
    }

    pub(crate) fn was_told_ok(&self, number: u64) -> bool {
        let told = self.callers.operations[number as usize].told.as_ref();
        told.is_some_and(|told| told.iter().all(|told| *told == Told::Ok))
    }
}

fn accepted(result: &Result<Answer, mainspring_core::decision::Rejection>) -> Option<TaskId> {
    match result {
        Ok(Answer::Submitted { id, .. } | Answer::AlreadySubmitted { id }) => Some(*id),
        _ => None,
    }
}

fn begun(result: &Result<Answer, mainspring_core::decision::Rejection>) -> Option<RunId> {
    match result {
        Ok(Answer::Run(RunAnswer::Run { id, .. } | RunAnswer::AlreadyTriggered { id })) => Some(*id),
        _ => None,
    }
}

fn unkeyed(command: &Command) -> bool {
    matches!(command, Command::Submit(submit) if submit.key.is_none()) || anew(command)
}

/// Nobody could tell a second sending from a second wish: edges make a new id for each.
fn anew(command: &Command) -> bool {
    let Command::Run(flow) = command else { return false };
    match &**flow {
        RunCommand::Trigger(trigger) => trigger.key.is_none(),
        RunCommand::Rerun(_) => true,
        _ => false,
    }
}
