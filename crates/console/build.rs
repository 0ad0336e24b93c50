//! Writes a table of the files of `web/dist`, each as it is and compressed.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

/// Not for browsers.
const LEFT_OUT: [&str; 1] = ["BUILD"];

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let out = env::var("OUT_DIR").expect("cargo sets it");
    let dist = Path::new(&root).join("../../web/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files: Vec<_> = fs::read_dir(&dist)
        .expect("web/dist is part of the repository")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    let mut table = String::from("&[\n");
    for path in files {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = path.file_name().and_then(|name| name.to_str()).expect("names are plain").to_owned();
        if LEFT_OUT.contains(&name.as_str()) {
            continue;
        }
        let bytes = fs::read(&path).expect("a readable file");
        let packed = Path::new(&out).join(format!("{name}.gz"));
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes).expect("memory");
        fs::write(&packed, encoder.finish().expect("memory")).expect("a writable folder");
        let (plain, packed) = (path.display().to_string(), packed.display().to_string());
        writeln!(
            table,
            "    Asset {{ name: {name:?}, plain: include_bytes!({plain:?}), packed: include_bytes!({packed:?}) }},"
        )
        .expect("a string grows");
    }
    table.push(']');
    fs::write(Path::new(&out).join("assets.rs"), table).expect("a writable folder");
}
