//! What went wrong, as a number: errors that differ only in numbers, ids and quoted parts have the same.
//! - FP-1 it depends on tenant, job, class, code and the words of the last error only, and stays the same for ever: callers
//!   keep it

use super::Task;

pub fn fingerprint(task: &Task) -> u64 {
    let mut hash = Fnv::new();
    hash.part(&task.profile.tenant);
    hash.part(&task.profile.job);
    if let Some(failure) = task.failures().last().map(|attempt| &attempt.failure) {
        hash.part(failure.class.label());
        hash.part(&failure.code.to_string());
        hash.part(&words(&failure.message));
    }
    hash.finish()
}

/// FNV-1a, 64 bits: no one gains anything by a collision, which only makes two groups one.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn part(&mut self, text: &str) {
        text.bytes().chain([0]).for_each(|byte| self.byte(byte));
    }

    /// The last bytes reach only the low bits; this spreads them.
    fn finish(self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ (mixed >> 33)
    }
}

/// What is left of a message without what differs from task to task: numbers and long hexadecimal words become `#`, what
/// is quoted becomes `…`.
fn words(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        if matches!(first, '`' | '"')
            && let Some(end) = rest[1..].find(first)
        {
            out.push('…');
            rest = &rest[end + 2..];
            continue;
        }
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        if length == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(length);
        out.push_str(&without_numbers(word));
        rest = after;
    }
    out
}

fn without_numbers(word: &str) -> String {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    if has_digit && word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return "#".to_owned();
    }
    let mut out = String::new();
    for c in word.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_task_to_task_is_left_out() {
        let rows = [
            ("row 12 of `a` is bad", "row # of … is bad"),
            ("row 9 of \"b c\" is bad", "row # of … is bad"),
            ("exit code 3", "exit code #"),
            ("no 0fa81b2c33 here", "no # here"),
            ("feedface stays", "feedface stays"),
            ("an open ` stays", "an open ` stays"),
            ("größe 5µs", "größe #µs"),
            ("", ""),
        ];
        for (message, wanted) in rows {
            assert_eq!(words(message), wanted, "{message}");
        }
    }
}
