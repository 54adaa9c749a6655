//! Values of every type, the same for the same number and others for another.

use serde_json::{Map, Value, json};
use tablewright::descriptor::field_type::FieldType;
use tablewright::descriptor::{Entity, Read, Write};
use tablewright::{Change, Changes, Fields, Values};

/// Who everything belongs to, where there are tenants.
pub(crate) const TENANT: &str = "ada";

/// Makes values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Samples<'s> {
    /// The field that names the tenant: its value is one for all.
    pub(crate) tenant: Option<&'s str>,
    /// What tells these values from others.
    pub(crate) number: u32,
}

impl Samples<'_> {
    /// A whole item, its optional fields too.
    pub(crate) fn item(self, entity: &Entity) -> Fields {
        let fields = entity.fields.iter();
        let fields = fields.map(|field| (field.name.clone(), self.field(entity, &field.name)));
        let data: Map<String, Value> = fields.collect();
        Fields::from_json(entity, &data).unwrap()
    }

    /// The key of that item.
    pub(crate) fn key(self, entity: &Entity) -> Values {
        let mut key = Values::new();
        for name in entity.identity() {
            key = key.with(name, &self.field(entity, name));
        }
        key
    }

    /// What a read asks for.
    pub(crate) fn given(self, read: &Read) -> Values {
        let entity = &read.entities[0];
        let of_filter = read.filter.iter();
        let of_filter: Vec<(&str, &str)> = of_filter
            .flat_map(|filter| filter.parameters_with_fields())
            .collect();
        let mut given = Values::new();
        for name in &read.given {
            let named = of_filter.iter().find(|(parameter, _)| parameter == name);
            let field = named.map_or(name.as_str(), |(_, field)| field);
            let bounded = ["_from", "_to"].into_iter();
            let bounded = bounded.filter_map(|end| field.strip_suffix(end));
            let mut names = std::iter::once(field).chain(bounded);
            let field = names.find(|name| entity.field(name).is_some());
            given = given.with(name, &self.field(entity, field.unwrap()));
        }
        given
    }

    /// What the conditions of a write compare with.
    pub(crate) fn params(self, write: &Write) -> Values {
        let mut params = Values::new();
        for action in &write.actions {
            let condition = action.condition.iter();
            for (name, field) in condition.flat_map(|one| one.parameters_with_fields()) {
                params = params.with(name, &self.field(&action.entity, field));
            }
        }
        params
    }

    /// A change of these fields: some are set, some raised.
    pub(crate) fn changes(self, entity: &Entity, set: &[String], add: &[String]) -> Changes {
        let mut changes = Changes::new();
        for name in set {
            // Of one word there is no other: it goes.
            let kind = entity.field(name).map(|field| &field.declared.kind);
            let one_word = kind
                .and_then(FieldType::words)
                .is_some_and(|words| words.len() == 1);
            let value = if one_word {
                Value::Null
            } else {
                self.field(entity, name)
            };
            changes = changes.set(name, &Change::Set(value));
        }
        for name in add {
            changes = changes.add(name, 1);
        }
        changes
    }

    fn field(self, entity: &Entity, name: &str) -> Value {
        if self.tenant == Some(name) {
            return TENANT.into();
        }
        // What is no field is a counter.
        let field = entity.field(name);
        field.map_or(json!(0), |field| self.value(&field.declared.kind))
    }

    fn value(self, kind: &FieldType) -> Value {
        let number = self.number;
        match kind {
            FieldType::String(length) => {
                let least = length.min.max(1) as usize;
                format!("{:0>least$}", format!("t{number}")).into()
            }
            FieldType::Id => format!("id-{number}").into(),
            FieldType::Uuid => format!("00000000-0000-7000-8000-{number:012}").into(),
            FieldType::Ulid => format!("01HV6Z4Q3K8Y5N2M7P9R{number:06}").into(),
            FieldType::Email => format!("p{number}@example.org").into(),
            FieldType::Bool => (number % 2 == 1).into(),
            FieldType::Int { min, .. } => (min.unwrap_or(0).max(0) + i64::from(number)).into(),
            FieldType::Decimal => json!("1.5"),
            FieldType::Date => format!("2024-01-{:02}", number % 28 + 1).into(),
            FieldType::Timestamp(_) | FieldType::UnevenTimestamp => {
                format!("2024-01-31T10:00:00.{number:03}Z").into()
            }
            // Not passed, whoever asks.
            FieldType::EpochSeconds => (4_000_000_000_i64 + i64::from(number)).into(),
            FieldType::EpochMillis => (4_000_000_000_000_i64 + i64::from(number)).into(),
            FieldType::Enum(words) | FieldType::Ordered(words) => {
                words[number as usize % words.len()].as_str().into()
            }
            FieldType::List(of, length) | FieldType::Set(of, length) => {
                let many = 0..length.min.max(1);
                many.map(|more| {
                    let number = number + more;
                    Samples { number, ..self }.value(of)
                })
                .collect()
            }
            FieldType::Binary(_) | FieldType::Map(..) | FieldType::Json(_) => json!({}),
            FieldType::Struct(_) => json!({}),
        }
    }
}
