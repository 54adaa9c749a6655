//! Whether an action can be one request, or must know the item first.

use crate::schema::{Action, IndexKey, StoredKey};
use crate::written::ActionKind;

impl Action {
    /// Whether the item must be read before it can be written: for its version, for the guards and numbers that belong to it, or for
    /// an index key of which the action knows only a part.
    pub fn reads_first(&self) -> bool {
        match self.kind {
            ActionKind::Create | ActionKind::Check => false,
            ActionKind::Delete => {
                let entity = &self.entity;
                entity.versioned.is_some()
                    || !entity.unique.is_empty()
                    || !entity.counted_by.is_empty()
            }
            ActionKind::Update => {
                // An addition holds whatever another writer left, so it needs no version.
                let only_adds = self.set.is_empty() && !self.add.is_empty();
                self.entity.versioned.is_some() && !only_adds || self.needs_old_values()
            }
        }
    }

    fn needs_old_values(&self) -> bool {
        let guard_moves = self.changes_one_of(self.entity.unique.iter().map(|unique| &unique.key));
        let counted_otherwise = self.entity.counted_by.iter().any(|keeper| {
            let per = keeper
                .numbers
                .iter()
                .filter_map(|number| number.per.as_ref());
            let mut fields = keeper.identity.iter().chain(per);
            fields.any(|field| self.sets(field) || self.adds(field))
        });
        let half_known = |key: &IndexKey| self.knows_only_a_part_of(key);
        guard_moves || counted_otherwise || self.entity.index_keys.iter().any(half_known)
    }

    /// Whether the item's place in an index changes, and what the action sets does not say where to.
    fn knows_only_a_part_of(&self, key: &IndexKey) -> bool {
        let mut fields = key.key.fields();
        let condition = key.when.iter().flat_map(|when| when.fields());
        let mut of_condition = condition.map(|field| field.name.as_str());
        // The sum is known to the table alone. A natural key is the sum itself; any other must be made from it.
        let made = key.key.parts().filter(|part| !part.natural);
        let mut made = made.flat_map(|part| part.fields());
        if made.any(|field| self.adds(field)) || of_condition.clone().any(|field| self.adds(field))
        {
            return true;
        }
        let identity = self.entity.identity();
        fields.extend(of_condition.by_ref());
        let known = |field: &&str| self.sets(field) || identity.contains(field);
        fields.iter().any(|field| self.sets(field)) && !fields.iter().all(known)
    }

    fn changes_one_of<'k>(&self, mut keys: impl Iterator<Item = &'k StoredKey>) -> bool {
        keys.any(|key| {
            let fields = key.fields();
            fields
                .iter()
                .any(|field| self.sets(field) || self.adds(field))
        })
    }

    fn sets(&self, field: &str) -> bool {
        self.set.iter().any(|set| set == field)
    }

    fn adds(&self, field: &str) -> bool {
        self.add.iter().any(|add| add == field)
    }
}
