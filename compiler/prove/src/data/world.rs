//! A world of records: nothing in it refers to anything outside of it.

mod edges;
mod empty_counts;
pub(crate) mod sparse;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{EntityId, FEW, FieldId};

use super::chance::Chance;
use super::links::{PoolName, Reference};
use super::maker::{Fixed, Maker};
use super::shares::{Spread, idle_needed, is_wild, shares};
use super::times::{self, DAY, NOW};
use super::values::Style;
use super::{PopulateError, TIMES};
use crate::record::Record;

/// One world under construction.
pub(crate) struct World<'w, 'm> {
    maker: &'w mut Maker<'m>,
    counts: Vec<usize>,
    pools: BTreeMap<PoolName, Vec<Value>>,
    made: Vec<Vec<Record>>,
    number: usize,
    seed: u64,
}

impl<'w, 'm> World<'w, 'm> {
    /// About so many items; worlds of different numbers have no values of pools in common.
    pub(crate) fn new(maker: &'w mut Maker<'m>, items: usize, seed: u64, number: usize) -> Self {
        let model = maker.model();
        World {
            counts: shares(model, &maker.links, items),
            pools: BTreeMap::new(),
            made: vec![Vec::new(); model.entities.len()],
            maker,
            number,
            seed,
        }
    }

    /// How many items of each entity it is to have, without those that are made on purpose.
    pub(crate) fn wanted(&self) -> Vec<usize> {
        self.counts.clone()
    }

    /// All its records, each after what it refers to.
    pub(crate) fn records(mut self) -> Result<Vec<Record>, PopulateError> {
        let model = self.maker.model();
        self.fill_pools(model);
        let order = self.maker.links.order.clone();
        let (counts, others): (Vec<EntityId>, Vec<EntityId>) = order
            .into_iter()
            .partition(|id| self.maker.links.only_counts[id.0]);
        // What begins with a count comes last: some of it that nothing was counted for.
        for id in others.iter().chain(&counts) {
            let mut chance = Chance::of(
                self.seed,
                &format!("{} {}", self.number, model.entity(*id).name),
            );
            if counts.contains(id) {
                self.empty_counts(*id, &mut chance);
            } else {
                self.entity(model, *id, &mut chance);
                // Of few keys the first world may have taken all: there is one of a singleton, however large the table.
                if self.made[id.0].is_empty() && self.number == 0 {
                    let entity = model.entity(*id).name.value.clone();
                    return Err(PopulateError::NoRoom { entity });
                }
                if self.number == 0 {
                    self.edges(*id, &mut chance);
                    let purpose = format!("shown {}", model.entity(*id).name);
                    self.shown(*id, &mut Chance::of(self.seed, &purpose));
                    let purpose = format!("turns {}", model.entity(*id).name);
                    self.turns(*id, &mut Chance::of(self.seed, &purpose));
                }
            }
        }
        if self.number == 0 {
            self.meetings(&mut Chance::of(self.seed, "meetings"));
        }
        let made = &mut self.made;
        let all = others
            .iter()
            .chain(&counts)
            .flat_map(|id| std::mem::take(&mut made[id.0]));
        Ok(all.collect())
    }

