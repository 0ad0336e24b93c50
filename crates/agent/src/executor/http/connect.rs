//! Connections to checked addresses only.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use http::Uri;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::guard::{Guard, GuardError};

#[derive(Clone)]
pub struct Guarded(Arc<Guard>);

impl Guarded {
    pub fn new(guard: Guard) -> Self {
        Self(Arc::new(guard))
    }
}

impl tower::Service<Uri> for Guarded {
    type Response = TokioIo<TcpStream>;
    type Error = GuardError;
    type Future = BoxFuture<'static, Result<Self::Response, GuardError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), GuardError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let guard = self.0.clone();
        Box::pin(async move {
            let host = target.host().unwrap_or_default();
            let standard = if target.scheme_str() == Some("https") { 443 } else { 80 };
            connect(&guard, host, target.port_u16().unwrap_or(standard)).await
        })
    }
}

async fn connect(guard: &Guard, host: &str, port: u16) -> Result<TokioIo<TcpStream>, GuardError> {
    let mut failed = GuardError::NoAddress { host: host.to_owned() };
    for address in guard.resolve(host, port).await? {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // Best effort: a slow small write is no reason to fail a call.
                let _ = stream.set_nodelay(true);
                return Ok(TokioIo::new(stream));
            }
            Err(source) => failed = GuardError::Connect { host: host.to_owned(), address, source },
        }
    }
    Err(failed)
}
