//! A page as full as a plan reckons with: somebody new, who has as many items of the declared size as a page takes.

mod batch;
mod brim;
mod example;
mod owners;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::model::{Access, ActionKind, Ends, EntityId, FieldId, Verb};

use super::acts::is_guarded;
use super::fullest::held;
use crate::data::{Chance, Fixed, Maker, Population, Reference, Style};
use crate::expected::Expected;
use crate::of_all::{has_words, is_of_all, known};
use crate::oracle::Oracle;
use crate::oracle::compare::order;
use crate::question::{Kind, Question};
use crate::record::Record;
use brim::Lengths;
use example::Example;
use owners::Owners;

/// What is read is paid by blocks of this many bytes: a page of fewer costs the same however full it is.
const BLOCK: u64 = 4096;

/// So many bytes are made for one page at most, and so many items: what counts more than these is measured with what there is.
const MOST_BYTES: u64 = 16 << 20;
const MOST_ITEMS: u64 = 3_000;

/// For each item of a page so many are tried: of those that are new, one partition may get few.
const TRIES: u64 = 4;

/// A word that no text of the data has: who looks for it reads all there is.
const NOWHERE: &str = "qqqqq";

/// How many items each partition has.
type InEach = BTreeMap<Option<String>, u64>;

/// The bytes an item takes where it is stored; none where it cannot be.
pub(crate) type Measure<'f> = &'f (dyn Fn(&Record) -> Option<u64> + Sync);

