//! Names as people write them: ids by their beginning, workers by name, and texts inside of paths.

use std::fmt::Write;

use serde_json::Value;

use crate::{Client, ClientError};

/// Candidates that are shown when a beginning fits more than one.
const CANDIDATES_MAX: usize = 10;
/// Digits of an id.
const DIGITS: usize = 32;

impl Client {
    /// The whole id of a task that is named by it or by its beginning.
    pub async fn task_id(&self, text: &str) -> Result<String, ClientError> {
        let digits = text.strip_prefix("task_").unwrap_or(text);
        if digits.len() >= DIGITS {
            return Ok(escaped(text));
        }
        let limit = (CANDIDATES_MAX + 1).to_string();
        let path = query("/v1/tasks", &[("id_prefix", Some(digits)), ("limit", Some(&limit))]);
        let page = self.get(&path).await?;
        let tasks = page.get("tasks").and_then(Value::as_array).into_iter().flatten();
        let told = |task: &Value, field: &str| {
            task.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let found = tasks.map(|task| (told(task, "task_id"), told(task, "status"))).collect();
        one(found, "no task", text)
    }

    /// The whole id of a run that is named by it or by its beginning.
    pub async fn run_id(&self, text: &str) -> Result<String, ClientError> {
        let digits = text.strip_prefix("run_").unwrap_or(text);
        if digits.len() >= DIGITS {
            return Ok(escaped(text));
        }
        let limit = (CANDIDATES_MAX + 1).to_string();
        let path = query("/v1/runs", &[("id_prefix", Some(digits)), ("limit", Some(&limit))]);
        let page = self.get(&path).await?;
        let runs = page.get("runs").and_then(Value::as_array).into_iter().flatten();
        let told =
            |run: &Value, field: &str| run.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut found: Vec<&Value> = runs.collect();
        // Runs that a run began have the time of it in their ids; its beginning means the run itself.
        let roots: Vec<&Value> =
            found.iter().filter(|run| run.get("parent_run_id").is_none()).copied().collect();
        if roots.len() == 1 && found.len() <= CANDIDATES_MAX {
            found = roots;
        }
        one(found.into_iter().map(|run| (told(run, "run_id"), told(run, "job"))).collect(), "no run", text)
    }

    /// The whole id of a backfill that is named by it or by its beginning; of the newest ones.
    pub async fn backfill_id(&self, text: &str) -> Result<String, ClientError> {
        let digits = text.strip_prefix("backfill_").unwrap_or(text);
        if digits.len() >= DIGITS {
            return Ok(escaped(text));
        }
        let page = self.get("/v1/backfills?limit=1000").await?;
        let all = page.get("backfills").and_then(Value::as_array).into_iter().flatten();
        let told =
            |one: &Value, field: &str| one.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let begins = |id: &str| !digits.is_empty() && id.trim_start_matches("backfill_").starts_with(digits);
        let found = all.map(|one| (told(one, "backfill_id"), told(one, "job")));
        one(found.filter(|(id, _)| begins(id)).collect(), "no backfill", text)
    }

    /// The whole id of a worker that is named by it, by its beginning, or by its name.
    pub async fn worker_id(&self, text: &str) -> Result<String, ClientError> {
        let answer = self.get("/v1/workers").await?;
        let workers = answer.get("workers").and_then(Value::as_array).into_iter().flatten();
        let told = |worker: &Value, field: &str| {
            worker.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let all: Vec<(String, String)> =
            workers.map(|worker| (told(worker, "worker_id"), told(worker, "name"))).collect();
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
