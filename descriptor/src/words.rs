//! The words generated code is written in: each sets one thing of a [`written`](crate::written) part.

use crate::key_text::Tail;
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

    /// A change that lost to another is a conflict; it is not applied again.
    #[must_use]
    pub fn fails_on_conflict(mut self) -> Self {
        if let Some(versioning) = &mut self.versioned {
            versioning.reapply = false;
        }
        self
    }
}

impl Bound {
    /// A bound as its template gives it.
    pub fn at(text: &str) -> Self {
        Bound::with_tail(text, Tail::Exact)
    }

    /// With something done to its end.
    pub fn with_tail(text: &str, tail: Tail) -> Self {
        Bound {
            text: text.to_owned(),
            tail,
        }
    }
}

impl ReadText {
    /// A read of one entity, or of several from one item collection.
    pub fn new(name: &str, entities: &[&str], via: ViaText) -> Self {
        ReadText {
            name: name.to_owned(),
            entities: owned(entities),
            via,
            index: None,
            partition: String::new(),
            sort: SortText::All,
            given: Vec::new(),
            fixed: Vec::new(),
            filter: None,
            refine: Vec::new(),
            fields: Vec::new(),
            matches: Vec::new(),
            backwards: false,
            page: 20,
            strong: false,
        }
    }

    /// One item by its whole key.
    pub fn get(name: &str, entity: &str) -> Self {
        ReadText::new(name, &[entity], ViaText::Key)
    }

    /// One item through a guard.
    pub fn get_by_guard(name: &str, entity: &str, guard: &str) -> Self {
        ReadText::new(name, &[entity], ViaText::Guard(guard.to_owned()))
    }

    /// A number kept by another entity.
    pub fn counted(name: &str, entity: &str, keeper: &str, counter: &str) -> Self {
        let via = ViaText::Counter {
            keeper: keeper.to_owned(),
            counter: counter.to_owned(),
        };
        ReadText::new(name, &[entity], via)
    }

    /// A query.
    pub fn query(name: &str, entities: &[&str]) -> Self {
        ReadText::new(name, entities, ViaText::Query)
    }

    /// In an index.
    #[must_use]
    pub fn index(mut self, index: &str) -> Self {
        self.index = Some(index.to_owned());
        self
    }

    /// In this partition.
    #[must_use]
    pub fn partition(mut self, template: &str) -> Self {
        self.partition = template.to_owned();
        self
    }

    /// With this test of the sort key.
    #[must_use]
    pub fn sort(mut self, sort: SortText) -> Self {
        self.sort = sort;
        self
    }

    /// With the values of these fields, which the caller knows.
    #[must_use]
    pub fn by(mut self, fields: &[&str]) -> Self {
        let fields = fields.iter().map(|field| (*field, *field));
        self.given.extend(pairs(&fields.collect::<Vec<_>>()));
        self
    }

    /// With values of the caller under other names, each of the type of a field.
    #[must_use]
    pub fn given(mut self, given: &[(&str, &str)]) -> Self {
        self.given.extend(pairs(given));
        self
    }

    /// With values the pattern fixes.
    #[must_use]
    pub fn fixed(mut self, fixed: &[(&str, &str)]) -> Self {
        self.fixed = pairs(fixed);
        self
    }

    /// Only what meets a condition.
    #[must_use]
    pub fn filter(mut self, condition: &str) -> Self {
        self.filter = Some(condition.to_owned());
        self
    }

    /// With fields the caller may filter by in addition.
    #[must_use]
    pub fn refine(mut self, fields: &[&str]) -> Self {
        self.refine = owned(fields);
        self
    }

    /// Only these fields.
    #[must_use]
    pub fn fields(mut self, fields: &[&str]) -> Self {
        self.fields = owned(fields);
        self
    }

    /// Only items that have the caller's words in one of these fields.
    #[must_use]
    pub fn matches(mut self, fields: &[&str]) -> Self {
        self.matches = owned(fields);
        self
    }

    /// The last first.
    #[must_use]
    pub fn backwards(mut self) -> Self {
        self.backwards = true;
        self
    }

    /// So many items a page.
    #[must_use]
    pub fn page(mut self, items: u32) -> Self {
        self.page = items;
        self
    }

    /// Nothing may be missed.
    #[must_use]
    pub fn strong(mut self) -> Self {
        self.strong = true;
        self
    }
}

impl WriteText {
    /// A write of these actions.
    pub fn new(name: &str) -> Self {
        WriteText {
            name: name.to_owned(),
            actions: Vec::new(),
            claim: None,
        }
    }

    /// With an action.
    #[must_use]
    pub fn action(mut self, action: ActionText) -> Self {
        self.actions.push(action);
        self
    }

    /// Which claims an idempotency key.
    #[must_use]
    pub fn claim(mut self, entity: &str) -> Self {
        self.claim = Some(entity.to_owned());
        self
    }
}

impl ActionText {
    fn new(kind: ActionKind, entity: &str) -> Self {
        ActionText {
            name: entity.to_owned(),
            kind,
            entity: entity.to_owned(),
            set: Vec::new(),
            add: Vec::new(),
            condition: None,
        }
    }

    /// A new item.
    pub fn create(entity: &str) -> Self {
        ActionText::new(ActionKind::Create, entity)
    }

    /// A change of an item.
    pub fn update(entity: &str) -> Self {
        ActionText::new(ActionKind::Update, entity)
    }

    /// The end of an item.
    pub fn delete(entity: &str) -> Self {
        ActionText::new(ActionKind::Delete, entity)
    }

    /// A condition on an item that is not written.
    pub fn check(entity: &str) -> Self {
        ActionText::new(ActionKind::Check, entity)
    }

    /// With a name of its own.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Which may set these fields.
    #[must_use]
    pub fn set(mut self, fields: &[&str]) -> Self {
        self.set = owned(fields);
        self
    }

    /// Which raises these numbers.
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "it is the word of the language, as `set` is"
    )]
    pub fn add(mut self, fields: &[&str]) -> Self {
        self.add = owned(fields);
        self
    }

    /// On this condition.
    #[must_use]
    pub fn only_if(mut self, condition: &str) -> Self {
        self.condition = Some(condition.to_owned());
        self
    }
}

impl EventText {
    fn new(name: &str, on: EventKind, entity: &str) -> Self {
        EventText {
            name: name.to_owned(),
            on,
            entity: entity.to_owned(),
            field: None,
            condition: None,
            detail: Vec::new(),
        }
    }

    /// When an item comes to be.
    pub fn on_insert(name: &str, entity: &str) -> Self {
        EventText::new(name, EventKind::Insert, entity)
    }

    /// When an item changes.
    pub fn on_change(name: &str, entity: &str) -> Self {
        EventText::new(name, EventKind::Change, entity)
    }

    /// When one field of an item changes.
    pub fn on_change_of(name: &str, entity: &str, field: &str) -> Self {
        EventText {
            field: Some(field.to_owned()),
            ..EventText::on_change(name, entity)
        }
    }

    /// When an item is no more.
    pub fn on_remove(name: &str, entity: &str) -> Self {
        EventText::new(name, EventKind::Remove, entity)
    }

    /// On this condition.
    #[must_use]
    pub fn only_if(mut self, condition: &str) -> Self {
        self.condition = Some(condition.to_owned());
        self
    }

    /// With these fields.
    #[must_use]
    pub fn detail(mut self, fields: &[&str]) -> Self {
        self.detail = owned(fields);
        self
    }
}
