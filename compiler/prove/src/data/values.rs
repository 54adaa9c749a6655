//! A value for every field type.

use serde_json::{Map, Value, json};
use tablewright_model::Model;
use tablewright_model::field_type::{FieldType, Length};
use tablewright_model::model::Field;

use super::chance::Chance;
use super::names::{email, id, ulid, uuid};
use super::text;
use super::times::{self, DAY, NOW};

/// The last moment ISO timestamps can say in every time zone, in seconds.
const LAST_MOMENT: i64 = 253_402_207_200;

/// The last second of the year 9999.
const LAST_SECOND: i64 = 253_402_300_799;

/// Ten digits of seconds last until the year 2286.
const TEN_DIGITS: i64 = 9_999_999_999;

/// As many digits as a number in a key has where nothing says how great it is, and small ones have run out.
const MANY_DIGITS: u8 = 9;

/// Of more characters than this letters do not run out.
const FEW_CHARACTERS: usize = 8;

/// So many characters Unicode can have: all but halves of pairs.
const CHARACTERS: u32 = 0x11_0000 - 0x800;

/// How a value is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Short and harmless.
    Plain,
    /// As people write, now and then awkward.
    Typical,
    /// Awkward: delimiters, all of Unicode, the ends of the type.
    Wild,
    /// Where words have run out: any number and any day of the type, texts of letters and digits.
    Lettered,
    /// Where letters have run out: texts of ideographs.
    Signed,
}

impl Style {
    /// Whether it is of all values of its type, as where the usual ones have run out.
    pub(crate) fn is_of_all(self) -> bool {
        matches!(self, Style::Lettered | Style::Signed)
    }
}

/// What must be thought of beside a field's type.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Place {
    /// It is a part of a key: it must not grow without end.
    pub(crate) in_key: bool,
    /// It is a key by itself, which must not be empty.
    pub(crate) whole_key: bool,
    /// The digits a key has for it, where it is padded.
    pub(crate) digits: Option<u8>,
}

/// The last second of the type; in keys, which are said to have room enough with ten digits, the last of these.
fn last_second(place: Place) -> i64 {
    match place.digits {
        Some(0..=10) => TEN_DIGITS,
        _ => LAST_SECOND,
    }
}

/// A value of a type.
pub(crate) fn value_of(
    model: &Model,
    kind: &FieldType,
    place: Place,
    style: Style,
    chance: &mut Chance,
) -> Value {
    nested(model, kind, place, style, 0, chance)
}

