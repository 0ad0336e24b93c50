//! An HTTP/1.1 connection that costs the load generator next to nothing: requests are bytes made beforehand, of an
//! answer only its status and its length are looked at.

use std::net::SocketAddr;

use anyhow::{Context, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const BUFFER: usize = 16 << 10;
const ANSWER_MAX: usize = 64 << 20;

pub(super) struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

pub(super) struct Answer<'w> {
    pub(super) status: u16,
    head: &'w str,
    pub(super) body: &'w [u8],
}

impl Answer<'_> {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }
}

pub(super) fn request(method: &str, path: &str, body: &str) -> Vec<u8> {
    request_with(method, path, "", body)
}

/// `headers`: lines, each with its end.
pub(super) fn request_with(method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

impl Wire {
    pub(super) async fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.context("the server takes no connection")?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: vec![0; BUFFER] })
    }

    pub(super) async fn call(&mut self, request: &[u8]) -> anyhow::Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        let mut filled = 0;
        let (status, head, body) = loop {
            filled += self.more(filled).await?;
            if let Some(end) = self.buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") {
                let head = std::str::from_utf8(&self.buffer[..end])?;
                break (status(head)?, end, end + 4..end + 4 + length(head)?);
            }
        };
        if body.end > ANSWER_MAX {
            bail!("an answer of {} bytes", body.end);
        }
        if self.buffer.len() < body.end {
            self.buffer.resize(body.end, 0);
        }
        while filled < body.end {
            filled += self.more(filled).await?;
        }
        let head = std::str::from_utf8(&self.buffer[..head])?;
        Ok(Answer { status, head, body: &self.buffer[body] })
    }

    async fn more(&mut self, filled: usize) -> anyhow::Result<usize> {
        match self.stream.read(&mut self.buffer[filled..]).await? {
            0 => bail!("the server closed a connection"),
            bytes => Ok(bytes),
        }
    }
}

fn status(head: &str) -> anyhow::Result<u16> {
    let word = head.split(' ').nth(1).context("an answer without a status")?;
    word.parse().with_context(|| format!("status `{word}`"))
}

fn length(head: &str) -> anyhow::Result<usize> {
    let length = header(head, "content-length");
    length.context("an answer without a length")?.parse().context("a length that is no number")
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.split("\r\n").find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then_some(value.trim())
    })
}
