//! Settings of things that people name: `[pools.NAME]`, `[tenants.NAME]`, `[named_limits.NAME]`, `[webhooks.NAME]`. Files and flags set them; there are no
//! variables for them, because names are not known beforehand.

use std::collections::BTreeSet;
use std::fmt;

use mainspring_core::dispatch::{POOL_DEFAULT, TENANT_DEFAULT};
use mainspring_core::engine::Configure;
use mainspring_core::values::Name;

use super::value::{Kind, Value};
use super::{Config, Source};

pub(crate) struct NamedKey {
    pub(crate) table: &'static str,
    pub(crate) field: &'static str,
    pub(crate) kind: Kind,
    pub(crate) about: &'static str,
}

const fn key(table: &'static str, field: &'static str, max: u64, about: &'static str) -> NamedKey {
    NamedKey { table, field, kind: Kind::Count { min: 1, max }, about }
}

const fn webhook(field: &'static str, kind: Kind, about: &'static str) -> NamedKey {
    NamedKey { table: WEBHOOKS, field, kind, about }
}

pub(super) const WEBHOOKS: &str = "webhooks";

/// Pools, tenants, limits and webhooks that have settings of their own.
const NAMES_MAX: usize = 10_000;

#[rustfmt::skip]
pub(crate) const NAMED: &[NamedKey] = &[
    key("named_limits", "max", 1_000_000_000, "Most attempts of a tenant that hold a place in the limit at once, for each of its keys"),
    key("pools", "running_max", 1_000_000_000, "Most attempts at once over all workers of the pool"),
    key("pools", "queued_max", 1_000_000_000, "Most tasks that wait for the pool; beyond that submissions are refused"),
    key("tenants", "weight", 1_000_000, "Turns relative to other tenants, which have 1"),
    key("tenants", "running_max", 1_000_000_000, "Most attempts of the tenant at once over all pools"),
    webhook("tenant", Kind::Text, "Whose events come in by it; `default` unless it is said"),
    webhook("secrets", Kind::List, "Secrets that sign its calls: `whsec_` and base64 for `standard`, else 16 to 256 letters; several while one is replaced"),
    webhook("secret_files", Kind::List, "Files with one such secret each"),
    webhook("signature", Kind::Text, "How calls are signed: `standard` (Standard Webhooks), `github`, `gitlab`, or `hmac`; `standard` unless it is said"),
    webhook("signature_header", Kind::Text, "For `hmac`: the header with the HMAC-SHA256 of the body; `X-Signature-256` unless it is said"),
    webhook("id_header", Kind::Text, "For `hmac`: the header with the id of the call, the same for every attempt; without it each call is an event of its own"),
];

/// Which setting of which pool, tenant or limit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NamedSetting {
    pub(crate) table: &'static str,
    pub(crate) name: String,
    pub(crate) field: &'static str,
}

/// As a file with dotted keys has it.
impl fmt::Display for NamedSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let Self { table, name, field } = self;
        if name.chars().all(bare) {
            write!(f, "{table}.{name}.{field}")
        } else {
            write!(f, "{table}.{name:?}.{field}")
        }
    }
}

pub(super) fn is_table(name: &str) -> bool {
    NAMED.iter().any(|key| key.table == name)
}

/// The setting and what it takes, or what is wrong with the name.
pub(super) fn find(table: &str, name: &str, field: &str) -> Result<(NamedSetting, Kind), String> {
    let short: String = name.chars().take(80).collect();
    if name.is_empty() {
        return Err(format!("`{table}`: the name is missing"));
    }
    if let Err(bad) = Name::new(name) {
        return Err(format!("`{table}.{short}`: {bad}"));
    }
    let fields = || NAMED.iter().filter(|key| key.table == table);
    let Some(key) = fields().find(|key| key.field == field) else {
        let known: Vec<String> = fields().map(|key| format!("`{}`", key.field)).collect();
        let field: String = field.chars().take(80).collect();
        return Err(format!(
            "there is no setting `{table}.{short}.{field}`; there are {}",
            known.join(" and ")
        ));
    };
    Ok((NamedSetting { table: key.table, name: name.to_owned(), field: key.field }, key.kind))
}

/// `pools.mail.queued_max` of a flag: everything between the first and the last dot is the name.
pub(super) fn find_dotted(text: &str) -> Option<Result<(NamedSetting, Kind), String>> {
    let (table, rest) = text.split_once('.').filter(|(table, _)| is_table(table))?;
    let Some((name, field)) = rest.rsplit_once('.') else {
        return Some(Err(format!("write it as `{table}.NAME.SETTING`")));
    };
    let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    Some(find(table, quoted.unwrap_or(name), field))
}

impl NamedSetting {
    /// Not to be shown to anybody.
    pub(crate) fn is_secret(&self) -> bool {
        self.table == WEBHOOKS && self.field == "secrets"
    }
}

impl Config {
    /// Settings of pools, tenants, limits and webhooks, with where each came from.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&NamedSetting, &(Value, Source))> {
        self.named.iter()
    }

    pub(super) fn too_many_names(&self) -> Option<String> {
        let names: BTreeSet<_> = self.named.keys().map(|key| (key.table, &key.name)).collect();
        let count = names.len();
        (count > NAMES_MAX).then(|| {
            format!("{count} pools, tenants, limits and webhooks have settings; at most {NAMES_MAX} may")
        })
    }

    /// What the server tells its shard at the start.
    pub(super) fn configures(&self) -> Vec<Configure> {
        let number = |table, name: &str, field| {
            let key = NamedSetting { table, name: name.to_owned(), field };
            match self.named.get(&key) {
                Some((Value::Number(number), _)) => Some(*number),
                _ => None,
            }
        };
        let bounded = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let shares = self.named.keys().filter(|key| key.table != WEBHOOKS);
        let names: BTreeSet<_> = shares.map(|key| (key.table, key.name.as_str())).collect();
        let configure = |(table, text): (&'static str, &str)| {
            let name = Name::new(text).ok()?;
            let running_max = number(table, text, "running_max").map(bounded);
            Some(if table == "named_limits" {
                Configure::Limit { limit: name, max: number(table, text, "max").map(bounded) }
            } else if table == "pools" {
                let mut limit = POOL_DEFAULT;
                limit.running_max = running_max.unwrap_or(limit.running_max);
                limit.queued_max = number(table, text, "queued_max").unwrap_or(limit.queued_max);
                Configure::Pool { pool: name, limit }
            } else {
                let mut share = TENANT_DEFAULT;
                share.running_max = running_max.unwrap_or(share.running_max);
                share.weight = number(table, text, "weight").map_or(share.weight, bounded);
                Configure::Tenant { tenant: name, share }
            })
        };
        names.into_iter().filter_map(configure).collect()
    }
}
