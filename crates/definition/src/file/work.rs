//! What a task does: `run`, `shell`, `http`, `noop`, `sleep`, `wait`, `approve` or `job`, turned into a payload of its executor.

use mainspring_core::values::Name;
use serde_json::{Map, Value as Json};

use super::at::{At, Fields, Named};
use super::texts::{Place, Texts, Use};
use super::tree::Value;
use crate::expression::VARIABLE;
use crate::limits::PAYLOAD_BYTES_MAX;
use crate::mistake::{Code, Mistakes, Spot};

pub const WORKS: [&str; 8] = ["run", "shell", "http", "noop", "sleep", "wait", "approve", "job"];
/// Fields that belong to `run` and `shell`.
const OF_PROCESS: [&str; 6] = ["args", "env", "cwd", "stdin", "user", "keep"];
/// Arguments of one program.
const ARGUMENTS_MAX: usize = 1_000;

#[derive(Clone, Debug)]
pub enum Work {
    Task { executor: &'static str, payload: Json, templated: bool },
    Run { job: Name, parameters: Json, templated: bool, spot: Spot },
}

/// What `defaults` say of programs.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    env: Vec<(String, String)>,
    cwd: Option<String>,
    user: Option<String>,
    keep: Option<bool>,
    limits: Option<Json>,
    uses: Vec<Use>,
    templated: bool,
}

impl Programs {
    pub fn read(fields: &Fields<'_>, mistakes: &mut Mistakes) -> Self {
        let mut texts = Texts::new(Place::Work, mistakes);
        let env = fields.get("env").map(|at| env(at, &mut texts)).unwrap_or_default();
        let cwd = fields.get("cwd").and_then(|at| texts.text(at));
        let user = fields.get("user").and_then(|at| user(at, texts.mistakes));
        let keep = fields.get("keep").and_then(|at| at.flag(texts.mistakes));
        let limits = fields.get("rlimits").and_then(|at| kernel_limits(at, texts.mistakes));
        Self { env, cwd, user, keep, limits, uses: texts.uses, templated: texts.templated }
    }
}

/// The one kind of work that is given, with what its texts read.
pub fn work(
    fields: &Fields<'_>,
    usual: &Programs,
    place: Place,
    allowed: &[&str],
    mistakes: &mut Mistakes,
) -> Option<(Work, Vec<Use>)> {
    let given: Vec<&Named<'_>> = WORKS.iter().filter_map(|kind| fields.named(kind)).collect();
    let [kind] = given[..] else {
        tell_how_many(&given, &fields.spot, allowed, mistakes);
        return None;
    };
    if !allowed.contains(&kind.name) {
        let what = format!("`{}` cannot be used here", kind.name);
        mistakes.add(Code::Unsupported, &kind.key, what, format!("use one of: {}", allowed.join(", ")));
        return None;
    }
    refuse_strangers(fields, kind.name, mistakes);
    let mut texts = Texts::new(place, mistakes);
    let made = match kind.name {
        "run" | "shell" => process(fields, &kind.value, kind.name == "shell", usual, &mut texts),
        "http" => http(&kind.value, &mut texts),
        "sleep" => kind.value.duration(texts.mistakes).map(|pause| ("sleep", fixed("ms", pause.get()))),
        "wait" => super::wait::wait(&kind.value, &mut texts),
        "approve" => super::approve::approve(&kind.value, &mut texts),
        "noop" => Some(("noop", Json::Object(Map::new()))),
        _ => return run(fields, &kind.value, texts),
    };
    let (templated, uses) = (texts.templated, texts.uses);
    let (executor, payload) = made?;
    check_size(&payload, &kind.key, mistakes);
    Some((Work::Task { executor, payload, templated }, uses))
}

