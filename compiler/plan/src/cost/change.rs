//! One change of an item, as far as it is known, and how many entries of an index it writes.

use tablewright_model::model::{FieldChanges, FieldId, Projection};

use super::cases::{Case, Known, Verdict, holds, is_there};
use super::entries::{Key, Written};

/// What an item was and what it becomes. It was not there before it is created, and is not there after it is deleted.
#[derive(Clone, Copy)]
pub(super) struct Change<'a, 'm> {
    pub(super) written: Written<'m>,
    pub(super) before: Option<&'a Known<'a>>,
    pub(super) after: Option<&'a Known<'a>>,
}

impl Change<'_, '_> {
    /// A changed key is a deletion and a put. Entering or leaving an index is one of the two; what stays is copied anew when something the
    /// index holds has changed. Where it is not known whether the item is in the index, the most it can be.
    pub(super) fn entries(self, key: &Key<'_>) -> u64 {
        let was_in = self.is_in(key, self.before);
        let is_in = self.is_in(key, self.after);
        let pairs = was_in
            .possible()
            .iter()
            .flat_map(|was_in| is_in.possible().iter().map(move |is_in| (*was_in, *is_in)));
        let entries = pairs.map(|pair| match pair {
            (true, true) => self.entries_of_what_stays(key),
            (false, false) => 0,
            (true, false) | (false, true) => u64::from(self.may_enter_or_leave(key)),
        });
        entries.max().unwrap_or(0)
    }

    fn is_in(self, key: &Key<'_>, item: Option<&Known<'_>>) -> Verdict {
        let entity = self.written.entity;
        let Some(item) = item else {
            return Verdict::No;
        };
        let there = key
            .fields
            .iter()
            .map(|field| is_there(entity, *field, item));
        let when = key.written.when.iter();
        Verdict::all(there.chain(when.map(|when| holds(entity, &when.condition, item))))
    }

    /// Something has changed that decides about the index. What was in it still is otherwise, even where nobody knows whether it was.
    fn may_enter_or_leave(self, key: &Key<'_>) -> bool {
        let (Some(before), Some(after)) = (self.before, self.after) else {
            return true;
        };
        let mut deciding = key.deciding.iter();
        deciding.any(|field| self.may_differ(*field, before, after))
    }

    fn entries_of_what_stays(self, key: &Key<'_>) -> u64 {
        let (Some(before), Some(after)) = (self.before, self.after) else {
            return 0;
        };
        let mut fields = key.fields.iter();
        if fields.any(|field| self.may_differ(*field, before, after)) {
            return 2;
        }
        let entity = self.written.entity;
        let copied = match key.projection {
            // A versioned entity's token changes with every write, and is projected with everything.
            Projection::All => true,
            Projection::KeysOnly => false,
            Projection::Fields(names) => names.iter().any(|name| {
                let with_every_write = matches!(name.as_str(), "data" | "last_write");
                let field = entity.field_named(name.as_str());
                field.is_some_and(|field| self.may_differ(field, before, after))
                    || (with_every_write && entity.versioned.is_some())
            }),
        };
        u64::from(copied)
    }

    fn may_differ(self, field: FieldId, before: &Known<'_>, after: &Known<'_>) -> bool {
        let same = match (case_of(field, before), case_of(field, after)) {
            (Some(before), Some(after)) => before == after && before.is_one_value(),
            _ => false,
        };
        changes(self.written.changes, field) && !same
    }
}

fn case_of<'c>(field: FieldId, known: &Known<'c>) -> Option<&'c Case> {
    let mut known = known.iter();
    let found = known.find(|(known, _)| *known == field);
    found.map(|(_, case)| *case)
}

/// Whether a field is set or raised.
pub(super) fn changes(changes: &FieldChanges, field: FieldId) -> bool {
    let mut changed = changes.set.iter().chain(&changes.add);
    changed.any(|known| known.id == field)
}
