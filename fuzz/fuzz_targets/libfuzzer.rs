//! libFuzzer's door to every target; `MAINSPRING_FUZZ_TARGET` names the one.
#![no_main]

use std::sync::OnceLock;

use mainspring_fuzz::Target;

static TARGET: OnceLock<Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let target = TARGET.get_or_init(|| {
        let name = std::env::var("MAINSPRING_FUZZ_TARGET").unwrap_or_default();
        Target::find(&name)
            .unwrap_or_else(|| panic!("MAINSPRING_FUZZ_TARGET must name one of {:?}", Target::names()))
    });
    (target.run)(bytes);
});
