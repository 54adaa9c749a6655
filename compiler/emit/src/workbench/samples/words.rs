//! What people write, by the name of the field they write it in.

use tablewright_model::model::{Entity, FieldId};

use crate::workbench::attribute::Attribute;
use crate::workbench::items::Values;

/// Those who live in the samples.
const PEOPLE: [&str; 6] = ["ada", "grace", "alan", "edsger", "barbara", "donald"];

const NAMES: [&str; 6] = [
    "Ada Lovelace",
    "Grace Hopper",
    "Alan Turing",
    "Edsger Dijkstra",
    "Barbara Liskov",
    "Donald Knuth",
];

/// By a part of a field's name, what is written there.
const TEXTS: &[(&str, &[&str])] = &[
    (
        "title",
        &[
            "Write the quarterly report",
            "Call the plumber",
            "Plan the summer trip",
            "Water the plants",
        ],
    ),
    (
        "desc",
        &[
            "With the figures of March, two pages at most.",
            "The tap in the kitchen drips.",
            "Two weeks, by train.",
        ],
    ),
    (
        "prompt",
        &[
            "Which of these two headlines would you click?",
            "Is this answer kind enough?",
            "Would you trust this site?",
        ],
    ),
    (
        "answer",
        &[
            "The first one: it says what to expect.",
            "Yes, but the end could be shorter.",
            "No, there is no address.",
        ],
    ),
    ("option", &["Yes", "No", "Not sure"]),
    ("category", &["work", "home", "travel"]),
    (
        "note",
        &["Rent for March", "Thank you for lunch", "Birthday"],
    ),
    ("label", &["Production", "Staging", "Laptop"]),
    (
        "route",
        &["POST /tasks", "PUT /tasks/{id}", "DELETE /tasks/{id}"],
    ),
    ("response", &["{\"status\":\"accepted\"}"]),
    ("error", &["the mailbox is full"]),
    ("reason", &["a duplicate"]),
    (
        "street",
        &["Main Street 1", "Mill Lane 7", "High Street 12"],
    ),
    ("city", &["Springfield", "Riverside", "Lakeview"]),
    ("country", &["Sweden", "Kenya", "Chile"]),
    ("name", &NAMES),
];

/// A person, always the same for the same turn.
pub(super) fn person(turn: usize) -> String {
    taken(&PEOPLE, turn)
}

/// What a field of this name says.
pub(super) fn text(name: &str, turn: usize) -> String {
    let plain = name.to_lowercase();
    let known = TEXTS.iter().find(|(part, _)| plain.contains(part));
    match known {
        Some((_, texts)) => texts[turn % texts.len()].to_owned(),
        None => format!("{}-{}", spaced(name).replace(' ', "-"), turn + 1),
    }
}

/// One of several; a number is added when they have all been taken.
fn taken(texts: &[&str], turn: usize) -> String {
    let text = texts[turn % texts.len()];
    match turn / texts.len() {
        0 => text.to_owned(),
        round => format!("{text}-{round}"),
    }
}

/// The words of a name in lower case.
pub(super) fn spaced(name: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if c == '_' || c == '-' {
            words.push(' ');
        } else {
            if c.is_uppercase() && before.is_lowercase() {
                words.push(' ');
            }
            words.extend(c.to_lowercase());
        }
        before = c;
    }
    words.trim().to_owned()
}

/// Whether an optional field has a value in this sample: what tells of a state (`completed_at`) when it is the state, the end of an item not
/// yet, anything else in every other sample.
pub(super) fn is_said(entity: &Entity, id: FieldId, said: &Values, at: usize) -> bool {
    let name = entity.field(id).name.as_str();
    let plain = spaced(name);
    if entity.ttl.as_ref().is_some_and(|(_, ttl)| *ttl == id) {
        return false;
    }
    let stem = plain.split(' ').next().unwrap_or_default();
    for field in &entity.fields {
        let Some(words) = field.kind().words() else {
            continue;
        };
        let tells_of = |word: &str| spaced(word).split(' ').any(|part| part == stem);
        if words.iter().any(|word| tells_of(word)) {
            return match said.get(&field.name.value) {
                Some(Attribute::Text(word)) => tells_of(word),
                _ => false,
            };
        }
    }
    at.is_multiple_of(2)
}
