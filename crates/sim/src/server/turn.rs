//! One turn of the shard's thread: take in what came, step, carry out what comes out.

use mainspring_core::decision::Effect;
use mainspring_core::engine::Command;
use mainspring_core::task::Status;
use mainspring_core::values::{Fence, Millis, Session, TaskId, WorkerId};
use mainspring_core::worker::decide::SessionCommand;
use mainspring_runtime::{Envelope, Output, Reading};

use super::loader::LoaderOrder;
use super::{Mail, Server, ServerEvent, Ticket};
use crate::checkers::{Check, Checkers, require};
use crate::faults::Fault;
use crate::network::{Direction, Peer};
use crate::settings::worker_id;
use crate::worker::WorkerMessage;
use crate::world::{Happening, World};

/// As in the real driver.
const DRAIN_MAX: usize = 256;
/// Turns between two comparisons of memory and journal.
const COMPARE_EVERY: u64 = 16;
const SPINS_MAX: u32 = 100;

impl World {
    pub(super) fn turn(&mut self, index: usize) -> Check {
        let Some(mut server) = self.servers[index].take() else { return Ok(()) };
        let reading = self.clocks.read(self.now);
        server.poked = false;
        server.turns += 1;
        self.note_stall(&mut server, reading);
        for _ in 0..DRAIN_MAX {
            if !server.shard.has_room() {
                break;
            }
            let Some(mail) = server.mailbox.pop_front() else { break };
            self.take_mail(&mut server, mail, reading)?;
        }
        for (worker, session) in std::mem::take(&mut server.signs) {
            self.take_sign(&mut server, worker, session, reading);
        }
        server.shard.step(reading);
        if !server.shard.is_stopped() {
            Checkers::owed(server.shard.engine())?;
        }
        if !self.carry_out(index, &mut server)? {
            self.bury(&server);
            return Ok(());
        }
        self.compare(&server)?;
        self.plan_turn(index, &mut server)?;
        self.servers[index] = Some(server);
        self.start_reading(index);
        Ok(())
    }

    /// Written down beside the shard: from now on every worker has a full lease.
    fn note_stall(&mut self, server: &mut Server, reading: Reading) {
        let stall = self.settings.shard.engine.limits.lease.get() / 2;
        let paused = self.now - std::mem::replace(&mut server.turned_at, self.now) > stall;
        let slow = server.appending && self.now - server.sealed_at > stall;
        if paused || slow {
            let at = server.clock.now(reading).elapsed;
            self.checkers.words.stalled(server.epoch, at);
        }
    }

    fn take_sign(&mut self, server: &mut Server, worker: usize, session: Session, reading: Reading) {
        let id = worker_id(worker);
        let workers = server.shard.engine().workers();
        let live = workers.find(id).and_then(|index| workers.get(index)).and_then(|known| known.session);
        if live == Some(session) {
            let at = server.clock.now(reading).elapsed;
            self.checkers.words.heard(server.epoch, id, at);
        }
        server.shard.heard(id, session, reading);
    }

    fn plan_turn(&mut self, index: usize, server: &mut Server) -> Check {
        let more = !server.mailbox.is_empty() && server.shard.has_room();
        let sleep = if more { Some(1) } else { server.shard.sleep().map(Millis::get) };
        // A thread that wants to be woken at once, again and again, while nothing comes of it, burns a core.
        server.spins = if sleep == Some(0) && !server.busy { server.spins + 1 } else { 0 };
        require(server.spins < SPINS_MAX, "I25", || {
            format!("epoch {} wakes itself at once {SPINS_MAX} times and does nothing", server.epoch)
        })?;
        let sleep = sleep.map(|span| span.max(1));
        server.wake += 1;
        if let Some(after) = sleep {
            let what = ServerEvent::Turn(server.wake);
            self.put(after, Happening::Server { server: index, what });
        }
        Ok(())
    }

