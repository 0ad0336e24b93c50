//! What each executor needs of its payload, checked at the door so that nothing fails for it later. Fields that are
//! not named here are the executor's business.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::text::Text;
use super::whole;
use crate::problem::Problem;

const FIELD: &str = "payload";
const URL_BYTES_MAX: usize = 8 * 1024;

#[derive(Deserialize)]
struct Http<'a> {
    #[serde(borrow)]
    url: Text<'a>,
}

#[derive(Deserialize)]
struct Process<'a> {
    #[serde(borrow)]
    argv: Vec<Text<'a>>,
}

#[derive(Deserialize)]
struct Sleep {
    #[expect(dead_code, reason = "it only has to be there")]
    #[serde(deserialize_with = "whole::of")]
    ms: u64,
}

pub(crate) fn check(executor: &str, payload: Option<&RawValue>) -> Result<(), Problem> {
    let text = payload.map_or("null", RawValue::get);
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
        }
        "sleep" => {
            read::<Sleep>(text, "the `sleep` executor needs an object with `ms`")?;
        }
        _ => {}
    }
    Ok(())
}

fn read<'a, T: Deserialize<'a>>(text: &'a str, need: &str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| Problem::field(FIELD, format!("{need}: {error}")))
}
