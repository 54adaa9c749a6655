//! Indexes that hold nothing another index does not hold in the same order.

use std::collections::{BTreeMap, HashMap};

use tablewright_keys::Piece;
use tablewright_model::model::{
    Entity, EntityId, Index, IndexId, IndexKey, KeyTemplate, Projection, Table,
};

use crate::Context;

/// The keys of an index, by entity.
type Keys<'m> = Vec<(EntityId, &'m IndexKey)>;

/// Each index that another one of its table subsumes, with that other one. Of two alike the later is the duplicate.
pub(crate) fn subsumed_indexes(context: &Context<'_>) -> BTreeMap<(usize, IndexId), IndexId> {
    let mut keys: HashMap<(usize, IndexId), Keys<'_>> = HashMap::new();
    for (id, entity) in context.model.entity_ids() {
        for key in &entity.index_keys {
            keys.entry((entity.table.0, key.index))
                .or_default()
                .push((id, key));
        }
    }
    let mut subsumed = BTreeMap::new();
    for (position, table) in context.model.tables.iter().enumerate() {
        for index in (0..table.indexes.len()).map(IndexId) {
            let others = (0..table.indexes.len())
                .map(IndexId)
                .filter(|other| *other != index);
            let by = others.into_iter().find(|other| {
                let of = |index| keys.get(&(position, index));
                let (Some(mine), Some(theirs)) = (of(index), of(*other)) else {
                    return false;
                };
                let subsumes =
                    |mine, theirs, a, b| is_subsumed(context, table, (mine, a), (theirs, b));
                let alike = subsumes(theirs, mine, *other, index);
                subsumes(mine, theirs, index, *other) && (!alike || *other < index)
            });
            if let Some(by) = by {
                subsumed.insert((position, index), by);
            }
        }
    }
    subsumed
}

fn is_subsumed(
    context: &Context<'_>,
    table: &Table,
    (mine, index): (&Keys<'_>, IndexId),
    (theirs, other): (&Keys<'_>, IndexId),
) -> bool {
    let (index, other) = (table.index(index), table.index(other));
    index.kind == other.kind
        && same_types(index, other)
        && holds_as_much(&other.projection, &index.projection)
        && mine.len() == theirs.len()
        && mine
            .iter()
            .zip(theirs)
            .all(|((id, mine), (other, theirs))| {
                id == other && is_beginning(context.model.entity(*id), mine, theirs)
            })
}

fn same_types(index: &Index, other: &Index) -> bool {
    let sort = |index: &Index| index.sort_key.as_ref().map(|key| key.kind.clone());
    let same_sort = sort(index).is_none() || sort(index) == sort(other);
    index.partition_key.kind == other.partition_key.kind && same_sort
}

fn holds_as_much(has: &Projection, wanted: &Projection) -> bool {
    match (has, wanted) {
        (Projection::All, _) | (_, Projection::KeysOnly) => true,
        (Projection::KeysOnly, _) | (_, Projection::All) => false,
        (Projection::Fields(has), Projection::Fields(wanted)) => wanted
            .iter()
            .all(|field| has.iter().any(|own| own.value == field.value)),
    }
}

/// Whether the key finds and sorts all that the other does, from its beginning. A further field that may be absent leaves items out.
fn is_beginning(entity: &Entity, mine: &IndexKey, theirs: &IndexKey) -> bool {
    let when = |key: &IndexKey| key.when.as_ref().map(|when| when.condition.to_string());
    let same = mine.key.partition.template.to_string() == theirs.key.partition.template.to_string();
    if !same || when(mine) != when(theirs) {
        return false;
    }
    let (mine, theirs) = (mine.key.sort.as_ref(), theirs.key.sort.as_ref());
    let pieces = |template: Option<&KeyTemplate>| {
        let pieces = template.map(|template| template.template.pieces.iter().map(text_of));
        pieces.into_iter().flatten().collect::<Vec<String>>()
    };
    let begins = pieces(theirs).starts_with(&pieces(mine));
    let further = theirs
        .into_iter()
        .flat_map(|template| template.parts.iter().flatten());
    let known = |field| mine.is_some_and(|mine| mine.has(field));
    let mut absent = further.filter(|field| !known(**field) && entity.field(**field).is_optional());
    begins && absent.next().is_none()
}

fn text_of(piece: &Piece) -> String {
    match piece {
        Piece::Literal { text, .. } => text.clone(),
        Piece::Field(field) => field.to_string(),
    }
}
