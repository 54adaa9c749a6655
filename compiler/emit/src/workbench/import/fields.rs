//! The types of fields, from what samples hold.

use tablewright_keys::{Encodings, KeyValue, Precision, Shape, encode_piece};

use super::shapes::Shapes;
use super::source::{Item, Sample};

/// A field and its type as the language writes it.
#[derive(Debug, Clone)]
pub(super) struct FieldDraft {
    pub(super) name: String,
    pub(super) kind: String,
    /// Where a bound of it comes from.
    pub(super) bound: Option<String>,
}

/// Whether an attribute of this name can be a field.
pub(super) fn can_be_field(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= 255
}

/// The field of an attribute, by its samples and the letter of its type.
pub(super) fn field(
    name: &str,
    letter: Option<&str>,
    items: &[Item],
    shapes: &mut Shapes,
) -> FieldDraft {
    let samples: Vec<&Sample> = items.iter().filter_map(|item| item.get(name)).collect();
    let told: Vec<&Sample> = samples
        .iter()
        .copied()
        .filter(|sample| **sample != Sample::Null)
        .collect();
    let kind = match told.is_empty() {
        true => by_letter(name, letter),
        false => kind(name, &told, shapes, 0),
    };
    // What no sample of an entity has need not be there.
    let optional = told.len() < items.len() || (items.is_empty() && letter.is_none());
    let mark = if optional { "?" } else { "" };
    FieldDraft {
        name: name.to_owned(),
        kind: format!("{kind}{mark}"),
        bound: None,
    }
}

fn by_letter(name: &str, letter: Option<&str>) -> String {
    match letter {
        Some("N") if is_time(name) => "epoch_seconds",
        Some("N") => "int",
        Some("BOOL") => "bool",
        Some("B") => "binary",
        Some("SS") => "set(string(1..))",
        Some("NS") => "set(int)",
        Some("L") => "list(json)",
        Some("M" | "BS") => "json",
        _ => "string",
    }
    .to_owned()
}

/// The type that has all these values. What goes deeper than a person would nest it is any JSON.
pub(super) fn kind(name: &str, samples: &[&Sample], shapes: &mut Shapes, depth: usize) -> String {
    const DEEPEST: usize = 6;
    if depth > DEEPEST {
        return "json".to_owned();
    }
    macro_rules! all {
        ($pattern:pat => $value:expr) => {
            samples
                .iter()
                .map(|sample| match sample {
                    $pattern => Some($value),
                    _ => None,
                })
                .collect::<Option<Vec<_>>>()
        };
    }
    if let Some(texts) = all!(Sample::Text(text) => text.as_str()) {
        return text_kind(name, &texts);
    }
    if let Some(numbers) = all!(Sample::Number(number) => number.as_str()) {
        return number_kind(name, &numbers);
    }
    if let Some(sets) = all!(Sample::Texts(texts) => texts) {
        let texts: Vec<&str> = sets
            .iter()
            .flat_map(|texts| texts.iter().map(String::as_str))
            .collect();
        return format!("set({})", entry_of_set(text_kind(name, &texts)));
    }
    if let Some(sets) = all!(Sample::Numbers(numbers) => numbers) {
        let numbers: Vec<&str> = sets
            .iter()
            .flat_map(|numbers| numbers.iter().map(String::as_str))
            .collect();
        return format!("set({})", number_kind(name, &numbers));
    }
    if let Some(lists) = all!(Sample::List(entries) => entries) {
        let entries: Vec<&Sample> = lists.iter().flat_map(|entries| entries.iter()).collect();
        return match entries.is_empty() {
            true => "list(json)".to_owned(),
            false => format!("list({})", kind(name, &entries, shapes, depth + 1)),
        };
    }
    if let Some(maps) = all!(Sample::Map(map) => map) {
        return shapes.map(name, &maps, depth);
    }
    match samples {
        samples if samples.iter().all(|sample| **sample == Sample::Flag) => "bool",
        samples if samples.iter().all(|sample| **sample == Sample::Bytes) => "binary",
        _ => "json",
    }
    .to_owned()
}

/// An entry of a set is never empty.
fn entry_of_set(kind: String) -> String {
    match kind.as_str() {
        "string" => "string(1..)".to_owned(),
        _ => kind,
    }
}

fn text_kind(name: &str, texts: &[&str]) -> String {
    let all = |shape: Shape| texts.iter().all(|text| has_shape(&shape, text));
    let moments = [
        (Precision::Millis, "timestamp"),
        (Precision::Seconds, "timestamp(s)"),
        (Precision::Micros, "timestamp(us)"),
    ];
    if texts.is_empty() {
        return "string".to_owned();
    }
    if all(Shape::Uuid) {
        return "uuid".to_owned();
    }
    if all(Shape::Ulid) {
        return "ulid".to_owned();
    }
    if all(Shape::Date) {
        return "date".to_owned();
    }
    for (precision, word) in moments {
        if all(Shape::Timestamp(precision)) {
            return word.to_owned();
        }
    }
    if all(Shape::UnevenTimestamp) {
        return "timestamp(any)".to_owned();
    }
    if texts.iter().all(|text| is_email(text)) {
        return "email".to_owned();
    }
    let named = {
        let name = name.to_lowercase();
        name == "id"
            || name.ends_with("_id")
            || name.ends_with("id") && name.len() > 4
            || name.ends_with("hash")
    };
    if named && texts.iter().all(|text| is_identifier(text)) {
        return "id".to_owned();
    }
    "string".to_owned()
}

fn has_shape(shape: &Shape, text: &str) -> bool {
    encode_piece(
        shape,
        &Encodings::default(),
        false,
        &KeyValue::Text(text.to_owned()),
    )
    .is_ok()
}

pub(super) fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else {
        return false;
    };
    !name.is_empty()
        && domain.contains('.')
        && !domain.starts_with('.')
        && !domain.ends_with('.')
        && !domain.contains('@')
        && !text.contains(char::is_whitespace)
        && text.len() <= 254
}

fn is_identifier(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.:@+=/~|".contains(c))
}

fn number_kind(name: &str, numbers: &[&str]) -> String {
    let whole: Option<Vec<i64>> = numbers.iter().map(|number| number.parse().ok()).collect();
    let kind = match whole {
        None => "decimal",
        Some(whole)
            if is_time(name)
                && whole
                    .iter()
                    .all(|n| (100_000_000..100_000_000_000).contains(n)) =>
        {
            "epoch_seconds"
        }
        Some(whole)
            if is_time(name)
                && whole
                    .iter()
                    .all(|n| (100_000_000_000..253_402_300_800_000).contains(n)) =>
        {
            "epoch_millis"
        }
        Some(_) => "int",
    };
    kind.to_owned()
}

/// Whether a name is that of a moment.
fn is_time(name: &str) -> bool {
    let plain = name.to_lowercase();
    let ends = [
        "_at",
        "_on",
        "time",
        "timestamp",
        "ttl",
        "date",
        "_start",
        "_end",
        "expires",
        "expiry",
    ];
    plain == "at"
        || name.ends_with("At")
        || name.ends_with("On")
        || ends.iter().any(|end| plain.ends_with(end))
}
