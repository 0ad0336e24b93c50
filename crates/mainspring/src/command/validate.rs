//! `mainspring validate`: every mistake of job files at once, without a server.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use mainspring_definition::limits::{Limits, TASKS_CEILING};
use mainspring_definition::{Code, Definition, Mistake, Options, Position, TENANT_DEFAULT, read};
use serde_json::{Value, json};

use super::output::{Output, Print, colours_wanted, plain, say};

/// Files found in one go; more is rather a wrong directory than a set of jobs.
const FILES_MAX: usize = 10_000;
const STDIN: &str = "-";
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Reads job files and tells all that is wrong with them, each with its place and what to do. No server is asked,
/// so jobs that a task starts need not be there. Exit: 0 right, 1 mistakes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mainspring validate nightly.yaml\n  mainspring validate -f jobs/ -o json\n  \
                        make-jobs | mainspring validate -f -"
)]
pub(crate) struct Validate {
    #[command(flatten)]
    paths: Paths,
    /// Whose jobs they are unless they say it
    #[arg(long, default_value = TENANT_DEFAULT)]
    tenant: String,
    /// Most tasks of one job; above the usual, larger files are read, too
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=TASKS_CEILING as i64))]
    max_tasks: Option<u32>,
    /// How the answer is printed; `name` gives only names, one a line
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Output::Table)]
    output: Output,
}

/// What to read, with `-f` or without.
#[derive(Args)]
pub(super) struct Paths {
    /// Files, directories (all of *.yaml, *.yml and *.json in them) or `-` for stdin
    #[arg(value_name = "FILE", required_unless_present = "file")]
    paths: Vec<PathBuf>,
    /// The same
    #[arg(short, long, value_name = "FILE", num_args = 1..)]
    file: Vec<PathBuf>,
}

impl Paths {
    pub(super) fn all(&self) -> Vec<PathBuf> {
        self.paths.iter().chain(&self.file).cloned().collect()
    }
}

/// What was found in all files.
#[derive(Default)]
pub(super) struct Findings {
    jobs: Vec<(String, Definition)>,
    mistakes: Vec<Mistake>,
}

impl Validate {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let findings = Findings::of(&self.paths.all(), &self.tenant, self.max_tasks)?;
        match Print::new(self.output) {
            print if print.is_data() => print.object(&findings.json()),
            _ => findings.print(),
        }
        Ok(if findings.mistakes.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn limits(max_tasks: Option<u32>) -> Limits {
    let usual = Limits::default();
    match max_tasks.map(|most| most as usize) {
        Some(most) if most > usual.tasks_max => Limits { tasks_max: most, ..Limits::WIDE },
        Some(most) => Limits { tasks_max: most, ..usual },
        None => usual,
    }
}

/// The files themselves, and those in directories, in the order of their names.
fn found(given: &[PathBuf]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = given.iter().rev().cloned().collect();
    while let Some(path) = open.pop() {
        if path.as_os_str() == STDIN || !path.is_dir() {
            files.push(path.display().to_string());
        } else {
            let mut inside = entries(&path)?;
            inside.sort_by(|a, b| b.cmp(a));
            open.append(&mut inside);
        }
        if files.len() > FILES_MAX {
            bail!("there are more than {FILES_MAX} files; name smaller directories");
        }
    }
    if files.is_empty() {
        bail!("there are no job files (*.yaml, *.yml, *.json) in these directories");
    }
    Ok(files)
}

/// Job files and directories in a directory; hidden ones and links to directories are passed over.
fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let cannot = || format!("cannot read the directory `{}`", directory.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let kind = entry.file_type().with_context(cannot)?;
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_job = ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) && path.is_file();
        if !hidden && (kind.is_dir() || is_job) {
            found.push(path);
        }
    }
    Ok(found)
}

/// A text that cannot be a job file is a mistake as others are; a file that cannot be read is an error.
fn text_of(file: &str, bytes_max: usize) -> Result<Result<String, Vec<Mistake>>> {
    let mut bytes = Vec::new();
    let cannot = || format!("cannot read `{file}`");
    // One byte more than may be there: the reader of the text tells that it is too long.
    let room = bytes_max as u64 + 1;
    if file == STDIN {
        std::io::stdin().lock().take(room).read_to_end(&mut bytes).with_context(cannot)?;
    } else {
        File::open(file).with_context(cannot)?.take(room).read_to_end(&mut bytes).with_context(cannot)?;
    }
    Ok(String::from_utf8(bytes).or_else(|error| {
        let valid = error.utf8_error().valid_up_to();
        // The byte too many may have cut a character in two.
        if valid + 4 > bytes_max {
            return Ok(String::from_utf8_lossy(error.as_bytes()).into_owned());
        }
        let what = format!("byte {valid} is not UTF-8");
        Err(vec![mistake(Code::Syntax, file, what, "save the file as UTF-8")])
    }))
}

