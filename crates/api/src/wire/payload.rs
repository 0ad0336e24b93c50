//! What each executor needs of its payload, checked at the door so that nothing fails for it later. Fields that are
//! not named here are the executor's business.

use mainspring_core::values::Wall;
use mainspring_core::wait::Awaited;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::text::Text;
use super::whole;
use crate::problem::Problem;

const FIELD: &str = "payload";
pub(super) const URL_BYTES_MAX: usize = 8 * 1024;
/// What reads payloads later gives up at 128.
const DEPTH_MAX: usize = 100;
/// As long as Linux lets a login name be.
pub(super) const USER_BYTES_MAX: usize = 256;

#[derive(Deserialize)]
struct Http<'a> {
    #[serde(borrow)]
    url: Text<'a>,
}

#[derive(Deserialize)]
struct Process<'a> {
    #[serde(borrow)]
    argv: Vec<Text<'a>>,
    #[serde(borrow)]
    user: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Sleep {
    #[expect(dead_code, reason = "it only has to be there")]
    #[serde(deserialize_with = "whole::of")]
    ms: u64,
}

#[derive(Deserialize)]
struct Poll {
    http: Option<Address>,
    file: Option<File>,
}

#[derive(Deserialize)]
struct Address {
    #[expect(dead_code, reason = "it only has to be there")]
    url: String,
}

#[derive(Deserialize)]
struct File {
    #[expect(dead_code, reason = "it only has to be there")]
    path: String,
}

/// Whether lists and objects lie in one another more than so many times. The text is JSON.
fn is_deeper(text: &str, most: usize) -> bool {
    // Each level has a bracket at both ends.
    if text.len() <= 2 * most {
        return false;
    }
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                if depth > most {
                    return true;
                }
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Documents of callers come back inside of answers, which common readers of JSON follow down to 128 levels.
pub(crate) fn too_deep(text: &str) -> Option<String> {
    is_deeper(text, DEPTH_MAX).then(|| format!("it is nested deeper than {DEPTH_MAX} levels"))
}

pub(crate) fn check(executor: &str, payload: Option<&RawValue>, now: Wall) -> Result<(), Problem> {
    let text = payload.map_or("null", RawValue::get);
    if let Some(what) = too_deep(text) {
        return Err(Problem::field(FIELD, what));
    }
    match executor {
        "http" => {
            let http: Http<'_> = read(text, "the `http` executor needs an object with `url`")?;
            let is_web = ["http://", "https://"].iter().any(|scheme| {
                http.url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
            });
            if !is_web {
                return Err(Problem::field("payload.url", "it must begin with `http://` or `https://`"));
            }
            if http.url.len() > URL_BYTES_MAX {
                let what = format!("it has {} bytes of at most {URL_BYTES_MAX}", http.url.len());
                return Err(Problem::field("payload.url", what));
            }
        }
        "process" => {
            let process: Process<'_> = read(text, "the `process` executor needs an object with `argv`")?;
            if process.argv.first().is_none_or(|program| program.is_empty()) {
                return Err(Problem::field("payload.argv", "it names no program"));
            }
            if let Some(why) = process.user.and_then(|user| not_a_user(&user)) {
                return Err(Problem::field("payload.user", why));
            }
        }
        "sleep" => {
            read::<Sleep>(text, "the `sleep` executor needs an object with `ms`")?;
        }
        "wait" => {
            let wait = mainspring_definition::wait::read(text.as_bytes(), now);
            let wait = wait.map_err(|why| Problem::field(FIELD, why))?;
            if matches!(wait.what, Awaited::Approval(_)) {
                let why = "only a task of a run can wait for approval: make it a task of a job (`approve`)";
                return Err(Problem::field(FIELD, why));
            }
        }
        "poll" => {
            let poll: Poll = read(text, "the `poll` executor needs an object with `http` or `file`")?;
            if poll.http.is_some() == poll.file.is_some() {
                return Err(Problem::field(FIELD, "it must have one of `http` and `file`"));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Whether there is such a user only the worker knows.
fn not_a_user(user: &str) -> Option<String> {
    if user.len() > USER_BYTES_MAX {
        return Some(format!("it has {} bytes of at most {USER_BYTES_MAX}", user.len()));
    }
    // The highest number means nobody.
    let is_number = |text: &str| {
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        is_digits && text.parse::<u32>().is_ok_and(|number| number != u32::MAX)
    };
    let is_name = |text: &str| !text.contains([':', '/']) && !text.contains(char::is_control);
    let is_right = match user.split_once(':') {
        Some((uid, gid)) => is_number(uid) && is_number(gid),
        None if user.starts_with(|first: char| first.is_ascii_digit()) => is_number(user),
        None => !user.is_empty() && is_name(user),
    };
    (!is_right).then(|| "it is neither a name nor `uid` nor `uid:gid`".to_owned())
}

fn read<'a, T: Deserialize<'a>>(text: &'a str, need: &str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| Problem::field(FIELD, format!("{need}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_of_texts() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!is_deeper(&nested(100), 100) && is_deeper(&nested(101), 100));
        let text = format!("{{\"a\\\"{}\": [{}]}}", "[".repeat(300), "\"{\",".repeat(200) + "1");
        assert!(!is_deeper(&text, 100), "brackets in texts are none");
        let wide = format!("[{}1]", "[[]],".repeat(500));
        assert!(!is_deeper(&wide, 100));
    }

    #[test]
    fn a_user_is_a_name_or_numbers() {
        let long = "u".repeat(USER_BYTES_MAX + 1);
        let rows = [
            ("null", true),
            (r#""www-data""#, true),
            (r#""DOMAIN\\svc backup""#, true),
            (r#""1000""#, true),
            (r#""1000:100""#, true),
            (r#""0""#, true),
            (r#""""#, false),
            ("1000", false),
            (r#""1000:""#, false),
            (r#""1000:staff""#, false),
            (r#""+1:1""#, false),
            (r#""4294967295""#, false),
            (r#""1000:4294967295""#, false),
            (r#""12ab""#, false),
            (r#""a/b""#, false),
            (r#""a\u0000b""#, false),
            (&format!("\"{long}\""), false),
        ];
        for (user, good) in rows {
            let text = format!(r#"{{"argv":["true"],"user":{user}}}"#);
            let payload: Box<RawValue> = serde_json::from_str(&text).expect("JSON");
            assert_eq!(check("process", Some(&payload), Wall::from_millis(0)).is_ok(), good, "{user}");
        }
    }
}
