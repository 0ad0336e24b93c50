//! Rows of the tables that operations go on with: parked tasks, ended tasks, ended runs.
//! Entry: [`find_page`], for whoever reads the tables; [`Shard::paged_for`] with what it found.
//! - OR-1 the first page of what has ended is read when the tables hold the record in which the operation began

use std::collections::BTreeSet;

use mainspring_core::engine::{Command, WantedPage};
use mainspring_core::operation::{
    BulkVerb, Cursor, EndedPlace, OperationPage, RunSelector, STEP_EVENTS_MAX, Selection, Selector,
};
use mainspring_core::run::Run;
use mainspring_core::task::{Status, Task};
use mainspring_core::values::{OperationId, Pressure, RunId, RunStatus, TaskId};
use mainspring_store::format::{FormatError, ProfileCache, read_task};
use mainspring_store::{HistoryCursor, HistoryQuery, LiveRow, ParkedFrom, ReadTables, RunQuery};

use super::runs::{LoadError, find_run};
use super::{Output, Shard};
use crate::clock::Reading;

/// Ended tasks in a page, and bytes of their rows after which it ends: they go through one record.
const ENDED_MAX: usize = 400;
const ENDED_BYTES_MAX: usize = 4 << 20;
/// Ended runs in a page; each may be large.
const RUNS_MAX: usize = 50;

/// What the tables have for an operation.
#[derive(Debug)]
pub struct FoundPage {
    operation: OperationId,
    rows: FoundRows,
}

#[derive(Debug)]
enum FoundRows {
    Parked {
        rows: Vec<LiveRow>,
        more: bool,
    },
    Ended {
        page: OperationPage,
        /// Rows that cannot be read, with why.
        damaged: Vec<(String, String)>,
    },
}

pub fn find_page(
    tables: &mut dyn ReadTables,
    wanted: &WantedPage,
    limit: usize,
) -> Result<FoundPage, LoadError> {
    let rows = match (wanted.after, &wanted.bulk.of) {
        (Cursor::Ended(after), Selection::Tasks(selector)) => {
            ended(tables, &ended_query(selector, wanted.bulk.verb, after))?
        }
        (Cursor::EndedRuns(after), Selection::Runs(selector)) => {
            ended_runs(tables, &run_query(selector, after))?
        }
        (Cursor::Parked(after), _) => {
            let rows = tables.parked(ParkedFrom::Id { after }, limit)?;
            FoundRows::Parked { more: rows.len() == limit, rows }
        }
        _ => FoundRows::Parked { rows: Vec::new(), more: false },
    };
    Ok(FoundPage { operation: wanted.operation, rows })
}

fn ended_query(selector: &Selector, verb: BulkVerb, after: EndedPlace) -> HistoryQuery {
    let dead = vec![Status::Failed, Status::Quarantined];
    let named = !selector.statuses.is_empty() && verb == BulkVerb::RetryTasks;
    let after = (after != EndedPlace::START).then_some(HistoryCursor { day: after.day, id: after.id });
    HistoryQuery {
        tenant: Some(selector.tenant.clone()).filter(|name| !name.is_empty()),
        job: Some(selector.job.clone()).filter(|name| !name.is_empty()),
        statuses: if named { selector.statuses.clone() } else { dead },
        worker: None,
        label: selector.labels.first().cloned(),
        created_from: None,
        created_before: None,
        ended_from: selector.since,
        ended_before: selector.until,
        after,
        limit: ENDED_MAX,
    }
}

