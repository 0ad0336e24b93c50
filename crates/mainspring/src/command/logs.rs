//! `mainspring task logs`: what a task wrote, and what it writes.
//! The attempts of a task are followed one by one, so that after a lost connection it is known where to go on.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use mainspring_client::{Client, ClientError};
use serde_json::Value;

use super::connect::Connect;

use crate::note::note;

/// How long a server may be away before following gives up.
const AWAY_MAX: Duration = Duration::from_mins(1);
const ASK_AGAIN: Duration = Duration::from_millis(250);
/// Times that a stream may be broken off without a new byte, by a server that can be reached.
const FRUITLESS_MAX: u32 = 5;

/// Kept of a log whose end is wanted.
const TAIL_BYTES_MAX: usize = 64 << 10;

/// Prints the output of a task, stdout and stderr together; of its newest attempt that wrote something, unless another is
/// named. With -f it prints all attempts from the first, and stays until the task has ended. Exit: 0 done, 1 refused, 4
/// there is no such task.
#[derive(Args)]
#[command(after_help = "Example:\n  mainspring task logs -f task_019a88f0")]
pub(crate) struct Logs {
    /// The task: its id or the beginning of it
    id: String,
    /// Stay, and print what comes until the task has ended
    #[arg(short, long)]
    follow: bool,
    /// Only this attempt; the first is 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    attempt: Option<u32>,
    /// Begin at this byte of the attempt's log; with -f, of the first attempt that is printed
    #[arg(long, value_name = "B", default_value_t = 0)]
    offset: u64,
    #[command(flatten)]
    connect: Connect,
}

/// Where to begin.
#[derive(Clone, Copy, Default)]
pub(crate) struct Start {
    pub(crate) attempt: Option<u32>,
    pub(crate) offset: u64,
}

impl Logs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let start = Start { attempt: self.attempt, offset: self.offset };
        self.connect.run(async |client, _| {
            let id = client.task_id(&self.id).await?;
            if self.follow {
                follow(&client, &id, start).await?;
            } else {
                print_all(&client, &id, start).await?;
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}

pub(crate) async fn print_all(client: &Client, id: &str, start: Start) -> Result<(), ClientError> {
    let Start { mut attempt, mut offset } = start;
    let mut out = Out::default();
    loop {
        let named = attempt.map(|attempt| format!("&attempt={attempt}")).unwrap_or_default();
        let mut page = client.stream(&format!("/v1/tasks/{id}/logs?offset={offset}{named}")).await?;
        // The newest one at the first page stays the one that is read.
        attempt = page.number("mainspring-log-attempt").map(|attempt| attempt as u32).or(attempt);
        let next = page.number("mainspring-log-next").unwrap_or(offset);
        while let Some(bytes) = page.next().await? {
            if !out.print(&bytes) {
                return Ok(());
            }
        }
        if next == offset {
            return Ok(());
        }
        offset = next;
    }
}

/// The last lines of the newest attempt that wrote something.
pub(crate) async fn tail(client: &Client, id: &str, lines_max: usize) -> Result<Vec<String>, ClientError> {
    let (mut kept, mut offset, mut attempt) = (Vec::new(), 0, String::new());
    loop {
        let mut page = client.stream(&format!("/v1/tasks/{id}/logs?offset={offset}{attempt}")).await?;
        if let Some(number) = page.number("mainspring-log-attempt") {
            attempt = format!("&attempt={number}");
        }
        let next = page.number("mainspring-log-next").unwrap_or(offset);
        while let Some(bytes) = page.next().await? {
            kept.extend_from_slice(&bytes);
            let too_many = kept.len().saturating_sub(TAIL_BYTES_MAX);
            kept.drain(..too_many);
        }
        if next == offset {
            break;
        }
        offset = next;
    }
    // What was dropped may have ended inside of a character.
    let broken = kept.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    let text = String::from_utf8_lossy(&kept[broken..]);
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines[lines.len().saturating_sub(lines_max)..].iter().map(|line| (*line).to_owned()).collect())
}

/// Prints what is there and what comes, until the task (or the attempt that was named) has ended.
pub(crate) async fn follow(client: &Client, id: &str, start: Start) -> Result<(), ClientError> {
    let mut following = Following {
        client,
        id,
        attempt: start.attempt.unwrap_or(1),
        offset: start.offset,
        out: Out::default(),
    };
    loop {
        if !following.attempt().await? || start.attempt.is_some() {
            return Ok(());
        }
        let task = following.task().await?;
        let begun = task.get("attempt_count").and_then(Value::as_u64).unwrap_or(0);
        let has_ended = task.get("ended_at").is_some_and(|at| !at.is_null());
        if has_ended && begun <= u64::from(following.attempt) {
            return Ok(());
        }
        following.turn_to_next();
    }
}

struct Following<'a> {
    client: &'a Client,
    id: &'a str,
    attempt: u32,
    offset: u64,
    out: Out,
}

