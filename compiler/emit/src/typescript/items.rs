//! Items as they are stored: the entity with its keys, the guards of what is unique, and all of a table.

mod key_attributes;

use tablewright_descriptor::COUNTING_SINCE;
use tablewright_model::model::{Entity, FieldId, Key, Layout, Table, TableId, Unique};

use super::entities::{counters, property};
use super::names;
use super::purposes;
use super::scalars::Scalar;
use super::text::{Property, a, alias, interface, literal, names_of, union};
use super::types::{Form, Owner, Types, differs_in_item, may_be_absent};
use key_attributes::{keys_of_indexes, keys_of_table, natural_fields};

/// The item of an entity, and its guards.
pub(super) fn entity(types: &Types<'_>, entity: &Entity) -> Vec<String> {
    let mut declarations = vec![item(types, entity)];
    for unique in &entity.unique {
        if let Some(key) = &unique.guard {
            declarations.push(guard(types, entity, unique, key));
        }
    }
    declarations
}

/// What each table of several kinds holds.
pub(super) fn tables(types: &Types<'_>) -> Vec<String> {
    let model = types.model;
    let mut declarations = Vec::new();
    for (position, table) in model.tables.iter().enumerate() {
        let id = TableId(position);
        if !names::has_several(model, id) {
            continue;
        }
        let mut kinds = Vec::new();
        for (_, entity) in model.entities_of(id) {
            kinds.push(names::item(entity));
            let guarded = entity.unique.iter().filter(|unique| unique.guard.is_some());
            kinds.extend(guarded.map(|unique| names::guard(entity, unique)));
        }
        let mut about = format!("Whatever the table `{}` holds", table.name);
        if let Some(attribute) = &table.type_attribute {
            about.push_str(&format!("; `{attribute}` tells which"));
        }
        about.push('.');
        declarations.push(alias(
            &about,
            &names::table_item(table.name.as_str()),
            &union(&kinds),
        ));
    }
    declarations
}

fn item(types: &Types<'_>, entity: &Entity) -> String {
    let model = types.model;
    let table = model.table(entity.table);
    let name = entity.name.as_str();
    let mut properties = keys_of_table(types, entity, table, &entity.key);
    properties.extend(keys_of_indexes(types, entity, table));
    properties.extend(type_attribute(table, entity.type_value.as_str()));
    let wrapped = entity
        .versioned
        .as_ref()
        .is_some_and(|versioned| versioned.layout == Layout::Wrapped);
    let natural = natural_fields(entity, table);
    let owner = Owner::entity(entity);
    let (mut top, mut data) = (Vec::new(), Vec::new());
    for (position, field) in entity.fields.iter().enumerate() {
        let id = FieldId(position);
        let is_ttl = entity.ttl.as_ref().is_some_and(|(_, ttl)| *ttl == id);
        let at_the_top = is_ttl || natural.contains(&id);
        let differs = differs_in_item(model, field)
            || may_be_absent(field, Form::Item) != field.is_optional();
        if wrapped && at_the_top {
            top.push(Property {
                about: purposes::of_field(model, entity, id),
                ..property(types, owner, field, Form::Item)
            });
        } else if differs {
            data.push(property(types, owner, field, Form::Item));
        }
    }
    properties.splice(0..0, top);
    let extends = if wrapped {
        let counts = counts_at_the_top(types, entity);
        let inside = inside(types, entity, &properties, &data);
        properties.extend(counts);
        properties.extend(stamp(types, entity));
        properties.push(Property {
            about: "The fields, but for those that stand at the top.".to_owned(),
            name: "data".to_owned(),
            optional: false,
            kind: inside,
        });
        Vec::new()
    } else {
        properties.extend(data);
        let base = base(types, entity, &properties);
        properties.extend(kept_by_code(types, entity));
        properties.extend(stamp(types, entity));
        base
    };
    let about = format!("{} as the table `{}` stores it.", a(name), table.name);
    interface(&about, &names::item(entity), &extends, &properties)
}

/// The entity without what the item says in another way. Its numbers are not there before something was counted.
fn base(types: &Types<'_>, entity: &Entity, properties: &[Property]) -> Vec<String> {
    let name = entity.name.as_str();
    let kept = counters(types.model, entity, true);
    let kept: Vec<&str> = kept.iter().map(|count| count.name.as_str()).collect();
    let said = |field: &&str| properties.iter().any(|property| property.name == *field);
    let fields = entity.fields.iter().map(|field| field.name.as_str());
    let (said, plain): (Vec<&str>, Vec<&str>) = fields.partition(said);
    if kept.is_empty() {
        return match plain.is_empty() {
            true => Vec::new(),
            false => vec![omit(name, &said)],
        };
    }
    let numbers = format!("Partial<Pick<{name}, {}>>", names_of(kept.iter().copied()));
    let others = format!("Partial<Omit<{name}, {}>>", names_of(plain.iter().copied()));
    let numbers = if said.is_empty() && others.len() < numbers.len() {
        others
    } else {
        numbers
    };
    let fields = format!("Pick<{name}, {}>", names_of(plain.iter().copied()));
    match plain.is_empty() {
        true => vec![numbers],
        false => vec![fields, numbers],
    }
}