fn ended(tables: &mut dyn ReadTables, query: &HistoryQuery) -> Result<FoundRows, LoadError> {
    let page = tables.history(query)?;
    let mut next = page.next.map(|next| EndedPlace { day: next.day, id: next.id });
    let (mut tasks, mut damaged, mut bytes) = (Vec::new(), Vec::new(), 0);
    let mut profiles = ProfileCache::default();
    let count = page.rows.len();
    for (index, row) in page.rows.into_iter().enumerate() {
        let place = EndedPlace { day: row.ended.day(), id: row.id };
        bytes += row.bytes.len();
        match read_task(&row.bytes, &mut profiles) {
            Ok(task) => tasks.push((place, task)),
            Err(error) => damaged.push((row.id.to_string(), error.to_string())),
        }
        if bytes >= ENDED_BYTES_MAX && index + 1 < count {
            next = Some(place);
            break;
        }
    }
    let of: BTreeSet<RunId> = tasks.iter().filter_map(|(_, task)| Some(task.in_run.as_ref()?.run)).collect();
    let mut runs = Vec::with_capacity(of.len());
    for id in of {
        runs.extend(readable(tables, id, &mut damaged)?);
    }
    Ok(FoundRows::Ended { page: OperationPage::Ended { tasks, runs, next }, damaged })
}

/// A row that cannot be read is passed over and named.
fn readable(
    tables: &mut dyn ReadTables,
    id: RunId,
    damaged: &mut Vec<(String, String)>,
) -> Result<Option<Box<Run>>, LoadError> {
    match find_run(tables, id) {
        Err(LoadError::Read(error)) => Err(error.into()),
        Err(error) => {
            damaged.push((id.to_string(), error.to_string()));
            Ok(None)
        }
        Ok(found) => Ok(found),
    }
}

fn run_query(selector: &RunSelector, after: Option<RunId>) -> RunQuery {
    let failed = || vec![RunStatus::Failed];
    RunQuery {
        tenant: Some(selector.tenant.clone()).filter(|name| !name.is_empty()),
        job: Some(selector.job.clone()).filter(|name| !name.is_empty()),
        statuses: if selector.statuses.is_empty() { failed() } else { selector.statuses.clone() },
        trigger: selector.started_by,
        label: selector.labels.first().cloned(),
        created_from: selector.since,
        created_before: selector.until,
        from: None,
        after,
        limit: RUNS_MAX,
    }
}

fn ended_runs(tables: &mut dyn ReadTables, query: &RunQuery) -> Result<FoundRows, LoadError> {
    let page = tables.runs(query)?;
    let (mut runs, mut damaged) = (Vec::new(), Vec::new());
    for row in &page.rows {
        runs.extend(readable(tables, row.id, &mut damaged)?);
    }
    // One that changed between the two reads is judged as it is now.
    Ok(FoundRows::Ended { page: OperationPage::Runs { runs, next: page.next }, damaged })
}

impl<R> Shard<R> {
    /// Not while changes are refused because the tables are behind: the operation would come to nothing.
    pub(super) fn page_for_operation(&mut self) {
        if self.pager.reading_for || self.pressure() >= Pressure::ShedAll {
            return;
        }
        let Some(wanted) = self.engine.wants_page() else { return };
        if !self.tables_hold(wanted.holding) {
            self.want_tables();
            return;
        }
        self.pager.reading_for = true;
        let limit = (self.config.page_rows_max as usize).min(STEP_EVENTS_MAX);
        self.outputs.push_back(Output::PageFor { wanted, limit });
    }

    /// Rows for an operation (or `None` if they could not be read: they are asked for again).
    pub fn paged_for(&mut self, found: Option<FoundPage>, reading: Reading) {
        self.pager.reading_for = false;
        let Some(FoundPage { operation, rows }) = found.filter(|_| !self.stopped) else { return };
        self.refresh(reading);
        let page = match rows {
            FoundRows::Parked { rows, more } => {
                let tasks = rows.into_iter().filter_map(|row| self.parked_task(row.id, &row)).collect();
                OperationPage::Parked { tasks, more }
            }
            FoundRows::Ended { page, damaged } => {
                for (row, why) in damaged {
                    drop(self.quarantine(row, why));
                }
                page
            }
        };
        // Never refused, answered to no one.
        let _ = self.handle(Command::ContinueOperation { id: operation, page: Box::new(page) });
    }

    fn parked_task(&mut self, id: TaskId, row: &LiveRow) -> Option<Task> {
        let read: Result<Task, FormatError> = read_task(&row.bytes, &mut self.profiles_in);
        read.map_err(|error| drop(self.quarantine(id, error))).ok()
    }
}
