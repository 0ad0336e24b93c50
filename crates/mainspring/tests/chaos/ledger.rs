//! The world outside: an HTTP server and a file that remember every call and every start.

use std::fs::File;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

use crate::history::{Effect, Ms};

pub fn now() -> Ms {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as Ms
}

/// What webhooks did. In memory, and in a file for whoever looks into a failure.
pub struct Ledger {
    pub address: SocketAddr,
    effects: Mutex<(Vec<Effect>, File)>,
}

impl Ledger {
    pub async fn start(file: PathBuf) -> io::Result<Arc<Self>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let effects = Mutex::new((Vec::new(), File::create(file)?));
        let ledger = Arc::new(Self { address: listener.local_addr()?, effects });
        let serving = Arc::clone(&ledger);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(Arc::clone(&serving), stream));
            }
        });
        Ok(ledger)
    }

    pub fn effects(&self) -> Vec<Effect> {
        self.effects.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// The effect comes first, whatever is answered: that is what makes an answer that got lost dangerous.
    fn note(&self, effect: Effect) -> io::Result<()> {
        let mut effects = self.effects.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(effects.1, "{effect:?}")?;
        effects.0.push(effect);
        Ok(())
    }

    fn answer(&self, request: &Request<Incoming>) -> io::Result<Response<Empty<Bytes>>> {
        let effect = effect_of(request).ok_or_else(|| io::Error::other("a call without its names"))?;
        let first = effect.attempt == 1;
        self.note(effect)?;
        let mut response = Response::new(Empty::new());
        match request.uri().path() {
            "/fail-first" if first => *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE,
            // An error here closes the connection without an answer: the outcome is unknown to the caller.
            "/drop-first" if first => return Err(io::ErrorKind::ConnectionAborted.into()),
            _ => {}
        }
        Ok(response)
    }
}

async fn serve(ledger: Arc<Ledger>, stream: TcpStream) {
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = ledger.answer(&request);
        async move { answer }
    });
    // Connections of killed workers end in errors; that is the point.
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

fn effect_of(request: &Request<Incoming>) -> Option<Effect> {
    let header = |name: &str| request.headers().get(name)?.to_str().ok();
    Some(Effect {
        task: header("mainspring-task-id")?.to_owned(),
        attempt: header("mainspring-attempt")?.parse().ok()?,
        fence: header("mainspring-fence")?.parse().ok()?,
        key: header("idempotency-key")?.to_owned(),
        at: now(),
    })
}

/// What processes did: task, attempt, fence, key and time, a line each.
pub fn read_lines(file: &Path) -> io::Result<Vec<Effect>> {
    let text = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    let bad = |line: &str| io::Error::other(format!("not a line of the ledger: `{line}`"));
    text.lines().map(|line| parse(line).ok_or_else(|| bad(line))).collect()
}

fn parse(line: &str) -> Option<Effect> {
    let mut words = line.split(' ');
    Some(Effect {
        task: words.next()?.to_owned(),
        attempt: words.next()?.parse().ok()?,
        fence: words.next()?.parse().ok()?,
        key: words.next()?.to_owned(),
        at: words.next()?.parse().ok()?,
    })
}
