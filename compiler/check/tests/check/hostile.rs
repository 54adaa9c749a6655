//! Texts nobody would write: bytes, torn models, absurd numbers, a character too many. Whatever it is given, the tool
//! answers: every finding lies in the text, every plan can be shown, and a repair never breaks a file that could be read.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use tablewright_check::check_text;
use tablewright_check::fix::fix;
use tablewright_check::report::{Findings, SourceFile, Style, json, text as people};
use tablewright_model::{Diagnostic, Span, parse};
use tablewright_plan::plan;

/// The texts that are torn: the repository's models and every fixture.
static CORPUS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    collect(&here.join("../../models"), &mut texts);
    collect(&here.join("fixtures"), &mut texts);
    assert!(texts.len() > 100, "{} models to tear", texts.len());
    texts
});

fn collect(folder: &Path, texts: &mut Vec<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    // A failing case must be the same case on every machine.
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, texts);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            texts.push(fs::read_to_string(&path).expect("a readable model"));
        }
    }
}

/// Everything the tool does with a text.
fn survives(text: &str) -> Result<(), TestCaseError> {
    let findings = check_text(text);
    for finding in &findings {
        lies_in(text, finding)?;
    }
    let shown = Findings::new(SourceFile::new("model.toml", text), findings);
    people::render(&shown, Style::default());
    json::render(std::slice::from_ref(&shown));

    let fixed = fix(text, check_text);
    let Ok(model) = parse(text) else {
        return Ok(());
    };
    for plan in plan(&model) {
        prop_assert!(!plan.to_text(&model).is_empty());
        prop_assert!(plan.to_json(&model).is_object());
    }
    if let Err(faults) = parse(&fixed.text) {
        return Err(TestCaseError::fail(format!(
            "{:?} made a model unreadable: {faults:?}\n{text}\n── became\n{}",
            fixed.applied, fixed.text
        )));
    }
    Ok(())
}

fn lies_in(text: &str, finding: &Diagnostic) -> Result<(), TestCaseError> {
    let related = finding.related.iter().map(|related| related.span);
    let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
    let spans = std::iter::once(finding.span)
        .chain(related)
        .chain(edits.map(|edit| edit.span));
    for Span { start, end } in spans {
        prop_assert!(
            text.get(start..end).is_some(),
            "{start}..{end} of {finding:?} is not in the text"
        );
    }
    Ok(())
}

/// One of the texts.
fn model() -> impl Strategy<Value = &'static str> {
    any::<Index>().prop_map(|index| index.get(&CORPUS).as_str())
}

/// The nearest place at or before a byte where a character begins.
fn boundary(text: &str, index: Index) -> usize {
    text.floor_char_boundary(index.index(text.len() + 1))
}

/// A piece of a text between two places.
fn piece(text: &str, a: Index, b: Index) -> &str {
    let (a, b) = (boundary(text, a), boundary(text, b));
    &text[a.min(b)..a.max(b)]
}

/// The runs of digits of a text.
fn numbers(text: &str) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    for (at, _) in text.match_indices(|c: char| c.is_ascii_digit()) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(Span::new(at, at + 1)),
        }
    }
    runs
}

/// Numbers at the ends of what numbers can be, and beyond.
const EXTREME: &[&str] = &[
    "0",
    "1",
    "00",
    "-1",
    "999",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999999999999",
    "1e308",
    "0.0000000000000000001",
];

/// A model with a place, `@`, wherever the planner and the rules calculate with a number.
const NUMBERS: &str = r##"
[model]
name = "numbers"

[table.app]
partition_key = "PK"
sort_key      = "SK"
type          = "Type"
stream        = "new-and-old-images"
index.GSI1    = { projection = ["n"] }
index.GSI2    = {}

[entity.Owner]
table           = "app"
key             = { partition = "OWNER#{owner}", sort = "#OWNER" }
counters.things = { counts = "Thing", per = "state" }
fields          = { owner = "string(1..@)", list = "list(string(..@), ..@)" }
facts           = { size = "@ KB", items = @ }

[entity.Thing]
table       = "app"
key         = { partition = "OWNER#{owner}", sort = "THING#{n:08}#{id}" }
index.GSI1  = { partition = "STATE#{state}#{id:shard(8)}", sort = "{n:08:desc}#{id}" }
index.GSI2  = { partition = "STATE#{state}", sort = "N#{n:08}#{id}" }
unique.name = { partition = "NAME#{name}", sort = "NAME" }
versioned   = { data_version = 1 }
facts       = { size = "@ B", items = @, distinct = { owner = @, state = @ } }

