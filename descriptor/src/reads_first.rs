//! Whether an action can be one request, or must know the item first.

use crate::schema::{Action, Entity, IndexKey};
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
        let condition = key.when.iter().flat_map(|when| when.fields());
        let of_condition: Vec<&str> = condition.map(|field| field.name.as_str()).collect();
        // The sum is known to the table alone. A natural key is the sum itself; any other must be made from it.
        let made = key.key.parts().filter(|part| !part.natural);
        let mut made = made.flat_map(|part| part.fields());
        if made.any(adds) || of_condition.iter().any(|field| adds(field)) {
            return true;
        }
        let identity = self.identity();
        let mut fields = key.key.fields();
        fields.extend(of_condition);
        let known = |field: &&str| sets(field) || identity.contains(field);
        fields.iter().any(|field| sets(field)) && !fields.iter().all(known)
    }
}
