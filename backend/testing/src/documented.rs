//! What a page of documentation says of settings.

use tablewright_service::{Setting, is_known, markdown};

const BEGIN: &str = "<!-- settings -->\n";
const END: &str = "<!-- /settings -->";

/// Holds that a page has the settings there are, between its two marks. `TABLEWRIGHT_BLESS=1` writes them anew: read the diff.
pub fn has_the_settings(page: &str, settings: &[Setting]) {
    for setting in settings {
        let name = setting.name;
        assert!(
            is_known(name),
            "other services would say that nobody reads {name}"
        );
    }
    let text = std::fs::read_to_string(page).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (now, after) = rest.split_once(END).unwrap();
    let expected = markdown(settings);
    if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
        std::fs::write(page, format!("{before}{BEGIN}{expected}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(
        now, expected,
        "bless with TABLEWRIGHT_BLESS=1 and read the diff"
    );
}
