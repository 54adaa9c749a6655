//! Indexes that could be one.

use std::collections::{BTreeSet, HashMap, HashSet};

use tablewright_model::model::{EntityId, Index, IndexId, IndexKind, Profile, Projection, Table};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "index-per-pattern",
    code: "I03",
    severity: Note,
    group: Indexes,
    summary: "two indexes that could be one, because no entity is in both (profile `single-table`)",
    why: "In one table of many entities an index is for all of them: users by address and orders by number can lie in one, each under a prefix of its
own. An index for each pattern costs a part of the quota of 20, capacity to be planned and watched for each, and one more thing to name.

Let the second entity use the attributes of the first index. Two indexes are right where one entity needs both, because an item has one
value in an attribute; where one is so busy that its throttling would hold up the other; or where they project different fields.",
}

/// So many indexes are looked at for each: a table has 20, unless its quota was raised.
const COMPARED: usize = 40;

fn check(context: &Context<'_>, found: &mut Found) {
    if context.model.profile != Profile::SingleTable {
        return;
    }
    let used = used(context);
    for (position, table) in context.model.tables.iter().enumerate() {
        let mut taken: Vec<Group<'_>> = Vec::new();
        for (number, index) in table.indexes.iter().enumerate() {
            let Some(own) = used.get(&(position, IndexId(number))) else {
                continue;
            };
            if index.kind != IndexKind::Global {
                continue;
            }
            let fits = taken.iter_mut().take(COMPARED).find(|group| {
                alike(group.index, index)
                    && group.entities.is_disjoint(&own.entities)
                    && group.can_take(own)
            });
            let Some(group) = fits else {
                taken.push(Group {
                    index,
                    entities: own.entities.clone(),
                    prefixes: own.prefixes.clone(),
                });
                continue;
            };
            report(context, (position, number), table, group, own, found);
            group.entities.extend(&own.entities);
            group.prefixes.extend(&own.prefixes);
        }
    }
}

/// What is kept in an index.
#[derive(Default)]
struct Use<'m> {
    entities: HashSet<EntityId>,
    /// What the partitions begin with.
    prefixes: BTreeSet<&'m str>,
}

/// An index and what could be in it.
struct Group<'m> {
    index: &'m Index,
    entities: HashSet<EntityId>,
    prefixes: BTreeSet<&'m str>,
}

impl Group<'_> {
    /// Whether the partitions stay apart: each begins with a text of its own, and no query of one reads the other.
    fn can_take(&self, own: &Use<'_>) -> bool {
        own.prefixes.iter().all(|prefix| !self.meets(prefix))
    }

    /// Whether a partition of the index begins with the text, or with a beginning of it.
    fn meets(&self, prefix: &str) -> bool {
        let mut shorter = prefix.char_indices().map(|(end, _)| &prefix[..end]);
        let mut longer = self.prefixes.range(prefix..);
        shorter.any(|beginning| self.prefixes.contains(beginning))
            || longer.next().is_some_and(|other| other.starts_with(prefix))
    }
}

/// The entities and partitions of each index that has any.
fn used<'m>(context: &Context<'m>) -> HashMap<(usize, IndexId), Use<'m>> {
    let mut used: HashMap<(usize, IndexId), Use<'_>> = HashMap::new();
    for (id, entity) in context.model.entity_ids() {
        for key in &entity.index_keys {
            let of_index = used.entry((entity.table.0, key.index)).or_default();
            of_index.entities.insert(id);
            // A partition without a prefix meets every other: the empty text begins them all.
            let prefix = key.key.partition.template.leading_literal();
            of_index.prefixes.insert(prefix);
        }
    }
    used
}

/// Whether two indexes have keys of the same types and hold the same besides.
fn alike(one: &Index, other: &Index) -> bool {
    let sort = |index: &Index| index.sort_key.as_ref().map(|key| key.kind.clone());
    one.partition_key.kind == other.partition_key.kind
        && sort(one) == sort(other)
        && match (&one.projection, &other.projection) {
            (Projection::All, Projection::All) | (Projection::KeysOnly, Projection::KeysOnly) => {
                true
            }
            (Projection::Fields(one), Projection::Fields(other)) => {
                let names = |fields: &[tablewright_model::Text]| -> HashSet<String> {
                    fields.iter().map(|field| field.value.clone()).collect()
                };
                names(one) == names(other)
            }
            _ => false,
        }
}

fn report(
    context: &Context<'_>,
    (table_position, number): (usize, usize),
    table: &Table,
    group: &Group<'_>,
    own: &Use<'_>,
    found: &mut Found,
) {
    let index = &table.indexes[number];
    let first = own.entities.iter().min();
    let entity = first.map_or("", |id| context.model.entity(*id).name.as_str());
    let diagnostic = RULE
        .at(
            index.name.content(),
            format!(
                "`{}` could be one with `{}`: no entity is in both, and their partitions begin differently",
                index.name, group.index.name
            ),
        )
        .label("an index more than needed")
        .related(group.index.name.content(), "has room for it")
        .help(format!(
            "put {entity} into `{}` under the same templates, and remove `{}`",
            group.index.name, index.name
        ));
    let subjects = [
        Subject::Index(table_position, number),
        Subject::Table(table_position),
    ];
    found.report(&subjects, diagnostic);
}
