//! A wish with the name of who has it and why, which stay with the job or run that it changes.
//! - NS-1 a note follows the change in the same record; what changes nothing leaves none

use std::sync::Arc;

use super::RunCommand;
use crate::event::Event;
use crate::run::{Noted, RunEvent, Subject};
use crate::values::Actor;

#[derive(Clone, PartialEq, Debug)]
pub struct Signed {
    pub over: Actor,
    pub command: RunCommand,
}

pub(crate) fn note(of: Subject, over: Actor, what: Arc<str>) -> Event {
    Event::Run(RunEvent::Noted(Box::new(Noted { of, over, what })))
}
