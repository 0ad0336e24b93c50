//! `[webhooks.NAME]`: who may send events by signed calls.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use mainspring_api::{InboundSecret, Webhook, Webhooks};
use mainspring_core::values::Name;
use mainspring_definition::TENANT_DEFAULT;

use super::named::{NamedSetting, WEBHOOKS};
use super::{Config, Value};

/// Secrets of one webhook: the one that is used, those that are replaced, and some more.
const SECRETS_MAX: usize = 10;

impl Config {
    /// What can be told without reading files of secrets.
    pub(super) fn webhook_mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        for name in self.webhook_names() {
            let mut wrong = |what: String| mistakes.push(format!("`webhooks.{name}`: {what}"));
            let (secrets, files) =
                (self.webhook_list(name, "secrets"), self.webhook_list(name, "secret_files"));
            match secrets.len() + files.len() {
                0 => wrong("it has neither `secrets` nor `secret_files`: nobody could send".into()),
                count if count > SECRETS_MAX => wrong(format!("{count} secrets are more than {SECRETS_MAX}")),
                _ => {}
            }
            for (at, text) in secrets.iter().enumerate() {
                if let Err(bad) = text.parse::<InboundSecret>() {
                    wrong(format!("secret {}: {bad}", at + 1));
                }
            }
            let tenant = self.webhook_tenant(name);
            if let Some(bad) = Name::new(&tenant).err() {
                wrong(format!("`tenant`: {bad}"));
            }
        }
        mistakes
    }

    pub(super) fn webhooks(&self) -> anyhow::Result<Webhooks> {
        let mut webhooks = BTreeMap::new();
        for name in self.webhook_names() {
            let mut secrets = Vec::new();
            for text in self.webhook_list(name, "secrets") {
                secrets.push(
                    text.parse::<InboundSecret>().with_context(|| format!("`webhooks.{name}.secrets`"))?,
                );
            }
            for path in self.webhook_list(name, "secret_files") {
                let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{path}`"))?;
                secrets.push(text.trim().parse::<InboundSecret>().with_context(|| format!("in `{path}`"))?);
            }
            let tenant = Name::new(&self.webhook_tenant(name)).map_err(|bad| anyhow::anyhow!("{bad}"))?;
            webhooks.insert(name.to_owned(), Webhook { tenant, secrets });
        }
        Ok(Webhooks(webhooks))
    }

    fn webhook_names(&self) -> BTreeSet<&str> {
        self.named.keys().filter(|key| key.table == WEBHOOKS).map(|key| key.name.as_str()).collect()
    }

    fn webhook_setting(&self, name: &str, field: &'static str) -> Option<&Value> {
        let key = NamedSetting { table: WEBHOOKS, name: name.to_owned(), field };
        self.named.get(&key).map(|(value, _)| value)
    }

    fn webhook_list(&self, name: &str, field: &'static str) -> &[String] {
        match self.webhook_setting(name, field) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }

    fn webhook_tenant(&self, name: &str) -> String {
        let tenant = self.webhook_setting(name, "tenant").map(ToString::to_string);
        tenant.filter(|tenant| !tenant.is_empty()).unwrap_or_else(|| TENANT_DEFAULT.to_owned())
    }
}
