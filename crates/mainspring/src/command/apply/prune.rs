//! `apply --prune`: jobs that left the files.
//! - JF-3 only jobs that have the tag are deleted; a job that has none is never touched

use std::collections::BTreeSet;

use mainspring_client::{Client, ClientError, escaped, query};
use serde_json::{Value, json};

use super::super::run::actor;
use super::super::validate::Findings;

/// A job of the files that does not have the tag.
pub(super) fn without_tag<'a>(findings: &'a Findings, tag: &str) -> Option<&'a str> {
    let has_tag = |source: &[u8]| {
        let job: Value = serde_json::from_slice(source).unwrap_or_default();
        job["tags"].as_array().is_some_and(|tags| tags.iter().any(|own| own == tag))
    };
    findings.definitions().find(|job| !has_tag(&job.source)).map(|job| job.name.as_str())
}

/// Jobs of the tenant that the server has under the tag, and the files do not.
pub(super) async fn leaving(
    client: &Client,
    tenant: &str,
    tag: &str,
    findings: &Findings,
) -> Result<Vec<String>, ClientError> {
    let staying: BTreeSet<(&str, &str)> =
        findings.definitions().map(|job| (job.tenant.as_str(), job.name.as_str())).collect();
    let (mut names, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let wanted = [
            ("tenant", Some(tenant)),
            ("tag", Some(tag)),
            ("limit", Some("1000")),
            ("cursor", cursor.as_deref()),
        ];
        let page = client.get(&query("/v1/jobs", &wanted)).await?;
        let jobs = page.get("jobs").and_then(Value::as_array).into_iter().flatten();
        let live = jobs.filter(|job| job["state"] != "deleted").filter_map(|job| job["job"].as_str());
        names.extend(live.filter(|name| !staying.contains(&(tenant, *name))).map(str::to_owned));
        cursor = page.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
        if cursor.is_none() {
            return Ok(names);
        }
    }
}

pub(super) async fn delete(
    client: &Client,
    tenant: &str,
    name: &str,
    reason: Option<&str>,
) -> Result<(), ClientError> {
    let actor = actor();
    let reason = reason.unwrap_or("it left the files that are applied");
    let by = [("tenant", Some(tenant)), ("actor", Some(&*actor)), ("reason", Some(reason))];
    match client.delete(&query(&format!("/v1/jobs/{}", escaped(name)), &by)).await {
        Ok(_) => Ok(()),
        // Somebody else was faster.
        Err(error) if error.is_not_found() => Ok(()),
        Err(error) => Err(error),
    }
}

pub(super) fn row(name: &String) -> Value {
    json!({"job": name, "change": "deleted"})
}

pub(super) fn counted(names: &[String]) -> String {
    if names.len() == 1 { "1 job".to_owned() } else { format!("{} jobs", names.len()) }
}
