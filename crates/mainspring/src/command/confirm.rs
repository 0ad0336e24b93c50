//! Asking before much is changed.

use std::io::{IsTerminal, Write};

use crate::note::note;

/// Yes, if it was said beforehand or is typed now. Without a terminal nobody can be asked: then it is no.
pub(crate) fn confirmed(question: &str, yes: bool) -> bool {
    if yes {
        return true;
    }
    if !std::io::stdin().is_terminal() {
        note!("error: nobody can be asked here: {question}\n\nhint: say --yes");
        return false;
    }
    let _ = write!(std::io::stderr().lock(), "{question} [y/N] ");
    let mut answer = String::new();
    let _ = std::io::stdin().read_line(&mut answer);
    matches!(answer.trim(), "y" | "Y" | "yes")
}
