//! One attribute that is the key of two things.

use std::collections::HashMap;

use tablewright_model::model::{IndexKind, KeyAttribute, Profile, Table};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "shared-key-attribute",
    code: "K27",
    severity: Warning,
    group: Keys,
    summary: "one attribute that is a key of two indexes, or of the table and an index (profile `single-table`)",
    why: "An item has one value in an attribute. When two indexes share it, an entity that is to be in one is in both, and a key that has to
change for one pattern changes for the other. An index over the table's own `SK` cannot be given another value at all, and holds every
item of the table, also those nobody looks for there, each with its writes and its storage.

Give each index attributes of its own, which is what it has when nothing is said: `GSI1PK` and `GSI1SK`. Only a local index shares
the table's partition key, because it is one.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    if context.model.profile != Profile::SingleTable {
        return;
    }
    for (position, table) in context.model.tables.iter().enumerate() {
        for shared in shared(table) {
            let index = &table.indexes[shared.index];
            let diagnostic = RULE
                .at(
                    shared.attribute.written.content(),
                    format!(
                        "`{}` is a key of `{}` and of {}: an item has one value for both",
                        shared.attribute.name, index.name, shared.first_of
                    ),
                )
                .label("a key of another already")
                .related(shared.first.written.content(), "here")
                .help(format!(
                    "give the index an attribute of its own: leave the name out, and it is called `{}{}`",
                    index.name, shared.suffix
                ));
            let subjects = [
                Subject::Index(position, shared.index),
                Subject::Table(position),
            ];
            found.report(&subjects, diagnostic);
        }
    }
}

/// An attribute of an index that something before it has as a key.
struct Shared<'m> {
    index: usize,
    attribute: &'m KeyAttribute,
    suffix: &'static str,
    first: &'m KeyAttribute,
    first_of: String,
}

fn shared(table: &Table) -> Vec<Shared<'_>> {
    let mut first: HashMap<&str, (&KeyAttribute, String)> = HashMap::new();
    for own in std::iter::once(&table.partition_key).chain(&table.sort_key) {
        first.insert(own.name.as_str(), (own, "the table".to_owned()));
    }
    let mut shared = Vec::new();
    for (index, declared) in table.indexes.iter().enumerate() {
        let partition =
            (declared.kind == IndexKind::Global).then_some((&declared.partition_key, "PK"));
        let sort = declared.sort_key.as_ref().map(|sort| (sort, "SK"));
        for (attribute, suffix) in partition.into_iter().chain(sort) {
            match first.get(attribute.name.as_str()) {
                Some((known, of)) => shared.push(Shared {
                    index,
                    attribute,
                    suffix,
                    first: known,
                    first_of: of.clone(),
                }),
                None => {
                    let of = format!("`{}`", declared.name);
                    first.insert(attribute.name.as_str(), (attribute, of));
                }
            }
        }
    }
    shared
}
