//! What a proof is of, in sixteen letters: a kept one is known again by it.

use std::fmt::Write as _;

use serde_json::Value;
use tablewright_keys::fnv1a_64;
use tablewright_model::Model;
use tablewright_model::model::{Entity, Projection, Table};

use crate::Plan;

/// Changes with everything data is made from, requests are made of and costs are held to: keys, indexes, fields, facts, patterns, rates and
/// budgets; not with words for people, and not with the place of things in the text.
pub fn fingerprint(model: &Model, plans: &[Plan]) -> String {
    let mut text = String::new();
    for table in &model.tables {
        stored(table, &mut text);
    }
    for entity in &model.entities {
        kept(entity, &mut text);
    }
    for one in &model.structs {
        for field in &one.fields {
            let _ = writeln!(text, "struct {} {} {}", one.name, field.name, field.written);
        }
    }
    for one in &model.relationships {
        let bound = one.bound.map(|bound| bound.at_most);
        let _ = writeln!(text, "relationship {} {bound:?}", one.name);
    }
    for (access, plan) in model.accesses.iter().zip(plans) {
        let budgets = access.budget.iter().chain(&access.finding_budget);
        let budgets: Vec<&str> = budgets.map(|one| one.written.as_str()).collect();
        let claim = access.idempotent.as_ref().map(|one| one.written.as_str());
        let refine = access.refine.iter().map(|one| one.written.as_str());
        let fields = access.fields.iter().map(|one| one.written.as_str());
        let _ = writeln!(
            text,
            "access {} {} {} {:?} {:?} {:?} {claim:?} {budgets:?} {:?} {:?}",
            access.verb.as_str(),
            without_first_read(plan.to_json(model)),
            access.page.value,
            access.rate,
            access.returns,
            access.keeps,
            refine.collect::<Vec<_>>(),
            fields.collect::<Vec<_>>(),
        );
        for (kind, entity, changes) in access.verb.writes() {
            let changed = changes.set.iter().chain(&changes.add);
            let changed: Vec<&str> = changed.map(|known| known.written.as_str()).collect();
            let _ = writeln!(text, "write {kind:?} {} {changed:?}", entity.written);
        }
    }
    format!("{:016x}", fnv1a_64(&text))
}

/// What reading first costs follows from what else is there: whether it does, and how large an item is.
fn without_first_read(mut plan: Value) -> Value {
    if let Some(plan) = plan.as_object_mut() {
        plan.remove("first_read");
    }
    plan
}

fn stored(table: &Table, text: &mut String) {
    let sort = table.sort_key.as_ref();
    let _ = writeln!(
        text,
        "table {} {} {:?} {:?}",
        table.name,
        table.partition_key.name,
        sort.map(|key| (&key.name, &key.kind)),
        table.ttl.as_ref().map(|ttl| &ttl.value)
    );
    for index in &table.indexes {
        let projection = match &index.projection {
            Projection::All => "all".to_owned(),
            Projection::KeysOnly => "keys".to_owned(),
            Projection::Fields(fields) => {
                let fields = fields.iter().map(|field| field.as_str());
                fields.collect::<Vec<_>>().join(",")
            }
        };
        let sort = index.sort_key.as_ref();
        let _ = writeln!(
            text,
            "index {} {:?} {} {:?} {projection}",
            index.name,
            index.kind,
            index.partition_key.name,
            sort.map(|key| (&key.name, &key.kind)),
        );
    }
}

fn kept(entity: &Entity, text: &mut String) {
    let versioned = entity.versioned.as_ref();
    let _ = writeln!(
        text,
        "entity {} {} {:?} {:?}",
        entity.name,
        entity.type_value,
        entity.ttl.as_ref().map(|(ttl, _)| &ttl.value),
        versioned.map(|one| (one.data_version.value, one.layout)),
    );
    let guards = entity.unique.iter().filter_map(|one| one.guard.as_ref());
    let indexes = entity.index_keys.iter().map(|key| &key.key);
    let keys = std::iter::once(&entity.key).chain(guards).chain(indexes);
    for template in keys.flat_map(|key| key.templates()) {
        let _ = writeln!(text, "key {template}");
    }
    for when in entity.index_keys.iter().filter_map(|key| key.when.as_ref()) {
        let _ = writeln!(text, "when {}", when.condition);
    }
    for field in &entity.fields {
        let _ = writeln!(text, "field {} {}", field.name, field.written);
    }
    for counter in &entity.counters {
        let per = counter.per.as_ref().map(|(per, _)| &per.value);
        let _ = writeln!(
            text,
            "counter {} {} {per:?}",
            counter.name, counter.counts.0
        );
    }
    let facts = &entity.facts;
    let _ = writeln!(
        text,
        "facts {:?} {:?} {:?}",
        facts.items, facts.size, facts.distinct
    );
}
