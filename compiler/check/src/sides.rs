//! Reading a relationship from one of its sides: which keys begin with what identifies that side.

use tablewright_model::model::{Entity, Key, KeyTemplate};

/// The field that tells one item of a side from another, and is a field of `child` too; none when the names do not show how
/// they belong together.
pub(crate) fn shared_id<'m>(side: &'m Entity, child: &Entity) -> Option<&'m str> {
    let last = side.identity().last().copied()?;
    let name = side.field(last).name.as_str();
    child.field_named(name).map(|_| name)
}

/// Whether a key of `child` finds its items from one item of `side`: the partition holds what identifies the side and nothing of
/// the `other` side, or the partition is the side's own and the sort key begins with the rest.
pub(crate) fn reads_from(side: &Entity, other: Option<&Entity>, child: &Entity, key: &Key) -> bool {
    let Some(id) = shared_id(side, child) else {
        return false;
    };
    let known = identity_names(side);
    let of_other: Vec<&str> = other.map(identity_names).unwrap_or_default();
    let partition = whole_fields(child, &key.partition);
    if partition
        .iter()
        .any(|name| of_other.contains(name) && !known.contains(name))
    {
        return false;
    }
    if partition.contains(&id) {
        return true;
    }
    let all_known = !partition.is_empty() && partition.iter().all(|name| known.contains(name));
    let sort = key.sort.as_ref();
    let sort = sort
        .map(|sort| whole_fields(child, sort))
        .unwrap_or_default();
    let mut leading = sort.iter().take_while(|name| known.contains(*name));
    all_known && leading.any(|name| *name == id)
}

/// The keys of an entity: of the table, then of its indexes.
pub(crate) fn keys_of(entity: &Entity) -> impl Iterator<Item = &Key> {
    let indexes = entity.index_keys.iter().map(|index| &index.key);
    std::iter::once(&entity.key).chain(indexes)
}

fn identity_names(entity: &Entity) -> Vec<&str> {
    let ids = entity.identity().into_iter();
    ids.map(|id| entity.field(id).name.as_str()).collect()
}

/// The fields a template holds whole: a shard of a field does not tell its values apart.
pub(crate) fn whole_fields<'m>(entity: &'m Entity, template: &KeyTemplate) -> Vec<&'m str> {
    template
        .field_parts()
        .filter(|(_, _, part)| part.encodings.shard.is_none())
        .map(|(_, id, _)| entity.field(id).name.as_str())
        .collect()
}
