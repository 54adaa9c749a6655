//! What the lake knows of a model.

use std::collections::BTreeSet;
use std::sync::Arc;

use tablewright::descriptor::field_type::FieldType;
use tablewright::descriptor::{COUNTING_SINCE, Entity as Described, Schema, StreamView, Table};
use tablewright::{Entity, Found, Item, Migrations};

use crate::columns::{Column, columns_of};
use crate::gold::Refine;
use crate::image::{DATA, DATA_VERSION, LAST_WRITE};

/// Where changes of items of no entity are.
pub(crate) const OTHER: &str = "other";

/// A model as the lake knows it: its entities, what of them is never written, and how older items are brought into the present shape.
#[derive(Debug, Clone)]
pub struct LakeModel {
    pub(crate) name: &'static str,
    pub(crate) entities: Vec<Arc<LakeEntity>>,
    /// The entities of each table.
    described: Vec<(&'static Table, Vec<Arc<Described>>)>,
    pub(crate) tables: Vec<&'static Table>,
    pub(crate) gold: Option<Refine>,
}

/// An entity as the lake knows it.
#[derive(Debug, Clone)]
pub(crate) struct LakeEntity {
    pub(crate) entity: Arc<Described>,
    pub(crate) migrations: fn() -> Migrations,
    /// Attributes that are never written: secrets, and the keys of indexes.
    withheld: Vec<String>,
    /// Where anything is secret, the attributes the model knows: no other is written, since what it has no name for, as what newer code stores or what a field was called before, may be as secret.
    known: Option<BTreeSet<String>>,
    pub(crate) columns: Vec<Column>,
}

impl LakeModel {
    /// A model, without the migrations of its types.
    pub fn new(schema: &'static Schema) -> Self {
        let entities = schema.entities.iter().map(|entity| {
            let claims = schema
                .writes
                .iter()
                .filter_map(|write| write.claim.as_ref());
            let is_claim = claims.into_iter().any(|claim| claim.name == entity.name);
            Arc::new(LakeEntity::new(entity, is_claim))
        });
        let of = |table: &'static Table| {
            let entities = schema.entities.iter();
            let own = entities.filter(|entity| entity.table.name == table.name);
            (table, own.cloned().collect())
        };
        let tables: Vec<&'static Table> = schema.tables.iter().map(|table| &**table).collect();
        let streamed = tables
            .iter()
            .filter(|table| table.stream == Some(StreamView::NewAndOldImages));
        LakeModel {
            name: &schema.name,
            entities: entities.collect(),
            tables: streamed.copied().collect(),
            described: tables.into_iter().map(of).collect(),
            gold: None,
        }
    }

    /// With the migrations of a type, by which items of its older versions are brought into the present shape. A type that is not of the model changes nothing.
    #[must_use]
    pub fn with<T: Entity>(mut self) -> Self {
        for entity in &mut self.entities {
            if entity.entity.name == T::descriptor().name {
                Arc::make_mut(entity).migrations = T::migrations;
            }
        }
        self
    }

    /// With tables of gold, which this computes whenever silver has changed.
    #[must_use]
    pub fn refined_by(self, refine: Refine) -> Self {
        let gold = Some(refine);
        LakeModel { gold, ..self }
    }

    /// The name of the model.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether a table of it tells its changes with both images: without one there is nothing to follow.
    pub fn is_followed(&self) -> bool {
        !self.tables.is_empty()
    }

    /// The entity of an item of a table; none when it is of no one.
    pub(crate) fn entity_of(&self, table: &str, item: &Item) -> Option<&Arc<LakeEntity>> {
        let (_, described) = self.described.iter().find(|(of, _)| of.name == table)?;
        let found = Found::entity_of(described, item)?;
        let mut entities = self.entities.iter();
        entities.find(|entity| entity.entity.name == found.name)
    }

    pub(crate) fn table_of(&self, name: &str) -> Option<&'static Table> {
        self.tables.iter().copied().find(|table| table.name == name)
    }
}

impl LakeEntity {
    pub(crate) fn new(entity: &Arc<Described>, is_claim: bool) -> Self {
        let mut withheld = entity.secret.clone();
        if is_claim {
            withheld.extend(what_only_the_caller_may_see(entity));
        }
        let columns = columns_of(entity, &withheld);
        let has_secrets = is_claim || !entity.secret.is_empty();
        let known = has_secrets.then(|| known_attributes(entity));
        for part in entity.index_keys.iter().flat_map(|index| index.key.parts()) {
            let name = &part.attribute.name;
            let is_key = entity.table.key_attributes().any(|key| key.name == *name);
            if !part.natural && !is_key && !withheld.contains(name) {
                withheld.push(name.clone());
            }
        }
        LakeEntity {
            entity: Arc::clone(entity),
            migrations: Migrations::none,
            withheld,
            known,
            columns,
        }
    }

    /// Whether an attribute may be written, at the top of an item or among wrapped fields.
    pub(crate) fn shows(&self, attribute: &str) -> bool {
        let known = self.known.as_ref();
        known.is_none_or(|known| known.contains(attribute))
            && !self.withheld.iter().any(|withheld| withheld == attribute)
    }

    /// The versions from which its items can be brought into the present shape.
    pub(crate) fn migrated_from(&self) -> Vec<u16> {
        (self.migrations)().versions().collect()
    }

    pub(crate) fn name(&self) -> &str {
        &self.entity.name
    }
}

/// All attributes an item has that is as the model says: fields and counters, its key, and what the library notes in it.
fn known_attributes(entity: &Described) -> BTreeSet<String> {
    let fields = entity.fields.iter().map(|field| &field.name);
    let keys = entity.table.key_attributes().map(|key| &key.name);
    let named = fields.chain(&entity.counters).chain(keys);
    let named = named.chain(&entity.table.type_attribute).cloned();
    let noted = [DATA, DATA_VERSION, LAST_WRITE, COUNTING_SINCE];
    named.chain(noted.map(str::to_owned)).collect()
}

/// Of the record of a request: all that may be a part of what was asked or answered.
fn what_only_the_caller_may_see(entity: &Described) -> Vec<String> {
    let key = entity.identity();
    let fields = entity.fields.iter().filter(|field| {
        let harmless = matches!(
            field.declared.kind,
            FieldType::Bool
                | FieldType::Int { .. }
                | FieldType::Decimal
                | FieldType::Date
                | FieldType::Timestamp(_)
                | FieldType::UnevenTimestamp
                | FieldType::EpochSeconds
                | FieldType::EpochMillis
                | FieldType::Enum(_)
                | FieldType::Ordered(_)
        );
        !harmless && !key.contains(&field.name.as_str())
    });
    fields.map(|field| field.name.clone()).collect()
}
