//! What everything is called in TypeScript.

use std::collections::BTreeMap;

use tablewright_model::Model;
use tablewright_model::model::{Entity, Field, TableId, Unique};

use super::scalars::Scalar;
use super::types;
use crate::EmitError;
use crate::rust::context::{alias, plain_name};
use crate::rust::enums;
use crate::rust::names::{Scope, pascal};

/// Types of the language that a file uses.
const RESERVED: &[&str] = &["Omit", "Partial", "Pick", "Set", "Uint8Array"];

/// The names that are not simply those of the model.
#[derive(Debug)]
pub(super) struct Names {
    scalars: BTreeMap<Scalar, String>,
}

impl Names {
    /// Takes every name once.
    pub(super) fn of(model: &Model) -> Result<Names, EmitError> {
        let mut scope = Scope::with(RESERVED, "a type of TypeScript");
        for entity in &model.entities {
            of_entity(&mut scope, entity)?;
        }
        for structure in &model.structs {
            let name = structure.name.as_str();
            scope.take(name, &format!("the struct {name}"))?;
            if types::differs_in_items(model, &structure.fields) {
                scope.take(&stored(name), &format!("the struct {name} as it is stored"))?;
            }
            of_words(&mut scope, name, name, &structure.fields)?;
        }
        for (position, table) in model.tables.iter().enumerate() {
            if has_several(model, TableId(position)) {
                let name = table.name.as_str();
                scope.take(&table_item(name), &format!("an item of the table {name}"))?;
            }
        }
        for event in &model.events {
            if event.trigger.is_some() {
                scope.take(event.name.as_str(), &format!("the event {}", event.name))?;
            }
        }
        if model.events.iter().any(|event| event.trigger.is_some()) {
            scope.take(&model_event(model), "an event of the model")?;
        }
        let mut scalars = BTreeMap::new();
        for scalar in Scalar::ALL {
            let mut name = scalar.name().to_owned();
            if scope.has(&name) {
                name.push_str("Value");
            }
            scope.take(&name, "a type every model may need")?;
            scalars.insert(scalar, name);
        }
        Ok(Names { scalars })
    }

    pub(super) fn scalar(&self, scalar: Scalar) -> &str {
        &self.scalars[&scalar]
    }
}

fn of_entity(scope: &mut Scope, entity: &Entity) -> Result<(), EmitError> {
    let name = entity.name.as_str();
    let what = format!("the entity {name}");
    scope.take(name, &what)?;
    if entity.versioned.is_some() {
        scope.take(&versioned(entity), &format!("{what} with its version"))?;
    }
    if !entity.identity().is_empty() {
        scope.take(&key(entity), &format!("the key of {what}"))?;
    }
    scope.take(&item(entity), &format!("the item of {what}"))?;
    for unique in entity.unique.iter().filter(|unique| unique.guard.is_some()) {
        let what = format!("the guard of `{}` of {what}", unique.name);
        scope.take(&guard(entity, unique), &what)?;
    }
    of_words(scope, name, plain_name(entity), &entity.fields)
}

fn of_words(
    scope: &mut Scope,
    owner: &str,
    plain: &str,
    fields: &[Field],
) -> Result<(), EmitError> {
    for field in fields {
        if enums::words_in(field.kind()).is_some() {
            let name = enums::type_name(plain, field);
            scope.take(&name, &format!("the values of {owner}.{}", field.name))?;
        }
    }
    Ok(())
}

/// What reading a versioned entity gives: `Account` of `AccountData`, else `VersionedTask`.
pub(super) fn versioned(entity: &Entity) -> String {
    alias(entity).map_or_else(|| format!("Versioned{}", entity.name), str::to_owned)
}

/// `TaskKey`
pub(super) fn key(entity: &Entity) -> String {
    format!("{}Key", plain_name(entity))
}

/// `TaskItem`
pub(super) fn item(entity: &Entity) -> String {
    format!("{}Item", plain_name(entity))
}

/// `UserEmailGuard`
pub(super) fn guard(entity: &Entity, unique: &Unique) -> String {
    format!(
        "{}{}Guard",
        plain_name(entity),
        pascal(unique.name.as_str())
    )
}

/// A struct whose stored form is another than its JSON.
pub(super) fn stored(structure: &str) -> String {
    format!("Stored{structure}")
}

/// Whatever a table holds: `TodoAppDataItem`.
pub(super) fn table_item(table: &str) -> String {
    format!("{}Item", pascal(table))
}

/// Whatever happens: `TodoEvent`.
pub(super) fn model_event(model: &Model) -> String {
    format!("{}Event", pascal(model.name.as_str()))
}

/// Whether a table holds items of several kinds.
pub(super) fn has_several(model: &Model, table: TableId) -> bool {
    let guards = |entity: &Entity| {
        let guarded = entity.unique.iter().filter(|unique| unique.guard.is_some());
        guarded.count()
    };
    let kinds = model
        .entities_of(table)
        .map(|(_, entity)| 1 + guards(entity));
    kinds.sum::<usize>() > 1
}