    /// Memory against journal, whenever nothing of this owner is on its way.
    fn compare(&mut self, server: &Server) -> Check {
        let figures = server.shard.figures();
        let still = !server.appending && figures.durable == self.checkers.journal.last();
        let disk = self.store.disk();
        if !still || server.epoch != disk.newest() || !server.turns.is_multiple_of(COMPARE_EVERY) {
            return Ok(());
        }
        let engine = server.shard.engine();
        self.checkers.memory(engine, &disk)?;
        // Nothing is placed while the shard takes its next epoch.
        if server.mailbox.is_empty() && server.shard.has_room() {
            let open = engine.workers().iter().filter(|(_, worker)| worker.accepts());
            let open: Vec<WorkerId> = open.map(|(_, worker)| worker.id).collect();
            let idle = self.checkers.journal.bounds().startable(&self.checkers.journal, &open);
            require(idle.is_none(), "I22", || format!("{idle:?} could be started and is not"))?;
        }
        Ok(())
    }

    fn take_mail(&mut self, server: &mut Server, mail: Mail, reading: Reading) -> Check {
        match mail {
            Mail::Commands(envelope) => server.shard.accept(envelope, reading),
            Mail::FromWorker { worker, command } => return self.take_word(server, worker, command, reading),
            Mail::Loaded { command, reply, found } => server.shard.loaded(command, reply, found, reading),
            Mail::LoadedRun { command, reply, found } => {
                server.shard.loaded_run(command, reply, found, reading);
            }
            Mail::Paged(Some(rows)) => server.shard.paged(rows, reading),
            Mail::Paged(None) => server.shard.page_failed(),
            Mail::RunFound { task, run, found } => server.shard.run_found(task, run, found, reading),
            Mail::PagedFor(found) => server.shard.paged_for(found, reading),
            Mail::Barrier(barrier) => server.shard.barrier_passed(barrier),
            Mail::Dropped => {}
        }
        Ok(())
    }

    /// What a worker says; what it proves is written down beside the shard.
    fn take_word(&mut self, server: &mut Server, worker: usize, command: Command, reading: Reading) -> Check {
        let id = worker_id(worker);
        let at = server.clock.now(reading).elapsed;
        let said = session_of(&command);
        let workers = server.shard.engine().workers();
        let known = workers.find(id).and_then(|index| workers.get(index));
        let live = known.and_then(|known| known.session);
        let hello = matches!(&command, Command::Session(SessionCommand::Hello(_)));
        let greets = hello && said.is_some_and(|said| known.is_none_or(|known| said > known.newest_session));
        let speaks = matches!(&command, Command::Report(_));
        if greets || speaks && live.is_some() && said == live {
            self.checkers.words.heard(server.epoch, id, at);
            self.trace.say(self.now, format_args!("epoch {} hears worker {worker} at {at:?}", server.epoch));
        }
        let held = if greets { held_by(server, id) } else { Vec::new() };
        let stale = stale_report(server, &command);
        server.shard.accept(Envelope { commands: vec![command], reply: Ticket::Nobody }, reading);
        if let Some((task, version)) = stale {
            let now = server.shard.engine().state().tasks().by_id(task).map(|task| task.version);
            require(now == version, "I10", || {
                format!("a report with an old fence moved {task} to version {now:?}")
            })?;
        }
        for (task, fence) in held {
            let now = server.shard.engine().state().tasks().by_id(task);
            if now.is_some_and(|now| now.status() == Status::Queued && now.fence == fence) {
                self.checkers.ledger.disclaimed(server.epoch, task, fence);
            }
        }
        if let Some(session) = said.filter(|_| greets) {
            self.send_to_worker(worker, &WorkerMessage::Heard { session });
        }
        Ok(())
    }

    pub(super) fn send_to_worker(&mut self, worker: usize, message: &WorkerMessage) {
        for after in self.delays(Peer::Worker(worker), Direction::FromServer) {
            self.put(after, Happening::ToWorker { worker, message: message.clone() });
        }
    }

