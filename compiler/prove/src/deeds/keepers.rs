//! Whoever counts an item must be there when it is written: the library refuses what names nobody.

use serde_json::Value;
use tablewright_model::model::{ActionKind, EntityId, FieldId};

use super::Step;
use super::fullest::told_apart;
use super::workshop::{Draft, Workshop};
use crate::data::{Chance, Fixed, Maker, Style};
use crate::deed::{Effect, Refusal};
use crate::indexed::counting;
use crate::record::Record;

/// An entity that counts another.
#[derive(Debug, Clone)]
struct Keeper {
    entity: EntityId,
    /// The fields of what is counted, and those they are the same as in the keeper's key.
    key: Vec<(FieldId, FieldId)>,
}

impl Keeper {
    /// The record with the key of another that would count it, as far as it may be chosen.
    fn another(
        &self,
        record: &Record,
        free: &[FieldId],
        maker: &mut Maker<'_>,
        chance: &mut Chance,
    ) -> Option<Record> {
        let key = self.key.iter().copied();
        let (chosen, left): (Vec<_>, Vec<_>) = key.partition(|(mine, _)| free.contains(mine));
        let left = left
            .into_iter()
            .map(|(mine, theirs)| Some((theirs, record.value(mine)?.clone())));
        let left: Fixed = left.collect::<Option<_>>()?;
        let another = maker.record(self.entity, &left, Style::Plain, chance)?;
        let key = chosen
            .iter()
            .map(|(mine, theirs)| (mine.0, another.slots()[theirs.0].clone()));
        (!chosen.is_empty()).then(|| record.with(key))
    }
}

/// Whether a record has all of a keeper's key: what lacks a part of it is counted by nobody.
fn is_named(keeper: &Keeper, record: &Record) -> bool {
    let mut key = keeper.key.iter();
    key.all(|(mine, _)| record.value(*mine).is_some())
}

/// So many that would count an item are tried for one that does not yet.
const NEW_ONES: usize = 16;

/// What is known of a record beside what there is.
#[derive(Default)]
pub(super) struct Known<'k> {
    /// What it was before.
    pub(super) before: Option<&'k Record>,
    /// What is made with it.
    pub(super) draft: Option<&'k Draft>,
}

