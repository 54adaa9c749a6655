//! The words for reads.

use super::{owned, pairs};
use crate::key_text::Tail;
use crate::written::{Bound, ReadText, SortText, ViaText};

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
            looks_at: None,
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

    /// A page looks at so many items at most, where something filters.
    #[must_use]
    pub fn looks_at(mut self, items: u32) -> Self {
        self.looks_at = Some(items);
        self
    }

    /// Nothing may be missed.
    #[must_use]
    pub fn strong(mut self) -> Self {
        self.strong = true;
        self
    }
}
