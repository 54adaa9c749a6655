//! The resolved model: every name looked up, every template typed. It cannot be half-resolved.

mod access;
mod entity;
mod key;
mod table;
mod tenancy;

pub use access::*;
pub use entity::*;
pub use key::*;
pub use table::*;
pub use tenancy::*;

use crate::field_type::{DeclaredType, FieldType};
pub use crate::source::{
    Billing, Changes, Consistency, IndexKind, Layout, LetterCase, OnConflict, Profile,
    RelationshipKind, Request, Strategy, StreamView,
};
use crate::span::{Span, Text};

/// A model whose names are all resolved.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its name.
    pub name: Text,
    /// What people call it.
    pub title: Option<Text>,
    /// What it is for.
    pub about: Option<Text>,
    /// The way of modelling.
    pub profile: Profile,
    /// The forms moments are stored in, where the model has a rule for them.
    pub times: Option<Times>,
    /// The field that names the tenant, in every entity that has it.
    pub tenant: Option<Text>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Its entities.
    pub entities: Vec<Entity>,
    /// Nested shapes.
    pub structs: Vec<Struct>,
    /// How entities belong together.
    pub relationships: Vec<Relationship>,
    /// What is asked and done.
    pub accesses: Vec<Access>,
    /// Events from the change stream.
    pub events: Vec<Event>,
}

/// The forms a model stores moments in.
#[derive(Debug, Clone)]
pub struct Times {
    /// Of moments that people read.
    pub people: (Text, FieldType),
    /// Of moments that keys, ranges and orders use.
    pub ranges: (Text, FieldType),
}

/// A table of the model, by position in [`Model::tables`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub usize);

/// An entity of the model, by position in [`Model::entities`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId(pub usize);

/// A field of an entity, by position in [`Entity::fields`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub usize);

/// An index of a table, by position in [`Table::indexes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexId(pub usize);

impl Model {
    /// The table of an id.
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.0]
    }

    /// The entity of an id.
    pub fn entity(&self, id: EntityId) -> &Entity {
        &self.entities[id.0]
    }

    /// The table an entity lives in.
    pub fn table_of(&self, entity: EntityId) -> &Table {
        self.table(self.entity(entity).table)
    }

    /// The entities with their ids.
    pub fn entity_ids(&self) -> impl Iterator<Item = (EntityId, &Entity)> {
        self.entities
            .iter()
            .enumerate()
            .map(|(index, entity)| (EntityId(index), entity))
    }

    /// The entities that live in a table.
    pub fn entities_of(&self, table: TableId) -> impl Iterator<Item = (EntityId, &Entity)> {
        self.entity_ids()
            .filter(move |(_, entity)| entity.table == table)
    }

    /// The access pattern of a name.
    pub fn access(&self, name: &str) -> Option<&Access> {
        self.accesses
            .iter()
            .find(|access| access.name.value == name)
    }

    /// The field of an entity that names its tenant; none where tenancy is not declared, or the entity has no such field.
    pub fn tenant_of(&self, entity: EntityId) -> Option<FieldId> {
        let tenant = self.tenant.as_ref()?;
        self.entity(entity).field_named(tenant.as_str())
    }

    /// The services that use a pattern: those it names, or the one with the model's name.
    pub fn services_of<'m>(&'m self, access: &'m Access) -> Vec<&'m str> {
        if access.services.is_empty() {
            return vec![self.name.as_str()];
        }
        access.services.iter().map(Text::as_str).collect()
    }

    /// All services, in the order in which the patterns first name them.
    pub fn services(&self) -> Vec<&str> {
        let mut services = Vec::new();
        for name in self
            .accesses
            .iter()
            .flat_map(|access| self.services_of(access))
        {
            if !services.contains(&name) {
                services.push(name);
            }
        }
        services
    }

    /// The struct of a name.
    pub fn structure(&self, name: &str) -> Option<&Struct> {
        self.structs
            .iter()
            .find(|structure| structure.name.value == name)
    }
}

