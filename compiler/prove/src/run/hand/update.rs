//! The update expression of a write by hand: it sets what is set, and leaves every key of an index as it was.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::descriptor::Entity as Described;
use tablewright::{Fields, Item};

/// An update expression under construction, with its names and values beside those of the condition.
#[derive(Debug)]
pub(super) struct Update {
    pub(super) names: HashMap<String, String>,
    pub(super) values: HashMap<String, AttributeValue>,
    sets: Vec<String>,
    removes: Vec<String>,
}

impl Update {
    /// Nothing yet, beside the names and values of a condition.
    pub(super) fn beside(
        names: HashMap<String, String>,
        values: HashMap<String, AttributeValue>,
    ) -> Self {
        Update {
            names,
            values,
            sets: Vec::new(),
            removes: Vec::new(),
        }
    }

    /// Sets fields to what they are, takes away those that are nothing, and adds to numbers.
    pub(super) fn change<'s>(
        &mut self,
        described: &Described,
        set: impl Iterator<Item = &'s String>,
        fields: &Fields,
        add: &[(String, i64)],
    ) {
        for name in set {
            let path = self.path(described, name);
            match fields.stored(name) {
                Some(value) => self.set(&path, value.clone()),
                None => self.removes.push(path),
            }
        }
        for (name, by) in add {
            let path = self.path(described, name);
            let by = self.value(AttributeValue::N(by.to_string()));
            let zero = AttributeValue::N("0".to_owned());
            self.values.insert(":zero".to_owned(), zero);
            let sum = format!("{path} = if_not_exists({path}, :zero) + {by}");
            self.sets.push(sum);
        }
    }

    /// Sets every attribute of an item.
    pub(super) fn set_all(&mut self, item: Item) {
        for (name, value) in item {
            let path = self.alias(&name);
            self.set(&path, value);
        }
    }

    /// The expression; none where nothing is set.
    pub(super) fn expression(&self) -> Option<String> {
        let clauses = [("SET", &self.sets), ("REMOVE", &self.removes)];
        let clauses = clauses.into_iter().filter(|(_, parts)| !parts.is_empty());
        let clauses: Vec<String> = clauses
            .map(|(word, parts)| format!("{word} {}", parts.join(", ")))
            .collect();
        (!clauses.is_empty()).then(|| clauses.join(" "))
    }

    fn set(&mut self, path: &str, value: AttributeValue) {
        let value = self.value(value);
        self.sets.push(format!("{path} = {value}"));
    }

    fn path(&mut self, described: &Described, name: &str) -> String {
        let alias = self.alias(name);
        if described.at_the_top(name) {
            return alias;
        }
        self.names.insert("#data".to_owned(), "data".to_owned());
        format!("#data.{alias}")
    }

    fn alias(&mut self, name: &str) -> String {
        let alias = format!("#set{}", self.names.len());
        self.names.insert(alias.clone(), name.to_owned());
        alias
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":set{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }
}
