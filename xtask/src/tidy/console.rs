//! The console is committed as it was built. Its sources must be those that it was built from.
//! `web/build.mjs` writes the same hash into `web/dist/BUILD`.

use std::fs;
use std::path::Path;

use super::Finding;
use super::tree::Tree;

const FOLDER: &str = "web/";
const SOURCES: &str = "web/src/";
/// Beside everything below `web/src`.
const ALSO: [&str; 3] = ["web/build.mjs", "web/package-lock.json", "web/package.json"];
const BUILD: &str = "web/dist/BUILD";

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut paths: Vec<&str> = tree.files_below(SOURCES).chain(ALSO).collect();
    paths.sort_unstable();
    let built = fs::read_to_string(tree.root.join(BUILD)).unwrap_or_default();
    let found = hash(&tree.root, &paths);
    if found.as_deref() == Some(built.trim()) {
        return Vec::new();
    }
    let what = "web/dist was not built from these sources; run `npm ci && npm run build` in web/ and commit web/dist";
    vec![Finding::new(BUILD, 1, what)]
}

/// FNV-1a of 64 bits over paths and contents. It finds stale files, not attackers. `None` if one cannot be read.
fn hash(root: &Path, paths: &[&str]) -> Option<String> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    for path in paths {
        take(path.strip_prefix(FOLDER)?.as_bytes());
        take(&[0]);
        take(&fs::read(root.join(path)).ok()?);
        take(&[0]);
    }
    Some(format!("{hash:016x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_name_counts() {
        let dir = std::env::temp_dir().join(format!("xtask-console-{}", std::process::id()));
        fs::create_dir_all(dir.join("web/src")).expect("a folder");
        let write = |name: &str, text: &str| fs::write(dir.join(name), text).expect("a file");
        write("web/src/a.ts", "one");
        write("web/src/b.ts", "one");
        let first = hash(&dir, &["web/src/a.ts"]).expect("a hash");
        assert_ne!(Some(first.clone()), hash(&dir, &["web/src/b.ts"]), "the name");
        write("web/src/a.ts", "two");
        assert_ne!(Some(first), hash(&dir, &["web/src/a.ts"]), "the content");
        assert_eq!(hash(&dir, &["web/src/none.ts"]), None, "a missing file");
        fs::remove_dir_all(dir).expect("it was made above");
    }

    #[test]
    fn a_changed_source_is_found() {
        let findings = check(&Tree::of(&[("web/src/main.tsx", "")]));
        assert_eq!(findings.len(), 1, "nothing there was built");
    }
}