/// Where a list is read from: a page is full when each of its partitions has one.
pub(crate) struct Shards<'f> {
    pub(crate) count: u64,
    /// The partition an item is in; none where it is in none.
    pub(crate) of: &'f (dyn Fn(&Record) -> Option<String> + Sync),
}

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

    /// A full page of a list, after the example of an item that it gives; of a count or a search, and of a batch of keys, as many as `returns` says.
    /// Nothing for what is read in one block, and where such items cannot be made.
    pub(crate) fn full_page(
        &mut self,
        access: &Access,
        oracle: &Oracle<'_>,
        asked: &[Question],
        shards: &Shards<'_>,
    ) -> Option<FullPage> {
        if matches!(&access.verb, Verb::Batch(action) if action.kind == ActionKind::Get) {
            return self.full_batch(access);
        }
        let (id, size) = self.kind_of_most(access)?;
        let many = self.how_many(access, id, oracle, shards.count)?;
        let page = match access.verb {
            Verb::List(_) => many.min(access.page.value),
            _ => many,
        };
        let read = page.saturating_mul(size);
        let is_too_much = many.saturating_mul(shards.count) > MOST_ITEMS
            || read.saturating_mul(shards.count) > MOST_BYTES;
        if read <= BLOCK || is_too_much {
            return None;
        }
        let example = self.example(access, id, oracle, asked)?;
        let mut owners = Owners::default();
        let mut fixed = self.demanded(access, id, &example);
        let apart = self.belong(access, id, &mut fixed, &mut owners)?;
        // The first only shows what the others have, and how long the texts of their keys must be.
        let first = self.item(id, &fixed, &apart, &Lengths::new(), size, &mut owners)?;
        let lengths = self.lengths(&first, &fixed, &apart, size);
        owners
            .made
            .retain(|one| owners.shared.get(&one.entity()) == Some(one));
        self.be_alike(&first, &mut fixed);
        let mut items = Vec::new();
        let mut in_each = InEach::new();
        for _ in 0..many * shards.count * TRIES {
            let before = owners.made.len();
            let item = self.item(id, &fixed, &apart, &lengths, size, &mut owners);
            let item = item.filter(|item| {
                let fits = (self.measure)(item).is_some_and(|bytes| bytes <= size);
                let has = in_each.entry((shards.of)(item)).or_insert(0);
                let is_wanted = fits && *has < many;
                *has += u64::from(is_wanted);
                is_wanted
            });
            match item {
                Some(item) => items.push(item),
                None => owners.made.truncate(before),
            }
            if shards.are_full(&in_each, many) {
                break;
            }
        }
        // Who is larger than declared would be found among the items of another list.
        if shards.count > 1 && !owners.made.iter().all(|one| self.is_as_declared(one)) {
            return None;
        }
        let question = asked_for(self.model, access, example.given, &items)?;
        let meant = self.meant(access, &question, &items, oracle.now(), shards)?;
        shards.are_full(&meant, page).then(|| {
            let mut made = owners.made;
            made.extend(items);
            FullPage { made, question }
        })
    }

    /// Whether what is made for a pattern, or whom it belongs to, would be found by one that reads everybody's items.
    pub(crate) fn stands_among_all(&self, access: &Access) -> bool {
        let mut made: Vec<EntityId> = access.verb.entities().iter().map(|one| one.id).collect();
        let mut next = 0;
        while let Some(id) = made.get(next) {
            let others = self.maker.links.references[id.0].iter().map(|one| one.to);
            let others: Vec<EntityId> = others.filter(|one| !made.contains(one)).collect();
            made.extend(others);
            next += 1;
        }
        let mut reads = self.model.accesses.iter().filter(|other| {
            let verb = &other.verb;
            matches!(verb, Verb::List(_) | Verb::Count(_) | Verb::Search { .. })
        });
        reads.any(|other| {
            let mut read = other.verb.entities().into_iter();
            read.any(|one| made.contains(&one.id) && is_of_all(self.model, other, one.id))
        })
    }

    /// How many items of each partition are found by a question.
    fn meant(
        &self,
        access: &Access,
        question: &Question,
        items: &[Record],
        now: i64,
        shards: &Shards<'_>,
    ) -> Option<InEach> {
        // A search reads what it does not find, and a count gives no items.
        let list = Access {
            verb: Verb::List(access.verb.entities().into_iter().cloned().collect()),
            fields: Vec::new(),
            ..access.clone()
        };
        let question = Question {
            words: None,
            ..question.clone()
        };
        let alone = Oracle::new(self.model, items, now);
        let Expected::Many { records, .. } = alone.answer(&list, &question) else {
            return None;
        };
        let mut in_each = InEach::new();
        for found in records {
            let stored = alone.stored(found.entity(), &found.key(self.model))?;
            *in_each.entry((shards.of)(stored)).or_insert(0) += 1;
        }
        Some(in_each)
    }

    /// One more than a page, in each of so many partitions: it is full, and not the last. Fewer where the model says that there are fewer. Of what reads
    /// all there is, as many as the model says: of somebody, since what others have would be more than that.
    fn how_many(
        &self,
        access: &Access,
        id: EntityId,
        oracle: &Oracle<'_>,
        partitions: u64,
    ) -> Option<u64> {
        let is_of_all = is_of_all(self.model, access, id);
        let declared = access.returns.map(|returns| returns / partitions);
        let many = match access.verb {
            Verb::List(_) => {
                let page = access.page.value + 1;
                declared.map_or(page, |most| page.min(most))
            }
            _ if is_of_all => return None,
            _ => declared?,
        };
        let Some(items) = self.model.entity(id).facts.items else {
            return Some(many);
        };
        let there_are = match is_of_all {
            true => oracle.records(id).count() as u64,
            false => 0,
        };
        Some(many.min(items.saturating_sub(there_are) / partitions))
    }

    /// Whether an item takes no more bytes than declared where it is stored.
    fn is_as_declared(&self, item: &Record) -> bool {
        let declared = self.model.entity(item.entity()).facts.size;
        let bytes = (self.measure)(item);
        declared.is_none_or(|size| bytes.is_some_and(|bytes| bytes <= size))
    }

    /// Of what a list gives, the largest of which a caller can have several, and its size.
    fn kind_of_most(&self, access: &Access) -> Option<(EntityId, u64)> {
        let is_read_by_the_many = matches!(
            access.verb,
            Verb::List(_) | Verb::Count(_) | Verb::Search { .. }
        );
        if !is_read_by_the_many {
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
        if is_of_all(self.model, access, id) {
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
    let looks = matches!(access.verb, Verb::Search { .. });
    Some(Question {
        words: looks.then(|| NOWHERE.to_owned()),
        ..Question::new(Kind::Heavy, given)
    })
}

impl Shards<'_> {
    /// Whether each partition has so many items.
    fn are_full(&self, in_each: &InEach, many: u64) -> bool {
        let full = in_each
            .iter()
            .filter(|(partition, has)| partition.is_some() && **has >= many);
        full.count() as u64 >= self.count
    }
}

fn slot(record: &Record, field: FieldId) -> Value {
    record.slots()[field.0].clone()
}