/// A nested shape.
#[derive(Debug, Clone)]
pub struct Struct {
    /// Its name.
    pub name: Text,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A field of an entity or a struct.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name, which is the attribute's.
    pub name: Text,
    /// Its type as written.
    pub written: Text,
    /// Its type.
    pub declared: DeclaredType,
}

impl Field {
    /// The type, without optionality and default.
    pub fn kind(&self) -> &crate::field_type::FieldType {
        &self.declared.kind
    }

    /// Whether it is what a person is known by: an e-mail address, by its type or its name, or text whose name says that it is
    /// what people sign in with.
    pub fn names_a_person(&self) -> bool {
        const NAMES: &[&str] = &["email", "emailaddress", "username", "login", "loginname"];
        match self.kind() {
            FieldType::Email => true,
            FieldType::String(_) => {
                let letters = self.name.value.chars().filter(|c| c.is_alphanumeric());
                let plain: String = letters.flat_map(char::to_lowercase).collect();
                NAMES.contains(&plain.as_str())
            }
            _ => false,
        }
    }

    /// Whether it may be absent.
    pub fn is_optional(&self) -> bool {
        self.declared.optional
    }
}

/// A rule that may be broken somewhere, and why.
#[derive(Debug, Clone)]
pub struct Allow {
    /// The rule.
    pub rule: Text,
    /// The reason.
    pub reason: Text,
}

/// How two entities belong together.
#[derive(Debug, Clone)]
pub struct Relationship {
    /// Its name.
    pub name: Text,
    /// The one side, or one of the many.
    pub from: EntityRef,
    /// The other side, unless a field holds it.
    pub to: Option<EntityRef>,
    /// How many of each.
    pub kind: crate::span::Spanned<RelationshipKind>,
    /// How many there can be.
    pub bound: Option<Bound>,
    /// How it is stored.
    pub strategy: Option<crate::span::Spanned<Strategy>>,
    /// The field of `from` that holds the other side.
    pub field: Option<(Text, FieldId)>,
    /// The entity that stands for an M:N relationship.
    pub through: Option<EntityRef>,
    /// The reason for the strategy.
    pub why: Option<Text>,
    /// Rules that may be broken here.
    pub allow: Vec<Allow>,
}

/// How many there can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// At most so many; none for no limit.
    pub at_most: Option<u64>,
    /// Where it stands.
    pub span: Span,
}

/// An event of the change stream.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its name.
    pub name: Text,
    /// What makes it happen.
    pub trigger: Option<Trigger>,
    /// Only when this holds of the new item.
    pub condition: Option<Where>,
    /// What it carries.
    pub detail: Vec<Member>,
    /// Which version of its detail this is.
    pub version: u16,
    /// What it tells.
    pub about: Option<Text>,
    /// The pattern after which code publishes it by itself.
    pub after: Option<Text>,
    /// Rules that may be broken here.
    pub allow: Vec<Allow>,
}

/// A member of what an event carries.
#[derive(Debug, Clone)]
pub struct Member {
    /// The text as written.
    pub written: Text,
    /// What it is called in the detail.
    pub name: String,
    /// The field whose value it has; none where code publishes the event by itself, and carries what it likes.
    pub field: Option<FieldId>,
    /// Whether the value is that before the change.
    pub before: bool,
}

/// What makes an event happen.
#[derive(Debug, Clone)]
pub struct Trigger {
    /// The text as written.
    pub written: Text,
    /// Insert, change or remove.
    pub kind: TriggerKind,
    /// Of what.
    pub entity: EntityId,
    /// Only when this field changes.
    pub field: Option<FieldId>,
}

/// The kinds of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriggerKind {
    /// A new item.
    Insert,
    /// An item that was there and is.
    Change,
    /// An item that is no more.
    Remove,
}