[entity.Thing.fields]
owner = "string(1..@)"
id    = "ulid"
n     = "int(0..@)"
state = "enum(open, done)"
name  = "string(1..@)"
blob  = "binary(..@)?"
more  = "map(json(..@), ..@)?"

[relationship.things]
from     = "Owner"
to       = "Thing"
kind     = "1:N"
bound    = @
strategy = "item-collection"

[access.open]
list    = "Thing"
by      = ["owner"]
range   = "n"
where   = "name != 'x' and n < @"
page    = @
returns = @
rate    = @
keeps   = @
budget  = "@ rcu"

[access.spread]
list    = "Thing"
by      = ["state"]
order   = "n desc"
page    = @
returns = @
rate    = @

[access.many]
batch   = { get = "Thing" }
by      = ["owner", "n", "id"]
returns = @

[access.add]
create = "Thing"
rate   = @
budget = "@ wcu"

[access.by_hand]
list      = "Thing"
by        = ["owner"]
condition = "PK = :owner AND SK BETWEEN :a AND :b"
values    = { ":owner" = "OWNER#{owner}", ":a" = "THING#@", ":b" = "THING#@" }
limit     = @
"##;

/// The model with these numbers at some of its places, and 1 at the others.
fn with_numbers(numbers: &[(Index, &str)]) -> String {
    let mut pieces: Vec<String> = NUMBERS.split('@').map(str::to_owned).collect();
    let places = pieces.len() - 1;
    let mut at = vec!["1"; places];
    for (place, number) in numbers {
        at[place.index(places)] = number;
    }
    for (piece, number) in pieces.iter_mut().zip(at) {
        piece.push_str(number);
    }
    pieces.concat()
}

/// Characters that mean something somewhere in a model, and some that mean nothing anywhere.
const SHARP: &[char] = &[
    '"',
    '\'',
    '\\',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '#',
    '$',
    ':',
    ',',
    '.',
    '=',
    '?',
    '-',
    '+',
    '_',
    '\n',
    '\r',
    '\t',
    ' ',
    '\0',
    '\u{7f}',
    '\u{feff}',
    '\u{202e}',
    'é',
    '\u{301}',
    '\u{1f600}',
    '\u{10ffff}',
    '0',
    'a',
    'A',
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        survives(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn a_torn_model_is_answered(text in model(), a: Index, b: Index) {
        survives(piece(text, a, b))?;
        let (a, b) = (boundary(text, a), boundary(text, b));
        survives(&format!("{}{}", &text[..a.min(b)], &text[a.max(b)..]))?;
    }

    #[test]
    fn pieces_of_two_models_are_answered(stock in model(), scion in model(), at: Index, a: Index, b: Index) {
        let at = boundary(stock, at);
        survives(&format!("{}{}{}", &stock[..at], piece(scion, a, b), &stock[at..]))?;
    }

    #[test]
    fn lines_of_two_models_are_answered(stock in model(), scion in model(), at: Index, line: Index) {
        let mut lines: Vec<&str> = stock.lines().collect();
        let others: Vec<&str> = scion.lines().collect();
        lines.insert(at.index(lines.len() + 1), others[line.index(others.len())]);
        survives(&lines.join("\n"))?;
    }

    #[test]
    fn a_line_less_is_answered(text in model(), line: Index) {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.remove(line.index(lines.len()));
        survives(&lines.join("\n"))?;
    }

    #[test]
    fn absurd_numbers_are_answered(text in model(), places in prop::collection::vec((any::<Index>(), prop::sample::select(EXTREME)), 1..4)) {
        let mut text = text.to_owned();
        for (place, extreme) in places {
            let runs = numbers(&text);
            if !runs.is_empty() {
                text.replace_range(place.get(&runs).range(), extreme);
            }
        }
        survives(&text)?;
    }

    #[test]
    fn absurd_facts_are_answered(numbers in prop::collection::vec((any::<Index>(), prop::sample::select(EXTREME)), 1..5)) {
        survives(&with_numbers(&numbers))?;
    }

    #[test]
    fn a_character_too_many_is_answered(text in model(), at: Index, sharp in prop::sample::select(SHARP)) {
        let mut text = text.to_owned();
        let at = boundary(&text, at);
        text.insert(at, sharp);
        survives(&text)?;
    }
}

#[test]
fn the_model_of_numbers_can_be_read() {
    let faults = parse(&with_numbers(&[])).err();
    assert_eq!(faults, None);
}
