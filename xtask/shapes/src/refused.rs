//! What TypeScript must refuse: each case spoils one thing of a value that is good.

use anyhow::ensure;
use serde_json::{Map, Value, json};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, Field};

use crate::accepted::values_of;
use crate::known::Known;
use crate::literal::{constant, of_item, of_json};
use crate::stored::StoredItem;
use crate::values::{self, Variant};

/// A case: what is wrong, the value as a literal, and the same in JSON where Rust refuses it as well.
struct Case {
    why: String,
    literal: String,
    refused_by_rust: Option<Value>,
}

/// A constant with an expected error for each case.
// C3-12, C3-15: types, not data written as types; and nothing else is accepted.
pub(crate) fn refused(
    model: &Model,
    known: &[Known],
    items: &[StoredItem<'_>],
) -> anyhow::Result<String> {
    let mut text = String::new();
    let mut count = 0;
    for known in known {
        let entity = model
            .entities
            .iter()
            .find(|entity| entity.name.value == known.name);
        let cases = match entity {
            Some(entity) => of_entity(model, entity),
            None => around(model, known.name),
        };
        for case in cases {
            if let Some(value) = case.refused_by_rust {
                let read = (known.through)(value);
                ensure!(read.is_err(), "Rust reads {} with {}", known.name, case.why);
            }
            text.push_str(&format!("// {}\n// @ts-expect-error\n", case.why));
            text.push_str(&constant(&mut count, known.name, &case.literal));
        }
    }
    for stored in items {
        for (why, literal) in of_stored(stored) {
            text.push_str(&format!("// {why}\n// @ts-expect-error\n"));
            text.push_str(&constant(&mut count, &stored.kind, &literal));
        }
    }
    Ok(text)
}

fn of_entity(model: &Model, entity: &Entity) -> Vec<Case> {
    let good = values::entity(model, entity, Variant::MOST);
    let mut cases = vec![case(
        &good,
        "a field nobody knows",
        "nobody_knows_it",
        Some(json!(1)),
    )];
    let strangers = model.entities.iter().flat_map(|other| &other.fields);
    let mut strangers = strangers.filter(|field| !good.contains_key(&field.name.value));
    if let Some(stranger) = strangers.next() {
        let value = values::kind(model, stranger.kind(), Variant::MOST);
        cases.push(case(
            &good,
            "a field of another entity",
            &stranger.name.value,
            Some(value),
        ));
    }
    for field in &entity.fields {
        cases.extend(of_field(&good, field));
    }
    cases
}

fn of_field(good: &Map<String, Value>, field: &Field) -> Vec<Case> {
    let name = field.name.as_str();
    let kind = field.kind();
    let mut cases = Vec::new();
    let is_set = matches!(kind, FieldType::Set(..));
    let rust_needs_it = field.declared.default.is_none() && !is_set;
    if field.is_optional() {
        let rest = of_json(&Value::Object(changed(good, name, None)));
        let rest = rest.trim_end_matches('}');
        cases.push(Case {
            why: format!("`{name}` undefined instead of absent"),
            literal: format!("{rest}, {}: undefined }}", json!(name)),
            refused_by_rust: None,
        });
    } else {
        let missing = case(good, &format!("`{name}` missing"), name, None);
        cases.push(if rust_needs_it {
            missing.also_in_rust(good, name, None)
        } else {
            missing
        });
    }
    if !matches!(kind, FieldType::Json(_)) {
        let null = case(good, &format!("`{name}` null"), name, Some(Value::Null));
        cases.push(match field.is_optional() {
            true => null,
            false => null.also_in_rust(good, name, Some(Value::Null)),
        });
    }
    for (why, wrong, rust_refuses) in wrong_values(kind) {
        let spoilt = case(good, &format!("`{name}` {why}"), name, Some(wrong.clone()));
        cases.push(match rust_refuses {
            true => spoilt.also_in_rust(good, name, Some(wrong)),
            false => spoilt,
        });
    }
    cases
}

/// Values that are none of a type, and whether Rust's type refuses them too.
fn wrong_values(kind: &FieldType) -> Vec<(&'static str, Value, bool)> {
    match kind {
        FieldType::String(_) | FieldType::Id | FieldType::Ulid | FieldType::UnevenTimestamp => {
            vec![("a number instead of text", json!(1), true)]
        }
        FieldType::Email => vec![
            ("a number instead of text", json!(1), true),
            ("no address", json!("nobody"), false),
        ],
        FieldType::Uuid => vec![("no UUID", json!("one"), true)],
        FieldType::Bool => vec![("text instead of a truth", json!("true"), true)],
        FieldType::Int { .. } | FieldType::EpochSeconds | FieldType::EpochMillis => {
            vec![("text instead of a number", json!("1"), true)]
        }
        FieldType::Decimal => vec![
            ("a number instead of its text", json!(1.5), false),
            ("no number", json!("many"), true),
        ],
        FieldType::Date => vec![("no day", json!("tomorrow"), true)],
        FieldType::Timestamp(_) => vec![
            ("no moment", json!("now"), true),
            ("a day instead of a moment", json!("2024-01-31"), true),
            ("a number instead of a moment", json!(1_706_695_200), true),
        ],
        FieldType::Enum(_) | FieldType::Ordered(_) => {
            vec![("another word", json!("no_such_word"), true)]
        }
        FieldType::Binary(_) => vec![("text instead of bytes", json!("AQID"), true)],
        FieldType::List(of, length) | FieldType::Set(of, length) => {
            let mut wrong = vec![("text instead of several", json!("x"), true)];
            if (1..=3).contains(&length.min) {
                wrong.push(("empty", json!([]), false));
            }
            let inner = wrong_values(of).into_iter().take(1);
            wrong.extend(inner.map(|(why, value, rust)| {
                (why, json!(vec![value; length.min.max(1) as usize]), rust)
            }));
            wrong
        }
        FieldType::Map(of, _) => {
            let inner = wrong_values(of).into_iter().take(1);
            let inner = inner.map(|(why, value, rust)| (why, json!({ "entry": value }), rust));
            inner
                .chain([("a list instead of a map", json!([1]), true)])
                .collect()
        }
        FieldType::Struct(_) => vec![
            ("text instead of a shape", json!("x"), true),
            ("a shape without fields", json!({}), true),
        ],
        FieldType::Json(_) => Vec::new(),
    }
}

/// What is around the data: versions and events.
fn around(model: &Model, name: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for good in values_of(model, name) {
        let Value::Object(good) = good else { continue };
        for (member, wrong) in [
            ("data_version", json!(999)),
            ("last_write", json!("1")),
            ("data", json!({})),
            ("type", json!("NothingHappened")),
            ("detail", json!(null)),
        ] {
            if !good.contains_key(member) {
                continue;
            }
            cases.push(case(&good, &format!("`{member}` missing"), member, None));
            cases.push(case(
                &good,
                &format!("`{member}` wrong"),
                member,
                Some(wrong),
            ));
        }
        cases.push(case(
            &good,
            "something nobody knows",
            "nobody_knows_it",
            Some(json!(1)),
        ));
    }
    cases
}

fn case(good: &Map<String, Value>, why: &str, name: &str, value: Option<Value>) -> Case {
    Case {
        why: why.to_owned(),
        literal: of_json(&Value::Object(changed(good, name, value))),
        refused_by_rust: None,
    }
}

impl Case {
    fn also_in_rust(mut self, good: &Map<String, Value>, name: &str, value: Option<Value>) -> Case {
        self.refused_by_rust = Some(Value::Object(changed(good, name, value)));
        self
    }
}

fn changed(good: &Map<String, Value>, name: &str, value: Option<Value>) -> Map<String, Value> {
    let mut changed = good.clone();
    match value {
        Some(value) => drop(changed.insert(name.to_owned(), value)),
        None => drop(changed.remove(name)),
    }
    changed
}

/// Items without what they must have, or with something else in it.
fn of_stored(stored: &StoredItem<'_>) -> Vec<(String, String)> {
    use aws_sdk_dynamodb::types::AttributeValue;
    let mut cases = Vec::new();
    let mut spoil = |why: String, name: &str, value: Option<AttributeValue>| {
        let mut item = stored.item.clone();
        match value {
            Some(value) => drop(item.insert(name.to_owned(), value)),
            None => drop(item.remove(name)),
        }
        cases.push((why, of_item(&item)));
    };
    let text = |text: &str| Some(AttributeValue::S(text.to_owned()));
    spoil(
        "an attribute nobody knows".to_owned(),
        "nobody_knows_it",
        text("x"),
    );
    let table = stored.table;
    let sort = table.sort_key.as_ref();
    let keys = std::iter::once(&table.partition_key).chain(sort);
    for key in keys {
        spoil(format!("`{}` missing", key.name), &key.name, None);
    }
    if let Some(name) = &table.type_attribute {
        spoil(
            format!("`{name}` of something else"),
            name.as_str(),
            text("Nothing"),
        );
        spoil(format!("`{name}` missing"), name.as_str(), None);
    }
    let Some(entity) = stored.entity else {
        return cases;
    };
    if entity.versioned.is_some() {
        spoil("`last_write` missing".to_owned(), "last_write", None);
        spoil(
            "another version".to_owned(),
            "data_version",
            Some(AttributeValue::N("999".to_owned())),
        );
    }
    let of_table = sort.zip(entity.key.sort.as_ref());
    let mut templates = vec![(&table.partition_key, &entity.key.partition)];
    templates.extend(of_table);
    for key in &entity.index_keys {
        let index = table.index(key.index);
        templates.push((&index.partition_key, &key.key.partition));
        templates.extend(index.sort_key.as_ref().zip(key.key.sort.as_ref()));
    }
    for (attribute, template) in templates {
        if !template.template.leading_literal().is_empty() {
            spoil(
                format!("`{}` of another form", attribute.name),
                &attribute.name,
                text("?"),
            );
        }
    }
    cases
}

/// The same of an item that a service stored, and with every attribute of another type, and every field dropped that must be there.
pub(crate) fn of_served(stored: &StoredItem<'_>) -> Vec<(String, String)> {
    use aws_sdk_dynamodb::types::AttributeValue;
    let mut cases = of_stored(stored);
    let field = |name: &str| {
        let entity = stored.entity?;
        Some(entity.field(entity.field_named(name)?))
    };
    let mut names: Vec<&String> = stored.item.keys().collect();
    names.sort();
    for name in names {
        let field = field(name);
        let kind = field.map(Field::kind);
        if matches!(kind, Some(FieldType::Json(_))) {
            continue;
        }
        let mut other = stored.item.clone();
        let wrong = match &stored.item[name] {
            AttributeValue::S(_) => AttributeValue::N("1".to_owned()),
            _ => AttributeValue::S("x".to_owned()),
        };
        other.insert(name.clone(), wrong);
        cases.push((format!("`{name}` of another type"), of_item(&other)));
        // A set that is empty is not stored.
        let must_be = field.is_some_and(|field| !field.is_optional());
        if must_be && !matches!(kind, Some(FieldType::Set(..))) {
            let mut rest = stored.item.clone();
            rest.remove(name);
            cases.push((format!("`{name}` dropped"), of_item(&rest)));
        }
    }
    cases
}
