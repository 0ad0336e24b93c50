//! The frozen encodings of the store, which its own tests keep.

use std::fs;
use std::path::PathBuf;

/// The bytes of every golden file whose name begins so.
pub fn files(prefix: &str) -> Vec<Vec<u8>> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../crates/store/tests/golden");
    let entries = fs::read_dir(dir).expect("the golden files are part of the repository");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)));
    paths.iter().map(|path| decode(&fs::read_to_string(path).expect("a golden file"))).collect()
}

fn decode(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
