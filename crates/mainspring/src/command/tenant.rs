//! Whose things are meant: `--tenant`, else `MAINSPRING_TENANT`, else that of the context.

use clap::Args;
use mainspring_definition::TENANT_DEFAULT;

use super::connect::Connect;
use super::context::Target;
use crate::config::environment;

const VARIABLE: &str = "MAINSPRING_TENANT";

/// Of something that is named, or that is made.
#[derive(Args)]
pub(crate) struct Tenant {
    /// Whose it is [env: `MAINSPRING_TENANT`] [default: that of the context, else `default`]
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
}

impl Tenant {
    /// As it was said; `None`: the server's default.
    pub(crate) fn given(&self, connect: &Connect) -> anyhow::Result<Option<String>> {
        chosen(self.tenant.clone(), connect)
    }

    pub(crate) fn name(&self, connect: &Connect) -> anyhow::Result<String> {
        Ok(self.given(connect)?.unwrap_or_else(|| TENANT_DEFAULT.to_owned()))
    }
}

/// Of a list.
#[derive(Args)]
pub(crate) struct OfTenant {
    /// Only of this tenant [env: `MAINSPRING_TENANT`] [default: that of the context, else all]
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// Of all tenants, whatever the context says
    #[arg(short = 'A', long, conflicts_with = "tenant")]
    all_tenants: bool,
}

impl OfTenant {
    pub(crate) fn filter(&self, connect: &Connect) -> anyhow::Result<Option<String>> {
        if self.all_tenants { Ok(None) } else { chosen(self.tenant.clone(), connect) }
    }
}

fn chosen(flag: Option<String>, connect: &Connect) -> anyhow::Result<Option<String>> {
    match flag.or_else(|| environment(VARIABLE)) {
        Some(tenant) => Ok(Some(tenant)),
        None => Ok(Target::of(connect)?.tenant),
    }
}
