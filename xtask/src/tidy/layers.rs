//! A crate is a layer, and dependencies point one way.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Finding;
use super::tree::Tree;

struct Layer {
    package: &'static str,
    /// Which of our packages it may depend on, for its tests too.
    ours: &'static [&'static str],
    foreign: Foreign,
}

enum Foreign {
    Any,
    Only { normal: &'static [&'static str], dev: &'static [&'static str] },
}

const CORE: &str = "mainspring-core";
const DEFINITION: &str = "mainspring-definition";
const STORE: &str = "mainspring-store";
const STORE_LOCAL: &str = "mainspring-store-local";
const RUNTIME: &str = "mainspring-runtime";
const SIM: &str = "mainspring-sim";
const PROTO: &str = "mainspring-proto";
const AGENT: &str = "mainspring-agent";
const API: &str = "mainspring-api";
const CLIENT: &str = "mainspring-client";
const CONSOLE: &str = "mainspring-console";

/// Every arrow that may exist.
const LAYERS: [Layer; 14] = [
    Layer {
        package: CORE,
        ours: &[],
        foreign: Foreign::Only {
            // jiff: only for the bundled table of time zones.
            normal: &["foldhash", "hashbrown", "jiff"],
            dev: &["proptest", "serde_json"],
        },
    },
    Layer { package: DEFINITION, ours: &[CORE], foreign: Foreign::Any },
    Layer { package: STORE, ours: &[CORE], foreign: Foreign::Any },
    Layer { package: STORE_LOCAL, ours: &[CORE, STORE], foreign: Foreign::Any },
    Layer { package: RUNTIME, ours: &[CORE, STORE], foreign: Foreign::Any },
    Layer { package: SIM, ours: &[CORE, STORE, RUNTIME], foreign: Foreign::Any },
    Layer { package: PROTO, ours: &[], foreign: Foreign::Any },
    Layer { package: AGENT, ours: &[CORE, PROTO], foreign: Foreign::Any },
    // The local store is for its tests.
    Layer {
        package: API,
        ours: &[CORE, DEFINITION, STORE, STORE_LOCAL, RUNTIME, PROTO],
        foreign: Foreign::Any,
    },
    Layer { package: CLIENT, ours: &[CORE, DEFINITION], foreign: Foreign::Any },
    Layer { package: CONSOLE, ours: &[], foreign: Foreign::Any },
    Layer {
        package: "mainspring",
        ours: &[CORE, DEFINITION, STORE, STORE_LOCAL, RUNTIME, SIM, PROTO, AGENT, API, CLIENT, CONSOLE],
        foreign: Foreign::Any,
    },
    Layer {
        package: "mainspring-fuzz",
        ours: &[CORE, STORE, STORE_LOCAL, RUNTIME, PROTO, API],
        foreign: Foreign::Any,
    },
    Layer { package: "xtask", ours: &[], foreign: Foreign::Any },
];

const TABLE: &str = "xtask/src/tidy/layers.rs";

pub fn check(tree: &Tree) -> Result<Vec<Finding>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(&tree.root)
        .output()
        .context("cannot run `cargo metadata`")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let root = format!("{}/", tree.root.display());
    check_metadata(&serde_json::from_slice(&output.stdout)?, &root)
}

fn check_metadata(metadata: &Value, root: &str) -> Result<Vec<Finding>> {
    let packages = metadata["packages"].as_array().context("`cargo metadata` names no packages")?;
    let names: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut findings = Vec::new();
    for (package, name) in packages.iter().zip(&names) {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let manifest = manifest.strip_prefix(root).unwrap_or(manifest);
        let Some(layer) = LAYERS.iter().find(|layer| layer.package == *name) else {
            let what = format!("`{name}` is in no layer; add a row to LAYERS in {TABLE}");
            findings.push(Finding::new(manifest, 1, what));
            continue;
        };
        let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
        let wrong = dependencies.iter().filter_map(|dependency| check_dependency(layer, dependency, &names));
        findings.extend(wrong.map(|what| Finding::new(manifest, 1, what)));
    }
    let unused = LAYERS.iter().filter(|layer| !names.contains(&layer.package));
    findings.extend(unused.map(|layer| {
        Finding::new(TABLE, 1, format!("there is no package `{}`; delete its row", layer.package))
    }));
    Ok(findings)
}

fn check_dependency(layer: &Layer, dependency: &Value, names: &[&str]) -> Option<String> {
    let package = layer.package;
    let name = dependency["name"].as_str()?;
    if names.contains(&name) {
        let wrong = format!("`{package}` may not depend on `{name}`; move what it needs to a lower layer");
        return (!layer.ours.contains(&name)).then_some(wrong);
    }
    let Foreign::Only { normal, dev } = layer.foreign else {
        return None;
    };
    let is_dev = dependency["kind"].as_str() == Some("dev");
    let allowed = normal.contains(&name) || (is_dev && dev.contains(&name));
    (!allowed).then(|| {
        format!("`{package}` may not use the crate `{name}`; do without, or decide it and change {TABLE}")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(package: &str, dependency: &str, kind: &Value) -> usize {
        let mut packages: Vec<Value> =
            LAYERS.iter().map(|layer| json!({"name": layer.package, "dependencies": []})).collect();
        let used = json!([{"name": dependency, "kind": kind}]);
        match packages.iter_mut().find(|known| known["name"] == package) {
            Some(known) => known["dependencies"] = used,
            None => packages.push(json!({"name": package, "dependencies": used})),
        }
        check_metadata(&json!({"packages": packages}), "").map_or(usize::MAX, |findings| findings.len())
    }

    #[test]
    fn arrows_point_one_way() {
        let rows = [
            ("down", STORE, CORE, Value::Null, 0),
            ("up", CORE, STORE, Value::Null, 1),
            ("up, for tests", CORE, STORE, json!("dev"), 1),
            ("sideways", RUNTIME, STORE_LOCAL, json!("dev"), 1),
            ("the binary uses all", "mainspring", SIM, Value::Null, 0),
            ("xtask stands alone", "xtask", CORE, Value::Null, 1),
            ("unknown layer", "mainspring-extra", CORE, Value::Null, 1),
            ("foreign, in the list", CORE, "hashbrown", Value::Null, 0),
            ("foreign, not in the list", CORE, "rand", Value::Null, 1),
            ("for tests only", CORE, "proptest", json!("dev"), 0),
            ("not for tests only", CORE, "proptest", Value::Null, 1),
            ("for the build", CORE, "proptest", json!("build"), 1),
            ("foreign, elsewhere", STORE, "blake3", Value::Null, 0),
        ];
        for (name, package, dependency, kind, count) in rows {
            assert_eq!(found(package, dependency, &kind), count, "{name}");
        }
    }

    #[test]
    fn a_row_needs_its_package() {
        let findings = check_metadata(&json!({"packages": []}), "").map_or(0, |findings| findings.len());
        assert_eq!(findings, LAYERS.len());
    }
}
