//! Tables, structs and entities, as the model writes them.

use tablewright_descriptor::written::{
    CounterText, EntityText, IndexKeyText, Layout, StructText, TemplateText, Versioning,
};
use tablewright_descriptor::{Index, KeyAttribute, KeyKind, Projection, StreamView, Table};
use tablewright_model::Model;
use tablewright_model::model::{self, Entity, Field, IndexKind, Key, OnConflict, Struct};

pub(super) fn table(table: &model::Table) -> Table {
    Table {
        name: table.name.value.clone(),
        partition_key: key_attribute(&table.partition_key),
        sort_key: table.sort_key.as_ref().map(key_attribute),
        type_attribute: table.type_attribute.as_ref().map(|name| name.value.clone()),
        ttl: table.ttl.as_ref().map(|name| name.value.clone()),
        stream: table.stream.map(|view| match view.value {
            model::StreamView::NewAndOldImages => StreamView::NewAndOldImages,
            model::StreamView::NewImage => StreamView::NewImage,
            model::StreamView::OldImage => StreamView::OldImage,
            model::StreamView::KeysOnly => StreamView::KeysOnly,
        }),
        recovery: table.recovery.value,
        deletion_protection: table.deletion_protection.value,
        escape: table.escape.value,
        indexes: table.indexes.iter().map(index).collect(),
    }
}

fn index(index: &model::Index) -> Index {
    Index {
        name: index.name.value.clone(),
        local: index.kind == IndexKind::Local,
        partition_key: key_attribute(&index.partition_key),
        sort_key: index.sort_key.as_ref().map(key_attribute),
        projection: match &index.projection {
            model::Projection::All => Projection::All,
            model::Projection::KeysOnly => Projection::KeysOnly,
            model::Projection::Fields(fields) => {
                Projection::Only(fields.iter().map(|field| field.value.clone()).collect())
            }
        },
    }
}

fn key_attribute(attribute: &model::KeyAttribute) -> KeyAttribute {
    KeyAttribute {
        name: attribute.name.clone(),
        kind: match attribute.kind {
            model::KeyKind::Number => KeyKind::Number,
            model::KeyKind::Binary => KeyKind::Binary,
            // What DynamoDB refuses is an error of the model.
            model::KeyKind::String | model::KeyKind::Refused(_) => KeyKind::String,
        },
    }
}

pub(super) fn structure(structure: &Struct) -> StructText {
    StructText {
        name: structure.name.value.clone(),
        fields: fields(&structure.fields),
    }
}

fn fields(fields: &[Field]) -> Vec<(String, String)> {
    let fields = fields.iter();
    fields
        .map(|field| (field.name.value.clone(), field.written.value.clone()))
        .collect()
}

pub(super) fn entity(model: &Model, entity: &Entity) -> EntityText {
    let table = model.table(entity.table);
    let indexes = entity.index_keys.iter().map(|key| IndexKeyText {
        index: table.index(key.index).name.value.clone(),
        key: templates(&key.key),
        when: key.when.as_ref().map(|when| when.written.value.clone()),
    });
    let unique = entity.unique.iter().filter_map(|unique| {
        let guard = unique.guard.as_ref()?;
        Some((unique.name.value.clone(), templates(guard)))
    });
    // A number that another pattern keeps by a write of its own is not ours to keep.
    let counters = entity
        .counters
        .iter()
        .filter(|counter| counter.kept_by.is_none());
    EntityText {
        name: entity.name.value.clone(),
        table: table.name.value.clone(),
        type_value: entity.type_value.value.clone(),
        fields: fields(&entity.fields),
        key: templates(&entity.key),
        indexes: indexes.collect(),
        unique: unique.collect(),
        counters: counters
            .map(|counter| CounterText {
                name: counter.name.value.clone(),
                counts: model.entity(counter.counts.1).name.value.clone(),
                per: counter.per.as_ref().map(|(per, _)| per.value.clone()),
            })
            .collect(),
        ttl: entity.ttl.as_ref().map(|(ttl, _)| ttl.value.clone()),
        versioned: entity.versioned.as_ref().map(|versioned| Versioning {
            data_version: versioned.data_version.value,
            layout: match versioned.layout {
                model::Layout::Flat => Layout::Flat,
                model::Layout::Wrapped => Layout::Wrapped,
            },
            reapply: versioned.on_conflict == OnConflict::Reapply,
        }),
        secret: entity
            .secret
            .iter()
            .map(|(name, _)| name.value.clone())
            .collect(),
    }
}

fn templates(key: &Key) -> TemplateText {
    TemplateText {
        partition: key.partition.written.value.clone(),
        sort: key.sort.as_ref().map(|sort| sort.written.value.clone()),
    }
}
