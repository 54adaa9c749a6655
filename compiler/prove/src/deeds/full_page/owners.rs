//! Whom the items of a page belong to: somebody new, whoever that is.

use std::collections::BTreeMap;

use tablewright_model::model::{Access, EntityId};

use super::{Filler, slot};
use crate::data::{Fixed, Reference, Style};
use crate::of_all::known;
use crate::record::Record;

/// Whom the items of a page belong to.
#[derive(Default)]
pub(super) struct Owners {
    /// All of them to one of each of these entities.
    pub(super) shared: BTreeMap<EntityId, Record>,
    pub(super) made: Vec<Record>,
}

impl Filler<'_> {
    /// Whom all items belong to is made; told are those references by which they are told apart, each to another.
    pub(super) fn belong(
        &mut self,
        access: &Access,
        id: EntityId,
        fixed: &mut Fixed,
        owners: &mut Owners,
    ) -> Option<Vec<Reference>> {
        let key = self.model.entity(id).identity();
        let known = known(self.model, access, id);
        let mut apart = Vec::new();
        for reference in self.maker.links.references[id.0].clone() {
            let mut mine = reference.fields.iter().map(|(mine, _)| mine);
            let is_known = mine.clone().any(|field| known.contains(field));
            if !is_known && mine.any(|field| key.contains(field)) {
                apart.push(reference);
                continue;
            }
            let to = self.shared(reference.to, owners)?;
            for (mine, theirs) in &reference.fields {
                fixed.insert(*mine, slot(&to, *theirs));
            }
        }
        Some(apart)
    }

    /// The one of an entity that all belong to, however they do.
    fn shared(&mut self, id: EntityId, owners: &mut Owners) -> Option<Record> {
        if let Some(known) = owners.shared.get(&id) {
            return Some(known.clone());
        }
        let made = self.other(id, Fixed::new(), owners)?;
        owners.made.push(made.clone());
        owners.shared.insert(id, made.clone());
        Some(made)
    }

    /// A new item of an entity that belongs to nobody there is: they have as many as they should.
    pub(super) fn other(
        &mut self,
        id: EntityId,
        mut fixed: Fixed,
        owners: &mut Owners,
    ) -> Option<Record> {
        for reference in self.maker.links.references[id.0].clone() {
            let to = self.shared(reference.to, owners)?;
            for (mine, theirs) in &reference.fields {
                fixed.insert(*mine, slot(&to, *theirs));
            }
        }
        let made = self
            .maker
            .record(id, &fixed, Style::Plain, &mut self.chance)?;
        // As large as declared, too: it may stand among the items of another list.
        Some(match self.model.entity(id).facts.size {
            Some(size) => self.filled(made, &fixed, size),
            None => made,
        })
    }
}