impl Following<'_> {
    /// One attempt to its end, over lost connections. False: nobody reads what is printed.
    async fn attempt(&mut self) -> Result<bool, ClientError> {
        let mut fruitless = 0;
        loop {
            let before = self.offset;
            match self.stream().await {
                Err(error) if is_lost(&error) => {
                    fruitless = if self.offset > before { 0 } else { fruitless + 1 };
                    if fruitless > FRUITLESS_MAX {
                        return Err(error);
                    }
                    note!("{error}; waiting for the server");
                    tokio::time::sleep(ASK_AGAIN).await;
                    self.task().await?;
                }
                ended => return ended,
            }
        }
    }

    async fn stream(&mut self) -> Result<bool, ClientError> {
        let (id, attempt, offset) = (self.id, self.attempt, self.offset);
        let path = format!("/v1/tasks/{id}/logs?follow=true&attempt={attempt}&offset={offset}");
        let mut stream = self.client.stream(&path).await?;
        while let Some(bytes) = stream.next().await? {
            self.offset += bytes.len() as u64;
            if !self.out.print(&bytes) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The task, from a server that may be away for a while.
    async fn task(&self) -> Result<Value, ClientError> {
        let since = Instant::now();
        loop {
            match self.client.get(&format!("/v1/tasks/{}", self.id)).await {
                Err(error) if is_lost(&error) && since.elapsed() < AWAY_MAX => {
                    tokio::time::sleep(ASK_AGAIN).await;
                }
                answer => return answer,
            }
        }
    }

    fn turn_to_next(&mut self) {
        self.attempt += 1;
        self.offset = 0;
        self.out.head(self.attempt);
    }
}

fn is_lost(error: &ClientError) -> bool {
    matches!(error, ClientError::BrokenOff { .. } | ClientError::Unreachable { .. })
}

/// Standard output, with a line between attempts that both wrote something.
#[derive(Default)]
struct Out {
    said: bool,
    in_line: bool,
    head: Option<u32>,
}

impl Out {
    fn head(&mut self, attempt: u32) {
        self.head = self.said.then_some(attempt);
    }

    /// False: nobody reads it.
    fn print(&mut self, bytes: &[u8]) -> bool {
        let mut out = io::stdout().lock();
        let line = if self.in_line { "\n" } else { "" };
        let head = self.head.take().map(|attempt| format!("{line}── attempt {attempt} ──\n"));
        let printed = head.map_or(Ok(()), |head| out.write_all(head.as_bytes()));
        let printed = printed.and_then(|()| out.write_all(bytes)).and_then(|()| out.flush());
        self.said |= !bytes.is_empty();
        self.in_line = !bytes.ends_with(b"\n");
        if let Err(error) = &printed
            && error.kind() != ErrorKind::BrokenPipe
        {
            note!("error: cannot print: {error}");
        }
        printed.is_ok()
    }
}
