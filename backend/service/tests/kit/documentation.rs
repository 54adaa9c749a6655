//! The page of documentation says what the code does. `TABLEWRIGHT_BLESS=1` writes its tables anew: read the diff.

use std::fmt::Write as _;
use std::path::Path;

use tablewright_service::{KIT, Kind, Settings, Sources, markdown};

use crate::app::ABOUT;

fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/services.md")
}

/// The text between two marks is this.
fn holds(mark: &str, expected: &str) {
    let text = std::fs::read_to_string(page()).unwrap();
    let (open, close) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->"));
    let (before, rest) = text.split_once(&open).unwrap();
    let (now, after) = rest.split_once(&close).unwrap();
    if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
        std::fs::write(page(), format!("{before}{open}{expected}{close}{after}")).unwrap();
        return;
    }
    assert_eq!(
        now, expected,
        "bless with TABLEWRIGHT_BLESS=1 and read the diff"
    );
}

#[test]
fn the_tables_are_those_of_the_code() {
    holds("settings", &markdown(KIT));
    let mut kinds = String::from("| `type` | Status | |\n|---|---|---|\n");
    for kind in Kind::ALL {
        writeln!(
            kinds,
            "| `{}` | {} | {} |",
            kind.uri(),
            kind.status,
            kind.title
        )
        .unwrap();
    }
    holds("problems", &kinds);
}

/// What it shows of the service of the tests is there.
#[test]
fn what_it_shows_is_run() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let app = words(include_str!("app.rs"));
    let text = std::fs::read_to_string(page()).unwrap();
    let shown: Vec<&str> = text.split("```rust,ignore\n").skip(1).collect();
    assert_eq!(shown.len(), 2);
    for block in shown {
        let (block, _) = block.split_once("```").unwrap();
        assert!(app.contains(&words(block)), "{block}");
    }
}

#[test]
fn the_file_it_shows_can_be_used() {
    let text = std::fs::read_to_string(page()).unwrap();
    let (_, rest) = text.split_once("```toml\n").unwrap();
    let (file, _) = rest.split_once("```").unwrap();
    let settings =
        Settings::from_sources(&ABOUT, &[], &Sources::none().file("tablewright.toml", file));
    assert_eq!(settings.unwrap().rate.map(|rate| rate.per_second), Some(20));
}

#[test]
fn names_are_unique_and_every_default_is_one() {
    let mut slugs: Vec<&str> = Kind::ALL.iter().map(|kind| kind.slug).collect();
    slugs.sort_unstable();
    slugs.dedup();
    assert_eq!(slugs.len(), Kind::ALL.len());
    let mut names: Vec<&str> = KIT.iter().map(|setting| setting.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), KIT.len());
    // A default that is a value, and not a sentence, means what is so without it.
    let usual = format!(
        "{:?}",
        Settings::from_sources(&ABOUT, &[], &Sources::none()).unwrap()
    );
    for setting in KIT {
        let is_value =
            !setting.default.contains(' ') && !["none", "RS256"].contains(&setting.default);
        let sources = match (is_value, setting.default.ends_with("KB")) {
            (false, false) => continue,
            _ => Sources::none().variable(
                &format!("TABLEWRIGHT_{}", setting.name.to_uppercase()),
                setting.default,
            ),
        };
        let said = Settings::from_sources(&ABOUT, &[], &sources).unwrap();
        assert_eq!(format!("{said:?}"), usual, "{}", setting.name);
    }
}

/// The model of the tests is what the generator writes.
#[test]
fn the_repositories_of_the_tests_are_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kit");
    let model = std::fs::read_to_string(folder.join("notes.toml")).unwrap();
    let model = tablewright_model::parse(&model).unwrap();
    let text = tablewright_emit::rust::module(&model, "tests/kit/notes.toml").unwrap();
    if std::env::var_os("TABLEWRIGHT_BLESS").is_some() {
        std::fs::write(folder.join("model.rs"), &text).unwrap();
    }
    let now = std::fs::read_to_string(folder.join("model.rs")).unwrap();
    assert!(
        now == text,
        "bless with TABLEWRIGHT_BLESS=1 and read the diff"
    );
}
