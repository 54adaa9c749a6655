//! What people and programs see, beside this file in `snapshots/`.

use insta::assert_snapshot;
use tablewright_model::{Diagnostic, Severity, Span};

use super::*;
use crate::{Group, Rule};

const MODEL: &str = r#"[entity.Task]
table = "app"
key   = { partition = "USER#{user_id}", sort = "TASK#{task_id}" }

[entity.Täsk]
table = "app" # « ünïcode » before the place
key   = { partition = "USER#{user_id}", sort = "TASK" }

[access.tasks]
list      = "Task"
condition = "PK = :user AND begins_with(SK, :task)"
values    = { ":user" = "USER#{user_id}", ":task" = "TASK" }
"#;

fn place(of: &str) -> Span {
    let start = MODEL.find(of).unwrap();
    Span::new(start, start + of.len())
}

fn file() -> SourceFile {
    SourceFile::new("models/my tasks.toml", MODEL)
}

/// One of each kind, given in the wrong order.
fn findings() -> Findings {
    let start = MODEL.rfind("TASK").unwrap();
    let open = Span::new(start, start + 4);
    let overlap = Diagnostic::new(
        "key-overlap",
        Severity::Warning,
        place("\"TASK\" }"),
        "a Task and a Täsk can have the same key",
    )
    .label("this key is a prefix of the other")
    .related(place("TASK#{task_id}"), "the key of Task")
    .help("begin every sort key with a text of its own");
    let prefix = Diagnostic::new(
        "open-prefix",
        Severity::Error,
        open,
        "the prefix `TASK` also finds `TASKLIST#…`",
    )
    .label("nothing closes it")
    .help("end a prefix with the delimiter")
    .fix("close the prefix", Span::new(open.end, open.end), "#");
    let note = Diagnostic::new(
        "unused-allow",
        Severity::Note,
        place("[entity.Täsk]"),
        "`key-overlap` is allowed here and would not be found",
    );
    Findings::new(file(), vec![prefix, note, overlap])
}

fn rules() -> Vec<Rule> {
    vec![Rule {
        name: "open-prefix",
        code: "TW101",
        group: Group::Reads,
        severity: Severity::Error,
        summary: "A prefix that is not closed by the delimiter.",
        why: "It finds **more** than it says.\n\nClose it.",
        trips: "",
        rendered: "",
        passes: "",
        check: |_, _| {},
    }]
}

#[test]
fn text_for_people() {
    assert_snapshot!(text::render(&findings(), Style::default()));
}

#[test]
fn text_in_colour() {
    let style = Style {
        color: true,
        ..Style::default()
    };
    let rendered = text::render(&findings(), style).replace('\u{1b}', "␛");
    assert_snapshot!(rendered);
}

#[test]
fn a_long_line_is_trimmed_around_the_place() {
    let text = format!(
        "about = \"{}\" + \"{}\"\n",
        "left ".repeat(60),
        "right ".repeat(60)
    );
    let at = text.find('+').unwrap();
    let finding = Diagnostic::language("syntax", Span::new(at, at + 1), "not TOML").label("here");
    let findings = Findings::new(SourceFile::new("long.toml", text), vec![finding]);
    assert_snapshot!(text::render(
        &findings,
        Style {
            color: false,
            width: 80
        }
    ));
}

#[test]
fn a_line_nobody_reads_is_only_named() {
    let text = format!("a = 1\nx = \"{}\"\n", "x".repeat(5_000_000));
    let finding = Diagnostic::language("syntax", Span::new(4_000_000, 4_000_001), "not TOML")
        .help("shorten it")
        .fix("write nothing", Span::new(6, 4_000_001), "");
    let findings = Findings::new(SourceFile::new("noise.toml", text), vec![finding]);
    assert_eq!(
        text::render(&findings, Style::default()),
        "error[syntax]: not TOML\n--> noise.toml:2:3999995\n = help: shorten it\n\n"
    );
}

#[test]
fn places_at_the_edges_of_a_file_are_shown() {
    for (text, span) in [
        ("", Span::new(0, 0)),
        ("é", Span::new(1, 1)),
        ("a\n", Span::new(2, 2)),
        ("a\r\nb", Span::new(1, 99)),
        ("a\nb", Span::new(3, 1)),
    ] {
        let finding = Diagnostic::language("syntax", span, "not TOML").fix("mend", span, "x\ny");
        let findings = Findings::new(SourceFile::new("edge.toml", text), vec![finding]);
        assert!(text::render(&findings, Style::default()).contains("edge.toml:"));
        assert!(json::render(std::slice::from_ref(&findings)).contains("\"line\""));
        assert!(sarif::render(&[], &[findings]).contains("startLine"));
    }
}

#[test]
fn an_escape_code_of_the_model_never_reaches_the_terminal() {
    let text = "a = '\u{1b}[31m'";
    let finding = Diagnostic::language("syntax", Span::new(5, 6), "\u{1b}[31m")
        .help("\u{1b}[31m")
        .label("\u{1b}[31m")
        .fix("\u{1b}[31m", Span::new(5, 6), "\u{1b}[31m");
    let findings = Findings::new(SourceFile::new("\u{1b}[31m", text), vec![finding]);
    let rendered = text::render(&findings, Style::default());
    assert!(!rendered.contains('\u{1b}'), "{rendered:?}");
}

#[test]
fn json_for_programs() {
    assert_snapshot!(json::render(&[findings()]));
}

#[test]
fn json_of_a_clean_run_is_an_empty_list() {
    assert_eq!(
        json::render(&[Findings::new(file(), Vec::new())]),
        "{\n  \"diagnostics\": []\n}\n"
    );
}

#[test]
fn sarif_for_code_scanning() {
    let log = sarif::render(&rules(), &[findings()]);
    assert_snapshot!(log.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn the_summary_counts() {
    let clean = Findings::new(file(), Vec::new());
    assert_eq!(Summary::of(&[]).to_string(), "no findings in 0 models");
    assert_eq!(
        Summary::of(std::slice::from_ref(&clean)).to_string(),
        "no findings in 1 model"
    );
    assert_eq!(
        Summary::of(&[findings(), clean, findings()]).to_string(),
        "2 errors, 2 warnings, 2 notes in 3 models"
    );
}

#[test]
fn of_very_many_findings_the_first_are_shown() {
    let file = SourceFile::new("model.toml", "x\n");
    let finding = |number: usize| {
        let message = format!("finding {number}");
        Diagnostic::new("scan", Severity::Error, Span::new(0, 1), message)
    };
    let findings = Findings::new(file, (100..1100).map(finding).collect());
    let shown = text::render(&findings, Style::default());
    assert!(shown.contains("finding 100\n") && !shown.contains("finding 300"));
    assert!(
        shown.ends_with("… and 800 more in model.toml\n\n"),
        "{shown}"
    );
}
