//! What the cron commands have in common: the zone, the policy for clock changes, and what `H` is drawn from.

use clap::builder::PossibleValuesParser;
use clap::{Args, builder::TypedValueParser};
use jiff::Timestamp;
use mainspring_core::calendar::{Cron, Dst, Missing, Twice, Zone};

use super::Refusal;

#[derive(Args)]
pub(super) struct Policy {
    /// A local time that does not exist: skip it, or run at the edge after or before the gap
    #[arg(long, value_name = "POLICY", default_value = "skip", value_parser = missing())]
    dst_missing: Missing,
    /// A local time that exists twice: run at the first, at the second, or at both
    #[arg(long, value_name = "POLICY", default_value = "first", value_parser = twice())]
    dst_twice: Twice,
    #[command(flatten)]
    hash: Hash,
}

#[derive(Args)]
pub(super) struct Hash {
    /// What `H` is drawn from: the tenant, the job and the schedule, with `/` between
    #[arg(long, value_name = "TEXT", default_value = "")]
    hash: String,
}

impl Policy {
    pub(super) fn dst(&self) -> Dst {
        Dst { missing: self.dst_missing, twice: self.dst_twice }
    }

    pub(super) fn seed(&self) -> u64 {
        self.hash.seed()
    }
}

impl Hash {
    pub(super) fn seed(&self) -> u64 {
        Cron::seed(&self.hash)
    }
}

fn missing() -> impl TypedValueParser<Value = Missing> {
    let words = PossibleValuesParser::new(Missing::ALL.map(Missing::label));
    words.map(|word| Missing::find(&word).unwrap_or_default())
}

fn twice() -> impl TypedValueParser<Value = Twice> {
    let words = PossibleValuesParser::new(Twice::ALL.map(Twice::label));
    words.map(|word| Twice::find(&word).unwrap_or_default())
}

pub(super) fn expression(text: &str, seed: u64) -> Result<Cron, Refusal> {
    Cron::parse(text, seed).map_err(|error| Refusal { wrong: error.message(), hint: error.advice })
}

pub(super) fn zone(name: &str) -> Result<Zone, Refusal> {
    Zone::find(name).ok_or_else(|| {
        let near = Zone::suggest(name).map(|near| format!("did you mean `{near}`? "));
        Refusal {
            wrong: format!("there is no time zone `{}`", name.chars().take(100).collect::<String>()),
            hint: format!("{}use an IANA name such as `Europe/Berlin`", near.unwrap_or_default()),
        }
    })
}

/// RFC 3339 with an offset, or seconds since 1970.
pub(super) fn instant(text: &str) -> Result<Timestamp, Refusal> {
    let seconds = text.parse::<i64>().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    seconds.or_else(|| text.parse().ok()).ok_or_else(|| Refusal {
        wrong: format!("`{}` is not a time", text.chars().take(100).collect::<String>()),
        hint: "write it like `2026-01-15T14:40:00Z`, or as seconds since 1970".to_owned(),
    })
}

/// The second after which the next one is looked for; with `inclusive` the instant itself may be the answer.
pub(super) fn second_before(base: Timestamp, inclusive: bool) -> i64 {
    let whole = base.as_second() - i64::from(base.subsec_nanosecond() < 0);
    whole - i64::from(inclusive && base.subsec_nanosecond() == 0)
}
