//! Types in a few words, for the documentation of fields.

use tablewright_keys::Precision;
use tablewright_model::field_type::{DeclaredType, FieldType, Length};

/// A sentence about a field: `Text of 1 to 200 characters.`
pub(crate) fn field(declared: &DeclaredType) -> String {
    let mut text = capital(&kind(&declared.kind));
    if declared.optional {
        text.push_str(", if any");
    }
    if let Some(default) = &declared.default {
        text.push_str(&format!("; `{default}` unless said"));
    }
    text.push('.');
    text
}

/// A link to a type, with its article.
pub(super) fn a(name: &str) -> String {
    let article = if name.starts_with(['A', 'E', 'I', 'O']) {
        "an"
    } else {
        "a"
    };
    format!("{article} [`{name}`]")
}

pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase());
    first.into_iter().flatten().chain(chars).collect()
}

fn kind(kind: &FieldType) -> String {
    match kind {
        FieldType::String(length) => amount("text", length, "characters"),
        FieldType::Id => "an identifier".to_owned(),
        FieldType::Uuid => "a UUID".to_owned(),
        FieldType::Ulid => "a ULID, which sorts by time".to_owned(),
        FieldType::Email => "an e-mail address".to_owned(),
        FieldType::Bool => "true or false".to_owned(),
        FieldType::Int { min, max } => match (min, max) {
            (Some(min), Some(max)) => format!("a number from {min} to {max}"),
            (Some(min), None) => format!("a number from {min} on"),
            (None, Some(max)) => format!("a number up to {max}"),
            (None, None) => "a whole number".to_owned(),
        },
        FieldType::Decimal => "a number with a fraction".to_owned(),
        FieldType::Date => "a day".to_owned(),
        FieldType::Timestamp(Precision::Seconds) => "a moment, to the second".to_owned(),
        FieldType::Timestamp(Precision::Millis) => "a moment, to the millisecond".to_owned(),
        FieldType::Timestamp(Precision::Micros) => "a moment, to the microsecond".to_owned(),
        FieldType::UnevenTimestamp => "a moment, as text of any precision".to_owned(),
        FieldType::EpochSeconds => "seconds since 1970".to_owned(),
        FieldType::EpochMillis => "milliseconds since 1970".to_owned(),
        FieldType::Enum(words) => one_of(words, ", "),
        FieldType::Ordered(words) => one_of(words, " < "),
        FieldType::Binary(length) => amount("bytes", length, "of them"),
        FieldType::List(of, length) => amount(
            &format!("a list, each {}", self::kind(of)),
            length,
            "of them",
        ),
        FieldType::Set(of, length) => amount(
            &format!("a set, each {}", self::kind(of)),
            length,
            "of them",
        ),
        FieldType::Map(of, length) => amount(
            &format!("by name, each {}", self::kind(of)),
            length,
            "of them",
        ),
        FieldType::Json(length) => amount("anything", length, "bytes"),
        FieldType::Struct(name) => a(name),
    }
}

fn one_of(words: &[String], between: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match between {
        ", " => format!("one of {}", words.join(between)),
        _ => words.join(between),
    }
}

fn amount(what: &str, length: &Length, of: &str) -> String {
    let join = if what.contains(',') || of == "of them" {
        ", "
    } else {
        " of "
    };
    match (length.min, length.max) {
        (0, None) => what.to_owned(),
        (0, Some(max)) => format!("{what}{join}at most {max} {of}"),
        (min, None) => format!("{what}{join}at least {min} {of}"),
        (min, Some(max)) if min == max => format!("{what}{join}{min} {of}"),
        (min, Some(max)) => format!("{what}{join}{min} to {max} {of}"),
    }
}

#[cfg(test)]
mod tests {
    use tablewright_model::field_type::parse;

    use super::field;

    #[test]
    fn a_type_is_told_in_words() {
        for (written, told) in [
            ("string(1..200)", "Text of 1 to 200 characters."),
            (
                "string(..1000)?",
                "Text of at most 1000 characters, if any.",
            ),
            ("string(64..64)", "Text of 64 characters."),
            ("int(0..) = 0", "A number from 0 on; `0` unless said."),
            (
                "list(string(1..20), ..10)",
                "A list, each text of 1 to 20 characters, at most 10 of them.",
            ),
            ("ordered(low, high)?", "`low` < `high`, if any."),
            (
                "map(timestamp, ..40)",
                "By name, each a moment, to the millisecond, at most 40 of them.",
            ),
            ("json(..4096)", "Anything of at most 4096 bytes."),
        ] {
            assert_eq!(field(&parse(written).unwrap()), told);
        }
    }
}
