//! `POST /v1/cron:preview`: an expression in, what it means and when it fires out.

use std::fmt;

use mainspring_core::calendar::{Dst, Missing, Twice};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::time::{Moment, TimeBody};
use super::whole;

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct CronPreviewBody {
    /// Five fields, six with the seconds first, or a name such as `@daily`
    #[cfg_attr(test, schemars(length(max = 256)))]
    pub expr: String,
    /// An IANA name; without one UTC.
    #[serde(default)]
    pub timezone: Option<String>,
    /// Fire times after this one; without it from now on.
    #[serde(default)]
    pub from: Option<TimeBody>,
    /// How many; 5 if it is not said
    #[serde(default, deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(min = 1, max = 1_000)))]
    pub count: Option<u32>,
    #[serde(default, deserialize_with = "dst")]
    #[cfg_attr(test, schemars(with = "Option<DstBody>"))]
    pub dst: DstBody,
    /// What `H` is drawn from.
    #[serde(default)]
    #[cfg_attr(test, schemars(length(max = 1_000)))]
    pub hash: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(deny_unknown_fields)]
pub(crate) struct DstBody {
    /// A local time that does not exist is skipped (the default), or fires after or before the gap
    #[serde(default)]
    pub missing: Option<MissingWord>,
    /// A local time that exists twice fires at the first (the default), at the second, or at both
    #[serde(default)]
    pub twice: Option<TwiceWord>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
pub(crate) enum MissingWord {
    Skip,
    After,
    Before,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
pub(crate) enum TwiceWord {
    First,
    Second,
    Both,
}

/// An object or null: a list would be read as the fields in their order, which nobody means.
fn dst<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DstBody, D::Error> {
    struct DstVisitor;

    impl<'de> Visitor<'de> for DstVisitor {
        type Value = DstBody;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("`dst` as an object with `missing` and `twice`")
        }

        fn visit_unit<E: Error>(self) -> Result<DstBody, E> {
            Ok(DstBody::default())
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DstBody, A::Error> {
            DstBody::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_any(DstVisitor)
}

impl From<DstBody> for Dst {
    fn from(body: DstBody) -> Self {
        let missing = body.missing.map_or_else(Missing::default, |word| match word {
            MissingWord::Skip => Missing::Skip,
            MissingWord::After => Missing::After,
            MissingWord::Before => Missing::Before,
        });
        let twice = body.twice.map_or_else(Twice::default, |word| match word {
            TwiceWord::First => Twice::First,
            TwiceWord::Second => Twice::Second,
            TwiceWord::Both => Twice::Both,
        });
        Self { missing, twice }
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CronPreview"))]
pub(crate) struct CronPreviewView {
    pub expr: String,
    pub timezone: &'static str,
    /// The expression in plain words
    pub description: String,
    /// It follows elapsed time, and `dst` does not matter.
    pub runs_through: bool,
    pub next: Vec<FiringView>,
    /// Local times that do not exist and were passed over, in all.
    pub skipped: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Firing"))]
pub(crate) struct FiringView {
    /// In UTC.
    pub at: Moment,
    /// On the clock of the zone, with its offset.
    #[cfg_attr(test, schemars(extend("format" = "date-time")))]
    pub local: String,
    /// Local times before it that do not exist and were passed over.
    pub skipped: u32,
}
