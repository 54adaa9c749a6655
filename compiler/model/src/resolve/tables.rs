//! Tables and their indexes.

use super::Resolver;
use crate::model::{
    Billing, Capacity, Index, IndexKind, KeyAttribute, KeyKind, Projection, Setting, Table,
};
use crate::source::{
    Entries, IndexSource, NameOrFalse, ProjectionSource, ProjectionWord, TableSource,
};
use crate::span::{Spanned, Text};
use crate::suggest;

impl Resolver<'_> {
    pub(super) fn tables(&mut self, tables: &Entries<TableSource>) -> Vec<Table> {
        let mut resolved = Vec::new();
        for (name, table) in tables.iter() {
            resolved.push(self.table(name, table));
        }
        resolved
    }

    fn table(&mut self, name: &Text, source: &TableSource) -> Table {
        let partition_key = self.key_attribute(&source.partition_key);
        let sort_key = source.sort_key.as_ref().map(|key| self.key_attribute(key));
        if let Some(sort_key) = &sort_key
            && sort_key.name == partition_key.name
        {
            self.fault(
                "bad-value",
                sort_key.written.span,
                format!("`{}` is the partition key already", sort_key.name),
                "name another attribute, or leave the sort key out",
            );
        }
        let capacity = self.capacity(source.capacity.as_ref(), Capacity::default());
        let mut indexes = Vec::new();
        for (index_name, index) in source.index.iter() {
            let composite = sort_key.is_some();
            indexes.push(self.index(index_name, index, &partition_key, composite, capacity));
        }
        Table {
            name: name.clone(),
            type_attribute: source.r#type.clone(),
            ttl: source.ttl.clone(),
            stream: source.stream,
            recovery: setting(source.recovery, true),
            deletion_protection: setting(source.deletion_protection, true),
            billing: source
                .billing
                .map_or(Billing::OnDemand, |billing| billing.value),
            capacity,
            escape: setting(source.escape, true),
            indexes,
            allow: self.allow(&source.allow),
            partition_key,
            sort_key,
        }
    }

    fn index(
        &mut self,
        name: &Text,
        source: &IndexSource,
        table_key: &KeyAttribute,
        composite: bool,
        table_capacity: Capacity,
    ) -> Index {
        let kind = source.kind.map_or(IndexKind::Global, |kind| kind.value);
        let mut default = |suffix: &str, written: &Option<Text>| match written {
            Some(written) => self.key_attribute(written),
            None => KeyAttribute {
                name: format!("{name}{suffix}"),
                kind: KeyKind::String,
                written: name.clone(),
            },
        };
        let partition_key = match kind {
            IndexKind::Global => default("PK", &source.partition_key),
            IndexKind::Local => table_key.clone(),
        };
        let sort_key = match &source.sort_key {
            Some(NameOrFalse::None(_)) => None,
            Some(NameOrFalse::Name(name)) => Some(default("SK", &Some(name.clone()))),
            None => Some(default("SK", &None)),
        };
        if kind == IndexKind::Local {
            if let Some(named) = &source.partition_key {
                self.fault(
                    "bad-value",
                    named.span,
                    "a local index has the table's partition key",
                    "leave it out, or make the index global",
                );
            }
            if let Some(capacity) = &source.capacity {
                self.fault(
                    "bad-value",
                    capacity.span,
                    "a local index uses the capacity of its table",
                    "leave it out, or make the index global",
                );
            }
            if !composite || sort_key.is_none() {
                self.fault(
                    "bad-value",
                    name.span,
                    format!("the local index `{name}` needs a sort key, and so does its table"),
                    "make the index global, or give both a sort key",
                );
            }
        }
        let projection = match &source.projection {
            None => Projection::All,
            Some(ProjectionSource::Word(word)) if word.value == ProjectionWord::All => {
                Projection::All
            }
            Some(ProjectionSource::Word(_)) => Projection::KeysOnly,
            Some(ProjectionSource::Fields(fields)) => Projection::Fields(fields.clone()),
        };
        Index {
            name: name.clone(),
            kind,
            partition_key,
            sort_key,
            projection,
            capacity: self.capacity(source.capacity.as_ref(), table_capacity),
            allow: self.allow(&source.allow),
        }
    }

    /// `"PK"` or `"points: number"`. A type DynamoDB refuses is kept: a rule speaks of it.
    fn key_attribute(&mut self, written: &Text) -> KeyAttribute {
        let (name, kind) = match written.value.split_once(':') {
            None => (written.value.trim(), KeyKind::String),
            Some((name, kind)) => {
                let word = kind.trim();
                let kind = match word {
                    "string" => KeyKind::String,
                    "number" => KeyKind::Number,
                    "binary" => KeyKind::Binary,
                    "bool" | "boolean" | "list" | "map" | "set" | "null" => {
                        KeyKind::Refused(word.to_owned())
                    }
                    _ => {
                        // Binary keys are read so that a rule can refuse them, and never offered.
                        let hint = suggest::hint(word, ["string", "number"]);
                        self.fault(
                            "bad-value",
                            written.content(),
                            format!("`{word}` is no type of a key attribute"),
                            hint.unwrap_or_default(),
                        );
                        KeyKind::String
                    }
                };
                (name.trim(), kind)
            }
        };
        KeyAttribute {
            name: name.to_owned(),
            kind,
            written: written.clone(),
        }
    }
}

/// A setting as it was said, or its default.
pub(super) fn setting<T: Copy>(said: Option<Spanned<T>>, default: T) -> Setting<T> {
    Setting {
        value: said.map_or(default, |said| said.value),
        said: said.map(|said| said.span),
    }
}
