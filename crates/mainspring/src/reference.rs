//! `docs/cli-reference.md`, written from the commands themselves.

use std::fmt::Write;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};

use super::Cli;

const HEAD: &str = "# Commands\n\n<!-- Written by a test from the commands themselves. Do not edit:\n     \
    UPDATE_GOLDEN=1 cargo test -p mainspring --bin mainspring reference -->\n\n\
    Every command with its options. What they have in common is in [the command line](cli.md).\n";
/// Options that every command has which talks to a server: told once.
const SHARED: &str = "Server and output";
const OF_ALL: [&str; 4] = ["server", "context", "token_file", "output"];

#[test]
fn the_reference_page_is_as_the_commands_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli-reference.md");
    let written = format!("{HEAD}{}", reference());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &written).expect("written");
    }
    let same = std::fs::read_to_string(&path).is_ok_and(|page| page == written);
    assert!(
        same,
        "docs/cli-reference.md is old: UPDATE_GOLDEN=1 cargo test -p mainspring --bin mainspring reference"
    );
}

#[test]
fn every_option_and_argument_says_what_it_is_for() {
    let mut root = Cli::command();
    root.build();
    let mut silent = Vec::new();
    each(&root, "mainspring", &mut |name, command| {
        let args = command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_help().is_none());
        silent.extend(args.map(|arg| format!("{name} {}", arg.get_id())));
    });
    assert!(silent.is_empty(), "without help: {silent:#?}");
}

#[test]
fn only_options_of_every_command_stand_under_the_shared_heading() {
    let mut root = Cli::command();
    root.build();
    each(&root, "mainspring", &mut |name, command| {
        let shared = command.get_arguments().filter(|arg| arg.get_help_heading() == Some(SHARED));
        let other: Vec<&str> =
            shared.map(|arg| arg.get_id().as_str()).filter(|id| !OF_ALL.contains(id)).collect();
        assert!(other.is_empty(), "{name}: {other:?}");
    });
}

#[test]
fn every_command_has_examples_that_it_takes() {
    let mut root = crate::exits::told(Cli::command());
    root.build();
    let mut wrong = Vec::new();
    each(&root, "mainspring", &mut |name, command| {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let examples: Vec<&str> =
            help.lines().filter_map(|line| line.strip_prefix("  mainspring ")).collect();
        if examples.is_empty() {
            wrong.push(format!("{name}: no example"));
        }
        if !command.has_subcommands() && !help.lines().any(|line| line.starts_with("Exit: ")) {
            wrong.push(format!("{name}: no exit codes"));
        }
        for example in examples {
            let words = std::iter::once("mainspring".to_owned()).chain(words(example));
            if let Err(error) = Cli::command().try_get_matches_from(words) {
                wrong.push(format!("{name}: `{example}`: {error}"));
            }
        }
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// As a shell splits them, up to a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for sign in line.chars() {
        match (quote, sign) {
            (None, '|' | '>' | '<') => break,
            (None, '\'' | '"') => (quote, word) = (Some(sign), word.or_else(|| Some(String::new()))),
            (Some(open), _) if open == sign => quote = None,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}

/// What a value looks like is clear from the name of the value.
const CLEAR: [&str; 12] =
    ["NAME", "N", "FILE", "DIR", "URL", "TEXT", "COUNT", "ID", "CURSOR", "KEY", "RUN", "FINGERPRINT"];

#[test]
fn every_option_shows_what_its_value_looks_like() {
    let mut root = Cli::command();
    root.build();
    let mut unclear = Vec::new();
    each(&root, "mainspring", &mut |name, command| {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set() && !arg.is_positional()) {
            let value = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
            let Some(value) = value.filter(|_| arg.get_action().takes_values()) else { continue };
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let is_shown = ["as ", "`", ":", ", or ", "[default"].iter().any(|sign| help.contains(sign));
            let is_clear = CLEAR.contains(&value.as_str())
                || !arg.get_possible_values().is_empty()
                || !arg.get_default_values().is_empty();
            if !(is_shown || is_clear) {
                unclear.push(format!("{name} --{} {value}: {help}", arg.get_id()));
            }
        }
    });
    unclear.sort_unstable();
    unclear.dedup();
    assert!(unclear.is_empty(), "without an example: {unclear:#?}");
}

/// This command and all below it that are shown.
fn each(command: &Command, name: &str, visit: &mut impl FnMut(&str, &Command)) {
    visit(name, command);
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
    {
        each(inner, &format!("{name} {}", inner.get_name()), visit);
    }
}

fn reference() -> String {
    let mut root = crate::exits::told(Cli::command());
    root.build();
    let mut text = String::new();
    let shared = root.find_subcommand("stats").expect("a command that talks to a server");
    text.push_str("\n## Options of every command\n\n");
    for arg in root.get_arguments().filter(|arg| arg.is_global_set() && !arg.is_hide_set()) {
        option(&mut text, arg);
    }
    text.push_str("\n## Options of every command that talks to a server\n\n");
    let of_all = shared.get_arguments().filter(|arg| arg.get_help_heading() == Some(SHARED));
    for arg in of_all {
        option(&mut text, arg);
    }
    each(&root, "mainspring", &mut |name, command| {
        if !command.has_subcommands() || command.get_name() == "worker" {
            leaf(&mut text, name, command);
        }
    });
    text
}

fn leaf(text: &mut String, name: &str, command: &Command) {
    let about = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string);
    // Writing to memory cannot fail.
    let _ = write!(text, "\n## `{name}`\n\n{}\n", about.unwrap_or_default().trim());
    let own = command.get_arguments().filter(|arg| {
        !arg.is_hide_set()
            && !arg.is_global_set()
            && arg.get_help_heading() != Some(SHARED)
            && !["help", "version"].contains(&arg.get_id().as_str())
    });
    let own: Vec<&Arg> = own.collect();
    if !own.is_empty() {
        text.push('\n');
    }
    for arg in own {
        option(text, arg);
    }
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let lines =
            examples.lines().filter_map(|line| line.strip_prefix("  ")).collect::<Vec<_>>().join("\n");
        let _ = write!(text, "\n```sh\n{lines}\n```\n");
        for line in examples.lines().filter(|line| line.starts_with("Exit: ")) {
            let _ = write!(text, "\n{line}\n");
        }
    }
}

/// As `-o, --output <OUTPUT>`: what it is for.
fn option(text: &mut String, arg: &Arg) {
    let names = arg.get_value_names().unwrap_or_default();
    let value = names.first().map_or_else(|| arg.get_id().to_string().to_uppercase(), ToString::to_string);
    let takes = arg.get_action().takes_values();
    let name = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, Some(long)) => format!("--{long}"),
        (None, None) => String::new(),
    };
    let shown = match (name.is_empty(), takes) {
        (true, _) => value,
        (false, true) => format!("{name} {value}"),
        (false, false) => name,
    };
    let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let default: Vec<String> = arg
        .get_default_values()
        .iter()
        .filter(|_| takes)
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    let default =
        if default.is_empty() { String::new() } else { format!(" [default: {}]", default.join(", ")) };
    let kinds: Vec<String> =
        arg.get_possible_values().iter().filter(|_| takes).map(|value| value.get_name().to_owned()).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" [{}]", kinds.join(", ")) };
    let _ = writeln!(text, "- `{shown}`: {help}{kinds}{default}");
}
