//! Entities.

use std::collections::HashMap;

use super::Resolver;
use super::templates::Names;
use crate::model::*;
use crate::source::{EntitySource, IndexKeySource, ModelFile, UniqueSource, VersionedSource};
use crate::span::{Spanned, Text};

impl<'f> Resolver<'f> {
    pub(super) fn all_entities(&mut self, file: &'f ModelFile) -> Vec<Entity> {
        let mut entities = Vec::with_capacity(file.entity.0.len());
        for (name, source) in file.entity.iter() {
            entities.push(self.entity(name, source));
        }
        entities
    }

    fn entity(&mut self, name: &Text, source: &EntitySource) -> Entity {
        self.type_name(name, "an entity");
        let fields = self.fields(&source.fields);
        let known_table = self.tables.get(source.table.as_str()).copied();
        if known_table.is_none() {
            let known: Vec<&str> = self
                .file
                .table
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
            self.unknown(
                "table",
                source.table.as_str(),
                source.table.content(),
                known,
            );
        }
        let table_source = known_table.map(|table| &self.file.table.0[table.0].1);
        let escape = table_source
            .and_then(|table| table.escape)
            .is_none_or(|escape| escape.value);
        let names = Names {
            owner: name.as_str(),
            fields: &fields,
            params: &[],
            escape,
        };
        let key = self.key(&source.key.partition, source.key.sort.as_ref(), &names);
        let sort_key = table_source.map(|table| &table.sort_key);
        match (&source.key.sort, sort_key) {
            (None, Some(Some(sort_key))) => self.fault(
                "missing-key",
                source.key.partition.span,
                format!(
                    "the key of {name} has no `sort`, and the table's sort key is `{}`",
                    sort_key.value
                ),
                "give it a template; a constant such as \"METADATA\" does for a single item",
            ),
            (Some(sort), Some(None)) => self.fault(
                "bad-value",
                sort.span,
                format!("the table `{}` has no sort key", source.table),
                "leave `sort` out, or give the table a sort_key",
            ),
            _ => {}
        }
        let unique = self.unique(source, &names, sort_key.map(Option::is_some));
        let index_sources: Vec<(&Text, &IndexKeySource)> = source
            .index
            .iter()
            .flat_map(|(index, keys)| keys.iter().map(move |key| (index, key)))
            .collect();
        let mut entity = Entity {
            name: name.clone(),
            table: known_table.unwrap_or(TableId(0)),
            about: source.about.clone(),
            type_value: source.r#type.clone().unwrap_or_else(|| name.clone()),
            key,
            index_keys: Vec::new(),
            unique,
            counters: Vec::new(),
            counted_by: Vec::new(),
            copies: Vec::new(),
            ttl: None,
            deadline: None,
            versioned: source
                .versioned
                .as_ref()
                .and_then(|versioned| self.versioned(versioned)),
            secret: Vec::new(),
            facts: Facts::default(),
            allow: self.allow(&source.allow),
            fields: fields.clone(),
        };
        for (index, key) in index_sources {
            if let Some(table) = known_table {
                let resolved = self.index_key(index, key, &entity, table, &names);
                entity.index_keys.extend(resolved);
            }
        }
        entity.ttl = self.named_field(&entity, source.ttl.as_ref());
        entity.deadline = self.named_field(&entity, source.deadline.as_ref());
        entity.secret = self.secret(&entity, source);
        entity.facts = self.facts(&entity, source);
        entity
    }

    /// What an index projects is an attribute of something in the table; `data` is one of wrapped entities.
    pub(super) fn projections_exist(&mut self, model: &Model) {
        for (position, table) in model.tables.iter().enumerate() {
            let projected = table
                .indexes
                .iter()
                .filter_map(|index| match &index.projection {
                    Projection::Fields(fields) => Some(fields),
                    _ => None,
                });
            let projected: Vec<&Text> = projected.flatten().collect();
            if projected.is_empty() {
                continue;
            }
            let mut known: Vec<&str> = Vec::new();
            for (_, entity) in model.entities_of(TableId(position)) {
                known.extend(entity.fields.iter().map(|field| field.name.as_str()));
                known.extend(
                    entity
                        .versioned
                        .iter()
                        .flat_map(|_| ["data", "data_version", "last_write"]),
                );
            }
            for name in projected
                .into_iter()
                .filter(|name| !known.contains(&name.as_str()))
            {
                if !known.is_empty() {
                    self.unknown(
                        "field of this table",
                        name.as_str(),
                        name.content(),
                        known.clone(),
                    );
                }
            }
        }
    }

