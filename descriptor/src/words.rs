//! The words generated code is written in: each sets one thing of a [`written`](crate::written) part.

mod read;
mod write;

use crate::table::Table;
use crate::written::*;

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect()
}

/// The key of a table or an index that has only a partition key.
pub fn single(partition: &str) -> TemplateText {
    TemplateText {
        partition: partition.to_owned(),
        sort: None,
    }
}

/// A partition key and a sort key.
pub fn pair(partition: &str, sort: &str) -> TemplateText {
    TemplateText {
        partition: partition.to_owned(),
        sort: Some(sort.to_owned()),
    }
}

impl SchemaText {
    /// The schema of a model.
    pub fn new(name: &str) -> Self {
        SchemaText {
            name: name.to_owned(),
            ..SchemaText::default()
        }
    }

    /// With a table.
    #[must_use]
    pub fn table(mut self, table: Table) -> Self {
        self.tables.push(table);
        self
    }

    /// With a nested shape.
    #[must_use]
    pub fn structure(mut self, name: &str, fields: &[(&str, &str)]) -> Self {
        self.structs.push(StructText {
            name: name.to_owned(),
            fields: pairs(fields),
        });
        self
    }

    /// With an entity.
    #[must_use]
    pub fn entity(mut self, entity: EntityText) -> Self {
        self.entities.push(entity);
        self
    }

    /// With a read.
    #[must_use]
    pub fn read(mut self, read: ReadText) -> Self {
        self.reads.push(read);
        self
    }

    /// With a write.
    #[must_use]
    pub fn write(mut self, write: WriteText) -> Self {
        self.writes.push(write);
        self
    }

    /// With an event.
    #[must_use]
    pub fn event(mut self, event: EventText) -> Self {
        self.events.push(event);
        self
    }
}

impl EntityText {
    /// An entity of a table.
    pub fn new(name: &str, table: &str, key: TemplateText) -> Self {
        EntityText {
            name: name.to_owned(),
            table: table.to_owned(),
            type_value: name.to_owned(),
            fields: Vec::new(),
            key,
            indexes: Vec::new(),
            unique: Vec::new(),
            counters: Vec::new(),
            ttl: None,
            versioned: None,
            secret: Vec::new(),
        }
    }

    /// Known by another word than its name in the table's type attribute.
    #[must_use]
    pub fn type_value(mut self, value: &str) -> Self {
        self.type_value = value.to_owned();
        self
    }

    /// With these fields, each with its type string.
    #[must_use]
    pub fn fields(mut self, fields: &[(&str, &str)]) -> Self {
        self.fields = pairs(fields);
        self
    }

    /// With a key in an index.
    #[must_use]
    pub fn index(mut self, index: &str, key: TemplateText) -> Self {
        self.indexes.push(IndexKeyText {
            index: index.to_owned(),
            key,
            when: None,
        });
        self
    }

    /// With a key in an index for the items that meet a condition.
    #[must_use]
    pub fn index_when(mut self, index: &str, key: TemplateText, when: &str) -> Self {
        self.indexes.push(IndexKeyText {
            index: index.to_owned(),
            key,
            when: Some(when.to_owned()),
        });
        self
    }

    /// With a guard item for what must not occur twice.
    #[must_use]
    pub fn unique(mut self, name: &str, guard: TemplateText) -> Self {
        self.unique.push((name.to_owned(), guard));
        self
    }

    /// With the number of items of another entity.
    #[must_use]
    pub fn counter(mut self, name: &str, counts: &str) -> Self {
        self.counters.push(CounterText {
            name: name.to_owned(),
            counts: counts.to_owned(),
            per: None,
        });
        self
    }

    /// With a number of items of another entity for each value of one of its fields.
    #[must_use]
    pub fn counter_per(mut self, name: &str, counts: &str, per: &str) -> Self {
        self.counters.push(CounterText {
            name: name.to_owned(),
            counts: counts.to_owned(),
            per: Some(per.to_owned()),
        });
        self
    }

    /// Forgotten when this field has passed.
    #[must_use]
    pub fn ttl(mut self, field: &str) -> Self {
        self.ttl = Some(field.to_owned());
        self
    }

    /// Versioned, its fields at the top of the item.
    #[must_use]
    pub fn versioned(mut self, data_version: u16) -> Self {
        self.versioned = Some(Versioning {
            data_version,
            layout: Layout::Flat,
            reapply: true,
        });
        self
    }

    /// Versioned, its fields in a map `data`.
    #[must_use]
    pub fn versioned_and_wrapped(mut self, data_version: u16) -> Self {
        self.versioned = Some(Versioning {
            data_version,
            layout: Layout::Wrapped,
            reapply: true,
        });
        self
    }

    /// With a field that stays in the table.
    #[must_use]
    pub fn secret(mut self, field: &str) -> Self {
        self.secret.push(field.to_owned());
        self
    }

    /// A change that lost to another is a conflict; it is not applied again.
    #[must_use]
    pub fn fails_on_conflict(mut self) -> Self {
        if let Some(versioning) = &mut self.versioned {
            versioning.reapply = false;
        }
        self
    }
}