    fn entity(&mut self, model: &Model, id: EntityId, chance: &mut Chance) {
        let count = self.counts[id.0];
        let references = self.maker.links.references[id.0].clone();
        let pooled = self.maker.links.pooled[id.0].clone();
        let mut spreads: Vec<Spread> = references
            .iter()
            .map(|reference| {
                let fields: Vec<FieldId> = reference.fields.iter().map(|(mine, _)| *mine).collect();
                let among = self.among_made(model, id, reference);
                let spread = Spread::new(model, id, &fields, among, count, Some(reference.to));
                let unchosen = self.made[reference.to.0].len() - among;
                let idle = idle_needed(model, &self.maker.links, reference.to);
                spread.with_none(idle.saturating_sub(unchosen))
            })
            .collect();
        let mut pool_spreads: Vec<Spread> = pooled
            .iter()
            .map(|(field, pool)| {
                let among = self.pool(model, id, *field, pool).len();
                Spread::new(model, id, &[*field], among, count, None)
            })
            .collect();
        let mut made = Vec::with_capacity(count);
        for number in 0..count {
            // A pair that is taken is chosen again.
            for attempt in 0..6 {
                let mut fixed = Fixed::new();
                let mut wild = None;
                let mut owner = None;
                for (turn, (reference, spread)) in references.iter().zip(&mut spreads).enumerate() {
                    let turn = (attempt == 0).then_some(turn);
                    let chosen = spread.choose(number, turn, chance);
                    wild = wild.or(Some(is_wild(chosen, self.among_made(model, id, reference))));
                    owner = owner.or(Some(chosen));
                    self.refer(model, id, reference, chosen, &mut fixed, chance);
                }
                for (turn, (pooled, spread)) in pooled.iter().zip(&mut pool_spreads).enumerate() {
                    let turn = (attempt == 0).then_some(references.len() + turn);
                    let among = self.pool(model, id, pooled.0, &pooled.1).len();
                    let chosen = match owner.filter(|_| !in_partition(model, id, pooled.0)) {
                        // What tells the items of one owner apart is a few values side by side.
                        Some(owner) => (owner * 4 + chance.below(6)) % among.max(1),
                        None => spread.choose(number, turn, chance),
                    };
                    owner = owner.or(Some(chosen));
                    wild = wild.or(Some(is_wild(chosen, among)));
                    let named = match spread.is_bounded() || self.has_few(model, id, pooled.0) {
                        true => &[],
                        false => self.maker.named(id, pooled.0),
                    };
                    // What the model names is no word of one world, and grows with everything.
                    if !named.is_empty() && chance.one_in(NAMED) {
                        fixed.insert(pooled.0, chance.pick(named).clone());
                    } else {
                        self.take(model, id, pooled, chosen, &mut fixed, chance);
                    }
                }
                let wild = wild.unwrap_or(number % 100 == 40);
                let style = if wild { Style::Wild } else { Style::Typical };
                if let Some(record) = self.maker.record(id, &fixed, style, chance) {
                    made.push(record);
                    break;
                }
            }
        }
        self.made[id.0] = made;
        let purpose = format!("{} in indexes {}", self.number, model.entity(id).name);
        self.fill_indexes(id, &mut Chance::of(self.seed, &purpose));
    }

    fn refer(
        &self,
        model: &Model,
        id: EntityId,
        reference: &Reference,
        chosen: usize,
        fixed: &mut Fixed,
        chance: &mut Chance,
    ) {
        let Some(target) = self.made[reference.to.0].get(chosen) else {
            return;
        };
        let absent = chance.one_in(4);
        for (mine, theirs) in &reference.fields {
            let value = match absent && model.entity(id).field(*mine).is_optional() {
                true => Value::Null,
                false => target.slots()[theirs.0].clone(),
            };
            fixed.insert(*mine, value);
        }
    }

    fn take(
        &self,
        model: &Model,
        id: EntityId,
        (field, pool): &(FieldId, PoolName),
        chosen: usize,
        fixed: &mut Fixed,
        chance: &mut Chance,
    ) {
        let absent = model.entity(id).field(*field).is_optional() && chance.one_in(4);
        let pool = self.pool(model, id, *field, pool);
        let value = pool.get(chosen).filter(|_| !absent);
        fixed.insert(*field, value.cloned().unwrap_or(Value::Null));
    }

    /// The values of a pool that a field of an entity takes: no more than it is declared to have.
    fn pool(&self, model: &Model, id: EntityId, field: FieldId, pool: &PoolName) -> &[Value] {
        let declared = self.distinct(model, id, field);
        let values = match declared {
            Some(Distinct::Few(_)) => self.maker.few.get(pool),
            _ => self.pools.get(pool),
        };
        let values = values.map_or(&[][..], Vec::as_slice);
        let most = declared.map_or(usize::MAX, Distinct::in_a_world);
        &values[..values.len().min(most)]
    }

    /// Among how many of those it refers to an entity chooses: no more than its field is declared to have.
    fn among_made(&self, model: &Model, id: EntityId, reference: &Reference) -> usize {
        let made = self.made[reference.to.0].len();
        let [(field, _)] = reference.fields.as_slice() else {
            return made;
        };
        let most = match declared(model, id, *field) {
            Some(distinct) => parted(distinct, self.number),
            None => usize::MAX,
        };
        made.min(most.max(1))
    }

    fn distinct(&self, model: &Model, id: EntityId, field: FieldId) -> Option<Distinct> {
        Some(match declared(model, id, field)? {
            // The same in every world, as the words of an enum are.
            few if few < FEW => Distinct::Few(few as usize),
            many => Distinct::Many(parted(many, self.number)),
        })
    }

    fn has_few(&self, model: &Model, id: EntityId, field: FieldId) -> bool {
        matches!(self.distinct(model, id, field), Some(Distinct::Few(_)))
    }

