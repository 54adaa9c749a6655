//! What a write left: of one that failed what is stored now, of one that deleted what is in the way of others.

use serde_json::{Map, Value};
use tablewright::Error;
use tablewright_model::Model;
use tablewright_model::model::{Access, EntityId, Key};

use super::bench::{Bench, Trouble, values};
use super::error::ProveError;
use super::hand::entity_of;
use crate::data::{Chance, Fixed, Maker, Style};
use crate::{Act, Deed, Effect, Oracle, Record};

/// An item by its key.
type Place = (EntityId, Map<String, Value>);

impl Bench<'_> {
    /// What became of the items of a deed that failed, as they are stored: all of it may have happened, some of it, or nothing.
    pub(super) async fn what_became(
        &self,
        access: &Access,
        deed: &Deed,
        oracle: &Oracle<'_>,
    ) -> Result<Vec<Effect>, ProveError> {
        let mut effects = Vec::new();
        for (entity, key) in self.places_of(access, deed) {
            let known = oracle.stored(entity, &key);
            let found = match self.items(entity).read(values(&key)).await {
                Ok(found) => found.map(|found| self.record(&found)).transpose(),
                Err(why) => Err(Trouble::of(|| "reading what a write left".to_owned(), why)),
            };
            match (found, known) {
                (Ok(Some(found)), known) if known != Some(&found.without_counts(self.model)) => {
                    effects.push(Effect::Insert(found.without_counts(self.model)));
                }
                // What is over is not told, whether it is stored or not.
                (Ok(None), Some(known)) if oracle.is_alive(known) => {
                    effects.push(Effect::Remove(known.clone()));
                }
                // What cannot be read is told by every pattern that reads it.
                (Ok(_) | Err(Trouble::Wrong(_)), _) => {}
                (Err(Trouble::Failed(why)), _) => return Err(why),
            }
        }
        Ok(effects)
    }

    /// Every item a deed is about.
    fn places_of(&self, access: &Access, deed: &Deed) -> Vec<Place> {
        let acts = deed.actions.iter().map(|action| match &action.act {
            Act::Create(record) => self.place_of(record),
            Act::Update { key, .. } | Act::Delete { key } | Act::Check { key } => {
                (entity_of(access, action), key.clone())
            }
        });
        let after = deed.after.iter().map(Effect::record);
        let records = after.chain(deed.made_first()).chain(&deed.freed);
        let records = records.chain(&deed.claim);
        let records = records.map(|record| self.place_of(record));
        let mut places: Vec<Place> = Vec::new();
        for place in acts.chain(records) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    fn place_of(&self, record: &Record) -> Place {
        (record.entity(), record.key(self.model))
    }

    /// What is deleted leaves its unique values to others: another item can have those of the first, and is taken away then. Otherwise why not.
    pub(super) async fn left_behind(
        &self,
        removed: &[Record],
        oracle: &Oracle<'_>,
        seed: u64,
    ) -> Result<Option<String>, ProveError> {
        let mut chance = Chance::of(seed, "left behind");
        let mut heirs = removed.iter().filter_map(|record| {
            let heir = heir(self.model, record, &mut chance)?;
            let stored = |one: &Record| oracle.stored(one.entity(), &one.key(self.model));
            let is_free = stored(record).is_none() && stored(&heir).is_none();
            (is_free && oracle.has_its_keepers(&heir)).then_some(heir)
        });
        let Some(heir) = heirs.next() else {
            return Ok(None);
        };
        let items = self.items(heir.entity());
        let created = async {
            let fields = items.fields(&heir.fields(self.model))?;
            items.create(fields, None).await
        };
        let left = match created.await {
            Ok(_) => Box::pin(self.take_away(&heir)).await,
            Err(Error::Taken { unique, .. }) => Err(Trouble::Wrong(format!(
                "the {unique} of what it deleted is still taken: its guard is left behind, and no other item can have it"
            ))),
            Err(why) => match Trouble::of(|| "creating an item".to_owned(), why) {
                // What else is in the way is nothing that it left.
                Trouble::Wrong(_) => Ok(()),
                failed => Err(failed),
            },
        };
        match left {
            Ok(()) => Ok(None),
            Err(Trouble::Wrong(why)) => Ok(Some(why)),
            Err(Trouble::Failed(why)) => Err(why),
        }
    }
}

/// Another item with the unique values of one that is gone; none where it has none, or they are its key.
fn heir(model: &Model, record: &Record, chance: &mut Chance) -> Option<Record> {
    let id = record.entity();
    let entity = model.entity(id);
    let mut maker = Maker::new(model);
    let own = maker.links.fresh(entity, id);
    let mut guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    let is_inherited = |guard: &Key| {
        let mut fields = guard.field_ids().into_iter();
        fields.all(|field| record.value(field).is_some() && !own.contains(&field))
    };
    guards.find(|guard| is_inherited(guard))?;
    let other = maker.record(id, &Fixed::new(), Style::Plain, chance)?;
    let key = own
        .iter()
        .map(|field| (field.0, other.slots()[field.0].clone()));
    Some(record.with(key))
}
