//! Values of every type: the least and the most of it, each word of an enum, optionals absent and present.

use serde_json::{Map, Value, json};
use tablewright_keys::Precision;
use tablewright_model::Model;
use tablewright_model::field_type::{FieldType, Length};
use tablewright_model::model::{Entity, Field};

/// Which values are wanted. The first has the least of everything, all others the most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variant(pub(crate) usize);

impl Variant {
    pub(crate) const LEAST: Variant = Variant(0);
    pub(crate) const MOST: Variant = Variant(1);

    fn is_least(self) -> bool {
        self.0 == 0
    }
}

/// Longer texts prove nothing more.
const LONG: u32 = 60;

/// As many variants as have every word of every enum.
pub(crate) fn variants(fields: &[Field]) -> Vec<Variant> {
    let most = fields.iter().filter_map(|field| words(field.kind()));
    let most = most.map(<[String]>::len).max().unwrap_or(0);
    (0..=most.max(1)).map(Variant).collect()
}

/// The value of an entity in JSON.
pub(crate) fn entity(model: &Model, entity: &Entity, variant: Variant) -> Map<String, Value> {
    let mut value = fields(model, &entity.fields, variant);
    for counter in entity
        .counters
        .iter()
        .filter(|counter| counter.kept_by.is_none())
    {
        let counted = model.entity(counter.counts.1);
        let name = &counter.name.value;
        match &counter.per {
            None => drop(value.insert(name.clone(), json!(variant.0))),
            Some((_, per)) => {
                for word in counted.field(*per).kind().words().unwrap_or_default() {
                    let name = tablewright::descriptor::number_of(name, word);
                    value.insert(name, json!(variant.0));
                }
            }
        }
    }
    value
}

/// The values of fields. The least has no optional one.
pub(crate) fn fields<'f>(
    model: &Model,
    fields: impl IntoIterator<Item = &'f Field>,
    variant: Variant,
) -> Map<String, Value> {
    let mut values = Map::new();
    for field in fields {
        if !(variant.is_least() && field.is_optional()) {
            values.insert(field.name.value.clone(), kind(model, field.kind(), variant));
        }
    }
    values
}

/// A value of a type.
pub(crate) fn kind(model: &Model, of: &FieldType, variant: Variant) -> Value {
    let Variant(n) = variant;
    let least = variant.is_least();
    match of {
        FieldType::String(length) => json!(text(length, variant)),
        FieldType::Id if least => json!(format!("{n}")),
        FieldType::Id => json!(format!("{n}{}", "x".repeat(127))),
        FieldType::Uuid => json!(format!("00000000-0000-4000-8000-{n:012}")),
        FieldType::Ulid => json!(format!("{n:026}")),
        FieldType::Email => json!(format!(
            "{n}@{}.example",
            if least { "a" } else { "ümläut" }
        )),
        FieldType::Bool => json!(!least),
        FieldType::Int { min, .. } if least => json!(min.unwrap_or(i64::MIN)),
        FieldType::Int { max, .. } => json!(max.unwrap_or(i64::MAX)),
        FieldType::Decimal if least => json!("0"),
        FieldType::Decimal => json!("-12345678901234567890.123456789012345678"),
        FieldType::Date => json!(if least { "0001-01-01" } else { "9999-12-31" }),
        FieldType::Timestamp(precision) => {
            let fraction = match (precision, least) {
                (Precision::Seconds, _) => "",
                (Precision::Millis, true) => ".000",
                (Precision::Millis, false) => ".999",
                (Precision::Micros, true) => ".000000",
                (Precision::Micros, false) => ".999999",
            };
            let moment = if least {
                "1970-01-01T00:00:00"
            } else {
                "9999-12-30T21:59:59"
            };
            json!(format!("{moment}{fraction}Z"))
        }
        FieldType::UnevenTimestamp => json!("2024-01-31T10:00:00.5Z"),
        FieldType::EpochSeconds => json!(if least { 0_i64 } else { 253_402_300_799 }),
        FieldType::EpochMillis => json!(if least { 0_i64 } else { 253_402_300_799_999 }),
        FieldType::Enum(words) | FieldType::Ordered(words) => json!(words[n % words.len()]),
        FieldType::Binary(length) => json!(vec![255; length.min.max(u32::from(!least)) as usize]),
        FieldType::List(of, length) => {
            let entry = |_| kind(model, of, variant);
            Value::Array((0..entries(length, variant)).map(entry).collect())
        }
        // Each once, and in the order in which they are written.
        FieldType::Set(of, length) => {
            let many = entries(length, variant).min(if of.words().is_some() { 1 } else { 9 });
            let first = if least { 0 } else { 1 };
            let entry = |at: usize| match of.as_ref() {
                FieldType::Decimal => json!(format!("{at}.5")),
                of => kind(model, of, Variant(first + at)),
            };
            Value::Array((0..many).map(entry).collect())
        }
        FieldType::Map(of, length) => {
            let entry = |at| (format!("entry {at}"), kind(model, of, variant));
            Value::Object((0..entries(length, variant)).map(entry).collect())
        }
        FieldType::Json(_) if least => json!({}),
        FieldType::Json(_) => json!({ "a": [null, true, 1.5, "x", { "b": [] }] }),
        FieldType::Struct(name) => {
            let structure = model
                .structure(name)
                .expect("the resolver knows every struct");
            Value::Object(fields(model, &structure.fields, variant))
        }
    }
}

fn entries(length: &Length, variant: Variant) -> usize {
    let wanted = length.min.max(if variant.is_least() { 0 } else { 2 });
    wanted.min(length.max.unwrap_or(wanted)) as usize
}

/// Text that differs between variants, with what is awkward in either language.
fn text(length: &Length, variant: Variant) -> String {
    let many = match variant.is_least() {
        true => length.min,
        false => LONG.min(length.max.unwrap_or(LONG)).max(length.min),
    };
    let awkward = format!("{}\"é#`${{x}}\\ ", variant.0);
    let mut text = if variant.is_least() {
        variant.0.to_string()
    } else {
        awkward
    };
    text = text.chars().take(many as usize).collect();
    while text.chars().count() < many as usize {
        text.push('z');
    }
    text
}

fn words(kind: &FieldType) -> Option<&[String]> {
    match kind {
        FieldType::List(of, _) | FieldType::Set(of, _) | FieldType::Map(of, _) => words(of),
        kind => kind.words(),
    }
}
