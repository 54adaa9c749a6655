//! Entities and structs as services give them in JSON.

use tablewright_descriptor::number_of;
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Entity, Field, FieldId, Struct};

use super::names;
use super::purposes;
use super::scalars::Scalar;
use super::text::{Property, a, alias, interface, literal, names_of, union};
use super::types::{Form, Owner, Types, differs_in_items, may_be_absent};
use crate::rust::context::plain_name;
use crate::rust::enums;

/// An entity, the words of its enums, what tells one from another, and it with its version.
pub(super) fn entity(types: &Types<'_>, entity: &Entity) -> Vec<String> {
    let model = types.model;
    let owner = Owner::entity(entity);
    let name = entity.name.as_str();
    let mut properties = Vec::new();
    for (position, field) in entity.fields.iter().enumerate() {
        properties.push(Property {
            about: purposes::of_field(model, entity, FieldId(position)),
            ..property(types, owner, field, Form::Json)
        });
    }
    properties.extend(counters(model, entity, true));
    let about = entity.about.as_ref().map_or_else(
        || format!("An item of {}.", model.table(entity.table).name),
        |about| about.value.clone(),
    );
    let mut declarations = vec![interface(&about, name, &[], &properties)];
    declarations.extend(words(plain_name(entity), name, &entity.fields));
    let identity: Vec<&str> = entity
        .identity()
        .into_iter()
        .map(|id| entity.field(id).name.as_str())
        .collect();
    if !identity.is_empty() {
        let kind = format!("Pick<{name}, {}>", names_of(identity));
        let about = format!("What tells one {{@link {name}}} from another.");
        declarations.push(alias(&about, &names::key(entity), &kind));
    }
    if let Some(versioned) = &entity.versioned {
        let wrapper = types.scalar(Scalar::Versioned);
        let kind = format!("{wrapper}<{name}, {}>", versioned.data_version.value);
        let about = format!("{} with its version: what reading it gives.", a(name));
        declarations.push(alias(&about, &names::versioned(entity), &kind));
    }
    declarations
}

/// A struct, as JSON and, where that is another form, as it is stored.
pub(super) fn structure(types: &Types<'_>, structure: &Struct) -> Vec<String> {
    let owner = Owner::structure(structure);
    let name = structure.name.as_str();
    let properties = |form| -> Vec<Property> {
        let fields = structure.fields.iter();
        fields
            .map(|field| property(types, owner, field, form))
            .collect()
    };
    let users = users(types.model, name);
    let about = match users.as_slice() {
        [] => "A nested shape.".to_owned(),
        users => format!("A part of {}.", users.join(" and ")),
    };
    let mut declarations = vec![interface(&about, name, &[], &properties(Form::Json))];
    if differs_in_items(types.model, &structure.fields) {
        let about = format!("{} as it is stored.", a(name));
        let stored = names::stored(name);
        declarations.push(interface(&about, &stored, &[], &properties(Form::Item)));
    }
    declarations.extend(words(name, name, &structure.fields));
    declarations
}

/// The property of a field.
pub(super) fn property(types: &Types<'_>, owner: Owner<'_>, field: &Field, form: Form) -> Property {
    Property {
        about: purposes::holds(field),
        name: field.name.value.clone(),
        optional: may_be_absent(field, form),
        kind: types.of(owner, field, form),
    }
}

/// The numbers an entity keeps. Code knows only those the run time keeps.
pub(super) fn counters(model: &Model, entity: &Entity, known_to_code: bool) -> Vec<Property> {
    let mut properties = Vec::new();
    for counter in &entity.counters {
        if known_to_code && counter.kept_by.is_some() {
            continue;
        }
        let counted = model.entity(counter.counts.1);
        let mut add = |name: String, about: String| {
            properties.push(Property {
                about,
                name,
                optional: false,
                kind: "number".to_owned(),
            });
        };
        match &counter.per {
            None => add(
                counter.name.value.clone(),
                format!("How many {{@link {}}} items there are.", counted.name),
            ),
            Some((per, id)) => {
                for word in counted.field(*id).kind().words().unwrap_or_default() {
                    let about = format!(
                        "How many {{@link {}}} items have the {per} `{word}`.",
                        counted.name
                    );
                    add(number_of(counter.name.as_str(), word), about);
                }
            }
        }
    }
    properties
}

fn words(plain: &str, owner: &str, fields: &[Field]) -> Vec<String> {
    let mut declarations = Vec::new();
    for field in fields {
        let Some((words, _)) = enums::words_in(field.kind()) else {
            continue;
        };
        let literals: Vec<String> = words.iter().map(|word| literal(word)).collect();
        let mut about = format!("What `{}` of {{@link {owner}}} can be", field.name);
        about.push_str(match ordered(field.kind()) {
            true => ", from the least to the greatest.",
            false => ".",
        });
        let name = enums::type_name(plain, field);
        declarations.push(alias(&about, &name, &union(&literals)));
    }
    declarations
}

fn ordered(kind: &FieldType) -> bool {
    match kind {
        FieldType::Ordered(_) => true,
        FieldType::List(of, _) | FieldType::Set(of, _) | FieldType::Map(of, _) => ordered(of),
        _ => false,
    }
}

/// The entities and structs that have a struct.
fn users(model: &Model, structure: &str) -> Vec<String> {
    fn leads_to(kind: &FieldType, structure: &str) -> bool {
        match kind {
            FieldType::Struct(name) => name == structure,
            FieldType::List(of, _) | FieldType::Set(of, _) | FieldType::Map(of, _) => {
                leads_to(of, structure)
            }
            _ => false,
        }
    }
    let has = |fields: &[Field]| fields.iter().any(|field| leads_to(field.kind(), structure));
    let entities = model.entities.iter().filter(|entity| has(&entity.fields));
    let structs = model.structs.iter().filter(|known| has(&known.fields));
    entities
        .map(|entity| entity.name.as_str())
        .chain(structs.map(|known| known.name.as_str()))
        .map(|name| format!("{{@link {name}}}"))
        .collect()
}
