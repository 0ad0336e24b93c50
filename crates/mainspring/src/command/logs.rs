//! `mainspring task logs`: what a task wrote, and what it writes.
//! The attempts of a task are followed one by one, so that after a lost connection it is known where to go on.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use mainspring_client::{Client, ClientError, query};
use mainspring_proto::streams::{LogStream, StreamFilter};
use serde_json::Value;

use super::connect::Connect;
use super::output::{Print, say};

use crate::note::note;

/// How long a server may be away before following gives up.
const AWAY_MAX: Duration = Duration::from_mins(1);
const ASK_AGAIN: Duration = Duration::from_millis(250);
/// Times that a stream may be broken off without a new byte, by a server that can be reached.
const FRUITLESS_MAX: u32 = 5;

/// Prints the output of a task, stdout and stderr together unless --stream says otherwise; of its newest attempt that wrote something, unless another is
/// named. With -f it prints all attempts from the first, and stays until the task has ended; with --tail too, only the
/// newest and what comes. --grep prints the lines that contain a text, each with its number. Exit: 0 done, 1 refused, 4 there
/// is no such task.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring task logs -f task_019a88f0\n  \
    mainspring task logs --tail 100 task_019a88f0\n  \
    mainspring task logs --stream stderr task_019a88f0\n  \
    mainspring task logs --grep 'no such table' -i task_019a88f0")]
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
    /// Only the last lines
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..), conflicts_with_all = ["offset", "line"])]
    tail: Option<i64>,
    /// Begin at this line of the attempt's log; the first is 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..), conflicts_with_all = ["offset", "follow"])]
    line: Option<i64>,
    /// Only lines that contain this text
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["follow", "tail", "line"])]
    grep: Option<String>,
    /// With --grep: letters A to Z are the same as a to z
    #[arg(short, long, requires = "grep")]
    ignore_case: bool,
    /// Only what was written to `stdout` or to `stderr`
    #[arg(long, value_name = "STREAM", default_value = "all", value_parser = ["all", "stdout", "stderr"], conflicts_with = "grep")]
    stream: String,
    #[command(flatten)]
    connect: Connect,
}

/// Where to begin.
#[derive(Clone, Copy, Default)]
pub(crate) struct Start {
    pub(crate) attempt: Option<u32>,
    pub(crate) offset: u64,
    /// Instead of `offset`: a line from 1, or below 0 so many last lines.
    pub(crate) line: Option<i64>,
    pub(crate) stream: LogStream,
}

impl Logs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let line = self.line.or(self.tail.map(|lines| -lines));
        let stream = LogStream::parse(&self.stream).unwrap_or_default();
        let start = Start { attempt: self.attempt, offset: self.offset, line, stream };
        self.connect.run(async |client, print| {
            let id = client.task_id(&self.id).await?;
            if let Some(text) = &self.grep {
                return grep(&client, &id, (text, self.ignore_case), start, print).await;
            }
            if self.follow && self.tail.is_some() {
                let read = print_all(&client, &id, start).await?;
                follow(&client, &id, Start { line: None, ..read }, self.attempt.is_some()).await?;
            } else if self.follow {
                follow(&client, &id, start, self.attempt.is_some()).await?;
            } else {
                print_all(&client, &id, start).await?;
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// Prints what there is, and says where to go on.
pub(crate) async fn print_all(client: &Client, id: &str, start: Start) -> Result<Start, ClientError> {
    let Start { mut attempt, mut offset, mut line, stream } = start;
    let mut out = Out::default();
    loop {
        let named = attempt.map(|attempt| format!("&attempt={attempt}")).unwrap_or_default();
        let from = match line.take() {
            Some(line) => format!("line={line}"),
            None => format!("offset={offset}"),
        };
        let mut page =
            client.stream(&format!("/v1/tasks/{id}/logs?{from}{named}&stream={}", stream.word())).await?;
        let begun = page.number("mainspring-log-offset").unwrap_or(offset);
        // The newest one at the first page stays the one that is read.
        attempt = page.number("mainspring-log-attempt").map(|attempt| attempt as u32).or(attempt);
        let next = page.number("mainspring-log-next").unwrap_or(offset);
        let read = Start { attempt, offset: next, line: None, stream };
        while let Some(bytes) = page.next().await? {
            if !out.print(&bytes) {
                return Ok(read);
            }
        }
        if next == begun {
            return Ok(read);
        }
        offset = next;
    }
}

/// Prints the lines that contain a text, as `NUMBER: LINE`, or as data one JSON object a line.
async fn grep(
    client: &Client,
    id: &str,
    (text, ignore_case): (&str, bool),
    start: Start,
    print: Print,
) -> Result<ExitCode, ClientError> {
    let Start { mut attempt, offset: mut from, .. } = start;
    loop {
        let (number, offset) = (attempt.map(|attempt| attempt.to_string()), from.to_string());
        let wanted = [
            ("q", Some(text)),
            ("from", Some(&*offset)),
            ("attempt", number.as_deref()),
            ("ignore_case", ignore_case.then_some("true")),
            ("limit", Some("1000")),
        ];
        let found = client.get(&query(&format!("/v1/tasks/{id}/logs/search"), &wanted)).await?;
        for hit in found["hits"].as_array().into_iter().flatten() {
            let part = |name: &str| hit[name].as_str().unwrap_or_default();
            let cut = if hit["cut"] == true { " …" } else { "" };
            let line = format!("{}: {}{}{}{cut}", hit["line"], part("before"), part("match"), part("after"));
            say(&if print.is_data() { hit.to_string() } else { line });
        }
        let next = found["next_offset"].as_u64().unwrap_or(from);
        if found["complete"] == true || next <= from {
            return Ok(ExitCode::SUCCESS);
        }
        // The newest one at the first answer stays the one that is searched.
        attempt = found["attempt"].as_u64().map(|attempt| attempt as u32).or(attempt);
        from = next;
    }
}

/// The last lines of the newest attempt that wrote something.
pub(crate) async fn tail(client: &Client, id: &str, lines_max: usize) -> Result<Vec<String>, ClientError> {
    let mut page = client.stream(&format!("/v1/tasks/{id}/logs?line=-{lines_max}&limit=65536")).await?;
    let mut kept = Vec::new();
    while let Some(bytes) = page.next().await? {
        kept.extend_from_slice(&bytes);
    }
    Ok(String::from_utf8_lossy(&kept).lines().map(str::to_owned).collect())
}

/// Prints what is there and what comes, until the task (or with `only` the attempt) has ended.
pub(crate) async fn follow(client: &Client, id: &str, start: Start, only: bool) -> Result<(), ClientError> {
    let mut following = Following {
        client,
        id,
        attempt: start.attempt.unwrap_or(1),
        offset: start.offset,
        filter: StreamFilter::new(start.stream),
        stream: start.stream,
        out: Out::default(),
    };
    loop {
        if !following.attempt().await? || only {
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
    /// In bytes of the log as it is stored, with its marks.
    offset: u64,
    filter: StreamFilter,
    stream: LogStream,
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
        let path = format!("/v1/tasks/{id}/logs?follow=true&attempt={attempt}&offset={offset}&stream=marked");
        let mut stream = self.client.stream(&path).await?;
        while let Some(bytes) = stream.next().await? {
            self.offset += bytes.len() as u64;
            if !self.out.print(&self.filter.take(bytes)) {
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
        self.filter = StreamFilter::new(self.stream);
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
