//! Whether an action can be one request, or must know the item first.

use crate::schema::{Action, Entity, IndexKey, KeyPart};
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
                let sets = |field: &str| self.set.iter().any(|set| set == field);
                let adds = |field: &str| self.add.iter().any(|add| add == field);
                self.entity.versioned.is_some() && !only_adds
                    || self.entity.needs_old_values(&sets, &adds)
            }
        }
    }
}

impl Entity {
    /// Whether a change of these fields must know the others: of a guard that moves, of the numbers the item was counted in, or of an
    /// index key of which it says only a part.
    pub fn needs_old_values(
        &self,
        sets: &dyn Fn(&str) -> bool,
        adds: &dyn Fn(&str) -> bool,
    ) -> bool {
        let touches = |field: &str| sets(field) || adds(field);
        let mut guards = self.unique.iter().map(|unique| &unique.key);
        let guard_moves = guards.any(|key| key.fields().into_iter().any(touches));
        let counted_otherwise = self.counted_by.iter().any(|keeper| {
            let per = keeper
                .numbers
                .iter()
                .filter_map(|number| number.per.as_ref());
            keeper
                .identity
                .iter()
                .chain(per)
                .any(|field| touches(field))
        });
        let half_known = |key: &IndexKey| self.is_half_known(key, sets, adds);
        guard_moves || counted_otherwise || self.index_keys.iter().any(half_known)
    }

    /// Whether the item's place in an index changes, and what is set does not say where to.
    fn is_half_known(
        &self,
        key: &IndexKey,
        sets: &dyn Fn(&str) -> bool,
        adds: &dyn Fn(&str) -> bool,
    ) -> bool {
        let condition = key.when.iter().flat_map(|when| when.depends_on());
        let of_condition: Vec<&str> = condition.collect();
        // The sum is known to the table alone. A natural key is the sum itself; any other must be made from it.
        let is_made = |part: &&KeyPart| !part.natural && !self.is_in_table_key(part);
        let made: Vec<&KeyPart> = key.key.parts().filter(is_made).collect();
        let mut summed = made.iter().flat_map(|part| part.fields());
        if summed.any(adds) || of_condition.iter().any(|field| adds(field)) {
            return true;
        }
        // The first number brings the item into the index, and what is made of the other fields with it.
        let enters = |field: &&str| adds(field) && self.is_optional(field);
        if !made.is_empty() && key.key.fields().iter().any(enters) {
            return true;
        }
        let identity = self.identity();
        let mut fields = key.key.fields();
        fields.extend(of_condition);
        let known = |field: &&str| sets(field) || identity.contains(field);
        fields.iter().any(|field| sets(field)) && !fields.iter().all(known)
    }

    /// A local index has the table's partition key, which is there before anything is added.
    fn is_in_table_key(&self, part: &KeyPart) -> bool {
        let mut keys = self.table.key_attributes();
        keys.any(|key| key.name == part.attribute.name)
    }

    fn is_optional(&self, name: &str) -> bool {
        self.field(name)
            .is_some_and(|field| field.declared.optional)
    }
}
