//! Files with bytes as they were first written.

use std::path::PathBuf;

/// The bytes of a golden file; written first if it is missing and that was asked for.
pub fn golden(file: &str, written_today: &[u8]) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    if !path.exists() && std::env::var("MAINSPRING_GOLDEN").is_ok_and(|value| value == "add") {
        std::fs::write(&path, hex(written_today)).expect("a new golden file");
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; if the value is new, add it with MAINSPRING_GOLDEN=add", path.display())
    });
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("a hexadecimal digit") as u8;
    digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Thirty-two bytes a line.
pub fn hex(bytes: &[u8]) -> String {
    let line = |chunk: &[u8]| chunk.iter().map(|byte| format!("{byte:02x}")).chain(["\n".into()]).collect();
    bytes.chunks(32).map(line).collect::<Vec<String>>().concat()
}
