//! `mainspring cron next --batch`: a line of JSON in, a line of JSON out, in the same order.
//! - CB-1 a bad line is answered with what is wrong with it, and the next one is read
//! - CB-2 what is answered leaves before more input is waited for, so another program may ask line by line

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use jiff::Timestamp;
use mainspring_core::calendar::{Cron, Dst};
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use super::next::COUNT_MAX;
use super::policy::{self, Policy};

/// Longest line that is read; an expression has far less.
const LINE_BYTES_MAX: usize = 64 * 1024;
const BUFFER_BYTES: usize = 256 * 1024;

#[derive(Deserialize)]
struct Question<'a> {
    #[serde(borrow)]
    expr: Cow<'a, str>,
    #[serde(borrow, default)]
    tz: Option<Cow<'a, str>>,
    base: Base,
    #[serde(default)]
    count: Option<u32>,
    #[serde(default)]
    inclusive: bool,
}

/// RFC 3339 as text, or seconds since 1970 as a number.
struct Base(Timestamp);

/// What is the same for all lines.
struct Settings<'a> {
    dst: Dst,
    seed: u64,
    /// Of lines that name none.
    tz: &'a str,
}

pub(super) fn run(policy: &Policy, tz: &str) -> Result<ExitCode> {
    let settings = Settings { dst: policy.dst(), seed: policy.seed(), tz };
    let input = BufReader::with_capacity(BUFFER_BYTES, std::io::stdin().lock());
    let output = BufWriter::with_capacity(BUFFER_BYTES, std::io::stdout().lock());
    match answer_all(&settings, input, output) {
        // A reader that has seen enough is no error.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        outcome => outcome.context("cannot answer the lines").map(|()| ExitCode::SUCCESS),
    }
}

fn answer_all<R: Read>(
    settings: &Settings<'_>,
    mut input: BufReader<R>,
    mut output: impl Write,
) -> std::io::Result<()> {
    let (mut line, mut answer) = (Vec::new(), String::new());
    loop {
        if input.buffer().is_empty() {
            output.flush()?;
        }
        line.clear();
        // One byte more than may be there shows that there is more.
        if (&mut input).take(LINE_BYTES_MAX as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            return output.flush();
        }
        answer.clear();
        let outcome = if line.last() != Some(&b'\n') && line.len() > LINE_BYTES_MAX {
            input.skip_until(b'\n')?;
            Err(format!("the line has more than {LINE_BYTES_MAX} bytes; ask for one expression a line"))
        } else {
            one(settings, &line, &mut answer)
        };
        if let Err(wrong) = outcome {
            answer = serde_json::json!({ "error": wrong }).to_string();
        }
        answer.push('\n');
        output.write_all(answer.as_bytes())?;
    }
}

/// Answers one line, or says what is wrong with it.
fn one(settings: &Settings<'_>, line: &[u8], answer: &mut String) -> Result<(), String> {
    let question: Question<'_> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let count = question.count.unwrap_or(1);
    if count > COUNT_MAX {
        return Err(format!("`count` is {count}; ask for at most {COUNT_MAX}"));
    }
    let cron = Cron::parse(&question.expr, settings.seed).map_err(|error| error.to_string())?;
    let zone = policy::zone(question.tz.as_deref().unwrap_or(settings.tz));
    let zone = zone.map_err(|refusal| format!("{}; {}", refusal.wrong, refusal.hint))?;
    let mut after = policy::second_before(question.base.0, question.inclusive);
    answer.push_str("{\"next\":[");
    for number in 0..count {
        let Some((at, _)) = cron.next_second(zone, settings.dst, after) else { break };
        let comma = if number == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(answer, "{comma}\"{}\"", zone.local(at));
        after = at;
    }
    answer.push_str("]}");
    Ok(())
}

impl<'de> Deserialize<'de> for Base {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BaseVisitor;

        impl Visitor<'_> for BaseVisitor {
            type Value = Base;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time as RFC 3339 text or as seconds since 1970")
            }

            fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<Base, E> {
                let at = Timestamp::from_second(seconds);
                at.map(Base).map_err(|_| E::custom(format!("{seconds} seconds since 1970 are out of range")))
            }

            fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<Base, E> {
                self.visit_i64(i64::try_from(seconds).unwrap_or(i64::MAX))
            }

            fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<Base, E> {
                let milliseconds = (seconds * 1000.0).round();
                let at = Timestamp::from_millisecond(milliseconds as i64);
                at.map(Base).map_err(|_| E::custom(format!("{seconds} seconds since 1970 are out of range")))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Base, E> {
                policy::instant(text)
                    .map(Base)
                    .map_err(|refusal| E::custom(format!("{}; {}", refusal.wrong, refusal.hint)))
            }
        }

        deserializer.deserialize_any(BaseVisitor)
    }
}
