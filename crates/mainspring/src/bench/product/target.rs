//! A trivial HTTP server for webhooks, on a thread of its own: counts calls, and notes when the last one came.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const BUFFER: usize = 16 << 10;

pub(super) struct Target {
    pub(super) address: SocketAddr,
    heard: Arc<Heard>,
}

#[derive(Default)]
struct Heard {
    calls: AtomicU64,
    /// Nanoseconds since the first use of the clock.
    last: AtomicU64,
    another: Notify,
}

impl Target {
    pub(super) fn start() -> anyhow::Result<Self> {
        let heard = Arc::<Heard>::default();
        let (sender, receiver) = mpsc::channel();
        let theirs = Arc::clone(&heard);
        nanos();
        std::thread::Builder::new().name("target".into()).spawn(move || serve(&theirs, &sender))?;
        let address = receiver.recv().context("the target did not start")??;
        Ok(Self { address, heard })
    }

    pub(super) fn calls(&self) -> u64 {
        self.heard.calls.load(Ordering::Acquire)
    }

    /// When the last call was read.
    pub(super) fn last(&self) -> Duration {
        Duration::from_nanos(self.heard.last.load(Ordering::Acquire))
    }

    pub(super) fn now() -> Duration {
        Duration::from_nanos(nanos())
    }

    /// Resolves when there were more than `calls`.
    pub(super) async fn beyond(&self, calls: u64) {
        loop {
            let another = self.heard.another.notified();
            if self.calls() > calls {
                return;
            }
            another.await;
        }
    }
}

fn nanos() -> u64 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

fn serve(heard: &Arc<Heard>, started: &mpsc::Sender<anyhow::Result<SocketAddr>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else {
        let _ = started.send(Err(anyhow::anyhow!("no runtime for the target")));
        return;
    };
    runtime.block_on(async {
        let bound = TcpListener::bind("127.0.0.1:0").await;
        let listener =
            match bound.and_then(|listener| listener.local_addr().map(|address| (listener, address))) {
                Ok((listener, address)) => {
                    let _ = started.send(Ok(address));
                    listener
                }
                Err(error) => {
                    let _ = started.send(Err(error.into()));
                    return;
                }
            };
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(answer(stream, Arc::clone(heard)));
        }
    });
}

/// Until the caller hangs up. A request is whole with its head and as many bytes as it says.
async fn answer(mut stream: TcpStream, heard: Arc<Heard>) {
    let mut buffer = vec![0; BUFFER];
    let mut filled = 0;
    loop {
        match stream.read(&mut buffer[filled..]).await {
            Ok(0) | Err(_) => return,
            Ok(bytes) => filled += bytes,
        }
        let Some(end) = buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
        let length: usize = length.and_then(|text| text.parse().ok()).unwrap_or(0);
        if filled < end + 4 + length {
            continue;
        }
        filled = 0;
        heard.last.store(nanos(), Ordering::Release);
        heard.calls.fetch_add(1, Ordering::AcqRel);
        heard.another.notify_waiters();
        if stream.write_all(ANSWER).await.is_err() {
            return;
        }
    }
}
