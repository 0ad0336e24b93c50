//! Exit codes, told by the help of every command: what [`crate::EXIT_CODES`] lists, as far as a command has them.

use clap::Command;

/// Commands that mean something of their own by 1 or 3, or have none of the usual ones.
const SPECIAL: &[(&str, &str)] = &[
    ("apply", "0 stored, 1 mistakes or refused"),
    ("attention", "0 nothing needs a person, 1 refused, 3 something does"),
    (
        "backfill start",
        "0 every window succeeded, 1 refused, 3 some did not, 4 there is no such job or schedule",
    ),
    ("backfill watch", "0 every window succeeded, 1 refused, 3 some did not, 4 there is no such backfill"),
    ("bench", "0 measured, 1 it could not be"),
    ("completion", "0 printed"),
    ("config check", "0 right, 1 mistakes"),
    ("config example", "0 printed"),
    ("context", "0 done, 1 refused, 4 there is no such context"),
    ("cron", "0 shown, 1 the expression, the zone or the time was refused"),
    ("dead-letter", "0 done, 1 refused, or at least one was; 4 there is no such task"),
    ("dev", "0 stopped, 1 it could not start"),
    ("diff", "0 the server has the same, 1 mistakes or refused, 3 files differ"),
    (
        "job trigger",
        "0 started (with --wait: the run succeeded), 1 refused, 3 the run did not succeed, 4 there is no such job, 130 after Ctrl-C",
    ),
    (
        "run clear",
        "0 done (with --wait: the run succeeded), 1 refused, 3 the run did not succeed, 4 there is no such run, task or item, 130 after Ctrl-C",
    ),
    (
        "run rerun",
        "0 started (with --wait: the new run succeeded), 1 refused, 3 it did not succeed, 4 there is no such run or task, 130 after Ctrl-C",
    ),
    (
        "run watch",
        "0 it succeeded, 1 refused, 3 it did not succeed, 4 there is no such run, 130 after Ctrl-C",
    ),
    ("server", "0 stopped, 1 it could not start"),
    ("sim", "0 nothing was lost, 1 an invariant was broken"),
    ("submit", "0 submitted, 1 refused; with --wait that of the command, and 130 after Ctrl-C"),
    ("task cancel", "0 done, 1 refused, 4 there is no such task"),
    ("validate", "0 right, 1 mistakes"),
    ("verify", "0 the journal is whole, 1 it is not"),
    ("worker", "0 stopped, 1 it could not start"),
    (
        "worker drain",
        "0 done (with --wait: it runs nothing), 1 refused, or the timeout passed; 4 there is no such worker",
    ),
];

/// The commands with a line on exit codes below the help of each.
pub(crate) fn told(root: Command) -> Command {
    root.mut_subcommands(|command| of(command, ""))
}

fn of(command: Command, above: &str) -> Command {
    let path = if above.is_empty() {
        command.get_name().to_owned()
    } else {
        format!("{above} {}", command.get_name())
    };
    if command.is_hide_set() || command.get_name() == "help" {
        return command;
    }
    let is_group = command.has_subcommands() && path != "worker";
    let line = (!is_group).then(|| format!("Exit: {}", codes(&path, &command)));
    let command = match line {
        Some(line) => {
            let after = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
            command.after_help(format!("{after}{line}"))
        }
        None => command,
    };
    command.mut_subcommands(|inner| of(inner, &path))
}

fn codes(path: &str, command: &Command) -> String {
    let has_server = command.get_arguments().any(|arg| arg.get_id() == "server")
        && path != "worker"
        && !path.starts_with("context");
    let named = command.get_positionals().next().is_some();
    let group = path.split(' ').next().unwrap_or(path);
    let special = |wanted: &str| SPECIAL.iter().find(|(path, _)| *path == wanted).map(|(_, codes)| *codes);
    // `worker` is a command, and the group of others.
    let of_group = || special(group).filter(|_| group != "worker" && group != path);
    let codes = special(path).or_else(of_group).map_or_else(
        || match (has_server, named) {
            (true, true) => format!("0 done, 1 refused, 4 there is no such {}", group.replace('-', " ")),
            (_, _) => "0 done, 1 refused".to_owned(),
        },
        str::to_owned,
    );
    if has_server { format!("{codes}; 5 no server answered") } else { codes }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn special_commands_exist() {
        let root = Cli::command();
        for (path, _) in SPECIAL {
            let mut command = &root;
            for word in path.split(' ') {
                command = command
                    .find_subcommand(word)
                    .unwrap_or_else(|| panic!("there is no `mainspring {path}`"));
            }
        }
    }

    #[test]
    fn codes_are_told_by_what_a_command_does() {
        let root = Cli::command();
        let of = |group: &str, verb: &str| {
            let group_command = root.find_subcommand(group).expect("a group");
            let command = group_command.find_subcommand(verb).expect("a command");
            codes(&format!("{group} {verb}"), command)
        };
        assert_eq!(of("job", "get"), "0 done, 1 refused, 4 there is no such job; 5 no server answered");
        assert_eq!(of("job", "list"), "0 done, 1 refused; 5 no server answered");
        assert_eq!(of("worker", "get"), "0 done, 1 refused, 4 there is no such worker; 5 no server answered");
        assert!(of("cron", "next").starts_with("0 shown"));
    }
}
