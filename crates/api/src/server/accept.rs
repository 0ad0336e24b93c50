//! The accept loop: HTTP/1.1 and HTTP/2 without TLS on one port.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tower::ServiceExt;

use super::finish::finish;
use super::request_id::RequestIds;
use super::watched::Watched;
use super::{Server, compress};
use crate::edge::Edge;
use crate::gateway::Gateway;
use crate::grpc;
use crate::problem::Problem;
use crate::series;

/// Wait after an accept that failed, most often for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// A worker's connection that is dead without a word is noticed after both.
const PING_EVERY: Duration = Duration::from_secs(10);
const PING_TIMEOUT: Duration = Duration::from_secs(10);
/// Room for what one worker has under way; the default throttles a fast one.
const STREAM_WINDOW: u32 = 4 << 20;
const CONNECTION_WINDOW: u32 = 16 << 20;
const STREAMS_MAX: u32 = 1024;
/// What waits in memory for one connection, or one stream of HTTP/2; also the longest head of a request.
const BUFFER_BYTES_MAX: usize = 128 << 10;
const LINGER_MAX_MS: u64 = 2_000;
const LINGER_STEP_MS: u64 = 2;

struct Shared {
    edge: Arc<Edge>,
    router: Router,
    ids: RequestIds,
}

pub(super) async fn run(
    server: Server,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let Server { edge, router, mut health } = server;
    health.announce().await;
    if let Ok(address) = listener.local_addr() {
        tracing::info!(%address, "ready");
    }
    let shared = Arc::new(Shared { edge: Arc::clone(&edge), router, ids: RequestIds::new() });
    let builder = builder();
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let sampler = tokio::spawn(series::sample(Arc::downgrade(&edge)));
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok(_) if connections.len() >= edge.config.connections_max => {
                tracing::warn!(max = edge.config.connections_max, "too many connections: one was closed");
            }
            Ok((stream, _)) => serve_one(&builder, &graceful, &mut connections, &shared, stream),
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    tracing::info!(connections = connections.len(), sessions = edge.sessions.live(), "stopping");
    edge.stopping.store(true, Ordering::Relaxed);
    sampler.abort();
    health.withdraw().await;
    edge.logs.followers.close();
    edge.feed.close();
    edge.sessions.close_all();
    let _ = tokio::time::timeout(edge.config.drain, graceful.shutdown()).await;
    connections.shutdown().await;
    let (gateway, logs) = (Arc::clone(&edge.gateway), Arc::clone(&edge.logs));
    drop((edge, shared));
    wait_until_alone(&gateway).await;
    // Behind the last session: what it brought is kept too.
    let _ = tokio::task::spawn_blocking(move || logs.stop()).await;
    Ok(())
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        // Not `pipeline_flush`: with it the library buffers without a bound for whoever does not read.
        .max_buf_size(BUFFER_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_TIMEOUT)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(STREAMS_MAX)
        .max_send_buf_size(BUFFER_BYTES_MAX);
    builder
}

fn serve_one(
    builder: &Builder<TokioExecutor>,
    graceful: &GracefulShutdown,
    connections: &mut JoinSet<()>,
    shared: &Arc<Shared>,
    stream: TcpStream,
) {
    let local = stream.local_addr().ok().map(|address| address.ip());
    let answering = Arc::clone(shared);
    let service = service_fn(move |request| answer(Arc::clone(&answering), local, request));
    let stream = Watched::new(stream, shared.edge.config.write_patience);
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    let watched = graceful.watch(connection);
    connections.spawn(async move {
        if let Err(error) = watched.await {
            tracing::debug!(%error, "a connection ended");
        }
    });
}

async fn answer(
    shared: Arc<Shared>,
    local: Option<IpAddr>,
    request: http::Request<Incoming>,
) -> Result<http::Response<Body>, Infallible> {
    let request = request.map(Body::new);
    Ok(respond(&shared.edge, shared.router.clone(), &shared.ids, local, request).await)
}

pub(super) async fn respond(
    edge: &Edge,
    router: Router,
    ids: &RequestIds,
    local: Option<IpAddr>,
    mut request: http::Request<Body>,
) -> http::Response<Body> {
    let id = ids.next(request.headers());
    request.extensions_mut().insert(id.clone());
    if let Some(uri) = edge.base_path.get().and_then(|base| base.without(request.uri())) {
        *request.uri_mut() = uri;
    }
    let takes_gzip = compress::is_taken(request.headers());
    let response = match admit(edge, local, request) {
        Ok(request) => {
            let Ok(response) = router.oneshot(request).await;
            response
        }
        Err(response) => response,
    };
    let response = finish(response, &id, edge);
    if takes_gzip { compress::compressed(response).await } else { response }
}

/// Refuses what the router must not see.
#[expect(clippy::result_large_err, reason = "a response is as large as the request that it is instead of")]
fn admit(
    edge: &Edge,
    local: Option<IpAddr>,
    request: http::Request<Body>,
) -> Result<http::Request<Body>, http::Response<Body>> {
    let (parts, body) = request.into_parts();
    let checked = edge.access().check(&parts, local).map_err(Problem::Access);
    // The router's own refusal of such a path would not have our shape.
    let path = parts.uri.path();
    let checked = checked.and_then(|()| {
        let refused = || Problem::RouteNotFound { path: path.chars().take(200).collect() };
        is_text(path).then_some(()).ok_or_else(refused)
    });
    let request = http::Request::from_parts(parts, body);
    match checked {
        Ok(()) => Ok(request),
        Err(problem) if grpc::is_call(&request) => Err(grpc::refuse(edge, &request, &problem)),
        Err(problem) => Err(problem.into_response()),
    }
}

/// Whether the path is UTF-8 once its `%xx` are read.
fn is_text(path: &str) -> bool {
    if !path.contains('%') {
        return true;
    }
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair = after.get(..2).filter(|_| *first == b'%').and_then(|pair| std::str::from_utf8(pair).ok());
        if let Some(byte) = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            decoded.push(byte);
            rest = &after[2..];
        } else {
            decoded.push(*first);
            rest = after;
        }
    }
    std::str::from_utf8(&decoded).is_ok()
}

/// Tasks of sessions and streams end by themselves, the last after telling the shard that its worker is gone.
async fn wait_until_alone(gateway: &Arc<Gateway>) {
    for _ in 0..LINGER_MAX_MS / LINGER_STEP_MS {
        if Arc::strong_count(gateway) == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(LINGER_STEP_MS)).await;
    }
    tracing::warn!("something still holds the node");
}
