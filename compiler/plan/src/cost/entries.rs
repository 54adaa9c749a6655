//! How many entries of every index a write touches, at most: of each index by itself, and of all of them in one call. An item is not in
//! two indexes whose conditions exclude each other, and one that enters an index has no entry there to delete.

use std::collections::BTreeSet;

use tablewright_model::condition::Condition;
use tablewright_model::model::{
    ActionKind, Entity, FieldChanges, FieldId, IndexId, IndexKey, Model, Projection,
};

use super::change::changes;
use super::possible::Possible;
use super::write_blocks;
use crate::size;

/// More changes than these are not looked at one by one: each index is then taken for itself.
const MOST_CHANGES: usize = 4096;

/// What an index has to write for an item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IndexWrite {
    pub(crate) id: IndexId,
    pub(crate) index: String,
    /// At most: 1 when the entry is put, deleted or copied anew, 2 when its key changes, 0 when it is left alone.
    pub(crate) most: u64,
    /// In the call that costs most on all indexes together.
    pub(crate) dearest: u64,
    /// How many of these are sure: of a new or deleted item that cannot be missing in the index.
    pub(super) sure: u64,
}

/// A write of one item, as far as its indexes are concerned.
#[derive(Clone, Copy)]
pub(crate) struct Written<'m> {
    pub(crate) entity: &'m Entity,
    pub(crate) kind: ActionKind,
    pub(crate) changes: &'m FieldChanges,
    /// What holds of the item before.
    pub(crate) condition: Option<&'m Condition>,
}

impl<'m> Written<'m> {
    pub(super) fn parts_of_condition(self) -> &'m [Condition] {
        self.condition.map_or(&[], Condition::conjuncts)
    }
}

/// What each index of an entity has to write.
pub(crate) fn index_writes(model: &Model, written: Written<'_>) -> Vec<IndexWrite> {
    let entity = written.entity;
    let table = model.table(entity.table);
    let is_written = match written.kind {
        ActionKind::Create | ActionKind::Update | ActionKind::Delete => true,
        ActionKind::Check | ActionKind::Get => false,
    };
    let keys: Vec<Key<'_>> = (entity.index_keys.iter().filter(|_| is_written))
        .map(|key| Key::of(model, entity, key))
        .collect();
    let nothing = keys.iter().map(|key| IndexWrite {
        id: key.written.index,
        index: table.index(key.written.index).name.value.clone(),
        most: 0,
        dearest: 0,
        sure: match written.kind {
            ActionKind::Update => 0,
            _ => u64::from(holds_every_item(entity, key.written)),
        },
    });
    let mut writes: Vec<IndexWrite> = nothing.collect();
    let search = Search { written, keys };
    for group in search.groups() {
        search.fill(&group, &mut writes);
    }
    writes
}

/// What each index has to write for an item whose counts change. One that begins with its first count enters them with it.
pub(crate) fn index_writes_of_counts(
    model: &Model,
    keeper: &Entity,
    is_first: bool,
) -> Vec<IndexWrite> {
    let counted = Written {
        entity: keeper,
        kind: match is_first {
            true => ActionKind::Create,
            false => ActionKind::Update,
        },
        changes: &FieldChanges::default(),
        condition: None,
    };
    let writes = index_writes(model, counted).into_iter();
    // Which count is the first is not sure.
    writes
        .map(|write| IndexWrite { sure: 0, ..write })
        .collect()
}

/// Whether no item of the entity is left out of the index.
pub(crate) fn holds_every_item(entity: &Entity, key: &IndexKey) -> bool {
    let fields = key.key.field_ids();
    key.when.is_none()
        && !fields
            .into_iter()
            .any(|field| entity.field(field).is_optional())
}

/// The key of an entity in an index.
pub(super) struct Key<'m> {
    pub(super) written: &'m IndexKey,
    pub(super) projection: &'m Projection,
    /// What it is made of.
    pub(super) fields: Vec<FieldId>,
    /// What decides whether an item is in the index.
    pub(super) deciding: BTreeSet<FieldId>,
    /// How large an entry is, or what has to be declared.
    size: Result<u64, String>,
}

impl<'m> Key<'m> {
    fn of(model: &'m Model, entity: &Entity, key: &'m IndexKey) -> Self {
        let fields = key.key.field_ids();
        let optional = |field: &FieldId| entity.field(*field).is_optional();
        let mut deciding: BTreeSet<FieldId> = fields.iter().copied().filter(optional).collect();
        if let Some(when) = &key.when {
            deciding.extend(fields_of(entity, &when.condition));
        }
        Key {
            written: key,
            projection: &model.table(entity.table).index(key.index).projection,
            fields,
            deciding,
            size: size::of_item(model, entity, Some(key.index)),
        }
    }
}

