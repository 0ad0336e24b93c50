//! Before somebody changes schedules: what has come of them is decided by what they still say.

use super::command::Command;
use super::{Batch, Engine};
use crate::run::decide::RunCommand;
use crate::schedule::Schedule;
use crate::schedule::decide::ScheduleCommand;
use crate::values::ScheduleId;

impl Engine {
    /// Schedules that the command may change, and whether it changes what their windows are.
    fn schedules_touched(&self, command: &Command) -> (Vec<ScheduleId>, bool) {
        let schedules = &self.state.schedules;
        match command {
            Command::Keyed(keyed) => self.schedules_touched(&keyed.command),
            Command::ByActor(by) => self.schedules_touched(&by.command),
            Command::Schedule(command) => match &**command {
                ScheduleCommand::Put { key, .. }
                | ScheduleCommand::Pause { key, .. }
                | ScheduleCommand::Delete { key, .. } => {
                    let pauses = matches!(**command, ScheduleCommand::Pause { .. });
                    (schedules.find(key).map(|found| found.id).into_iter().collect(), !pauses)
                }
                _ => (Vec::new(), false),
            },
            Command::Run(command) => match command.unsigned() {
                RunCommand::ApplyJobs(jobs) => {
                    let keys = jobs.iter().map(|job| &job.key);
                    let of_jobs = keys.flat_map(|key| schedules.of_job(&key.tenant, &key.name));
                    (of_jobs.map(|schedule| schedule.id).collect(), true)
                }
                RunCommand::PauseJob { key, .. } | RunCommand::DeleteJob { key, .. } => {
                    let pauses = matches!(command.unsigned(), RunCommand::PauseJob { .. });
                    (schedules.of_job(&key.tenant, &key.name).map(|schedule| schedule.id).collect(), !pauses)
                }
                _ => (Vec::new(), false),
            },
            _ => (Vec::new(), false),
        }
    }

    /// Decides what has come of the schedules that the command may change. These have windows left to which nobody would
    /// come back.
    pub(super) fn settle_schedules(&mut self, command: &Command, batch: &mut Batch) -> Vec<ScheduleId> {
        let (ids, ends) = self.schedules_touched(command);
        let now = self.state.now.wall;
        let is_due = |engine: &Self, id| {
            engine.state.schedules.get(id).and_then(Schedule::due).is_some_and(|due| due <= now)
        };
        for id in &ids {
            if is_due(self, *id) {
                self.schedule_due(*id, batch);
            }
        }
        ids.into_iter().filter(|id| ends && is_due(self, *id)).collect()
    }
}