fn nested(
    model: &Model,
    kind: &FieldType,
    place: Place,
    style: Style,
    depth: usize,
    chance: &mut Chance,
) -> Value {
    let wild = match style {
        Style::Plain | Style::Lettered | Style::Signed => false,
        Style::Typical => chance.one_in(12),
        Style::Wild => chance.one_in(2),
    };
    let inside = Place::default();
    let many = |length: &Length, chance: &mut Chance, most: u32| {
        let min = length.min;
        let max = length.max.unwrap_or(u32::MAX);
        let usual = min.max(most.min(max));
        let most = if wild && depth == 0 {
            max.min(min.max(12))
        } else {
            usual
        };
        chance.between(i64::from(min), i64::from(most)) as usize
    };
    match kind {
        FieldType::String(length) if wild => {
            let (min, max) = bounds(length, place);
            Value::String(text::awkward(min, max, chance))
        }
        FieldType::String(length) => Value::String(string(length, place, style, chance)),
        FieldType::Id => Value::String(id(wild, chance)),
        FieldType::Uuid => Value::String(uuid(chance)),
        FieldType::Ulid => Value::String(ulid(moment(wild, chance), chance)),
        FieldType::Email => Value::String(email(wild, chance)),
        FieldType::Bool => Value::Bool(chance.one_in(2)),
        FieldType::Int { min, max } if style.is_of_all() => {
            let digits = place.digits.unwrap_or(MANY_DIGITS).min(MANY_DIGITS);
            let (low, high) = ends(*min, *max, place, digits);
            json!(chance.between(low, high))
        }
        FieldType::Int { min, max } => json!(whole(*min, *max, place, wild, chance)),
        FieldType::Date if style.is_of_all() => {
            Value::String(times::date(chance.between(0, LAST_SECOND / DAY)))
        }
        FieldType::Decimal => Value::String(decimal(wild, chance)),
        FieldType::Date => Value::String(times::date(day(wild, chance))),
        FieldType::Timestamp(precision) => {
            let micros = if wild && chance.one_in(4) {
                *chance.pick(&[0, LAST_MOMENT * 1_000_000])
            } else {
                moment(wild, chance) * 1000
            };
            Value::String(times::moment(micros, *precision))
        }
        FieldType::UnevenTimestamp => {
            let precisions = [
                tablewright_keys::Precision::Seconds,
                tablewright_keys::Precision::Millis,
            ];
            let precision = *chance.pick(&precisions);
            // Several within one second: their text tells no order.
            let millis = if chance.one_in(2) {
                NOW - chance.between(0, 20_000)
            } else {
                moment(wild, chance)
            };
            Value::String(times::moment(millis * 1000, precision))
        }
        FieldType::EpochSeconds if wild && chance.one_in(4) => {
            json!(chance.pick(&[0, last_second(place)]))
        }
        FieldType::EpochSeconds => json!(moment(wild, chance) / 1000),
        FieldType::EpochMillis => json!(moment(wild, chance)),
        FieldType::Enum(words) | FieldType::Ordered(words) if !words.is_empty() => {
            Value::String(chance.pick(words).clone())
        }
        FieldType::Enum(_) | FieldType::Ordered(_) => Value::Null,
        FieldType::Binary(length) => {
            let bytes = many(length, chance, 24);
            (0..bytes).map(|_| json!(chance.below(256))).collect()
        }
        FieldType::List(of, length) => {
            let count = many(length, chance, 3);
            let members = (0..count).map(|_| nested(model, of, inside, style, depth + 1, chance));
            members.collect()
        }
        FieldType::Set(of, length) => set(model, of, many(length, chance, 4), style, depth, chance),
        FieldType::Map(of, length) => {
            let count = many(length, chance, 4);
            let mut members = Map::new();
            for number in 0..count {
                let name = match wild {
                    true => text::fitted(text::odd(chance), 1, 40),
                    false => text::word(chance).to_owned(),
                };
                // Names that were chosen before would make it shorter than it must be.
                let name = match members.contains_key(&name) {
                    true => format!("{name} {number}"),
                    false => name,
                };
                members.insert(name, nested(model, of, inside, style, depth + 1, chance));
            }
            Value::Object(members)
        }
        FieldType::Json(length) => any(length, wild, chance),
        FieldType::Struct(name) => {
            let fields = model.structure(name).map_or(&[][..], |shape| &shape.fields);
            structure(model, fields, style, depth, chance)
        }
    }
}

/// The least and the greatest number of a type; in a key, where it says nothing, as far as so many digits go.
fn ends(min: Option<i64>, max: Option<i64>, place: Place, digits: u8) -> (i64, i64) {
    let low = min.unwrap_or(if place.in_key { 0 } else { i64::MIN });
    let high = max.unwrap_or(match place.in_key {
        true => (10_i64.pow(u32::from(digits)) - 1).max(low),
        false => i64::MAX,
    });
    (low, high)
}

/// How many values a field can have in the data of a proof; none where there is no end of them.
pub(super) fn how_many(kind: &FieldType, place: Place) -> Option<u64> {
    match kind {
        FieldType::Bool => Some(2),
        FieldType::Enum(words) | FieldType::Ordered(words) => Some(words.len() as u64),
        FieldType::Int { min, max } => {
            let digits = place.digits.unwrap_or(MANY_DIGITS).min(MANY_DIGITS);
            let (low, high) = ends(*min, *max, place, digits);
            Some(high.abs_diff(low).saturating_add(1))
        }
        FieldType::String(length) => {
            let (min, max) = bounds(length, place);
            // The empty text is one more where it is not the only one.
            let empty = u64::from(min == 0);
            let chars = u32::try_from(max).unwrap_or(u32::MAX);
            let texts = u64::from(CHARACTERS).saturating_pow(chars);
            Some(if max == 0 {
                1
            } else {
                texts.saturating_add(empty)
            })
        }
        _ => None,
    }
}

