//! What else is stored where a query reads.

use std::collections::{BTreeMap, HashMap};

use tablewright_keys::{TypedPiece, TypedTemplate, algebra};
use tablewright_model::model::{EntityId, IndexId, TableId};
use tablewright_plan::Place;

use crate::{Context, KeyPlace, KeyRole, KeyUse};

/// Every key by table or index.
pub(crate) struct Neighbours<'c, 'm> {
    places: HashMap<(TableId, Option<IndexId>), Keys<'c, 'm>>,
}

/// The keys of one place. Of thousands, those that can meet a query are few: they are found by the text their partition
/// begins with, or the text their sort key begins with and then their partition.
#[derive(Default)]
struct Keys<'c, 'm> {
    by_partition: ByPrefix<'m, Vec<&'c KeyUse<'m>>>,
    by_sort: ByPrefix<'m, ByPrefix<'m, Vec<&'c KeyUse<'m>>>>,
}

type ByPrefix<'m, T> = BTreeMap<&'m str, T>;

/// Where strangers are looked for.
pub(crate) struct Within<'a> {
    /// The table or index.
    pub(crate) place: Place,
    /// The partition that is asked.
    pub(crate) partition: &'a TypedTemplate,
    /// The text that sort keys begin with, or that begins with them; empty for all.
    pub(crate) sort_prefix: &'a str,
}

impl<'c, 'm> Neighbours<'c, 'm> {
    pub(crate) fn of(context: &'c Context<'m>) -> Self {
        let mut places: HashMap<_, Keys<'_, '_>> = HashMap::new();
        for key in context.keys() {
            if key.role != KeyRole::Partition {
                continue;
            }
            let index = match key.place {
                KeyPlace::Index(index) => Some(index),
                KeyPlace::Table | KeyPlace::Guard(_) => None,
            };
            let table = context.model.entity(key.entity).table;
            let keys = places.entry((table, index)).or_default();
            let partition = key.template.template.leading_literal();
            keys.by_partition.entry(partition).or_default().push(key);
            if let Some(sort) = &key.key.sort {
                let sort = sort.template.leading_literal();
                let same_sort = keys.by_sort.entry(sort).or_default();
                same_sort.entry(partition).or_default().push(key);
            }
        }
        Neighbours { places }
    }

    /// The first few keys of other entities, and of guards, in the partition of a query, for which `reached` holds.
    pub(crate) fn strangers(
        &self,
        within: Within<'_>,
        asked_for: &[EntityId],
        reached: impl Fn(&KeyUse<'m>) -> bool,
    ) -> Vec<&'c KeyUse<'m>> {
        let Some(keys) = self.places.get(&(within.place.table, within.place.index)) else {
            return Vec::new();
        };
        let partition = leading_literal(within.partition);
        let near: Vec<_> = match within.sort_prefix {
            "" => sharing_prefix(&keys.by_partition, &partition).collect(),
            prefix => sharing_prefix(&keys.by_sort, prefix)
                .flat_map(|same_sort| sharing_prefix(same_sort, &partition))
                .collect(),
        };
        let own = |key: &KeyUse<'_>| {
            asked_for.contains(&key.entity) && !matches!(key.place, KeyPlace::Guard(_))
        };
        let mut strangers: Vec<_> = near
            .into_iter()
            .flatten()
            .copied()
            .filter(|key| !own(key) && reached(key) && meet(within.partition, &key.template.typed))
            .take(NAMED + 1)
            .collect();
        strangers.sort_by_key(|key| key.entity);
        strangers
    }
}

/// What is kept under texts that begin with `prefix`, or are its beginning.
fn sharing_prefix<'a, T>(
    kept: &'a ByPrefix<'_, T>,
    prefix: &'a str,
) -> impl Iterator<Item = &'a T> {
    let shorter = prefix
        .char_indices()
        .filter_map(|(end, _)| kept.get(&prefix[..end]));
    let longer = kept
        .range(prefix..)
        .take_while(move |(other, _)| other.starts_with(prefix))
        .map(|(_, kept)| kept);
    shorter.chain(longer)
}

/// So many strangers are named; more are "others".
const NAMED: usize = 3;

/// `` `Order` and the guard `email` of `User` ``
pub(crate) fn names_of(context: &Context<'_>, strangers: &[&KeyUse<'_>]) -> String {
    let mut names: Vec<String> = strangers
        .iter()
        .take(NAMED)
        .map(|key| {
            let entity = &context.model.entity(key.entity).name;
            match key.place {
                KeyPlace::Guard(name) => format!("the guard `{name}` of `{entity}`"),
                KeyPlace::Table | KeyPlace::Index(_) => format!("`{entity}`"),
            }
        })
        .collect();
    names.dedup();
    if strangers.len() > NAMED {
        names.push("others".to_owned());
    }
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Whether two templates can give one key. Most that can are the same.
fn meet(a: &TypedTemplate, b: &TypedTemplate) -> bool {
    a == b || algebra::can_be_equal(a, b).is_some()
}

/// The text before the first field.
pub(crate) fn leading_literal(template: &TypedTemplate) -> String {
    let literals = template.pieces.iter().map_while(|piece| match piece {
        TypedPiece::Literal(text) => Some(text.as_str()),
        TypedPiece::Field { .. } => None,
    });
    literals.collect()
}