fn mistake(code: Code, file: &str, what: String, help: &str) -> Mistake {
    let (at, path) = (Position::default(), String::new());
    Mistake { code, file: file.into(), at, path, what, help: help.to_owned() }
}

impl Findings {
    /// Reads all files; `-` is stdin.
    pub(super) fn of(files: &[PathBuf], tenant: &str, max_tasks: Option<u32>) -> Result<Self> {
        let limits = limits(max_tasks);
        let options = Options { tenant, limits };
        let mut findings = Self::default();
        for file in found(files)? {
            let text = text_of(&file, limits.file_bytes_max)?;
            match text.and_then(|text| read(&file, &text, &options)) {
                Ok(jobs) => findings.jobs.extend(jobs.into_iter().map(|job| (file.clone(), job))),
                Err(mistakes) => findings.mistakes.extend(mistakes),
            }
        }
        findings.tell_doubles();
        Ok(findings)
    }

    pub(super) fn has_mistakes(&self) -> bool {
        !self.mistakes.is_empty()
    }

    pub(super) fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.jobs.iter().map(|(_, job)| job)
    }

    /// Differs if a job or a mistake does.
    pub(super) fn fingerprint(&self) -> Vec<String> {
        let jobs = self
            .jobs
            .iter()
            .map(|(file, job)| format!("{file} {} {} {}", job.tenant, job.name, hex(&job.hash)));
        jobs.chain(self.mistakes.iter().map(ToString::to_string)).collect()
    }

    /// Of two files with the same job the one applied last would win.
    fn tell_doubles(&mut self) {
        let mut first: BTreeMap<(&str, &str), &str> = BTreeMap::new();
        for (file, job) in &self.jobs {
            let known = first.insert((&job.tenant, &job.name), file);
            if let Some(known) = known.filter(|known| *known != file) {
                let what = format!("the job `{}` is also in `{known}`", job.name);
                self.mistakes.push(mistake(Code::DuplicateJob, file, what, "give one of them another name"));
            }
        }
    }

    fn json(&self) -> Value {
        let mistake = |mistake: &Mistake| {
            json!({
                "code": mistake.code.label(), "file": &*mistake.file, "line": mistake.at.line,
                "column": mistake.at.column, "path": mistake.path, "what": mistake.what, "help": mistake.help,
            })
        };
        let job = |(file, job): &(String, Definition)| {
            json!({
                "file": file, "tenant": job.tenant.as_str(), "job": job.name.as_str(),
                "tasks": job.plan.len(), "schedules": job.schedules.len(), "hash": hex(&job.hash),
            })
        };
        let jobs: Vec<Value> = self.jobs.iter().map(job).collect();
        json!({ "jobs": jobs, "mistakes": self.mistakes.iter().map(mistake).collect::<Vec<_>>() })
    }

    pub(super) fn print(&self) {
        let stderr = std::io::stderr();
        let colour = stderr.is_terminal() && colours_wanted();
        let mut text = String::new();
        for mistake in &self.mistakes {
            text.push_str(&paint("31", &plain(&mistake.to_string()), colour));
            text.push('\n');
            if !mistake.help.is_empty() {
                text.extend(["  ", &paint("36", "help:", colour), " ", &plain(&mistake.help), "\n"]);
            }
        }
        if self.mistakes.is_empty() {
            for (file, job) in &self.jobs {
                let count = job.plan.len();
                let tasks = if count == 1 { "task" } else { "tasks" };
                let by_clock = match job.schedules.len() {
                    0 => String::new(),
                    1 => ", 1 schedule".to_owned(),
                    many => format!(", {many} schedules"),
                };
                say(&plain(&format!("{file}: {}: {count} {tasks}{by_clock}", job.name)));
            }
            return;
        }
        let count = self.mistakes.len();
        let noun = if count == 1 { "mistake" } else { "mistakes" };
        text.extend(["\n", &count.to_string(), " ", noun, "\n"]);
        // Nobody may be reading.
        let _ = stderr.lock().write_all(text.as_bytes());
    }
}

fn paint(code: &str, text: &str, colour: bool) -> String {
    if colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut text, format_args!("{byte:02x}"));
        text
    })
}