fn tell_how_many(given: &[&Named<'_>], spot: &Spot, allowed: &[&str], mistakes: &mut Mistakes) {
    let choice = format!("give one of: {}", allowed.join(", "));
    match given {
        [] => mistakes.add(Code::NoWork, spot, "it does not say what to do", choice),
        [first, second, ..] => {
            let what = format!("`{}` and `{}` are two kinds of work", first.name, second.name);
            mistakes.add(Code::TwoWorks, &second.key, what, "make two tasks of it");
        }
        [_] => {}
    }
}

/// Fields that would be ignored with this kind of work.
fn refuse_strangers(fields: &Fields<'_>, kind: &str, mistakes: &mut Mistakes) {
    let mut refuse = |name: &str, of: &str| {
        if let Some(entry) = fields.named(name) {
            let what = format!("`{name}` belongs to {of}, this is `{kind}`");
            mistakes.add(Code::Unsupported, &entry.key, what, "leave it out");
        }
    };
    if !matches!(kind, "run" | "shell") {
        OF_PROCESS.iter().chain(&["rlimits"]).for_each(|name| refuse(name, "`run` and `shell`"));
    }
    if kind == "run" {
        refuse("args", "`shell`");
    }
    if kind != "job" {
        refuse("parameters", "`job`");
    }
}

fn process(
    fields: &Fields<'_>,
    at: &At<'_>,
    shell: bool,
    usual: &Programs,
    texts: &mut Texts<'_>,
) -> Option<(&'static str, Json)> {
    let argv = if shell { script(fields, at, texts)? } else { arguments(at, texts)? };
    let mut payload = Map::new();
    payload.insert("argv".to_owned(), Json::from(argv));
    if shell {
        payload.insert("shell".to_owned(), Json::Bool(true));
    }
    let mut variables: Map<String, Json> =
        usual.env.iter().map(|(name, value)| (name.clone(), Json::from(value.as_str()))).collect();
    let own = fields.get("env").map(|at| env(at, texts)).unwrap_or_default();
    variables.extend(own.into_iter().map(|(name, value)| (name, Json::String(value))));
    if !variables.is_empty() {
        payload.insert("env".to_owned(), Json::Object(variables));
    }
    let cwd = fields.get("cwd").and_then(|at| texts.text(at)).or_else(|| usual.cwd.clone());
    let stdin = fields.get("stdin").and_then(|at| texts.text(at));
    let user = fields.get("user").and_then(|at| user(at, texts.mistakes)).or_else(|| usual.user.clone());
    let keep = fields.get("keep").and_then(|at| at.flag(texts.mistakes)).or(usual.keep);
    let limits = fields
        .get("rlimits")
        .and_then(|at| kernel_limits(at, texts.mistakes))
        .or_else(|| usual.limits.clone());
    payload.extend(cwd.map(|cwd| ("cwd".to_owned(), Json::String(cwd))));
    payload.extend(stdin.map(|stdin| ("stdin".to_owned(), Json::String(stdin))));
    payload.extend(user.map(|user| ("user".to_owned(), Json::String(user))));
    payload.extend(keep.map(|keep| ("keep".to_owned(), Json::Bool(keep))));
    payload.extend(limits.map(|limits| ("limits".to_owned(), limits)));
    texts.uses.extend(usual.uses.iter().cloned());
    texts.templated |= usual.templated;
    Some(("process", Json::Object(payload)))
}

/// A list; a text would need a shell to be taken apart.
fn arguments(at: &At<'_>, texts: &mut Texts<'_>) -> Option<Vec<String>> {
    if let Value::Text(_) = at.node.value {
        let help = "write a list, `run: [\"./extract\", \"--all\"]`, or use `shell:` for a text";
        texts.mistakes.add(Code::WrongType, &at.spot, "a list is expected, not a text", help);
        return None;
    }
    let items = at.list(texts.mistakes)?;
    if items.is_empty() || items.len() > ARGUMENTS_MAX {
        at.bad(format!("a program has 1 to {ARGUMENTS_MAX} arguments, itself included"), "", texts.mistakes);
        return None;
    }
    let argv: Vec<Option<String>> = items.iter().map(|item| texts.text(item)).collect();
    if argv[0].as_deref() == Some("") {
        items[0].bad("the name of the program is empty", "", texts.mistakes);
    }
    argv.into_iter().collect()
}

fn script(fields: &Fields<'_>, at: &At<'_>, texts: &mut Texts<'_>) -> Option<Vec<String>> {
    let script = texts.script(at)?;
    if script.trim().is_empty() {
        at.bad("the script is empty", "use `noop: {}` for a task without work", texts.mistakes);
    }
    let rest = fields.get("args").map(|at| at.list_or_one(ARGUMENTS_MAX, texts.mistakes)).unwrap_or_default();
    let rest = rest.iter().map(|at| texts.text(at));
    std::iter::once(Some(script)).chain(rest).collect()
}

fn env(at: &At<'_>, texts: &mut Texts<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in at.entries(texts.mistakes).unwrap_or_default() {
        if entry.name.is_empty() || entry.name.contains(['=', '\0']) {
            texts.mistakes.add(Code::BadName, &entry.key, "this cannot be the name of a variable", "");
        } else if entry.name.starts_with("MAINSPRING_") {
            let what = format!("names that begin with `MAINSPRING_` are ours, as `{VARIABLE}1` is");
            texts.mistakes.add(Code::BadName, &entry.key, what, "choose another name");
        }
        found.extend(texts.text(&entry.value).map(|value| (entry.name.to_owned(), value)));
    }
    found
}

/// Longest name of a user that common systems allow, with room for names of directories.
const USER_BYTES_MAX: usize = 256;

