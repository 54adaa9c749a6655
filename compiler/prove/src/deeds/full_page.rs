//! A page as full as a plan reckons with: somebody new, who has as many items of the declared size as a page takes.

mod brim;
mod example;
mod owners;

use std::cmp::Ordering;

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Ends, EntityId, FieldId, Verb};

use super::acts::is_guarded;
use super::fullest::held;
use crate::data::{Chance, Fixed, Maker, Population, Reference, Style};
use crate::oracle::Oracle;
use crate::oracle::compare::order;
use crate::question::{Kind, Question};
use crate::record::Record;
use brim::Lengths;
use example::Example;
use owners::Owners;

/// What is read is paid by blocks of this many bytes: a page of fewer costs the same however full it is.
const BLOCK: u64 = 4096;

/// So many bytes are made for one page at most.
const MOST: u64 = 16 << 20;

/// The bytes an item takes where it is stored; none where it cannot be.
pub(crate) type Measure<'f> = &'f (dyn Fn(&Record) -> Option<u64> + Sync);

/// Makes such pages.
pub(crate) struct Filler<'f> {
    model: &'f Model,
    maker: Maker<'f>,
    chance: Chance,
    measure: Measure<'f>,
}

/// Items that are made, those first that others refer to, and the question they are the answer to.
pub(crate) struct FullPage {
    pub(crate) made: Vec<Record>,
    pub(crate) question: Question,
}

impl<'f> Filler<'f> {
    /// Beside all there is, and all there will be.
    pub(crate) fn new(
        model: &'f Model,
        oracle: &Oracle<'_>,
        population: &Population,
        seed: u64,
        measure: Measure<'f>,
    ) -> Self {
        let mut maker = Maker::new(model);
        for (id, _) in model.entity_ids() {
            oracle.records(id).for_each(|record| maker.remember(record));
        }
        let later = population.more.iter();
        later.for_each(|record| maker.remember(record));
        Filler {
            chance: Chance::of(seed, "full pages"),
            model,
            maker,
            measure,
        }
    }

    /// A full page of a list, after the example of an item that it gives. Nothing for a page of one block, and where such items cannot be made.
    pub(crate) fn full_page(
        &mut self,
        access: &Access,
        oracle: &Oracle<'_>,
        asked: &[Question],
    ) -> Option<FullPage> {
        let (id, size) = self.kind_of_most(access)?;
        let many = self.how_many(access, id, oracle);
        let read = many.min(access.page.value).saturating_mul(size);
        if read <= BLOCK || read > MOST {
            return None;
        }
        let example = self.example(access, id, oracle, asked)?;
        let mut owners = Owners::default();
        let mut fixed = self.demanded(access, id, &example);
        let apart = self.belong(access, id, &mut fixed, &mut owners)?;
        // The first only shows what the others have, and how long the texts of their keys must be.
        let first = self.item(id, &fixed, &apart, &Lengths::new(), size, &mut owners)?;
        let lengths = self.lengths(&first, &fixed, size);
        owners
            .made
            .retain(|one| owners.shared.get(&one.entity()) == Some(one));
        self.be_alike(&first, &mut fixed);
        let mut items = Vec::new();
        for _ in 0..many * 2 {
            let item = self.item(id, &fixed, &apart, &lengths, size, &mut owners)?;
            if (self.measure)(&item).is_some_and(|bytes| bytes <= size) {
                items.push(item);
            }
            if items.len() as u64 == many {
                break;
            }
        }
        let question = asked_for(self.model, access, example.given, &items)?;
        let meant = items.iter();
        let meant = meant.filter(|one| self.is_meant(access, &question, one, oracle.now()));
        (meant.count() as u64 >= many.min(access.page.value)).then(|| {
            let mut made = owners.made;
            made.extend(items);
            FullPage { made, question }
        })
    }

    /// One more than a page: it is full, and not the last. Fewer where the model says that there are fewer.
    fn how_many(&self, access: &Access, id: EntityId, oracle: &Oracle<'_>) -> u64 {
        let mut many = access.page.value + 1;
        many = access.returns.map_or(many, |returns| many.min(returns));
        let Some(items) = self.model.entity(id).facts.items else {
            return many;
        };
        let there_are = match self.is_of_all(access, id) {
            true => oracle.records(id).count() as u64,
            false => 0,
        };
        many.min(items.saturating_sub(there_are))
    }

    /// Whether a list is of everybody's items.
    fn is_of_all(&self, access: &Access, id: EntityId) -> bool {
        let known = known(self.model, access, id);
        known.iter().all(|one| has_words(self.model, id, *one))
    }

    /// Of what a list gives, the largest of which a caller can have several, and its size.
    fn kind_of_most(&self, access: &Access) -> Option<(EntityId, u64)> {
        if !matches!(access.verb, Verb::List(_)) {
            return None;
        }
        let entities = access.verb.entities();
        let several = entities.iter().filter(|one| {
            let known = known(self.model, access, one.id);
            let key = self.model.entity(one.id).identity();
            key.iter().any(|field| !known.contains(field))
        });
        let sizes = several.filter_map(|one| Some((one.id, self.model.entity(one.id).facts.size?)));
        sizes.max_by_key(|(_, size)| *size)
    }

