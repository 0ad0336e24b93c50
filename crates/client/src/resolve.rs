//! Names as people write them: ids by their beginning, workers by name, and texts inside of paths.

use std::fmt::Write;

use serde_json::Value;

use crate::operations::{
    self, GetTaskQuery, ListBackfillsQuery, ListRunsQuery, ListTasksQuery, ListWorkersQuery,
};
use crate::types::Run;
use crate::{Client, ClientError};

/// Candidates that are shown when a beginning fits more than one.
const CANDIDATES_MAX: usize = 10;
/// Digits of an id, and the fewest that the server looks up.
const DIGITS: usize = 32;
const DIGITS_MIN: usize = 6;
/// A task that recurs has the id of its schedule.
const RECURRING: &str = "schedule_";
const RECURRING_DIGITS: usize = 16;

impl Client {
    /// The whole id of a task that is named by it or by its beginning. That of a task that recurs is refused.
    pub async fn task_id(&self, text: &str) -> Result<String, ClientError> {
        if is_recurring(text) {
            return Err(self.recurs(text).await?);
        }
        let digits = text.strip_prefix("task_").unwrap_or(text);
        if digits.len() >= DIGITS {
            return Ok(escaped(text));
        }
        check_digits("task", text, digits)?;
        let query = ListTasksQuery {
            id_prefix: Some(digits.to_owned()),
            limit: Some(CANDIDATES_MAX as u64 + 1),
            ..ListTasksQuery::default()
        };
        let page = self.send(operations::list_tasks(&query)).await?.into_value();
        let found = page.tasks.into_iter().map(|task| (task.task_id, task.state)).collect();
        one(found, "no task", text)
    }

    /// As [`Self::task_id`]; also the id of a task that recurs, which must be whole.
    pub async fn timer_id(&self, text: &str) -> Result<String, ClientError> {
        if is_recurring(text) { Ok(text.to_owned()) } else { self.task_id(text).await }
    }

    /// Why a task that recurs has no attempts, no log and no history of its own.
    async fn recurs(&self, id: &str) -> Result<ClientError, ClientError> {
        let task = self.send(operations::get_task(id, &GetTaskQuery::default())).await?;
        let schedule = task.json().pointer("/recurs/schedule").and_then(Value::as_str).unwrap_or_default();
        Ok(ClientError::Unclear {
            what: format!("`{id}` is a task that recurs; what it ran are tasks with ids of their own"),
            advice: format!(
                "list them with `mainspring schedule history {schedule}`; `mainspring task get`, `amend` and \
                 `cancel` take `{id}`"
            ),
        })
    }

    /// The whole id of a run that is named by it or by its beginning.
    pub async fn run_id(&self, text: &str) -> Result<String, ClientError> {
        let digits = text.strip_prefix("run_").unwrap_or(text);
        if digits.len() >= DIGITS {
            return Ok(escaped(text));
        }
        check_digits("run", text, digits)?;
        let query = ListRunsQuery {
            id_prefix: Some(digits.to_owned()),
            limit: Some(CANDIDATES_MAX as u64 + 1),
            ..ListRunsQuery::default()
        };
        let mut found = self.send(operations::list_runs(&query)).await?.into_value().runs;
        // Runs that a run began have the time of it in their ids; its beginning means the run itself.
        let is_root = |run: &Run| run.parent_run_id.is_none();
        if found.len() <= CANDIDATES_MAX && found.iter().filter(|run| is_root(run)).count() == 1 {
            found.retain(is_root);
        }
        one(found.into_iter().map(|run| (run.run_id, run.job)).collect(), "no run", text)
    }

    /// The whole id of a backfill that is named by it or by its beginning; of the newest ones.
    pub async fn backfill_id(&self, text: &str) -> Result<String, ClientError> {
        let digits = text.strip_prefix("backfill_").unwrap_or(text);
        if digits.len() >= DIGITS {
            return Ok(escaped(text));
        }
        let query = ListBackfillsQuery { limit: Some(1_000), ..ListBackfillsQuery::default() };
        let page = self.send(operations::list_backfills(&query)).await?.into_value();
        let begins = |id: &str| !digits.is_empty() && id.trim_start_matches("backfill_").starts_with(digits);
        let found = page.backfills.into_iter().filter(|one| begins(&one.backfill_id));
        one(found.map(|one| (one.backfill_id, one.job)).collect(), "no backfill", text)
    }