/// What stands in `data`: the entity without what stands at the top, and without what is said in another way.
fn inside(types: &Types<'_>, entity: &Entity, top: &[Property], data: &[Property]) -> String {
    let kept = counters(types.model, entity, true);
    let said = |field: &&str| {
        let mut others = top.iter().chain(data);
        others.any(|property| property.name == *field)
    };
    let fields = entity.fields.iter().map(|field| field.name.as_str());
    let kept = kept.iter().map(|count| count.name.as_str());
    let names: Vec<&str> = fields.filter(said).chain(kept).collect();
    let rest = omit(entity.name.as_str(), &names);
    if data.is_empty() {
        return rest;
    }
    let differing: Vec<String> = data
        .iter()
        .map(|property| {
            let mark = if property.optional { "?" } else { "" };
            format!("{}{mark}: {}", property.name, property.kind)
        })
        .collect();
    format!("{rest} & {{ {} }}", differing.join("; "))
}

/// The numbers of an entity whose fields are wrapped: they stay outside, and are not there before something was counted.
fn counts_at_the_top(types: &Types<'_>, entity: &Entity) -> Vec<Property> {
    let counts = counters(types.model, entity, false).into_iter();
    counts
        .map(|count| Property {
            optional: true,
            ..count
        })
        .collect()
}

/// The numbers that a pattern keeps by a write of its own: the entity does not have them.
fn kept_by_code(types: &Types<'_>, entity: &Entity) -> Vec<Property> {
    let known = counters(types.model, entity, true);
    let is_known = |count: &Property| known.iter().any(|known| known.name == count.name);
    let mut counts = counts_at_the_top(types, entity);
    counts.retain(|count| !is_known(count));
    counts
}

fn omit(name: &str, properties: &[&str]) -> String {
    match properties {
        [] => name.to_owned(),
        properties => format!("Omit<{name}, {}>", names_of(properties.iter().copied())),
    }
}

fn guard(types: &Types<'_>, entity: &Entity, unique: &Unique, key: &Key) -> String {
    let table = types.model.table(entity.table);
    let mut properties = keys_of_table(types, entity, table, key);
    let kind = format!("{}.{}", entity.type_value, unique.name);
    properties.extend(type_attribute(table, &kind));
    let attributes = std::iter::once(&table.partition_key).chain(&table.sort_key);
    properties.push(Property {
        about: "The key of the item it guards.".to_owned(),
        name: "guards".to_owned(),
        optional: false,
        kind: format!(
            "Pick<{}, {}>",
            names::item(entity),
            names_of(attributes.map(|attribute| attribute.name.as_str()))
        ),
    });
    if let Some((_, ttl)) = &entity.ttl {
        let owner = Owner::entity(entity);
        properties.push(property(types, owner, entity.field(*ttl), Form::Item));
    }
    let about = format!(
        "Keeps `{}` of {{@link {}}} from occurring twice: written, moved and deleted with the item it guards.",
        unique.name, entity.name
    );
    interface(&about, &names::guard(entity, unique), &[], &properties)
}

fn type_attribute(table: &Table, says: &str) -> Option<Property> {
    let attribute = table.type_attribute.as_ref()?;
    Some(Property {
        about: "What the item is.".to_owned(),
        name: attribute.value.clone(),
        optional: false,
        kind: literal(says),
    })
}

fn stamp(types: &Types<'_>, entity: &Entity) -> Vec<Property> {
    let since = entity.counts_what_ends(types.model).then(|| Property {
        about: "Since when it counts: what was over before that, another counted.".to_owned(),
        name: COUNTING_SINCE.to_owned(),
        optional: true,
        kind: types.scalar(Scalar::EpochMillis),
    });
    let Some(versioned) = &entity.versioned else {
        return since.into_iter().collect();
    };
    let mut stamp = vec![
        Property {
            about: "The version of the shape it was written in.".to_owned(),
            name: "data_version".to_owned(),
            optional: false,
            kind: versioned.data_version.value.to_string(),
        },
        Property {
            about: "The lock token: when it was written last, and more than the time before."
                .to_owned(),
            name: "last_write".to_owned(),
            optional: false,
            kind: types.scalar(Scalar::EpochMillis),
        },
    ];
    stamp.extend(since);
    stamp
}
