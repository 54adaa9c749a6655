//! What the formatter promises: nothing is lost, nothing changes its meaning, and twice is once.

use proptest::prelude::*;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use super::format;

fn formatted(text: &str) -> String {
    format(text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"))
}

/// The comments of a text, in order.
fn comments(text: &str) -> Vec<&str> {
    Source::new(text)
        .lex()
        .filter(|token| token.kind() == TokenKind::Comment)
        .map(|token| text[token.span().start()..token.span().end()].trim_end())
        .collect()
}

/// Everything that holds for every file.
fn holds_its_promises(text: &str) -> String {
    let once = formatted(text);
    assert_eq!(formatted(&once), once, "twice is once, for\n{text}");
    let before: toml::Table = toml::from_str(text).unwrap();
    let after: toml::Table = toml::from_str(&once).unwrap();
    assert_eq!(before, after, "the meaning of\n{text}\nis kept by\n{once}");
    assert_eq!(comments(text), comments(&once), "comments of\n{text}");
    once
}

#[test]
fn the_models_of_the_repository_and_the_language_page_are_canonical() {
    let todo = include_str!("../../../../models/todo.toml");
    assert_eq!(holds_its_promises(todo), todo);
    let page = include_str!("../../../../docs/model-language.md");
    let mut blocks = 0;
    for block in page.split("```toml").skip(1) {
        let (_, block) = block.split_once('\n').unwrap();
        let (block, _) = block.split_once("```").unwrap();
        assert_eq!(holds_its_promises(block), block);
        blocks += 1;
    }
    assert!(blocks > 10, "the page has examples");
}

#[test]
fn equals_signs_share_a_column_within_a_run() {
    let text = "[a]\nx=1\nlonger=2\n\nyy=3\n# a comment ends a run\nz . z=4\nindex.G=5\nw=6\n";
    assert_eq!(
        holds_its_promises(text),
        "[a]\nx      = 1\nlonger = 2\n\nyy = 3\n# a comment ends a run\nz.z     = 4\nindex.G = 5\nw = 6\n"
    );
}

#[test]
fn tall_collections_stay_tall() {
    let text =
        "x=[1,\n     2 # two\n  , {a=1,b = [ 2,3 ]}]\nlong=[ 1,2, ]\nempty=[\n]\nnested=[[\n1]]\n";
    assert_eq!(
        holds_its_promises(text),
        "x = [\n  1,\n  2, # two\n  { a = 1, b = [2, 3] },\n]\nlong   = [1, 2]\nempty  = []\nnested = [[\n  1,\n]]\n"
    );
    let text = "x = [ # why\n\n\n  1,\n\n\n  # alone\n  2,\n\n]\n";
    assert_eq!(
        holds_its_promises(text),
        "x = [ # why\n  1,\n\n  # alone\n  2,\n]\n"
    );
}

#[test]
fn blank_lines_part_tables_and_their_comments() {
    let text =
        "\n\n# head\n\n\n[a]\n\nx = 1\n# about b\n[b]\n[[c]]\n# y = 1\n\n[ d . e ]# last\n\n";
    assert_eq!(
        holds_its_promises(text),
        "# head\n\n[a]\nx = 1\n\n# about b\n[b]\n\n[[c]]\n# y = 1\n\n[d.e] # last\n"
    );
}

#[test]
fn comments_in_one_column_stay_in_one() {
    let text = "a = 1      # x\nbb = 22    # y\nc = 3 # z\n";
    assert_eq!(
        holds_its_promises(text),
        "a  = 1   # x\nbb = 22  # y\nc  = 3 # z\n"
    );
    let text = "a = 1      # x\nlonger = 'and without'\nc = 3      # z\n\nd = 4      # another paragraph\n";
    assert_eq!(
        holds_its_promises(text),
        "a      = 1 # x\nlonger = 'and without'\nc      = 3 # z\n\nd = 4 # another paragraph\n"
    );
    let text = "a = 1    # x\nbb = 2 # y\n";
    assert_eq!(holds_its_promises(text), "a  = 1 # x\nbb = 2 # y\n");
}

#[test]
fn strings_and_dates_are_left_alone() {
    let text = "a = \"\"\"  \n  {a=1}  # no comment\n\"\"\"\"\nb = 1979-05-27 07:32:00   # when\nc = 'x=1,  y'\n\"quoted . key\" .  z= 1.5\n";
    assert_eq!(
        holds_its_promises(text),
        "a = \"\"\"  \n  {a=1}  # no comment\n\"\"\"\"\nb = 1979-05-27 07:32:00 # when\nc = 'x=1,  y'\n\"quoted . key\".z = 1.5\n"
    );
}

#[test]
fn lines_end_with_a_newline_alone_and_a_byte_order_mark_goes() {
    let once = holds_its_promises("\u{feff}[a]\r\nx = 1  \r\ny = '''\r\ntwo\r\n'''\r\n");
    assert!(once.starts_with("[a]\nx = 1\ny = "), "{once:?}");
    assert_eq!(formatted(""), "");
    assert_eq!(formatted("\n\n"), "");
}

#[test]
fn what_is_not_toml_is_refused_with_its_place() {
    let faults = format("[model]\nname = \n").unwrap_err();
    assert_eq!(faults[0].rule, "syntax");
    assert!(format(&format!("x = {}", "[".repeat(100_000))).is_err());
    assert!(format(&"#".repeat(crate::MAX_BYTES + 1)).is_err());
}

/// White space a person might leave.
fn space() -> impl Strategy<Value = String> {
    "[ \t]{0,3}"
}

/// The end of a line, perhaps with a comment.
fn end() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::from("\n")),
        1 => Just(String::from("\r\n")),
        1 => "[ ]{0,4}#[ -~é]{0,6}\n",
    ]
}

