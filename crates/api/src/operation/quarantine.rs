//! Rows of the tables that cannot be read: which there are, and reading one again after it was repaired.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command, QuarantineCommand};
use mainspring_core::values::Name;

use super::{Caller, Change};
use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::wire::{OverrideBody, QuarantineView};

pub(crate) async fn quarantine(edge: &Edge) -> Result<QuarantineView, Problem> {
    match ask(edge, QuarantineCommand::List).await? {
        Answer::Quarantine(rows) => Ok(QuarantineView::of(rows)),
        _ => Err(Rejection::Internal { what: "a list of rows was answered with something else" }.into()),
    }
}

/// What is left afterwards.
pub(crate) async fn release(
    edge: &Edge,
    row: &str,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<QuarantineView, Problem> {
    let by = Change::by("a quarantined row was released", over, caller)?;
    let short: String = row.chars().filter(|c| !c.is_control()).take(50).collect();
    let row = Name::new(row).ok().filter(|row| row.len() < 50);
    let row =
        row.ok_or_else(|| Rejection::RowNotQuarantined { row: Name::new(&short).unwrap_or_default() })?;
    ask(edge, QuarantineCommand::Release { row: row.clone() }).await?;
    by.done(row);
    quarantine(edge).await
}

async fn ask(edge: &Edge, command: QuarantineCommand) -> Result<Answer, Problem> {
    edge.gateway.ask(Route::All, Command::Quarantine(command)).await
}
