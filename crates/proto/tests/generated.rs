//! `generated/` is what `proto/mainspring/v1/*.proto` says.
//!
//! It is stored so that a build of the product compiles no compiler of protobuf first. After a change of a `.proto` file:
//! `UPDATE_GOLDEN=1 cargo test -p mainspring-proto`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

const ADVICE: &str = "run `UPDATE_GOLDEN=1 cargo test -p mainspring-proto` and commit what it writes";

#[test]
fn generated_files_match_the_definitions() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fresh = tempfile::tempdir()?;
    generate(root, fresh.path())?;
    for name in names_in(fresh.path())? {
        let (stored, made) = (root.join("generated").join(&name), fs::read(fresh.path().join(&name))?);
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&stored, &made)?;
        }
        let same = fs::read(&stored).is_ok_and(|stored| stored == made);
        assert!(same, "`generated/{}` is not what the .proto files say; {ADVICE}", name.display());
    }
    assert_eq!(names_in(fresh.path())?, names_in(&root.join("generated"))?, "a file too many; {ADVICE}");
    Ok(())
}

/// Compiles every file of `proto/mainspring/v1/` without `protoc`.
fn generate(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let definitions = root.join("proto");
    let mut files: Vec<PathBuf> = names_in(&definitions.join("mainspring/v1"))?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "proto"));

    let mut compiler = protox::Compiler::new([&definitions])?;
    compiler.include_imports(true).include_source_info(true);
    // Names as an import would write them, so that no file is compiled under two names.
    compiler.open_files(files.iter().map(|name| Path::new("mainspring/v1").join(name)))?;
    fs::write(out.join("mainspring.bin"), compiler.encode_file_descriptor_set())?;
    // Most reports have none, and there are many at once.
    let config = tonic_prost_build::configure().boxed(".mainspring.v1.Report.details");
    config.out_dir(out).compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}

fn names_in(directory: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut names = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| PathBuf::from(entry.file_name())))
        .collect::<Result<Vec<_>, _>>()?;
    names.sort();
    Ok(names)
}
