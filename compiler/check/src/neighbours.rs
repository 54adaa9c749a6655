//! What else is stored where a query reads.

use std::collections::{BTreeMap, HashMap};

use tablewright_keys::{TypedPiece, TypedTemplate, algebra};
use tablewright_model::model::{EntityId, IndexId, TableId};
use tablewright_plan::Place;

use crate::{Context, KeyPlace, KeyRole, KeyUse};

/// Every key by table or index, and by the text its partition begins with.
pub(crate) struct Neighbours<'c, 'm> {
    places: HashMap<(TableId, Option<IndexId>), BTreeMap<&'m str, Vec<&'c KeyUse<'m>>>>,
}

impl<'c, 'm> Neighbours<'c, 'm> {
    pub(crate) fn of(context: &'c Context<'m>) -> Self {
        let mut places: HashMap<_, BTreeMap<_, Vec<_>>> = HashMap::new();
        for key in context.keys() {
            if key.role != KeyRole::Partition {
                continue;
            }
            let index = match key.place {
                KeyPlace::Index(index) => Some(index),
                KeyPlace::Table | KeyPlace::Guard(_) => None,
            };
            let table = context.model.entity(key.entity).table;
            let place: &mut BTreeMap<_, Vec<_>> = places.entry((table, index)).or_default();
            place
                .entry(key.template.template.leading_literal())
                .or_default()
                .push(key);
        }
        Neighbours { places }
    }

    /// The keys in a place whose partition may be that of `partition`, by the text it begins with; in the order of the model.
    fn perhaps_in(&self, place: Place, partition: &TypedTemplate) -> Vec<&'c KeyUse<'m>> {
        let Some(by_prefix) = self.places.get(&(place.table, place.index)) else {
            return Vec::new();
        };
        let prefix = leading_literal(partition);
        let shorter = prefix
            .char_indices()
            .filter_map(|(end, _)| by_prefix.get(&prefix[..end]));
        let longer = by_prefix
            .range(prefix.as_str()..)
            .take_while(|(other, _)| other.starts_with(&prefix))
            .map(|(_, keys)| keys);
        let mut keys: Vec<_> = shorter.chain(longer).flatten().copied().collect();
        keys.sort_by_key(|key| key.entity);
        keys
    }

    /// The first few keys of other entities, and of guards, in the partition of a query, for which `reached` holds of their sort key.
    pub(crate) fn strangers(
        &self,
        place: Place,
        partition: &TypedTemplate,
        asked_for: &[EntityId],
        reached: impl Fn(&KeyUse<'m>) -> bool,
    ) -> Vec<&'c KeyUse<'m>> {
        let own = |key: &KeyUse<'_>| {
            asked_for.contains(&key.entity) && !matches!(key.place, KeyPlace::Guard(_))
        };
        self.perhaps_in(place, partition)
            .into_iter()
            .filter(|key| !own(key) && reached(key) && meet(partition, &key.template.typed))
            .take(NAMED + 1)
            .collect()
    }
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
