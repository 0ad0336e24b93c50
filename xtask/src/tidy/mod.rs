//! The written rules of this repository, checked. One file a check.
//! Entry: [`run`].
//! - TD-1 a finding names the place, what is wrong, and what to do
//! - TD-2 exceptions are listed with their size or number and may only shrink (`xtask/tidy-exceptions.txt`)
//!
//! Not here: what rustfmt and clippy check.

mod api_layers;
mod console;
mod core_order;
mod core_types;
mod core_words;
mod error_pages;
mod exceptions;
mod file_size;
mod function_length;
mod invariants;
mod layers;
mod links;
mod module_docs;
mod names;
mod old_words;
mod rust_text;
mod source_paths;
mod tree;

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result};

use self::exceptions::Measure;
use self::tree::Tree;
use crate::{client, contract};

/// Something to put right.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    path: String,
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// All findings, in the order of their places.
pub fn run() -> Result<Vec<Finding>> {
    let tree = Tree::read(&root()?)?;
    let mut findings = Vec::new();
    let (order, uses) = core_order::check(&tree);
    findings.extend(order);
    findings.extend(measures(&tree, uses));
    findings.extend(layers::check(&tree)?);
    findings.extend(api_layers::check(&tree));
    findings.extend(console::check(&tree));
    findings.extend(core_words::check(&tree));
    findings.extend(module_docs::check(&tree));
    findings.extend(names::check(&tree));
    findings.extend(old_words::check(&tree));
    findings.extend(error_pages::check(&tree));
    findings.extend(links::check(&tree));
    findings.extend(source_paths::check(&tree));
    findings.extend(promises(&tree)?);
    findings.extend(typed_client(&tree)?);
    findings.sort();
    Ok(findings)
}

/// What callers of the API were promised.
fn promises(tree: &Tree) -> Result<Vec<Finding>> {
    let broken = contract::broken(&tree.root)?;
    let advice = "keep it, or accept the change with `cargo xtask contract --accept`";
    Ok(broken
        .into_iter()
        .map(|what| Finding::new(contract::PROMISED, 1, format!("{what}; {advice}")))
        .collect())
}

/// The client has the types of the document.
fn typed_client(tree: &Tree) -> Result<Vec<Finding>> {
    let what = "not what the OpenAPI document gives; write it with `cargo xtask client`";
    let stale = client::stale(&tree.root)?;
    Ok(stale.iter().map(|path| Finding::new(path, 1, what)).collect())
}

/// The rules that have exceptions.
fn measures(tree: &Tree, mut measures: Vec<Measure>) -> Vec<Finding> {
    measures.extend(file_size::measure(tree));
    measures.extend(function_length::measure(tree));
    measures.extend(core_types::measure(tree));
    measures.extend(invariants::measure(tree));
    exceptions::check(measures, tree.text(exceptions::PATH).unwrap_or_default())
}

/// Cargo names the folder of this package to the programs it runs.
pub fn root() -> Result<PathBuf> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").context("run this as `cargo xtask tidy`")?;
    let root = PathBuf::from(package).parent().map(PathBuf::from);
    root.context("the xtask package must lie in the repository")
}
