//! Every change a write can make, as far as conditions tell the values of some fields apart.

use std::collections::BTreeSet;

use tablewright_model::condition::Condition;
use tablewright_model::model::{ActionKind, FieldChanges, FieldId};

use super::cases::{Case, Verdict, cases_of, holds};
use super::change::{Change, changes};
use super::entries::Written;

/// Every change of an item that some fields allow.
pub(super) struct Possible<'m> {
    written: Written<'m>,
    fields: Vec<FieldId>,
    cases: Vec<Vec<Case>>,
}

impl<'m> Possible<'m> {
    /// Told apart are the values that the write's condition and these others do.
    pub(super) fn of(
        written: Written<'m>,
        fields: &BTreeSet<FieldId>,
        whens: impl Iterator<Item = &'m Condition>,
    ) -> Self {
        let conditions: Vec<&Condition> = whens.chain(written.condition).collect();
        let fields: Vec<FieldId> = fields.iter().copied().collect();
        let cases = fields.iter();
        let cases = cases.map(|field| cases_of(written.entity, *field, &conditions));
        Possible {
            written,
            cases: cases.collect(),
            fields,
        }
    }

    /// How many there are, at most.
    pub(super) fn changes(&self) -> usize {
        let of_field = self.fields.iter().zip(&self.cases).map(|(field, cases)| {
            let changed =
                self.written.kind == ActionKind::Update && changes(self.written.changes, *field);
            let becomes = if changed { cases.len() } else { 1 };
            cases.len().saturating_mul(becomes)
        });
        of_field.fold(1, usize::saturating_mul)
    }

    pub(super) fn each(&self, see: &mut dyn FnMut(Change<'_, 'm>)) {
        let written = self.written;
        let every: Vec<Vec<&Case>> = self.cases.iter().map(|all| all.iter().collect()).collect();
        combinations(&every, &mut |item| {
            let item = self.named(item);
            let item = item.as_slice();
            let mut change = Change {
                written,
                before: Some(item),
                after: None,
            };
            if written.kind == ActionKind::Create {
                (change.before, change.after) = (None, Some(item));
                return see(change);
            }
            let parts = written.parts_of_condition().iter();
            if Verdict::all(parts.map(|part| holds(written.entity, part, item))) == Verdict::No {
                return;
            }
            if written.kind == ActionKind::Delete {
                return see(change);
            }
            combinations(&self.becomes(item), &mut |after| {
                let after = self.named(after);
                see(Change {
                    after: Some(&after),
                    ..change
                });
            });
        });
    }

    fn named<'c>(&self, cases: Vec<&'c Case>) -> Vec<(FieldId, &'c Case)> {
        self.fields.iter().copied().zip(cases).collect()
    }

    /// What each field can be after an update: what is set may be removed, and what is raised is there.
    fn becomes<'a>(&'a self, item: &[(FieldId, &'a Case)]) -> Vec<Vec<&'a Case>> {
        let FieldChanges { set, add } = self.written.changes;
        let fields = item.iter().zip(&self.cases);
        let becomes = fields.map(|((field, case), cases)| {
            if set.iter().any(|known| known.id == *field) {
                cases.iter().collect()
            } else if add.iter().any(|known| known.id == *field) {
                let there = cases.iter().filter(|case| **case != Case::Absent);
                there.collect()
            } else {
                vec![*case]
            }
        });
        becomes.collect()
    }
}

/// Calls `see` with one of each, in every way there is.
fn combinations<'c>(every: &[Vec<&'c Case>], see: &mut dyn FnMut(Vec<&'c Case>)) {
    let mut chosen = vec![0; every.len()];
    loop {
        let places = every.iter().zip(&chosen);
        let Some(one) = places.map(|(cases, at)| cases.get(*at).copied()).collect() else {
            return;
        };
        see(one);
        let Some(next) = (0..every.len()).find(|field| chosen[*field] + 1 < every[*field].len())
        else {
            return;
        };
        chosen[next] += 1;
        chosen[..next].fill(0);
    }
}
