//! One entity asked to be in one index under two keys.

use std::collections::HashMap;

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "two-values-one-index",
    code: "I04",
    severity: Error,
    group: Indexes,
    summary: "one entity asked to be in one index under two keys",
    why: "An item has one value for each attribute, and so one place in an index. Of two keys for the same index the code that
writes last wins: the other pattern finds nothing, and no request fails.

Overloading an index means that *different* entities share it. For a second order of the same entity use a second index, or write a
separate item for the second way of finding it.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (id, entity) in context.model.entity_ids() {
        let table = context.table_of(id);
        let mut first_of = HashMap::new();
        for key in &entity.index_keys {
            let Some(first) = first_of.get(&key.index).copied() else {
                first_of.insert(key.index, key.span);
                continue;
            };
            let index = table.index(key.index);
            let free = table.indexes.iter().find(|other| {
                entity
                    .index_keys
                    .iter()
                    .all(|key| key.name.value != other.name.value)
            });
            let second = match free {
                Some(free) => format!(
                    "move it to {}, where {} has no key yet",
                    free.name, entity.name
                ),
                None => format!(
                    "add an index to [table.{}.index] and move it there",
                    table.name
                ),
            };
            let diagnostic = RULE
                .at(
                    key.span,
                    format!(
                        "{} has two keys in {}, and an item has one value in `{}`: it can be found by one of them only",
                        entity.name, index.name, index.partition_key.name
                    ),
                )
                .label("a second key")
                .related(first, "the first")
                .help(format!("{second}; or keep a separate item for looking it up"));
            let subjects = [
                Subject::Entity(id.0),
                Subject::Index(entity.table.0, key.index.0),
            ];
            found.report(&subjects, diagnostic);
        }
    }
}
