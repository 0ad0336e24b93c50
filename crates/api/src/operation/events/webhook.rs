//! A signed call becomes an event.

use std::sync::Arc;

use http::HeaderMap;
use mainspring_core::trigger::On;
use mainspring_core::values::{ATTRIBUTE_BYTES_MAX, CloudEvent, Name, OWN_PREFIX};
use serde::Deserialize;

use super::publish::publish;
use crate::edge::Edge;
use crate::gateway::now;
use crate::operation::Caller;
use crate::problem::{EventProblem, Problem};
use crate::webhooks::Message;
use crate::wire::{Keys, PublishedView, event_attribute, event_data};

pub(crate) async fn receive(
    edge: &Edge,
    name: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<PublishedView, Problem> {
    let webhook = edge.webhooks.get().and_then(|webhooks| webhooks.0.get(name));
    let Some(webhook) = webhook else {
        return Err(EventProblem::WebhookNotFound { name: name.chars().take(100).collect() }.into());
    };
    let Message { id, kind } = webhook.check(headers, body, now().millis() / 1000)?;
    let tenant: Name = webhook.tenant.clone();
    let id = id.unwrap_or_else(|| edge.gateway.mint(&tenant).to_string());
    let notice = notice(name, event_attribute("id", id)?, kind, headers, body)?;
    // Whoever has the secret speaks for the webhook.
    let actor = format!("webhook {name}");
    let keys = Keys { actor: Some(&actor), ..Keys::default() };
    let caller = Caller { keys, ..Caller::default() };
    let mut views = publish(edge, &tenant, vec![notice], &caller).await?;
    views.pop().ok_or(Problem::OutcomeUnknown { id: None })
}

/// The type is that of the headers, else that of the body, else the webhook's own.
fn notice(
    name: &str,
    id: Arc<str>,
    kind: Option<String>,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<CloudEvent, Problem> {
    #[derive(Deserialize)]
    struct Typed {
        r#type: String,
    }
    let typed = kind.or_else(|| serde_json::from_slice::<Typed>(body).ok().map(|typed| typed.r#type));
    let usable = typed.filter(|text| {
        (1..=ATTRIBUTE_BYTES_MAX).contains(&text.len())
            && !text.starts_with(OWN_PREFIX)
            && !text.contains(char::is_control)
    });
    let kind = usable.unwrap_or_else(|| format!("webhook.{name}"));
    let media_type = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    // Many senders name no type, or a wrong one: what is no JSON is still data.
    let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok();
    let media_type = if is_json { Some("application/json") } else { media_type.or(Some("text/plain")) };
    let data = event_data(media_type, body).or_else(|_| event_data(Some("text/plain"), body))?;
    let source = On::webhook_source(name).into();
    Ok(CloudEvent { id, source, kind: kind.into(), subject: None, time: Some(now()), data })
}