    /// The whole id of a worker that is named by it, by its beginning, or by its name.
    pub async fn worker_id(&self, text: &str) -> Result<String, ClientError> {
        let page = self.send(operations::list_workers(&ListWorkersQuery::default())).await?.into_value();
        let all: Vec<(String, String)> =
            page.workers.into_iter().map(|worker| (worker.worker_id, worker.name)).collect();
        let named: Vec<_> = all.iter().filter(|(_, name)| name == text).cloned().collect();
        if !named.is_empty() {
            return one(named, "no worker", text);
        }
        let begins = |id: &str| {
            let digits = id.strip_prefix("worker_").unwrap_or(id);
            !text.is_empty() && (id.starts_with(text) || digits.starts_with(text))
        };
        one(all.into_iter().filter(|(id, _)| begins(id)).collect(), "no worker", text)
    }
}

fn is_recurring(text: &str) -> bool {
    let digits = text.strip_prefix(RECURRING);
    digits.is_some_and(|digits| digits.len() == RECURRING_DIGITS && is_hexadecimal(digits))
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn check_digits(what: &'static str, text: &str, digits: &str) -> Result<(), ClientError> {
    if digits.len() >= DIGITS_MIN && is_hexadecimal(digits) {
        return Ok(());
    }
    Err(ClientError::NoId { what, text: text.chars().take(100).collect() })
}

/// The id of the only one; `also` helps to tell candidates apart.
fn one(mut found: Vec<(String, String)>, what: &'static str, text: &str) -> Result<String, ClientError> {
    let prefix: String = text.chars().take(100).collect();
    match found.len() {
        0 => Err(ClientError::NothingBegins { what, prefix }),
        1 => Ok(found.swap_remove(0).0),
        count => {
            let shown = found.iter().take(CANDIDATES_MAX).map(|(id, also)| format!("{id}  {also}"));
            let more = (count > CANDIDATES_MAX).then(|| "…".to_owned());
            Err(ClientError::Ambiguous { prefix, candidates: shown.chain(more).collect() })
        }
    }
}

/// A path with those parameters that have a value.
pub fn query(path: &str, parameters: &[(&str, Option<&str>)]) -> String {
    let mut whole = path.to_owned();
    let given = parameters.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    for (at, (name, value)) in given.enumerate() {
        whole.push(if at == 0 { '?' } else { '&' });
        whole.extend([*name, "=", &escaped(value)]);
    }
    whole
}

/// A text that can stand in a path or a query.
pub fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to memory cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_escaped_and_missing_ones_left_out() {
        let parameters = [("a", None), ("label", Some("k=v w")), ("t", Some("ä"))];
        assert_eq!(query("/x", &parameters), "/x?label=k%3Dv%20w&t=%C3%A4");
        assert_eq!(query("/x", &[("a", None)]), "/x");
    }

    #[test]
    fn what_cannot_be_an_id_is_told_apart() {
        for (text, is_right) in
            [("01a1f2", true), ("01A1F2", true), ("12345", false), ("zz", false), ("", false)]
        {
            assert_eq!(check_digits("task", text, text).is_ok(), is_right, "{text}");
        }
        assert!(is_recurring("schedule_0000000000000004"));
        for other in ["schedule_4", "schedule_000000000000000z", "task_0000000000000004", "0000000000000004"]
        {
            assert!(!is_recurring(other), "{other}");
        }
    }

    #[test]
    fn a_beginning_names_exactly_one() {
        let some =
            |count: usize| (0..count).map(|n| (format!("task_{n}"), "queued".to_owned())).collect::<Vec<_>>();
        assert_eq!(one(some(1), "no task", "x").ok(), Some("task_0".to_owned()));
        let Err(ClientError::Ambiguous { candidates, .. }) = one(some(12), "no task", "x") else {
            panic!("ambiguous")
        };
        assert_eq!((candidates.len(), candidates[0].as_str()), (11, "task_0  queued"));
        assert!(one(vec![], "no task", "x").is_err_and(|error| error.is_not_found()));
    }
}