    /// What an item must have to be meant: as the example has it, but for what tells callers apart.
    fn demanded(&mut self, access: &Access, id: EntityId, example: &Example) -> Fixed {
        let entity = self.model.entity(id);
        let first = self.model.entity(access.verb.entity().id);
        let named = |field: FieldId| entity.field_named(first.field(field).name.as_str());
        let mut fields = example::conditions(self.model, access, id);
        let mut between = access
            .range
            .iter()
            .map(|range| range.id)
            .collect::<Vec<_>>();
        if self.is_of_all(access, id) {
            // Among those of everybody they stand side by side.
            let order = access.order.iter().flat_map(|order| &order.by);
            between.extend(order.map(|by| by.id));
        }
        let between = between.into_iter().filter_map(named);
        fields.extend(between.filter(|field| !entity.identity().contains(field)));
        let alike = fields.into_iter();
        let mut fixed: Fixed = alike.map(|one| (one, slot(&example.item, one))).collect();
        for field in known(self.model, access, id) {
            let has_words = has_words(self.model, id, field);
            let value = match has_words || fixed.contains_key(&field) {
                true => slot(&example.item, field),
                false => self.maker.value(id, field, Style::Plain, &mut self.chance),
            };
            fixed.insert(field, value);
        }
        fixed
    }

    /// What items have in common, so that all are of one size: everything but their keys, what sorts them, and texts.
    fn be_alike(&self, item: &Record, fixed: &mut Fixed) {
        let id = item.entity();
        let entity = self.model.entity(id);
        let (key, sorts) = (entity.identity(), held(self.model, id));
        for field in (0..entity.fields.len()).map(FieldId) {
            let may_vary = !entity.field(field).is_optional()
                && sorts.contains(&field)
                && !has_words(self.model, id, field);
            let is_own = key.contains(&field) || is_guarded(self.model, id, field);
            if !is_own && !may_vary && !self.maker.fillers(id).contains(&field) {
                fixed.entry(field).or_insert_with(|| slot(item, field));
            }
        }
    }

    /// One item of a page, as large as declared.
    fn item(
        &mut self,
        id: EntityId,
        fixed: &Fixed,
        apart: &[Reference],
        lengths: &Lengths,
        size: u64,
        owners: &mut Owners,
    ) -> Option<Record> {
        let mut fixed = fixed.clone();
        for (field, length) in lengths {
            let long = self.long(id, *field, *length);
            fixed.insert(*field, long);
        }
        for reference in apart {
            let long = reference.fields.iter();
            let long = long.filter(|(mine, _)| lengths.contains_key(mine));
            let long = long.map(|(mine, theirs)| (*theirs, fixed[mine].clone()));
            let other = self.other(reference.to, long.collect(), owners)?;
            for (mine, theirs) in &reference.fields {
                fixed.insert(*mine, slot(&other, *theirs));
            }
            owners.made.push(other);
        }
        let item = self
            .maker
            .record(id, &fixed, Style::Plain, &mut self.chance)?;
        // Also what was left out for its size.
        let all = fixed.iter().map(|(field, value)| (field.0, value.clone()));
        let item = item.with(all.collect::<Vec<_>>());
        Some(self.filled(item, &fixed, size))
    }
}

/// The question of an example, about other items: whose they are, and where a range is of their key, from the first to the last of them.
fn asked_for(
    model: &Model,
    access: &Access,
    mut given: Map<String, Value>,
    items: &[Record],
) -> Option<Question> {
    let one = items.first()?;
    let entity = model.entity(one.entity());
    for by in &access.by {
        let field = entity.field_named(by.written.as_str())?;
        given.insert(by.written.value.clone(), slot(one, field));
    }
    if let Some(range) = &access.range {
        let name = &model.entity(access.verb.entity().id).field(range.id).name;
        let field = entity.field_named(name.as_str())?;
        let kind = entity.field(field).kind();
        let mut values: Vec<Value> = items.iter().map(|item| slot(item, field)).collect();
        values.sort_by(|a, b| order(kind, a, b).unwrap_or(Ordering::Equal));
        let (first, last) = (values.first()?.clone(), values.last()?.clone());
        let ends = match range.ends {
            Ends::Both => vec![
                (format!("{name}_from"), first),
                (format!("{name}_to"), last),
            ],
            Ends::From | Ends::After => vec![(name.value.clone(), first)],
            Ends::Until | Ends::Before => vec![(name.value.clone(), last)],
        };
        if entity.identity().contains(&field) {
            given.extend(ends);
        }
    }
    Some(Question::new(Kind::Heavy, given))
}

/// What the caller knows of an entity.
fn known(model: &Model, access: &Access, id: EntityId) -> Vec<FieldId> {
    let entity = model.entity(id);
    let known = access.by.iter();
    known
        .filter_map(|by| entity.field_named(by.written.as_str()))
        .collect()
}

/// Whether there are only so many values of a field: nobody new can have another.
fn has_words(model: &Model, id: EntityId, field: FieldId) -> bool {
    let kind = model.entity(id).field(field).kind();
    kind.words().is_some() || matches!(kind, FieldType::Bool)
}

fn slot(record: &Record, field: FieldId) -> Value {
    record.slots()[field.0].clone()
}