/// The fields a condition speaks of, also those it compares others with.
fn fields_of(entity: &Entity, condition: &Condition) -> BTreeSet<FieldId> {
    let named = condition.depends_on().into_iter();
    named.filter_map(|name| entity.field_named(name)).collect()
}

/// Indexes, by their position, and the fields that decide about them.
struct Group {
    keys: Vec<usize>,
    fields: BTreeSet<FieldId>,
}

impl Group {
    /// Puts what shares a field together.
    fn join(mut self, groups: &mut Vec<Group>) {
        let apart = |group: &Group| group.fields.is_disjoint(&self.fields);
        let (apart, met): (Vec<Group>, Vec<Group>) =
            std::mem::take(groups).into_iter().partition(apart);
        for group in met {
            self.keys.extend(group.keys);
            self.fields.extend(group.fields);
        }
        self.keys.sort_unstable();
        *groups = apart;
        groups.push(self);
    }
}

struct Search<'m> {
    written: Written<'m>,
    keys: Vec<Key<'m>>,
}

impl Search<'_> {
    /// The indexes, those together to which the same fields matter: what becomes of one entry says something of the others.
    fn groups(&self) -> Vec<Group> {
        let deciding = self.keys.iter().flat_map(|key| &key.deciding);
        let deciding: BTreeSet<FieldId> = deciding.copied().collect();
        let mut groups = Vec::new();
        for (position, key) in self.keys.iter().enumerate() {
            let mut fields = key.deciding.clone();
            fields.extend(
                self.changed_in(key)
                    .filter(|field| deciding.contains(field)),
            );
            let keys = vec![position];
            Group { keys, fields }.join(&mut groups);
        }
        for part in self.written.parts_of_condition() {
            let fields = &fields_of(self.written.entity, part) & &deciding;
            if fields.len() > 1 {
                let keys = Vec::new();
                Group { keys, fields }.join(&mut groups);
            }
        }
        groups
    }

    /// What an update changes of the entries of an index.
    fn changed_in(&self, key: &Key<'_>) -> impl Iterator<Item = FieldId> {
        let Written {
            entity,
            changes: changed,
            ..
        } = self.written;
        let copied = match key.projection {
            Projection::Fields(names) => names.as_slice(),
            Projection::All | Projection::KeysOnly => &[],
        };
        let copied = copied
            .iter()
            .filter_map(|name| entity.field_named(name.as_str()));
        let held = key.fields.iter().copied().chain(copied);
        held.filter(|field| changes(changed, *field))
    }

    /// Looks at every change the fields of a group allow; where these are too many, at every index by itself, and then at no field.
    fn fill(&self, group: &Group, writes: &mut [IndexWrite]) {
        if self.fill_from(&group.keys, &group.fields, writes) {
            return;
        }
        for key in group.keys.iter().copied() {
            if !self.fill_from(&[key], &self.keys[key].deciding, writes) {
                self.fill_from(&[key], &BTreeSet::new(), writes);
            }
        }
    }

    /// False, and nothing is filled in, when there are too many changes to look at.
    fn fill_from(
        &self,
        keys: &[usize],
        fields: &BTreeSet<FieldId>,
        writes: &mut [IndexWrite],
    ) -> bool {
        let whens = keys.iter().filter_map(|key| {
            let when = self.keys[*key].written.when.as_ref()?;
            Some(&when.condition)
        });
        let possible = Possible::of(self.written, fields, whens);
        if possible.changes() > MOST_CHANGES {
            return false;
        }
        let weights = self.weights(keys);
        let mut dearest = (0, vec![0; keys.len()]);
        possible.each(&mut |change| {
            let entries = keys.iter().map(|key| change.entries(&self.keys[*key]));
            let entries: Vec<u64> = entries.collect();
            for (key, entries) in keys.iter().zip(&entries) {
                writes[*key].most = writes[*key].most.max(*entries);
            }
            let weights = weights.iter().flatten();
            let units: u64 = entries.iter().zip(weights).map(|(n, each)| n * each).sum();
            // Of calls that cost the same, the one that writes to the first indexes.
            dearest = std::mem::take(&mut dearest).max((units, entries));
        });
        for (key, entries) in keys.iter().zip(dearest.1) {
            let write = &mut writes[*key];
            write.dearest = match weights {
                Some(_) => entries,
                None => write.most,
            };
        }
        true
    }

    /// The units of an entry of each index; none where they cannot be compared, since a size is not declared.
    fn weights(&self, keys: &[usize]) -> Option<Vec<u64>> {
        let sizes: Vec<_> = keys.iter().map(|key| &self.keys[*key].size).collect();
        if sizes.iter().all(|size| Some(size) == sizes.first()) {
            return Some(vec![1; sizes.len()]);
        }
        let units = |size: &Result<u64, String>| size.as_ref().ok().copied().map(write_blocks);
        sizes.into_iter().map(units).collect()
    }
}
