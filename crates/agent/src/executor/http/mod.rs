//! Calls a webhook: `{"url": …, "method": "POST", "headers": {…}, "body": …, "timeout_ms": 30000}`.
//! Entry: [`Http`].
//! - HX-1 every connection goes through the guard; redirects are answers, not orders
//! - HX-2 2xx is success; 408, 425, 429 and 5xx may be tried again; anything else will not get better
//! - HX-3 the idempotency key is the task's id, the same over all attempts
//! - HX-4 a call that may have reached its target and was not answered has an unknown outcome
//! - HX-5 at most the configured part of an answer is read; time covers the whole call
//!
//! Not here: proxies, HTTP/2 to targets, client certificates.

mod answer;
mod connect;
mod request;
mod sign;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use mainspring_core::values::FailureClass;

use self::connect::Guarded;
pub use self::sign::{BadSecret, WebhookSecret};
use super::Executor;
use crate::attempt::{Attempt, Outcome};
use crate::config::AgentConfig;
use crate::guard::{Guard, GuardError};

/// Idle connections kept to one target.
const IDLE_PER_HOST: usize = 64;
const IDLE_MAX: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub struct Http {
    caller: Arc<Caller>,
}

type SecureClient = Client<HttpsConnector<Guarded>, Full<Bytes>>;

struct Caller {
    plain: Client<Guarded, Full<Bytes>>,
    /// Made with the first https call: reading the system's certificates takes a while.
    secure: OnceLock<Result<SecureClient, String>>,
    guarded: Guarded,
    secret: Option<WebhookSecret>,
    response_bytes_max: usize,
}

impl Http {
    pub fn new(config: &AgentConfig, guard: Guard) -> Self {
        let guarded = Guarded::new(guard);
        let caller = Caller {
            plain: builder().build(guarded.clone()),
            secure: OnceLock::new(),
            guarded,
            secret: config.webhook_secret.clone(),
            response_bytes_max: config.response_bytes_max,
        };
        Self { caller: Arc::new(caller) }
    }
}

impl Executor for Http {
    fn run(&self, attempt: Attempt) -> BoxFuture<'static, Outcome> {
        call(self.caller.clone(), attempt).boxed()
    }
}

async fn call(caller: Arc<Caller>, mut attempt: Attempt) -> Outcome {
    let call = match request::build(&attempt, caller.secret.as_ref()) {
        Ok(call) => call,
        Err(why) => return Outcome::permanent(why),
    };
    tokio::select! {
        outcome = tokio::time::timeout(call.timeout, caller.exchange(call.request)) => {
            outcome.unwrap_or_else(|_| {
                let message = format!("no answer within {} ms", call.timeout.as_millis());
                Outcome::unknown(FailureClass::Timeout, 0, message)
            })
        }
        // Dropping the call closes the connection; whether the target acted on it is unknown.
        order = attempt.stop.ordered() => order.outcome_unknown(),
    }
}

impl Caller {
    async fn exchange(&self, request: Request<Full<Bytes>>) -> Outcome {
        match self.send(request).await {
            Ok(response) => answer::outcome(response, self.response_bytes_max).await,
            Err(outcome) => outcome,
        }
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Outcome> {
        if request.uri().scheme_str() == Some("http") {
            return self.plain.request(request).await.map_err(|error| not_sent(&error));
        }
        let secure = self.secure.get_or_init(|| secure(self.guarded.clone()));
        let client = secure.as_ref().map_err(|why| Outcome::permanent(why.clone()))?;
        client.request(request).await.map_err(|error| not_sent(&error))
    }
}

fn builder() -> hyper_util::client::legacy::Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_max_idle_per_host(IDLE_PER_HOST).pool_idle_timeout(IDLE_MAX).pool_timer(TokioTimer::new());
    builder
}

fn secure(guarded: Guarded) -> Result<SecureClient, String> {
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    let connector = HttpsConnectorBuilder::new()
        .with_provider_and_native_roots(provider)
        .map_err(|error| format!("cannot read this machine's certificates: {error}"))?
        .https_only()
        .enable_http1()
        .wrap_connector(guarded);
    Ok(builder().build(connector))
}

fn not_sent(error: &Error) -> Outcome {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let mut message = String::new();
    while let Some(cause) = source {
        match cause.downcast_ref::<GuardError>() {
            Some(forbidden @ GuardError::Forbidden { .. }) => {
                return Outcome::permanent(forbidden.to_string());
            }
            Some(other) => return Outcome::failure(FailureClass::Transient, 0, other.to_string()),
            None => message = cause.to_string(),
        }
        source = cause.source();
    }
    let message = format!("the call failed: {message}");
    if error.is_connect() {
        return Outcome::failure(FailureClass::Transient, 0, message);
    }
    Outcome::unknown(FailureClass::Transient, 0, message)
}
