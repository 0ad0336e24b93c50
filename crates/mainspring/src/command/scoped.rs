//! What belongs to a job and is named as people do: JOB/NAME, or JOB if that is enough.

use mainspring_client::{Client, ClientError, query};

/// Of the only one of a job that gives it none.
const NAME_DEFAULT: &str = "default";
/// Candidates that are named when a job has more than one.
const CANDIDATES_MAX: &str = "20";

/// A schedule or a trigger, and whose it is.
pub(super) struct Key {
    pub(super) tenant: Option<String>,
    pub(super) job: String,
    pub(super) name: String,
}

/// Which things are named.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Schedule,
    Trigger,
}

impl Kind {
    /// The field of the list that has them; its path is called alike.
    const fn key(self) -> &'static str {
        match self {
            Self::Schedule => "schedules",
            Self::Trigger => "triggers",
        }
    }
}

/// A job that has none is asked for its default one, so that the server says what is missing.
pub(super) async fn key(client: &Client, kind: Kind, name: &str, tenant: &str) -> Result<Key, ClientError> {
    let of = |job: &str, name: &str| Key {
        tenant: Some(tenant.to_owned()),
        job: job.to_owned(),
        name: name.to_owned(),
    };
    if let Some((job, name)) = name.split_once('/') {
        return Ok(of(job, name));
    }
    let wanted = [("tenant", Some(tenant)), ("job", Some(name)), ("limit", Some(CANDIDATES_MAX))];
    let found = client.get(&query(&format!("/v1/{}", kind.key()), &wanted)).await?;
    let rows = found[kind.key()].as_array().into_iter().flatten();
    let names: Vec<&str> = rows.filter_map(|row| row["name"].as_str()).collect();
    match names.as_slice() {
        [] => Ok(of(name, NAME_DEFAULT)),
        [one] => Ok(of(name, one)),
        many => Err(ClientError::Ambiguous {
            prefix: name.to_owned(),
            candidates: many.iter().map(|one| format!("{name}/{one}")).collect(),
        }),
    }
}
