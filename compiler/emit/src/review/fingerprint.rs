//! The design in eight letters: what a signature is for.

use std::fmt::Write as _;

use tablewright_keys::fnv1a_64;
use tablewright_model::Model;

use crate::design::Design;
use crate::request::Request;

/// Changes with keys, indexes, fields, patterns and relationships; not with words for people, facts, rates and budgets.
pub(super) fn fingerprint(model: &Model) -> String {
    let mut text = String::new();
    for table in &model.tables {
        let keys = (
            &table.partition_key.name,
            table.sort_key.as_ref().map(|key| &key.name),
        );
        let _ = writeln!(
            text,
            "table {} {keys:?} {:?}",
            table.name,
            table.ttl.as_ref().map(|ttl| &ttl.value)
        );
        for index in &table.indexes {
            let keys = (
                &index.partition_key.name,
                index.sort_key.as_ref().map(|key| &key.name),
            );
            let _ = writeln!(
                text,
                "index {} {keys:?} {}",
                index.name,
                projection(&index.projection)
            );
        }
    }
    for entity in &model.entities {
        let _ = writeln!(text, "entity {}", entity.name);
        let guards = entity
            .unique
            .iter()
            .filter_map(|unique| unique.guard.as_ref());
        let indexes = entity.index_keys.iter().map(|key| &key.key);
        for key in std::iter::once(&entity.key).chain(guards).chain(indexes) {
            for template in key.templates() {
                let _ = writeln!(text, "key {template}");
            }
        }
        for when in entity.index_keys.iter().filter_map(|key| key.when.as_ref()) {
            let _ = writeln!(text, "when {}", when.condition);
        }
        for field in &entity.fields {
            let _ = writeln!(text, "field {} {}", field.name, field.written);
        }
        for counter in &entity.counters {
            let _ = writeln!(text, "counter {} {}", counter.name, counter.counts.0);
        }
    }
    for one in &model.structs {
        for field in &one.fields {
            let _ = writeln!(text, "struct {} {} {}", one.name, field.name, field.written);
        }
    }
    for one in &model.relationships {
        let strategy = one
            .strategy
            .as_ref()
            .map(|strategy| strategy.value.as_str());
        let bound = one.bound.map(|bound| bound.at_most);
        let _ = writeln!(
            text,
            "relationship {} {} {strategy:?} {bound:?}",
            one.name,
            one.kind.value.as_str()
        );
    }
    for (access, plan) in Design::new(model).patterns() {
        // What is asked and the keys that answer it: no words of this program, which may change.
        let request = Request::of(model, access, plan);
        let mut keys: Vec<&str> = Vec::new();
        for key in &request.keys {
            if !keys.contains(&key.condition.as_str()) {
                keys.push(&key.condition);
            }
        }
        let by: Vec<&str> = access.by.iter().map(|by| by.written.as_str()).collect();
        let _ = writeln!(
            text,
            "pattern {} {} {by:?} {:?} {:?} {:?} {keys:?}",
            access.name,
            access.verb.as_str(),
            access.range.as_ref().map(|range| range.written.as_str()),
            access
                .condition
                .as_ref()
                .map(|one| one.condition.to_string()),
            access.order.as_ref().map(|order| order.written.as_str()),
        );
        for (kind, entity, changes) in access.verb.writes() {
            let changed = changes.set.iter().chain(&changes.add);
            let changed: Vec<&str> = changed.map(|known| known.written.as_str()).collect();
            let _ = writeln!(text, "write {kind:?} {} {changed:?}", entity.written);
        }
    }
    // Half of it is enough to tell one design from the next.
    format!("{:08x}", fnv1a_64(&text) >> 32)
}

fn projection(projection: &tablewright_model::model::Projection) -> String {
    use tablewright_model::model::Projection;
    match projection {
        Projection::All => String::from("all"),
        Projection::KeysOnly => String::from("keys"),
        Projection::Fields(fields) => {
            let names = fields.iter().map(|field| field.as_str());
            names.collect::<Vec<_>>().join(",")
        }
    }
}
