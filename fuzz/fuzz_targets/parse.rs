//! Arbitrary bytes through the parser, the planner, every rule, the formatter and the fixes: an answer, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let findings = tablewright_check::check_text(&text);
    for finding in findings {
        assert!(text.get(finding.span.range()).is_some(), "{finding:?} is outside of the file");
    }
    if let Ok(formatted) = tablewright_model::format::format(&text) {
        assert_eq!(tablewright_model::format::format(&formatted).as_deref(), Ok(formatted.as_str()));
    }
    let _ = tablewright_check::fix::fix(&text, tablewright_check::check_text);
});
