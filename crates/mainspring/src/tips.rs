//! Words that people type from other tools: which command does that here.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A group or `""`, the words, and the commands that are meant, without `mainspring`.
const WORDS: &[(&str, &[&str], &[&str])] = &[
    ("", &["ps", "top", "tasks", "queue"], &["task list", "run list", "stats"]),
    ("", &["logs", "log"], &["run logs RUN", "task logs TASK"]),
    ("", &["runs", "history"], &["run list"]),
    ("", &["jobs"], &["job list"]),
    ("", &["status", "info", "health"], &["attention", "stats", "system"]),
    ("", &["start", "launch"], &["job trigger JOB"]),
    ("", &["exec", "enqueue"], &["submit -- COMMAND"]),
    ("", &["deploy", "create"], &["apply -f FILES"]),
    ("", &["retry", "rerun"], &["run clear RUN", "run rerun RUN", "task retry TASK"]),
    ("job", &["start", "run", "execute", "launch"], &["job trigger"]),
    ("job", &["disable", "suspend", "stop"], &["job pause"]),
    ("job", &["enable", "unpause"], &["job resume"]),
    ("job", &["runs"], &["run list --job JOB"]),
    ("job", &["create", "update", "apply"], &["apply -f FILES"]),
    ("run", &["retry", "restart", "repair"], &["run clear", "run rerun"]),
    ("run", &["start", "create", "trigger"], &["job trigger JOB"]),
    ("run", &["stop", "kill", "abort"], &["run cancel"]),
    ("run", &["tail", "log"], &["run logs"]),
    ("run", &["tasks"], &["task list --run RUN"]),
    ("run", &["why", "explain"], &["run diagnose"]),
    ("task", &["stop", "kill", "abort"], &["task cancel --force"]),
    ("task", &["restart", "rerun", "clear"], &["task retry"]),
    ("task", &["submit", "create", "run", "add"], &["submit -- COMMAND"]),
    ("task", &["tail", "log"], &["task logs"]),
    ("task", &["why", "explain"], &["task diagnose"]),
    ("schedule", &["disable", "suspend"], &["schedule pause"]),
    ("schedule", &["enable", "unpause"], &["schedule resume"]),
    ("schedule", &["next"], &["schedule upcoming"]),
    ("schedule", &["create", "add", "update"], &["schedule put"]),
    ("worker", &["start", "run"], &["worker"]),
];
/// Groups that have `get` and `list`, and what they are called elsewhere.
const GROUPS: [&str; 8] = ["job", "run", "task", "schedule", "trigger", "worker", "backfill", "pool"];
const GET: [&str; 5] = ["show", "describe", "inspect", "view", "status"];
const LIST: [&str; 2] = ["ls", "ps"];

/// Prints why the command line was refused, or the help that was asked for.
pub(crate) fn exit(mut error: clap::Error) -> ! {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(tip) = tip(&words, word)
    {
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error.exit()
}

/// The command that does what this word does elsewhere.
fn tip(words: &[String], word: &str) -> Option<String> {
    let at = words.iter().position(|other| other == word)?;
    let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str);
    let group = WORDS.iter().map(|(group, ..)| *group).chain(GROUPS).find(|group| *group == before);
    let group = group.unwrap_or_default();
    let meant = WORDS.iter().find(|(of, others, _)| *of == group && others.contains(&word));
    let verb = || {
        let verb = if GET.contains(&word) { "get" } else { LIST.contains(&word).then_some("list")? };
        GROUPS.contains(&group).then(|| format!("{group} {verb}"))
    };
    let meant = meant.map(|(.., meant)| meant.iter().map(|one| (*one).to_owned()).collect());
    let meant: Vec<String> = meant.or_else(|| Some(vec![verb()?]))?;
    let shown: Vec<String> = meant.iter().map(|one| format!("`mainspring {one}`")).collect();
    Some(format!("here that is {}", shown.join(" or ")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    fn told(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        tip(&words, words.iter().rfind(|word| !word.starts_with('x'))?)
    }

    #[test]
    fn words_of_other_tools_are_answered_with_the_command() {
        for (line, command) in [
            ("run show x1", "run get"),
            ("run describe x1", "run get"),
            ("job describe x1", "job get"),
            ("ps", "task list"),
            ("logs x1", "task logs"),
            ("job start x1", "job trigger"),
            ("job run x1", "job trigger"),
            ("run retry x1", "run clear"),
            ("task ls", "task list"),
        ] {
            assert!(told(line).is_some_and(|tip| tip.contains(command)), "{line}: {:?}", told(line));
        }
        assert_eq!(told("job nonsense"), None);
        assert_eq!(told("cron show"), None, "it has no `get`");
    }

    #[test]
    fn every_tip_names_commands_that_exist_and_no_word_that_does() {
        let root = Cli::command();
        for (group, words, meant) in WORDS {
            let of = if group.is_empty() { Some(&root) } else { root.find_subcommand(group) };
            let of = of.unwrap_or_else(|| panic!("there is no {group}"));
            for word in *words {
                assert!(of.find_subcommand(word).is_none(), "{group} {word} is a command");
            }
            for command in *meant {
                let line = format!("mainspring {command}");
                let typed = line.split(' ');
                let refused = Cli::command().try_get_matches_from(typed).err().map(|error| error.kind());
                let lacks = [Some(ErrorKind::MissingRequiredArgument), None];
                assert!(lacks.contains(&refused), "{line}: {refused:?}");
            }
        }
        for group in GROUPS {
            let command = root.find_subcommand(group).expect(group);
            assert!(
                command.find_subcommand("get").is_some() && command.find_subcommand("list").is_some(),
                "{group}"
            );
        }
    }
}