    /// The type attribute says which entity an item is: two cannot say the same.
    pub(super) fn types_are_told_apart(&mut self, entities: &[Entity]) {
        let mut seen: HashMap<(TableId, &str), &Entity> = HashMap::new();
        for entity in entities {
            let Some(first) = seen.insert((entity.table, entity.type_value.as_str()), entity)
            else {
                continue;
            };
            self.fault(
                "duplicate-name",
                entity.type_value.span,
                format!("items of {} and {} both have the type `{}`", first.name, entity.name, entity.type_value),
                "what is read could not be told apart: give each entity of a table a type of its own",
            );
        }
    }

    fn named_field(&mut self, entity: &Entity, name: Option<&Text>) -> Option<(Text, FieldId)> {
        let name = name?;
        let id = self.field_of(entity, name.as_str(), name.content())?;
        Some((name.clone(), id))
    }

    /// What a key is made of stands in every key of the item, in every log and in the lake: it cannot be kept back.
    fn secret(&mut self, entity: &Entity, source: &EntitySource) -> Vec<(Text, FieldId)> {
        let mut secret = Vec::new();
        for name in &source.secret {
            let Some((name, id)) = self.named_field(entity, Some(name)) else {
                continue;
            };
            let indexed = entity.index_keys.iter().map(|index| &index.key);
            let guards = entity
                .unique
                .iter()
                .filter_map(|unique| unique.guard.as_ref());
            let mut keys = std::iter::once(&entity.key).chain(indexed).chain(guards);
            if keys.any(|key| key.has(id)) {
                self.fault(
                    "bad-value",
                    name.content(),
                    format!(
                        "`{name}` is part of a key of {}, and keys are no secret",
                        entity.name
                    ),
                    "store a digest of it as a field of its own, and make the key of that",
                );
                continue;
            }
            secret.push((name, id));
        }
        secret
    }

    fn index_key(
        &mut self,
        name: &Text,
        source: &IndexKeySource,
        entity: &Entity,
        table: TableId,
        names: &Names<'_>,
    ) -> Option<IndexKey> {
        let (_, table_source) = &self.file.table.0[table.0];
        let Some(position) = table_source
            .index
            .iter()
            .position(|(index, _)| index.value == name.value)
        else {
            let known: Vec<&str> = table_source
                .index
                .iter()
                .map(|(index, _)| index.as_str())
                .collect();
            self.unknown("index", name.as_str(), name.span, known);
            return None;
        };
        let (_, index) = &table_source.index.0[position];
        let local = index
            .kind
            .is_some_and(|kind| kind.value == IndexKind::Local);
        let partition = match (&source.partition, local) {
            (Some(partition), false) => partition,
            (None, true) => &entity.key.partition.written,
            (Some(partition), true) => {
                self.fault(
                    "bad-value",
                    partition.span,
                    format!("`{name}` is local: its partition key is the table's"),
                    "leave `partition` out",
                );
                return None;
            }
            (None, false) => {
                self.fault(
                    "missing-key",
                    source.span,
                    format!("the key of {} in {name} has no `partition`", entity.name),
                    "give it a template such as \"USER#{user_id}\"",
                );
                return None;
            }
        };
        let sort_key = !matches!(index.sort_key, Some(crate::source::NameOrFalse::None(_)));
        match (&source.sort, sort_key) {
            (None, true) => self.fault(
                "missing-key",
                source.span,
                format!("the key of {} in {name} has no `sort`", entity.name),
                "give it a template, or the index `sort_key = false`",
            ),
            (Some(sort), false) => {
                self.fault(
                    "bad-value",
                    sort.span,
                    format!("the index {name} has no sort key"),
                    "leave `sort` out",
                );
            }
            _ => {}
        }
        let when = source
            .when
            .as_ref()
            .and_then(|when| self.condition(entity, when));
        let key = self.key(partition, source.sort.as_ref(), names);
        Some(IndexKey {
            name: name.clone(),
            index: IndexId(position),
            key,
            when,
            sparse: source.sparse.is_some_and(|sparse| sparse.value),
            span: source.span,
        })
    }

