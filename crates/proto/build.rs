//! Compiles every file of `proto/mainspring/v1/` without `protoc`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let mut files: Vec<PathBuf> = fs::read_dir("proto/mainspring/v1")?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "proto"));
    files.sort();

    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_imports(true).include_source_info(true);
    // Names as an import would write them, so that no file is compiled under two names.
    let names = files.iter().map(|path| path.strip_prefix("proto")).collect::<Result<Vec<_>, _>>()?;
    compiler.open_files(names)?;
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    fs::write(Path::new(&out).join("mainspring.bin"), compiler.encode_file_descriptor_set())?;
    tonic_prost_build::configure().compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}
