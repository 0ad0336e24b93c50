//! Writes a table of the files of `web/dist` and of the guides in `docs/`, compressed.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

/// Not for browsers.
const LEFT_OUT: [&str; 1] = ["BUILD"];
/// All guides in one file, each behind a line with this character and its path. `web/dev.mjs` gives the same.
const GUIDES: &str = "guides.txt";
const GUIDE_BEGINS: char = '\u{1e}';

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let out = env::var("OUT_DIR").expect("cargo sets it");
    let (dist, docs) = (Path::new(&root).join("../../web/dist"), Path::new(&root).join("../../docs"));
    let mut table = String::from("&[\n");
    for path in entries(&dist) {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = file_name(&path);
        if !LEFT_OUT.contains(&name.as_str()) {
            add(&mut table, Path::new(&out), &name, &fs::read(&path).expect("a readable file"));
        }
    }
    let mut guides = String::new();
    add_guides(&mut guides, &docs, "");
    add(&mut table, Path::new(&out), GUIDES, guides.as_bytes());
    table.push(']');
    fs::write(Path::new(&out).join("assets.rs"), table).expect("a writable folder");
}

fn add(table: &mut String, out: &Path, name: &str, bytes: &[u8]) {
    let packed = out.join(format!("{name}.gz"));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    fs::write(&packed, encoder.finish().expect("memory")).expect("a writable folder");
    let packed = packed.display().to_string();
    writeln!(table, "    Asset {{ name: {name:?}, packed: include_bytes!({packed:?}) }},")
        .expect("a string grows");
}

/// Pages of this folder, then those of folders in it.
fn add_guides(guides: &mut String, folder: &Path, prefix: &str) {
    let (folders, files): (Vec<_>, Vec<_>) = entries(folder).into_iter().partition(|path| path.is_dir());
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(path).expect("a readable page");
        writeln!(guides, "{GUIDE_BEGINS}{prefix}{}\n{}", file_name(path), text.trim_end())
            .expect("a string grows");
    }
    for path in folders {
        add_guides(guides, &path, &format!("{prefix}{}/", file_name(&path)));
    }
}

/// In the order of their names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let all = fs::read_dir(folder).expect("it is part of the repository");
    let mut all: Vec<_> = all.map(|entry| entry.expect("a readable folder").path()).collect();
    all.sort();
    all
}

fn file_name(path: &Path) -> String {
    path.file_name().and_then(|name| name.to_str()).expect("names are plain").to_owned()
}
