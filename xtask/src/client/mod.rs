//! The typed client, written from the `OpenAPI` document: a type for each schema (`types.rs`), a function for each
//! operation (`operations.rs`).
//! - TC-1 the files in `crates/client/generated` are those that the document gives
//! - TC-2 a property that may be absent is optional, what is new is ignored, and a list or map that is absent is empty
//!
//! Entry: [`stale`], [`write()`].

mod names;
mod operations;
mod types;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

const DOCUMENT: &str = "crates/api/src/docs/openapi.json";
pub const FOLDER: &str = "crates/client/generated";

/// Names of the files that are not what the document gives.
pub fn stale(root: &Path) -> Result<Vec<String>> {
    let differs = |(name, text): &(&str, String)| {
        fs::read_to_string(root.join(FOLDER).join(name)).ok().as_ref() != Some(text)
    };
    let files = files(root)?;
    Ok(files.iter().filter(|file| differs(file)).map(|(name, _)| format!("{FOLDER}/{name}")).collect())
}

pub fn write(root: &Path) -> Result<()> {
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {FOLDER}"))?;
    for (name, text) in files(root)? {
        fs::write(folder.join(name), text).with_context(|| format!("cannot write {FOLDER}/{name}"))?;
    }
    Ok(())
}

fn files(root: &Path) -> Result<[(&'static str, String); 2]> {
    let text = fs::read_to_string(root.join(DOCUMENT)).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let document: Value = serde_json::from_str(&text).context(DOCUMENT)?;
    let mut types = types::Types::default();
    for (name, schema) in names::entries(&document["components"]["schemas"]) {
        types.add(name, schema);
    }
    let operations = operations::text(&document, &mut types);
    Ok([("types.rs", types.text()), ("operations.rs", operations)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_the_one_of_the_document() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root");
        let stale = stale(root).expect("it can be compared");
        assert!(stale.is_empty(), "{stale:?} differ from the document; write them with `cargo xtask client`");
    }
}