/// A whole number within its type, mostly small so that several are equal.
fn whole(min: Option<i64>, max: Option<i64>, place: Place, wild: bool, chance: &mut Chance) -> i64 {
    let (low, high) = ends(min, max, place, place.digits.unwrap_or(5).min(5));
    if wild && chance.one_in(3) {
        return *chance.pick(&[low, high]);
    }
    let begin = if low > 0 || high < 0 { low } else { 0 };
    let end = begin.saturating_add(400).min(high);
    chance.between(begin, end)
}

/// Now and then the same moment for several: milliseconds, in the year before now or in the month after it.
fn moment(wild: bool, chance: &mut Chance) -> i64 {
    let seconds = if chance.one_in(3) {
        NOW / 1000 + chance.between(-48, 8) * 6 * 3600
    } else {
        NOW / 1000 + chance.between(-360 * DAY, 30 * DAY)
    };
    let millis = if wild { chance.between(0, 999) } else { 0 };
    seconds * 1000 + millis
}

fn day(wild: bool, chance: &mut Chance) -> i64 {
    let today = NOW / 1000 / DAY;
    if !wild {
        return today + chance.between(-60, 60);
    }
    // Ends of months, a leap day, and the ends of the calendar.
    let offset = *chance.pick(&[0, 1, 28, 29, -1, -31, -32]);
    *chance.pick(&[today + offset, 28_548, 28_549, 0, 2_932_896, today - 30])
}

/// The least and the most characters of a text.
fn bounds(length: &Length, place: Place) -> (usize, usize) {
    let min = length.min.max(u32::from(place.whole_key)) as usize;
    let most = if place.in_key { 200 } else { usize::MAX };
    let max = length
        .max
        .map_or(usize::MAX, |max| max as usize)
        .min(most.max(min));
    (min, max)
}

fn string(length: &Length, place: Place, style: Style, chance: &mut Chance) -> String {
    let (min, max) = bounds(length, place);
    let usual = min + chance.below(if place.in_key { 9 } else { 24 }) + 3;
    let chars = usual.clamp(min, max);
    match style {
        Style::Lettered => text::lettered(chars, chance),
        Style::Signed if chars <= FEW_CHARACTERS => text::signed(chars, chance),
        Style::Signed => text::lettered(chars, chance),
        _ => text::ordinary(chars, chance),
    }
}

fn decimal(wild: bool, chance: &mut Chance) -> String {
    if wild {
        let digits = [
            "0",
            "-0.5",
            "0.00000000000000000001",
            "-99999999999999999999.999999999999999999",
            "12345678901234567890.123456789012345678",
            "10",
            "9.9",
        ];
        return (*chance.pick(&digits)).to_owned();
    }
    let cents = chance.between(-50_000, 500_000);
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

fn set(
    model: &Model,
    of: &FieldType,
    count: usize,
    style: Style,
    depth: usize,
    chance: &mut Chance,
) -> Value {
    // A set of words has at most as many members as there are words.
    let count = of.words().map_or(count, |words| count.min(words.len()));
    let place = Place {
        whole_key: true,
        ..Place::default()
    };
    let mut members: Vec<Value> = Vec::new();
    for _ in 0..count * 20 {
        if members.len() == count {
            break;
        }
        let member = nested(model, of, place, style, depth + 1, chance);
        if !members.contains(&member) {
            members.push(member);
        }
    }
    Value::Array(members)
}

fn any(length: &Length, wild: bool, chance: &mut Chance) -> Value {
    let small =
        json!({ "word": text::word(chance), "number": chance.below(100), "list": [true, "x"] });
    // A name within a document is of one character at least.
    let odd = json!({ "#": { "$": "e\u{301}", "deep": [[], {}, -1] }, " ": "\u{1f600}" });
    let value = if wild { odd } else { small };
    let room = length.max.map_or(usize::MAX, |max| max as usize);
    // Counted as JSON, which takes more than what is stored.
    if value.to_string().len() <= room {
        value
    } else {
        json!({})
    }
}

fn structure(
    model: &Model,
    fields: &[Field],
    style: Style,
    depth: usize,
    chance: &mut Chance,
) -> Value {
    let mut values = Map::new();
    for field in fields {
        if field.is_optional() && chance.one_in(3) {
            continue;
        }
        // No struct contains itself, so this ends.
        let place = Place::default();
        let value = nested(model, field.kind(), place, style, depth + 1, chance);
        values.insert(field.name.value.clone(), value);
    }
    Value::Object(values)
}