    fn fill_pools(&mut self, model: &Model) {
        let mut sizes: BTreeMap<PoolName, (usize, EntityId, FieldId)> = BTreeMap::new();
        for (id, entity) in model.entity_ids() {
            for (field, pool) in &self.maker.links.pooled[id.0] {
                let count = self.counts[id.0];
                let scaled = match (entity.distinct(*field), entity.facts.items) {
                    (Some(distinct), Some(items)) if items > 0 => {
                        (count as u128 * u128::from(distinct) / u128::from(items)) as usize
                    }
                    _ => 0,
                };
                let size = scaled.max(count / 12).clamp(8, count.max(8));
                let size = match self.distinct(model, id, *field) {
                    // All worlds have the same few: those of the first.
                    Some(Distinct::Few(_)) if self.number > 0 => continue,
                    Some(declared) => size.min(declared.in_a_world()),
                    None => size,
                };
                let known = sizes.entry(pool.clone()).or_insert((size, id, *field));
                known.0 = known.0.max(size);
            }
        }
        for (pool, (size, id, field)) in sizes {
            let mut chance = Chance::of(self.seed, &format!("pool {} {}", self.number, pool.0));
            let kind = model.entity(id).field(field).kind();
            let mut values: Vec<Value> = Vec::with_capacity(size);
            let mut seen = std::collections::HashSet::new();
            if self.has_few(model, id, field) {
                // Of few values those are that the model names.
                let mut named = self.maker.named(id, field).to_vec();
                named.retain(|value| seen.insert(value.to_string()));
                named.truncate(size);
                values = named;
            }
            for number in values.len()..size {
                let value = match self.apart(kind, number) {
                    Some(value) => value,
                    None => {
                        let at = (number, values.last());
                        self.maker.pool_value(id, field, at, &mut chance)
                    }
                };
                if self.maker.is_new_in_pool(&pool, &value) && seen.insert(value.to_string()) {
                    values.push(value);
                }
            }
            // Some are as others, and left out. Where most are, words have run out.
            for attempt in 0..size {
                if values.len() >= size / 2 {
                    break;
                }
                let value = self
                    .maker
                    .any_value(id, field, attempt % 2 == 1, &mut chance);
                if self.maker.is_new_in_pool(&pool, &value) {
                    values.push(value);
                }
            }
            if self.number == 0 {
                self.maker.few.insert(pool.clone(), values.clone());
            }
            self.pools.insert(pool, values);
        }
    }

    /// Days and numbers of one world apart from those of another: there are too few to leave that to chance.
    fn apart(&self, kind: &FieldType, number: usize) -> Option<Value> {
        let world = self.number as i64;
        let number = number as i64;
        let day = NOW / 1000 / DAY - number - world * 400;
        Some(match kind {
            FieldType::Date => Value::String(times::date(day - world * number)),
            FieldType::Timestamp(precision) => Value::String(times::moment(
                (NOW / 1000 - (2 * number + world) * 3600) * 1_000_000,
                *precision,
            )),
            FieldType::EpochSeconds => json!(NOW / 1000 - (2 * number + world) * 3600),
            FieldType::EpochMillis => json!(NOW - (2 * number + world) * 3_600_000),
            FieldType::Int { min, max } => {
                let value = min.unwrap_or(0).saturating_add(2 * number + world);
                json!(value.min(max.unwrap_or(i64::MAX)))
            }
            _ => return None,
        })
    }
}

/// One of so many items has a value that conditions name, as far as it is not bounded how many may have one.
const NAMED: usize = 10;

/// How many values a field takes, as declared.
#[derive(Debug, Clone, Copy)]
enum Distinct {
    /// So many in all worlds together.
    Few(usize),
    /// So many in this one, and others in the others.
    Many(usize),
}

impl Distinct {
    fn in_a_world(self) -> usize {
        let (Distinct::Few(most) | Distinct::Many(most)) = self;
        most
    }
}

fn declared(model: &Model, id: EntityId, field: FieldId) -> Option<u64> {
    let mut facts = model.entity(id).facts.distinct.iter();
    let declared = facts.find(|(known, _)| *known == field);
    declared.map(|(_, distinct)| *distinct)
}

/// The part of so many values that the small world has, or that the one beside it has: as much as they have of the items.
fn parted(distinct: u64, world: usize) -> usize {
    let distinct = usize::try_from(distinct).unwrap_or(usize::MAX);
    let small = (distinct / (TIMES + 1)).max(1);
    match world {
        0 => small,
        _ => distinct.saturating_sub(small).max(1),
    }
}

/// Whether a field says which partition an item is in, of the table or of an index.
fn in_partition(model: &Model, id: EntityId, field: FieldId) -> bool {
    let entity = model.entity(id);
    let indexes = entity.index_keys.iter().map(|key| &key.key);
    let mut keys = std::iter::once(&entity.key).chain(indexes);
    keys.any(|key| key.partition.has(field))
}