/// A name, `uid` or `uid:gid`. Never a template: who triggers a job must not choose whose rights it has.
fn user(at: &At<'_>, mistakes: &mut Mistakes) -> Option<String> {
    let text = at.word(mistakes)?;
    let is_number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // The kernel reads the highest number as "leave it as it is".
        digits && text.parse().is_ok_and(|number: u32| number != u32::MAX)
    };
    let strange = |c: char| c.is_whitespace() || c.is_control() || ":{}/".contains(c);
    let is_user = match text.split_once(':') {
        Some((uid, gid)) => is_number(uid) && is_number(gid),
        None if text.starts_with(|first: char| first.is_ascii_digit() || first == '-') => is_number(&text),
        None => !text.is_empty() && text.len() <= USER_BYTES_MAX && !text.contains(strange),
    };
    if !is_user {
        let help = "a name of the worker's machine, `uid`, or \"uid:gid\"; templates are not filled in here";
        at.bad("this is no user", help, mistakes);
        return None;
    }
    Some(text)
}

const KERNEL: &[&str] = &["cpu_seconds", "open_files", "file_bytes", "address_space_bytes", "core_bytes"];

fn kernel_limits(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Json> {
    let fields = at.fields(KERNEL, mistakes)?;
    let mut limits = Map::new();
    for name in KERNEL {
        let read = |at: &At<'_>, m: &mut Mistakes| {
            if name.ends_with("_bytes") { at.size(m) } else { at.whole(0, u64::MAX, m) }
        };
        limits.extend(fields.read(name, mistakes, read).map(|limit| ((*name).to_owned(), Json::from(limit))));
    }
    Some(Json::Object(limits))
}

pub const OF_HTTP: &[&str] = &["url", "method", "headers", "body", "timeout", "timeout_ms"];
const METHODS: [(&str, &str); 7] = [
    ("GET", "GET"),
    ("POST", "POST"),
    ("PUT", "PUT"),
    ("PATCH", "PATCH"),
    ("DELETE", "DELETE"),
    ("HEAD", "HEAD"),
    ("OPTIONS", "OPTIONS"),
];

fn http(at: &At<'_>, texts: &mut Texts<'_>) -> Option<(&'static str, Json)> {
    let fields = at.fields(OF_HTTP, texts.mistakes)?;
    call(at, &fields, texts).map(|payload| ("http", Json::Object(payload)))
}

/// The fields that every call has.
pub(super) fn call(at: &At<'_>, fields: &Fields<'_>, texts: &mut Texts<'_>) -> Option<Map<String, Json>> {
    let mut payload = Map::new();
    let Some(url) = fields.get("url") else {
        texts.mistakes.add(Code::MissingField, &at.spot, "`http` needs a `url`", "");
        return None;
    };
    let text = texts.text(url)?;
    if !["http://", "https://", "{{"].iter().any(|start| text.starts_with(start)) {
        url.bad("a URL begins with `http://` or `https://`", "", texts.mistakes);
    }
    payload.insert("url".to_owned(), Json::String(text));
    let method = fields.read("method", texts.mistakes, |at, m| at.one_of(&METHODS, m));
    payload.extend(method.map(|method| ("method".to_owned(), Json::from(method))));
    if let Some(at) = fields.get("headers") {
        let entries = at.entries(texts.mistakes).unwrap_or_default();
        let header =
            |entry: &Named<'_>| Some((entry.name.to_owned(), Json::String(texts.text(&entry.value)?)));
        payload.insert("headers".to_owned(), Json::Object(entries.iter().filter_map(header).collect()));
    }
    if let Some(at) = fields.get("body") {
        payload.insert("body".to_owned(), texts.json(at));
    }
    let timeout = super::retry::time(fields, "timeout", "timeout_ms", texts.mistakes);
    payload.extend(timeout.map(|timeout| ("timeout_ms".to_owned(), Json::from(timeout.get()))));
    Some(payload)
}

fn run(fields: &Fields<'_>, at: &At<'_>, mut texts: Texts<'_>) -> Option<(Work, Vec<Use>)> {
    let job = super::name::job_name(at, texts.mistakes);
    let parameters = fields.get("parameters").map_or_else(
        || Json::Object(Map::new()),
        |at| {
            if !matches!(at.node.value, Value::Map(_)) {
                at.wrong("an object", texts.mistakes);
            }
            let json = texts.json(at);
            check_size(&json, &at.spot, texts.mistakes);
            json
        },
    );
    let templated = texts.templated;
    Some((Work::Run { job: job?, parameters, templated, spot: at.spot.clone() }, texts.uses))
}

fn fixed(name: &str, value: u64) -> Json {
    Json::Object([(name.to_owned(), Json::from(value))].into_iter().collect())
}

fn check_size(payload: &Json, spot: &Spot, mistakes: &mut Mistakes) {
    let bytes = payload.to_string().len();
    if bytes > PAYLOAD_BYTES_MAX {
        let what = format!("the work has {bytes} bytes as JSON, more than {PAYLOAD_BYTES_MAX}");
        mistakes.add(Code::TooLarge, spot, what, "put it into a file or an object store");
    }
}
