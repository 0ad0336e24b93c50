//! A retry policy as callers write it: `{"max_retries": 3, "backoff": "exponential"}` and finer.

use mainspring_core::retry::{Backoff, DELAYS_MAX, Jitter, RetryOnly, RetryPolicy};
use mainspring_core::values::{FailureClass, Millis};
use serde::{Deserialize, Serialize};

use super::whole;
use crate::problem::Problem;

/// Most retries that can be asked for.
pub const RETRIES_MAX: u32 = 100_000;

#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RetryPolicy"))]
#[serde(deny_unknown_fields, default)]
pub struct RetryBody {
    /// Retries after the first attempt.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(max = 100_000), extend("default" = 3)))]
    pub max_retries: Option<u32>,
    /// `none`, `fixed`, `linear`, `exponential`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff: Option<BackoffWord>,
    /// The first wait; the step of a linear backoff.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(extend("default" = 1_000)))]
    pub initial_delay_ms: Option<u64>,
    /// Growth of an exponential backoff, in percent: 200 doubles.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(min = 100, max = 10_000), extend("default" = 200)))]
    pub growth_percent: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(extend("default" = 3_600_000)))]
    pub max_delay_ms: Option<u64>,
    /// The n-th retry waits the n-th entry, instead of `backoff`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::list")]
    #[cfg_attr(test, schemars(length(min = 1, max = 64)))]
    pub delays_ms: Option<Vec<u64>>,
    /// 0 = none, 100 = anywhere up to the delay. Without it: 100 for an exponential backoff, else 0.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub jitter_percent: Option<u8>,
    /// Retry only failures of these classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::failure_classes"))]
    pub retry_on: Option<Vec<String>>,
    /// Retry only these exit codes or HTTP statuses.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "whole::list")]
    #[cfg_attr(test, schemars(length(max = 64)))]
    pub retry_on_codes: Option<Vec<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefer_other_worker: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum BackoffWord {
    #[serde(alias = "NONE")]
    None,
    #[serde(alias = "constant", alias = "FIXED")]
    Fixed,
    #[serde(alias = "LINEAR")]
    Linear,
    #[serde(alias = "EXPONENTIAL")]
    Exponential,
}

impl RetryBody {
    pub fn policy(&self) -> Result<RetryPolicy, Problem> {
        let usual = RetryPolicy::default();
        let retries = self.max_retries.unwrap_or(usual.attempts_max - 1);
        if retries > RETRIES_MAX {
            let what = format!("{retries} retries are more than {RETRIES_MAX}");
            return Err(Problem::field("retry_policy.max_retries", what));
        }
        let backoff = self.backoff()?;
        Ok(RetryPolicy {
            attempts_max: retries + 1,
            cap: self.max_delay_ms.map_or(usual.cap, Millis::new),
            jitter: match self.jitter_percent {
                None => backoff.jitter_default(),
                Some(0) => Jitter::None,
                Some(100) => Jitter::Full,
                Some(percent) if percent < 100 => Jitter::Percent(percent),
                Some(_) => return Err(Problem::field("retry_policy.jitter_percent", "at most 100")),
            },
            backoff,
            only: self.only()?,
            prefer_other_worker: self.prefer_other_worker.unwrap_or(usual.prefer_other_worker),
            ..usual
        })
    }

    fn backoff(&self) -> Result<Backoff, Problem> {
        if let Some(delays) = &self.delays_ms {
            check_count("retry_policy.delays_ms", delays.len())?;
            if delays.is_empty() {
                return Err(Problem::field("retry_policy.delays_ms", "name one delay at least"));
            }
            return Ok(Backoff::List(delays.iter().copied().map(Millis::new).collect()));
        }
        let first = Millis::new(self.initial_delay_ms.unwrap_or(1_000));
        let percent = self.growth_percent.unwrap_or(200);
        if !(100..=10_000).contains(&percent) {
            return Err(Problem::field("retry_policy.growth_percent", "between 100 and 10000"));
        }
        Ok(match self.backoff.unwrap_or(BackoffWord::Exponential) {
            BackoffWord::None => Backoff::None,
            BackoffWord::Fixed => Backoff::Fixed(first),
            BackoffWord::Linear => Backoff::Linear(first),
            BackoffWord::Exponential => Backoff::Exponential { first, percent },
        })
    }

    fn only(&self) -> Result<RetryOnly, Problem> {
        let words = self.retry_on.as_deref().unwrap_or_default();
        let codes = self.retry_on_codes.clone().unwrap_or_default();
        check_count("retry_policy.retry_on", words.len())?;
        check_count("retry_policy.retry_on_codes", codes.len())?;
        let class = |word: &String| {
            let known = FailureClass::ALL.into_iter().find(|class| class.label().eq_ignore_ascii_case(word));
            known.ok_or_else(|| {
                Problem::field("retry_policy.retry_on", format!("there is no failure class `{word}`"))
            })
        };
        Ok(RetryOnly { classes: words.iter().map(class).collect::<Result<_, _>>()?, codes })
    }
}

fn check_count(field: &'static str, count: usize) -> Result<(), Problem> {
    if count > DELAYS_MAX {
        return Err(Problem::TooManyEntries { field, count, max: DELAYS_MAX });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_wait_is_fixed_unless_jitter_is_asked_for() {
        let rows = [
            ("{}", Jitter::Full),
            (r#"{"backoff":"exponential"}"#, Jitter::Full),
            (r#"{"backoff":"fixed","initial_delay_ms":500}"#, Jitter::None),
            (r#"{"backoff":"linear"}"#, Jitter::None),
            (r#"{"delays_ms":[10,20]}"#, Jitter::None),
            (r#"{"backoff":"fixed","jitter_percent":20}"#, Jitter::Percent(20)),
            (r#"{"backoff":"exponential","jitter_percent":0}"#, Jitter::None),
        ];
        for (text, jitter) in rows {
            let body: RetryBody = serde_json::from_str(text).expect("a policy");
            assert_eq!(body.policy().expect("good").jitter, jitter, "{text}");
        }
    }
}
