//! Messages for people, on stderr.

/// Like `eprintln!`, but a stderr that cannot be written to (full disk, closed terminal) is ignored: `eprintln!` would
/// panic, and a server must not end because nobody can read its messages.
macro_rules! note {
    ($($message:tt)*) => {
        $crate::log::tell(format_args!($($message)*))
    };
}

pub(crate) use note;
