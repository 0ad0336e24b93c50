//! `[webhooks.NAME]`: who may send events by signed calls.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use http::HeaderName;
use mainspring_api::{SIGNATURE_HEADER_DEFAULT, Scheme, Webhook, Webhooks};
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
            match self.webhook_scheme(name) {
                Ok(scheme) => {
                    for (at, text) in secrets.iter().enumerate() {
                        if let Err(bad) = scheme.secret(text) {
                            wrong(format!("secret {}: {bad}", at + 1));
                        }
                    }
                }
                Err(bad) => wrong(bad),
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
            let scheme =
                self.webhook_scheme(name).map_err(|bad| anyhow::anyhow!("`webhooks.{name}`: {bad}"))?;
            let mut secrets = Vec::new();
            for text in self.webhook_list(name, "secrets") {
                secrets.push(scheme.secret(text).with_context(|| format!("`webhooks.{name}.secrets`"))?);
            }
            for path in self.webhook_list(name, "secret_files") {
                let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{path}`"))?;
                secrets.push(scheme.secret(text.trim()).with_context(|| format!("in `{path}`"))?);
            }
            let tenant = Name::new(&self.webhook_tenant(name)).map_err(|bad| anyhow::anyhow!("{bad}"))?;
            webhooks.insert(name.to_owned(), Webhook { tenant, scheme, secrets });
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
        self.webhook_text(name, "tenant").unwrap_or_else(|| TENANT_DEFAULT.to_owned())
    }

    fn webhook_text(&self, name: &str, field: &'static str) -> Option<String> {
        self.webhook_setting(name, field).map(ToString::to_string).filter(|text| !text.is_empty())
    }

    fn webhook_scheme(&self, name: &str) -> Result<Scheme, String> {
        let scheme = self.webhook_text(name, "signature").map_or(Ok(Scheme::default()), |text| text.parse());
        let scheme = scheme.map_err(|bad| format!("`signature`: {bad}"))?;
        let header = |field: &'static str| -> Result<Option<HeaderName>, String> {
            let Some(text) = self.webhook_text(name, field) else { return Ok(None) };
            text.parse().map(Some).map_err(|_| format!("`{field}`: `{text}` is not the name of a header"))
        };
        let (signature, id) = (header("signature_header")?, header("id_header")?);
        match scheme {
            Scheme::Hmac { .. } => {
                let default = HeaderName::from_static(SIGNATURE_HEADER_DEFAULT);
                Ok(Scheme::Hmac { signature: signature.unwrap_or(default), id })
            }
            _ if signature.is_some() || id.is_some() => {
                Err("`signature_header` and `id_header` are only for `signature = \"hmac\"`".into())
            }
            scheme => Ok(scheme),
        }
    }
}
