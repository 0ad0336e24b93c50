//! Names of jobs, tasks, schedules and parameters: fit for addresses, files and expressions.

use mainspring_core::values::{NAME_BYTES_MAX, Name};

use super::at::At;
use crate::mistake::{Code, Mistakes, Spot};

const HELP: &str = "use letters, digits, `_` and `-`, and begin with a letter or a digit";

pub fn job_name(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Name> {
    let text = at.text(mistakes)?;
    checked("job", text, &at.spot, &['.'], mistakes)
}

pub fn task_name(text: &str, spot: &Spot, mistakes: &mut Mistakes) -> Option<Name> {
    checked("task", text, spot, &[], mistakes)
}

pub fn schedule_name(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Name> {
    let text = at.text(mistakes)?;
    checked("schedule", text, &at.spot, &['.'], mistakes)
}

pub fn trigger_name(at: &At<'_>, mistakes: &mut Mistakes) -> Option<Name> {
    let text = at.text(mistakes)?;
    checked("trigger", text, &at.spot, &['.'], mistakes)
}

/// Letters, digits, `_`, `-` and these.
pub fn is_name(text: &str, also: &[char]) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || also.contains(&c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    begins && text.chars().all(good) && text.len() <= NAME_BYTES_MAX
}

fn checked(kind: &str, text: &str, spot: &Spot, also: &[char], mistakes: &mut Mistakes) -> Option<Name> {
    if is_name(text, also) {
        return Name::new(text).ok();
    }
    let shown: String = text.chars().take(60).collect();
    let what = if text.len() > NAME_BYTES_MAX {
        format!("the name of a {kind} has at most {NAME_BYTES_MAX} bytes")
    } else {
        format!("`{shown}` is not a name of a {kind}")
    };
    mistakes.add(Code::BadName, spot, what, HELP);
    None
}

/// A parameter is read as `params.name`.
pub fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.len() <= NAME_BYTES_MAX
}