    /// False if the server did not live to see the end of it.
    fn carry_out(&mut self, index: usize, server: &mut Server) -> Result<bool, crate::checkers::Broken> {
        server.busy = false;
        while let Some(output) = server.shard.poll() {
            server.busy = true;
            if self.chance.per_mille(self.rates.crash_between_outputs) {
                self.see(Fault::ServerCrash);
                self.tally.crashes += 1;
                self.open_later();
                return Ok(false);
            }
            match output {
                Output::Append(record) => {
                    if !std::mem::replace(&mut server.appending, true) {
                        server.sealed_at = self.now;
                    }
                    self.order_append(index, record);
                }
                Output::Renew => {
                    let (old, result) = (server.epoch, self.store.disk().renew(server.epoch));
                    if let Ok(epoch) = &result {
                        server.epoch = *epoch;
                        self.checkers.renewed(old, *epoch);
                        self.tally.renewals += 1;
                        self.trace.say(self.now, format_args!("epoch {old} goes on as epoch {epoch}"));
                    }
                    server.shard.renewed(result);
                }
                Output::Trim(through) => self.store.disk().trim(through),
                Output::Cut(cut) => self.order_cut(index, cut),
                Output::Load { id, command, reply } => {
                    server.loader.push_back(LoaderOrder::Load { id, command, reply });
                }
                Output::LoadRun { id, command, reply } => {
                    server.loader.push_back(LoaderOrder::LoadRun { id, command, reply });
                }
                Output::Page { after, until, limit } => {
                    server.loader.push_back(LoaderOrder::Page { after, until, limit });
                }
                Output::FindRun { task, run } => server.loader.push_back(LoaderOrder::FindRun { task, run }),
                Output::PageFor { wanted, limit } => {
                    server.loader.push_back(LoaderOrder::PageFor { wanted, limit });
                }
                Output::Barrier(barrier) => server.loader.push_back(LoaderOrder::Barrier(barrier)),
                Output::Answer { reply: Ticket::Operation(operation), results } => {
                    let newest = server.epoch == self.store.disk().newest();
                    self.give_answer(operation, &results, newest)?;
                }
                Output::Answer { reply: Ticket::Nobody, .. } => {}
                Output::Effects(effects) => {
                    for effect in effects {
                        self.order_effect(server, effect)?;
                    }
                }
                Output::RetryAppend(wait) => {
                    self.put(wait.get(), Happening::Server { server: index, what: ServerEvent::RetryAppend });
                }
                Output::Stopped(cause) => {
                    self.stopped(&cause)?;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn order_effect(&mut self, server: &Server, effect: Effect) -> Check {
        self.checkers.ordered(server.epoch, &effect)?;
        let to = match &effect {
            Effect::Start(start) => start.worker,
            Effect::Stop { worker, .. }
            | Effect::Acknowledge { worker, .. }
            | Effect::SessionLost { worker, .. } => *worker,
            Effect::Alert { .. }
            | Effect::RunAlert { .. }
            | Effect::ScheduleAlert { .. }
            | Effect::RunEnded { .. }
            | Effect::JobDeleted { .. }
            | Effect::Changed { .. }
            | Effect::Drain { .. }
            | Effect::News(_) => {
                return Ok(());
            }
        };
        self.trace.mix_wide(to.bits());
        self.trace.say(self.now, format_args!("epoch {}: {}", server.epoch, brief(&effect)));
        if let Some(worker) = (0..self.workers.len()).find(|index| worker_id(*index) == to) {
            self.send_to_worker(worker, &WorkerMessage::Order(server.epoch, Box::new(effect)));
        }
        Ok(())
    }
}

fn brief(effect: &Effect) -> String {
    match effect {
        Effect::Start(start) => {
            format!("start {} {:?} on {}, session {}", start.task, start.fence, start.worker, start.session)
        }
        other => format!("{other:?}"),
    }
}

fn session_of(command: &Command) -> Option<Session> {
    match command {
        Command::Report(report) => Some(report.session),
        Command::Session(SessionCommand::Hello(hello)) => Some(hello.session),
        Command::Session(
            SessionCommand::Heartbeat { session, .. } | SessionCommand::Closed { session, .. },
        ) => Some(*session),
        _ => None,
    }
}

/// The task and its version, if the command is a report of an attempt that is not its live one.
fn stale_report(server: &Server, command: &Command) -> Option<(TaskId, Option<u32>)> {
    let Command::Report(report) = command else { return None };
    let task = server.shard.engine().state().tasks().by_id(report.task);
    let live = task.and_then(|task| task.lease()).map(|lease| lease.fence);
    (live != Some(report.fence)).then(|| (report.task, task.map(|task| task.version)))
}

fn held_by(server: &Server, worker: WorkerId) -> Vec<(TaskId, Fence)> {
    let engine = server.shard.engine();
    let indices = engine.workers().find(worker).into_iter().flat_map(|index| engine.workers().held_by(index));
    indices.filter_map(|index| engine.state().tasks().get(index)).map(|task| (task.id, task.fence)).collect()
}
