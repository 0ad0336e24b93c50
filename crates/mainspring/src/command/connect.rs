//! What every command that talks to a server has in common: where it is, and how answers are shown.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use mainspring_client::{Client, ClientError};
use serde_json::Value;

use crate::serve;

#[derive(Args)]
pub(crate) struct Connect {
    /// The server
    #[arg(long, value_name = "URL", env = "MAINSPRING_SERVER", default_value = "http://127.0.0.1:7070")]
    server: String,
    /// How the answer is printed
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    Table,
    Json,
}

/// How to show things: tables for people, JSON for scripts.
#[derive(Clone, Copy)]
pub(crate) struct Print(Output);

impl Connect {
    /// Runs `work` against the server. Exit code 4: there is no such thing; 1: anything else that was refused.
    pub(crate) fn run(
        self,
        work: impl AsyncFnOnce(Client, Print) -> Result<ExitCode, ClientError>,
    ) -> anyhow::Result<ExitCode> {
        serve::block_on(async {
            let print = Print(self.output);
            let outcome = match Client::new(&self.server) {
                Ok(client) => work(client, print).await,
                Err(error) => Err(error),
            };
            Ok(outcome.unwrap_or_else(|error| {
                eprintln!("error: {error}");
                if let Some(advice) = error.advice() {
                    eprintln!("\nhint: {advice}");
                }
                ExitCode::from(if error.code() == Some("TASK_NOT_FOUND") { 4 } else { 1 })
            }))
        })
    }
}

impl Print {
    pub(crate) fn is_json(self) -> bool {
        self.0 == Output::Json
    }

    /// One object: its fields one a line, or JSON.
    pub(crate) fn object(self, value: &Value) {
        match (self.0, value) {
            (Output::Table, Value::Object(fields)) => {
                let width = fields.keys().map(String::len).max().unwrap_or(0);
                for (name, value) in fields {
                    println!("{name:width$}  {}", cell(value));
                }
            }
            (Output::Table | Output::Json, _) => println!("{value:#}"),
        }
    }

    /// The list under `key` as a table of these columns, or the whole answer as JSON.
    pub(crate) fn rows(self, answer: &Value, key: &str, columns: &[&str]) {
        if self.0 == Output::Json {
            println!("{answer:#}");
            return;
        }
        let empty = Vec::new();
        let rows = answer.get(key).and_then(Value::as_array).unwrap_or(&empty);
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|row| columns.iter().map(|column| row.get(*column).map(cell).unwrap_or_default()).collect())
            .collect();
        let heads: Vec<String> = columns.iter().map(|column| column.to_uppercase()).collect();
        let width =
            |n: usize| cells.iter().chain([&heads]).map(|row| row[n].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns.len()).map(width).collect();
        for row in [&heads].into_iter().chain(&cells) {
            let line: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:<width$}", width = *width))
                .collect();
            println!("{}", line.join("  ").trim_end());
        }
        if rows.is_empty() {
            eprintln!("(none)");
        }
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(_) | Value::Array(_) | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
