//! What is wrong with a job file: where, what, and what to do about it.
//! - MI-1 all mistakes of a text are told at once, in the order of their places
//! - MI-2 a code means the same for ever; `docs/job-files.md` lists them all

use std::fmt;
use std::sync::Arc;

use crate::limits::MISTAKES_MAX;

macro_rules! codes {
    ($($code:ident $label:literal,)+) => {
        /// What kind of mistake it is, for programs.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Code { $($code,)+ }

        impl Code {
            pub const ALL: &'static [Self] = &[$(Self::$code,)+];

            pub const fn label(self) -> &'static str {
                match self { $(Self::$code => $label,)+ }
            }
        }
    };
}

codes! {
    Syntax "syntax",
    TooLarge "too_large",
    TooDeep "too_deep",
    TooMany "too_many",
    DuplicateKey "duplicate_key",
    UnknownField "unknown_field",
    MissingField "missing_field",
    WrongType "wrong_type",
    BadValue "bad_value",
    BadName "bad_name",
    Unsupported "unsupported",
    NoWork "no_work",
    TwoWorks "two_works",
    DuplicateJob "duplicate_job",
    DuplicateTask "duplicate_task",
    UnknownTask "unknown_task",
    SelfDependency "self_dependency",
    DuplicateDependency "duplicate_dependency",
    Cycle "cycle",
    CallsItself "calls_itself",
    ImpossibleRule "impossible_rule",
    BadExpression "bad_expression",
    BadTemplate "bad_template",
    UnsafeShell "unsafe_shell",
    UnknownParameter "unknown_parameter",
    MissingParameter "missing_parameter",
    BadParameter "bad_parameter",
    NotUpstream "not_upstream",
    UndeclaredOutput "undeclared_output",
    OutOfPlace "out_of_place",
    NoTiming "no_timing",
    TwoTimings "two_timings",
    DuplicateSchedule "duplicate_schedule",
    BadCron "bad_cron",
    UnknownTimeZone "unknown_time_zone",
    NeverFires "never_fires",
    NoEvent "no_event",
    TwoEvents "two_events",
    DuplicateTrigger "duplicate_trigger",
    MoreMistakes "more_mistakes",
}

/// A place in a text, both counted from 1. Zero: nowhere in particular.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    pub code: Code,
    /// As the caller called the text.
    pub file: Arc<str>,
    pub at: Position,
    /// `tasks.load.needs[1]`; empty: the whole text.
    pub path: String,
    pub what: String,
    /// What to do; may be empty.
    pub help: String,
}

/// `file:line:column: path: what`; the help is for whoever prints it.
impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", self.file)?;
        }
        if self.at.line > 0 {
            write!(f, "{}:{}:", self.at.line, self.at.column)?;
        }
        if !self.file.is_empty() || self.at.line > 0 {
            f.write_str(" ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.what)
    }
}

/// A place with the names that lead to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spot {
    pub at: Position,
    pub path: String,
}

/// Collects mistakes of one text.
#[derive(Debug)]
pub struct Mistakes {
    file: Arc<str>,
    list: Vec<Mistake>,
    untold: usize,
}

impl Mistakes {
    pub fn new(file: &str) -> Self {
        Self { file: file.into(), list: Vec::new(), untold: 0 }
    }

    pub fn add(&mut self, code: Code, spot: &Spot, what: impl Into<String>, help: impl Into<String>) {
        if self.list.len() >= MISTAKES_MAX {
            self.untold += 1;
            return;
        }
        let (at, path) = (spot.at, spot.path.clone());
        let (what, help) = (what.into(), help.into());
        self.list.push(Mistake { code, file: self.file.clone(), at, path, what, help });
    }

    pub fn count(&self) -> usize {
        self.list.len() + self.untold
    }

    /// In the order of their places.
    pub fn into_sorted(mut self) -> Vec<Mistake> {
        self.list.sort_by_key(|mistake| mistake.at);
        if self.untold > 0 {
            let what = format!("{} more mistakes are not shown", self.untold);
            let (file, at, path) = (self.file, Position::default(), String::new());
            self.list.push(Mistake { code: Code::MoreMistakes, file, at, path, what, help: String::new() });
        }
        self.list
    }
}
