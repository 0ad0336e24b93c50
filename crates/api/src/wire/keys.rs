//! What a request says beside its body: headers of REST, metadata of gRPC.

use http::HeaderMap;

use super::names::name;
use crate::config::KEY_BYTES_MAX;
use crate::problem::Problem;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Keys<'a> {
    pub tenant: Option<&'a str>,
    /// From the header; in a batch each task gets its own from it and its place.
    pub key: Option<&'a str>,
    pub place: Option<usize>,
    /// Who asks and why, unless the body says it.
    pub actor: Option<&'a str>,
    pub reason: Option<&'a str>,
}

impl<'a> Keys<'a> {
    pub(crate) fn of(headers: &'a HeaderMap) -> Result<Self, Problem> {
        let tenant = text(headers, "x-mainspring-tenant", "tenant")?;
        let key = text(headers, "idempotency-key", "idempotency_key")?;
        // Here and not with each task: one header, one refusal, also where a body has its own.
        if tenant.is_some_and(str::is_empty) {
            return Err(Problem::field("tenant", "header `x-mainspring-tenant` may not be empty"));
        }
        tenant.map(|tenant| name("tenant", tenant)).transpose()?;
        key.map(check_key).transpose()?;
        let actor = in_words(headers, "mainspring-actor", "actor")?;
        let reason = in_words(headers, "mainspring-reason", "reason")?;
        // As above: also where a body goes before them.
        actor.map(|actor| name("actor", actor)).transpose()?;
        reason.map(|reason| name("reason", reason)).transpose()?;
        Ok(Self { tenant, key, place: None, actor, reason })
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str, field: &'static str) -> Result<Option<&'a str>, Problem> {
    let value = headers.get(name).map(|value| value.to_str());
    value
        .transpose()
        .map_err(|_| Problem::field(field, format!("header `{name}` has characters beyond ASCII")))
}

/// What people write may have any letters, as UTF-8; nothing at all is not given.
fn in_words<'a>(headers: &'a HeaderMap, name: &str, field: &'static str) -> Result<Option<&'a str>, Problem> {
    let value = headers.get(name).map(|value| std::str::from_utf8(value.as_bytes()));
    let text = value.transpose();
    let text = text.map_err(|_| Problem::field(field, format!("header `{name}` is no text in UTF-8")))?;
    Ok(text.filter(|text| !text.is_empty()))
}

pub(super) fn check_key(key: &str) -> Result<(), Problem> {
    match key.len() {
        0 => Err(Problem::field("idempotency_key", "it may not be empty")),
        bytes if bytes > KEY_BYTES_MAX => Err(Problem::KeyTooLong { bytes, max: KEY_BYTES_MAX }),
        _ => Ok(()),
    }
}