    fn unique(
        &mut self,
        source: &EntitySource,
        names: &Names<'_>,
        composite: Option<bool>,
    ) -> Vec<Unique> {
        let mut unique = Vec::new();
        for (name, guard) in source.unique.iter() {
            match guard {
                UniqueSource::Unguarded(word) => {
                    unique.push(Unique {
                        name: name.clone(),
                        guard: None,
                        unguarded: Some(word.clone()),
                    });
                }
                UniqueSource::Guard(key) => {
                    if let Some(composite) = composite
                        && key.sort.is_some() != composite
                    {
                        let (wrong, help) = if composite {
                            (
                                "needs a `sort`, as the table has a sort key",
                                "a constant does: sort = \"METADATA\"",
                            )
                        } else {
                            (
                                "has a `sort`, and the table has no sort key",
                                "leave `sort` out",
                            )
                        };
                        self.fault(
                            "bad-value",
                            key.span,
                            format!("the guard of `{name}` {wrong}"),
                            help,
                        );
                    }
                    let guard = self.key(&key.partition, key.sort.as_ref(), names);
                    unique.push(Unique {
                        name: name.clone(),
                        guard: Some(guard),
                        unguarded: None,
                    });
                }
            }
        }
        unique
    }

    fn versioned(&mut self, source: &VersionedSource) -> Option<Versioned> {
        let version = u16::try_from(source.data_version.value)
            .ok()
            .filter(|version| *version > 0);
        if version.is_none() {
            self.fault(
                "bad-value",
                source.data_version.span,
                "a data_version is a number from 1 to 65535",
                "begin with 1 and raise it with each incompatible change",
            );
        }
        Some(Versioned {
            data_version: Spanned {
                value: version?,
                span: source.data_version.span,
            },
            layout: source.layout.map_or(Layout::Flat, |layout| layout.value),
            on_conflict: source
                .on_conflict
                .map_or(OnConflict::Reapply, |what| what.value),
            on_conflict_span: source.on_conflict.map(|what| what.span),
        })
    }

    fn facts(&mut self, entity: &Entity, source: &EntitySource) -> Facts {
        let Some(facts) = &source.facts else {
            return Facts::default();
        };
        let size = facts.size.as_ref().and_then(|size| {
            let bytes = bytes(&size.value);
            if bytes.is_none() {
                self.fault(
                    "bad-value",
                    size.content(),
                    format!("`{size}` is no size"),
                    "write bytes or kilobytes: \"600 B\", \"2 KB\"; an item has at most 400 KB",
                );
            }
            bytes
        });
        let mut distinct = Vec::new();
        for (name, count) in facts.distinct.iter() {
            if count.value == 0 {
                self.fault(
                    "bad-value",
                    count.span,
                    format!("`{name}` has no value at all"),
                    "write how many different values it has, at least 1",
                );
            }
            let field = self.field_of(entity, name.as_str(), name.span);
            distinct.extend(field.map(|field| (field, count.value)));
        }
        let mut changes = Vec::new();
        for (name, often) in facts.changes.iter() {
            let field = self.field_of(entity, name.as_str(), name.span);
            changes.extend(field.map(|field| (field, often.value)));
        }
        let mut case = Vec::new();
        for (name, means) in facts.case.iter() {
            let field = self.field_of(entity, name.as_str(), name.span);
            case.extend(field.map(|field| (field, means.value)));
        }
        Facts {
            items: facts.items.map(|items| items.value),
            size,
            size_span: facts.size.as_ref().map(|size| size.content()),
            distinct,
            changes,
            case,
        }
    }
}

/// `600 B`, `2 KB`, `1.5 KB`: at least one byte, at most an item's 400 KB.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let number: f64 = number.trim().parse().ok()?;
    let factor = match unit.trim() {
        "B" => 1.0,
        "KB" => 1024.0,
        _ => return None,
    };
    let bytes = number * factor;
    (1.0..=400.0 * 1024.0)
        .contains(&bytes)
        .then_some(bytes.ceil() as u64)
}
