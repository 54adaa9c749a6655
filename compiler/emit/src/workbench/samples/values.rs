//! A value of each type.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tablewright_keys::{Precision, fnv1a_64};
use tablewright_model::Model;
use tablewright_model::field_type::{FieldType, Length};

use super::{moments, words};
use crate::workbench::attribute::Attribute;

/// Where a value stands: in a field of this name, in this turn.
#[derive(Clone, Copy)]
pub(super) struct Place<'m> {
    pub(super) model: &'m Model,
    pub(super) name: &'m str,
    pub(super) turn: usize,
}

impl<'m> Place<'m> {
    fn turned(self, by: usize) -> Place<'m> {
        Place {
            turn: self.turn + by,
            ..self
        }
    }

    fn has(self, words: &[&str]) -> bool {
        let name = self.name.to_lowercase();
        words.iter().any(|word| name.contains(word))
    }

    /// Digits that look like chance and never change.
    fn digits(self, round: usize) -> u64 {
        let seed = fnv1a_64(&format!("{}/{}/{round}", self.name, self.turn));
        // The last letters of a text hardly reach the upper digits of its sum.
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// The value of a field, with what a new item would get where nothing is said.
pub(super) fn value(place: &Place<'_>, kind: &FieldType, default: Option<&str>) -> Attribute {
    let text = Attribute::Text;
    let place = *place;
    match kind {
        FieldType::String(_) if default.is_some() => text(default.unwrap_or_default().to_owned()),
        FieldType::String(length) => text(fitted(string(place, length), length)),
        FieldType::UnevenTimestamp => {
            text(moments::iso(moments::seconds(place.name, place.turn), ""))
        }
        FieldType::Id => text(identifier(place)),
        FieldType::Uuid => text(uuid(place)),
        FieldType::Ulid => text(ulid(place)),
        FieldType::Email => text(format!("{}@example.com", words::person(place.turn))),
        FieldType::Bool => Attribute::Flag(default != Some("false")),
        FieldType::Int { min, max } => {
            Attribute::Number(integer(place, *min, *max, default).to_string())
        }
        FieldType::Decimal => Attribute::Number(format!("{}.5", place.turn + 1)),
        FieldType::Date => text(moments::day(place.name, place.turn)),
        FieldType::Timestamp(precision) => {
            let fraction = match precision {
                Precision::Seconds => "",
                Precision::Millis => ".000",
                Precision::Micros => ".000000",
            };
            text(moments::iso(
                moments::seconds(place.name, place.turn),
                fraction,
            ))
        }
        FieldType::EpochSeconds => {
            Attribute::Number(moments::seconds(place.name, place.turn).to_string())
        }
        FieldType::EpochMillis => {
            Attribute::Number((moments::seconds(place.name, place.turn) * 1000).to_string())
        }
        FieldType::Enum(words) | FieldType::Ordered(words) => text(word(place, words, default)),
        FieldType::Binary(length) => {
            let bytes = fitted("tablewright".to_owned(), length);
            Attribute::Bytes(STANDARD.encode(bytes))
        }
        FieldType::List(of, length) => {
            let entry = |at| value(&place.turned(at), of, None);
            Attribute::List((0..entries(length)).map(entry).collect())
        }
        FieldType::Set(of, length) => set(place, of, length),
        FieldType::Map(of, length) => {
            let entry = |at| {
                let value = value(&place.turned(at), of, None);
                (
                    format!("{}-{}", words::spaced(place.name).replace(' ', "-"), at + 1),
                    value,
                )
            };
            Attribute::Map((0..entries(length)).map(entry).collect())
        }
        FieldType::Json(_) => {
            Attribute::Map(vec![("note".to_owned(), text("anything".to_owned()))])
        }
        FieldType::Struct(name) => structure(place, name),
    }
}

fn structure(place: Place<'_>, name: &str) -> Attribute {
    let fields = place
        .model
        .structure(name)
        .map(|structure| structure.fields.as_slice());
    let fields = fields.unwrap_or_default().iter().map(|field| {
        let inner = Place {
            name: field.name.as_str(),
            ..place
        };
        let default = field.declared.default.as_deref();
        (
            field.name.value.clone(),
            value(&inner, field.kind(), default),
        )
    });
    Attribute::Map(fields.collect())
}

fn set(place: Place<'_>, of: &FieldType, length: &Length) -> Attribute {
    let mut texts = Vec::new();
    let mut numbers = Vec::new();
    for at in 0..entries(length) {
        match value(&place.turned(at), of, None) {
            Attribute::Number(number) => numbers.push(number),
            Attribute::Text(text) => texts.push(text),
            _ => {}
        }
    }
    for entries in [&mut texts, &mut numbers] {
        entries.sort_unstable();
        entries.dedup();
    }
    if of.is_number() {
        Attribute::Numbers(numbers)
    } else {
        Attribute::Texts(texts)
    }
}

/// Two where that is allowed, and as many as there must be.
fn entries(length: &Length) -> usize {
    let wanted = length.min.max(2);
    wanted.min(length.max.unwrap_or(wanted)) as usize
}

fn word(place: Place<'_>, words: &[String], default: Option<&str>) -> String {
    match (place.turn, default) {
        (0, Some(default)) => default.to_owned(),
        (turn, _) => words[turn % words.len().max(1)].clone(),
    }
}

/// Text of a length: cut, or filled up.
fn fitted(mut text: String, length: &Length) -> String {
    let many = text.chars().count();
    if let Some(max) = length.max
        && many > max as usize
    {
        text = text.chars().take(max as usize).collect();
    }
    for _ in many..length.min as usize {
        text.push('.');
    }
    text
}

fn string(place: Place<'_>, length: &Length) -> String {
    if place.has(&["hash", "digest", "checksum"]) {
        let many = length.min.max(16) as usize;
        let digits: String = (0..many.div_ceil(16))
            .map(|round| format!("{:016x}", place.digits(round)))
            .collect();
        return digits.chars().take(many).collect();
    }
    words::text(place.name, place.turn)
}

fn identifier(place: Place<'_>) -> String {
    if place.has(&["hash", "digest"]) {
        return format!("{:016x}", place.digits(0));
    }
    if place.has(&[
        "agent", "event", "request", "session", "device", "order", "product", "item", "key",
    ]) {
        return words::text(
            place.name.trim_end_matches("_id").trim_end_matches("Id"),
            place.turn,
        );
    }
    if place.has(&["subject"]) {
        return format!("answer:{}", words::person(place.turn));
    }
    words::person(place.turn)
}

/// Of version 4 by its form.
fn uuid(place: Place<'_>) -> String {
    let (a, b) = (place.digits(0), place.digits(1));
    format!(
        "{:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:012x}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        8 + (b >> 62),
        (b >> 48) & 0xfff,
        b & 0xffff_ffff_ffff
    )
}

/// Of the moment the thing was made.
fn ulid(place: Place<'_>) -> String {
    const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let millis = u128::try_from(moments::seconds("", place.turn) * 1000).unwrap_or(0);
    let chance = u128::from(place.digits(0)) << 16 | u128::from(place.digits(1) & 0xffff);
    let value = millis << 80 | chance;
    (0..26)
        .rev()
        .map(|digit| char::from(CROCKFORD[((value >> (digit * 5)) & 31) as usize]))
        .collect()
}

fn integer(place: Place<'_>, min: Option<i64>, max: Option<i64>, default: Option<&str>) -> i64 {
    let turn = place.turn as i64;
    let wanted = if place.has(&["status_code", "statuscode"]) {
        201
    } else if place.has(&["points"]) {
        20 * (turn + 1)
    } else if place.has(&["answers"]) {
        2 * (turn + 1)
    } else if place.has(&["amount", "balance", "price", "total", "cents"]) {
        1250 * (turn + 1)
    } else {
        let default = default.and_then(|default| default.parse().ok());
        default.unwrap_or_else(|| min.unwrap_or(0).saturating_add(turn))
    };
    wanted
        .max(min.unwrap_or(i64::MIN))
        .min(max.unwrap_or(i64::MAX))
}
