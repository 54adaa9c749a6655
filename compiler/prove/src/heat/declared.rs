//! Of what is declared to be few there is no more, however much the data has: three devices are three partitions.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use tablewright_model::Model;
use tablewright_model::model::{Entity, EntityId, FieldId};

use crate::data::{Maker, Reference};
use crate::record::Record;

/// The items of each entity, no more than `items` says and with no more values of a field than `distinct` says. What refers to one that is
/// left out refers to one that stays.
pub(super) fn no_more_than_declared<'r>(
    model: &Model,
    records: impl IntoIterator<Item = &'r Record>,
) -> Vec<Vec<Record>> {
    let mut by_entity: Vec<Vec<Record>> = vec![Vec::new(); model.entities.len()];
    for record in records {
        by_entity[record.entity().0].push(record.clone());
    }
    let links = Maker::new(model).links;
    let mut became: Vec<Became> = vec![Became::new(); model.entities.len()];
    for id in links.order.iter().copied() {
        let made = std::mem::take(&mut by_entity[id.0]);
        let mut records = made.clone();
        let references = &links.references[id.0];
        for reference in references {
            follow(reference, &became[reference.to.0], &mut records);
        }
        for (fields, most) in bounds(model, id, references) {
            few_values(&mut records, &fields, most);
        }
        let entity = model.entity(id);
        let identity = entity.identity();
        let most = entity.facts.items.unwrap_or(u64::MAX);
        let stays = few_items(&records, &identity, most);
        let both = made.iter().zip(&records);
        let both = both.filter_map(|(was, is)| values(was, &identity).zip(values(is, &identity)));
        let moved = both.filter_map(|(was, is)| {
            let is = stays.instead_of.get(&written(&is)).cloned().unwrap_or(is);
            (was != is).then(|| (written(&was), is))
        });
        became[id.0] = moved.collect();
        by_entity[id.0] = stays.kept.unwrap_or(records);
    }
    by_entity
}

/// What items that are left out are now, by what told them apart.
type Became = HashMap<String, Vec<Value>>;

/// How many choices of values some fields of an entity have together: as many as there are items they refer to or are counted by, and as
/// many as declared.
fn bounds(model: &Model, id: EntityId, references: &[Reference]) -> Vec<(Vec<FieldId>, u64)> {
    let entity = model.entity(id);
    let referred = references.iter().filter_map(|reference| {
        let fields = reference.fields.iter().map(|(mine, _)| *mine).collect();
        Some((fields, model.entity(reference.to).facts.items?))
    });
    let keepers = entity.counted_by.iter().filter_map(|keeper| {
        let keeper = model.entity(*keeper);
        Some((carried(entity, keeper)?, keeper.facts.items?))
    });
    let declared = entity.facts.distinct.iter();
    let declared = declared.map(|(field, distinct)| (vec![*field], *distinct));
    referred.chain(keepers).chain(declared).collect()
}

/// The fields by which an item says what counts it.
fn carried(entity: &Entity, keeper: &Entity) -> Option<Vec<FieldId>> {
    let identity = keeper.identity().into_iter();
    let fields = identity.map(|field| entity.field_named(keeper.field(field).name.as_str()));
    fields.collect()
}

/// What refers to an item that is left out refers to what took its place.
fn follow(reference: &Reference, became: &Became, records: &mut [Record]) {
    if became.is_empty() {
        return;
    }
    let fields: Vec<FieldId> = reference.fields.iter().map(|(mine, _)| *mine).collect();
    for record in records {
        let is = values(record, &fields).and_then(|was| became.get(&written(&was)));
        if let Some(is) = is {
            *record = with(record, &fields, is);
        }
    }
}

/// Leaves so many choices of values of some fields, the first there are, and gives others one of those in turn.
fn few_values(records: &mut [Record], fields: &[FieldId], most: u64) {
    let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
    if records.len() <= most {
        return;
    }
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Vec<Value>> = Vec::new();
    for record in records {
        let Some(values) = values(record, fields) else {
            continue;
        };
        let next = known.len();
        let number = *known.entry(written(&values)).or_insert(next);
        if number >= most {
            *record = with(record, fields, &kept[number % most]);
        } else if number == kept.len() {
            kept.push(values);
        }
    }
}

/// The items that stay, and what tells those apart that take the place of the others.
struct Stays {
    /// None where all stay.
    kept: Option<Vec<Record>>,
    instead_of: Became,
}

/// So many items, from the first to the last; each of the others has one of them in its place, in turn.
fn few_items(records: &[Record], identity: &[FieldId], most: u64) -> Stays {
    let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
    let mut stays = Stays {
        kept: None,
        instead_of: Became::new(),
    };
    if records.len() <= most {
        return stays;
    }
    let mut known: HashSet<String> = HashSet::new();
    let told = records.iter().filter_map(|record| {
        let values = values(record, identity)?;
        known.insert(written(&values)).then_some((record, values))
    });
    let told: Vec<(&Record, Vec<Value>)> = told.collect();
    if told.len() <= most {
        return stays;
    }
    let kept: Vec<usize> = (0..most).map(|turn| turn * told.len() / most).collect();
    let others = (0..told.len()).filter(|position| kept.binary_search(position).is_err());
    // Those to which most belongs come first. The second gives way to the second that stays, so that they are apart as before.
    let turns = kept.iter().cycle().skip(1);
    stays.instead_of = others
        .zip(turns)
        .map(|(other, instead)| (written(&told[other].1), told[*instead].1.clone()))
        .collect();
    let kept = kept.into_iter().map(|position| told[position].0.clone());
    stays.kept = Some(kept.collect());
    stays
}

/// The values of some fields, if it has all of them.
fn values(record: &Record, fields: &[FieldId]) -> Option<Vec<Value>> {
    let values = fields.iter().map(|field| record.value(*field).cloned());
    values.collect()
}

/// An item with other values of some fields.
fn with(record: &Record, fields: &[FieldId], values: &[Value]) -> Record {
    let changes = fields.iter().zip(values);
    record.with(changes.map(|(field, value)| (field.0, value.clone())))
}

fn written(values: &[Value]) -> String {
    let values: Vec<String> = values.iter().map(Value::to_string).collect();
    values.join("\n")
}