impl Workshop<'_> {
    /// Those that must be there.
    fn keepers(&self, counted: EntityId) -> Vec<Keeper> {
        self.keepers_that(false, counted)
    }

    /// Those that begin with their first count, or those that do not.
    fn keepers_that(&self, begin: bool, counted: EntityId) -> Vec<Keeper> {
        let mine = self.model.entity(counted);
        let mut keepers = Vec::new();
        for (entity, described) in self.model.entity_ids() {
            let counts_it = counting(&described.counters, counted).next().is_some();
            if !counts_it || self.maker.links.only_counts[entity.0] != begin {
                continue;
            }
            let identity = described.identity().into_iter();
            let key = identity.map(|theirs| {
                let name = described.field(theirs).name.as_str();
                Some((mine.field_named(name)?, theirs))
            });
            let key: Option<Vec<(FieldId, FieldId)>> = key.collect();
            keepers.extend(key.map(|key| Keeper { entity, key }));
        }
        keepers
    }

    /// The record with such values in the fields that may be chosen that whoever counts it is there; none where that cannot be. What lacks a part of the
    /// key is counted by nobody, and who has counted it before need not be there.
    pub(super) fn counted_by_somebody(
        &mut self,
        record: Record,
        free: &[FieldId],
        known: &Known<'_>,
    ) -> Option<Record> {
        let keepers = self.keepers(record.entity());
        let mut record = record;
        for keeper in &keepers {
            if self.is_there(keeper, &record, known) {
                continue;
            }
            let fits = |other: &&Record| {
                let mut key = keeper.key.iter();
                key.all(|(mine, theirs)| {
                    free.contains(mine) || record.value(*mine) == other.value(*theirs)
                })
            };
            let alive = self.alive(keeper.entity).iter().filter(fits);
            let alive: Vec<Record> = alive.cloned().collect();
            let key = keeper.key.iter();
            record = match known.before {
                // Where there is nobody else, it stays with whom it is.
                Some(before) if alive.is_empty() => {
                    let key = key.map(|(mine, _)| (mine.0, before.slots()[mine.0].clone()));
                    record.with(key)
                }
                _ if alive.is_empty() => return None,
                _ => {
                    let chosen = self.chance.pick(&alive);
                    let key = key.map(|(mine, theirs)| (mine.0, chosen.slots()[theirs.0].clone()));
                    record.with(key)
                }
            };
        }
        // Two that count it may have a part of their keys in common.
        let mut keepers = keepers.iter();
        let all = keepers.all(|keeper| self.is_there(keeper, &record, known));
        all.then_some(record)
    }

    /// For the dearest call, the record with values by which it is the first that is counted, in the fields that may be chosen and that decide
    /// nothing else. As it is where there is no such value.
    pub(super) fn counted_first(&mut self, record: Record, free: &[FieldId]) -> Record {
        let keepers = match self.fullest {
            true => self.keepers_that(true, record.entity()),
            false => Vec::new(),
        };
        if keepers.is_empty() {
            return record;
        }
        let decided = told_apart(self.model, record.entity());
        let mut free = free.to_vec();
        free.retain(|field| !decided.contains(field));
        // Who counts is no item that is made: it may be tried again.
        let mut trial = Maker::new(self.model);
        let mut record = record;
        for keeper in keepers {
            for _ in 0..NEW_ONES {
                if !is_named(&keeper, &record) || !self.is_counted_already(&keeper, &record) {
                    break;
                }
                let other = keeper.another(&record, &free, &mut trial, &mut self.chance);
                record = other.unwrap_or(record);
            }
        }
        record
    }

    /// Whether an item that is nothing but counts begins with this record.
    pub(super) fn is_counted_first(&self, record: &Record) -> bool {
        let keepers = self.keepers_that(true, record.entity());
        let mut named = keepers.iter().filter(|keeper| is_named(keeper, record));
        named.any(|keeper| !self.is_counted_already(keeper, record))
    }

    fn is_counted_already(&self, keeper: &Keeper, record: &Record) -> bool {
        self.is_there(keeper, record, &Known::default())
    }

    /// Whether who counts a record is there, or is made with it, or has counted it before, or nobody does.
    fn is_there(&self, keeper: &Keeper, record: &Record, known: &Known<'_>) -> bool {
        let is_same = |before: &Record| {
            let mut key = keeper.key.iter();
            key.all(|(mine, _)| before.value(*mine) == record.value(*mine))
        };
        if known.before.is_some_and(is_same) {
            return true;
        }
        let described = self.model.entity(keeper.entity);
        let key = keeper.key.iter().map(|(mine, theirs)| {
            let name = described.field(*theirs).name.value.clone();
            Some((name, record.value(*mine)?.clone()))
        });
        let Some(key) = key.collect::<Option<serde_json::Map<String, Value>>>() else {
            return true;
        };
        let made = known.draft.into_iter().flat_map(|draft| {
            let chosen = draft.chosen.iter().flatten();
            let effects = chosen.filter_map(|one| one.effect.as_ref());
            effects.map(Effect::record).chain(&draft.prepared)
        });
        let mut made = made.filter(|one| one.entity() == keeper.entity);
        let stored = self.oracle.stored(keeper.entity, &key);
        stored.is_some_and(|stored| self.oracle.is_alive(stored))
            || made.any(|one| one.key(self.model) == key)
    }

    /// Those whose absence must stand in the way of a step: it says who counts its item, and no other step of the pattern is about them.
    pub(super) fn missing_keepers(&self, steps: &[Step<'_>], step: &Step<'_>) -> Vec<Refusal> {
        // What is written by hand keeps no counts: what becomes of them is told by the reads.
        let writes = matches!(step.kind, ActionKind::Create | ActionKind::Update);
        if !writes || self.access.by_hand.is_some() {
            return Vec::new();
        }
        let says = |keeper: &Keeper| {
            let mut set = step.changes.set.iter();
            let names = |field: FieldId| keeper.key.iter().any(|(mine, _)| *mine == field);
            step.kind == ActionKind::Create || set.any(|field| names(field.id))
        };
        let keepers = self.keepers(step.entity).into_iter();
        let keepers = keepers.filter(|keeper| !keeper.key.is_empty() && says(keeper));
        let keepers = keepers.filter(|keeper| steps.iter().all(|one| one.entity != keeper.entity));
        let names = keepers.map(|keeper| self.model.entity(keeper.entity).name.value.clone());
        names.map(Refusal::NoKeeper).collect()
    }

    /// The record with values of one that would count it and is not there, in the fields that may be chosen; none where those name somebody who is.
    pub(super) fn counted_by_nobody(
        &mut self,
        record: &Record,
        free: &[FieldId],
        keeper: &str,
    ) -> Option<Record> {
        let mut keepers = self.keepers(record.entity()).into_iter();
        let keeper = keepers.find(|one| self.model.entity(one.entity).name.value == keeper)?;
        let record = keeper.another(record, free, &mut self.maker, &mut self.chance)?;
        (!self.is_there(&keeper, &record, &Known::default())).then_some(record)
    }
}