fn value() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        "[0-9]",
        Just(String::from("-1.5e3")),
        Just(String::from("true")),
        Just(String::from("2024-01-31 10:00:00Z")),
        "\"[a-z #=,\\[{é]{0,6}\"",
        "'[a-z #=,\\]}]{0,6}'",
        "'''[a-z #\n']{0,4}x'''",
        "\"\"\"[a-z \n]{0,6}\"\"\"",
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        let item = (space(), inner, space(), prop::option::of(end()))
            .prop_map(|(before, value, after, end)| (format!("{before}{value}{after}"), end));
        (
            prop::collection::vec(item, 0..4),
            prop::option::of(end()),
            any::<[bool; 2]>(),
        )
            .prop_map(|(items, first, [table, comma])| {
                let last = items.len().saturating_sub(1);
                let body: String = items
                    .into_iter()
                    .enumerate()
                    .map(|(n, (item, end))| {
                        let key = if table {
                            format!("k{n} =")
                        } else {
                            String::new()
                        };
                        let comma = if n < last || comma { "," } else { "" };
                        format!("{key}{item}{}{comma}", end.unwrap_or_default())
                    })
                    .collect();
                let first = first.unwrap_or_default();
                if table {
                    format!("{{{first}{body}}}")
                } else {
                    format!("[{first}{body}]")
                }
            })
    })
}

/// A file of numbered tables and keys, so that no name comes twice.
fn file() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => (space(), "[a-z]{1,8}", space(), value(), end()).prop_map(|(s, k, t, v, e)| format!("{s}{k}@{t}={s}{v}{e}")),
        1 => (space(), space(), end()).prop_map(|(s, t, e)| format!("{s}[{t}t@{s}.{t}u ]{e}")),
        1 => (space(), end()).prop_map(|(s, e)| format!("{s}{e}")),
        1 => (space(), value(), end()).prop_map(|(s, v, e)| format!("d@{s}.{s}\"e f\"={v}{e}")),
    ];
    prop::collection::vec(line, 0..12).prop_map(|lines| {
        lines
            .into_iter()
            .enumerate()
            .map(|(n, line)| line.replace('@', &n.to_string()))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_file_keeps_its_meaning_and_its_comments(text in file()) {
        // Not everything put together this way is TOML; what is must hold.
        if toml::from_str::<toml::Table>(&text).is_ok() {
            holds_its_promises(&text);
        }
    }

    #[test]
    fn noise_is_refused_or_formatted_and_never_a_panic(text in "[\\[\\]{}=,.#\"' \n\ta-c0-9é]{0,40}") {
        if let Ok(once) = format(&text) {
            prop_assert_eq!(format(&once).unwrap(), once);
        }
    }
}
