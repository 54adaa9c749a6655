//! A sparse condition that depends on a field outside the index key.

use std::collections::HashMap;

use tablewright_model::Span;
use tablewright_model::condition::ValueSets;
use tablewright_model::model::{
    Access, ActionKind, Entity, EntityId, FieldChanges, FieldId, IndexKey, Where,
};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "sparse-on-nonkey",
    code: "I11",
    severity: Error,
    group: Indexes,
    summary: "an index condition that depends on a field outside the index key, which an update changes",
    why: "Whether an item is in a sparse index is decided when its index key is written. An update of the field in `when` must write or
remove that key as well, and it cannot: the other fields of the key are stored, and an update in place does
not know them. The item stays in the index it should have left, or never enters it.

Make the entity `versioned`: then an update is a write of the whole entity, and every key is computed anew. Or make
the condition's field part of the key.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let updates = updates_by_entity(context);
    for (id, entity) in context.model.entity_ids() {
        let (None, Some(updates)) = (&entity.versioned, updates.get(&id)) else {
            continue;
        };
        for key in &entity.index_keys {
            let Some(when) = &key.when else {
                continue;
            };
            let mut seen = Vec::new();
            for named in when.condition.fields() {
                let Some(field) = entity.field_named(&named.name) else {
                    continue;
                };
                if key.key.has(field) || seen.contains(&field) {
                    continue;
                }
                seen.push(field);
                let stale = updates.iter().find_map(|update| {
                    let at = update.changes(field)?;
                    let safe = update.knows_all(entity, key) || update.finds_it_inside(when);
                    (!safe).then_some((update.access, at))
                });
                let Some((access, at)) = stale else {
                    continue;
                };
                let diagnostic = RULE
                    .at(
                        when.written.at(named.span.clone()),
                        format!(
                            "whether {} is in {} depends on `{}`, which `{}` changes without knowing the key: the index goes stale",
                            entity.name, key.name, named.name, access.name
                        ),
                    )
                    .label("outside the index key")
                    .related(at, "changed here")
                    .help(format!(
                        "make {} versioned, so that every key is written anew: versioned = {{ data_version = 1 }}; or put `{}` into the key",
                        entity.name, named.name
                    ));
                let subjects = [
                    Subject::Entity(id.0),
                    Subject::Index(entity.table.0, key.index.0),
                ];
                found.report(&subjects, diagnostic);
            }
        }
    }
}

struct Update<'m> {
    access: &'m Access,
    fields: &'m FieldChanges,
}

impl Update<'_> {
    fn changes(&self, field: FieldId) -> Option<Span> {
        let mut changed = self.fields.set.iter().chain(&self.fields.add);
        changed
            .find(|known| known.id == field)
            .map(|known| known.written.content())
    }

    /// Whether the update only takes place while the item is in the index: then it leaves the key, or removes it.
    fn finds_it_inside(&self, when: &Where) -> bool {
        let condition = self
            .access
            .condition
            .as_ref()
            .filter(|_| self.access.by_hand.is_none());
        let sets = |written: &Where| ValueSets::of(&written.condition);
        condition
            .and_then(sets)
            .zip(sets(when))
            .is_some_and(|(update, when)| update.implies(&when))
    }

    /// Whether a planned update can write the index key from what the caller gives: the primary key and what is set.
    fn knows_all(&self, entity: &Entity, key: &IndexKey) -> bool {
        let known = |field: FieldId| {
            entity.key.has(field) || self.fields.set.iter().any(|set| set.id == field)
        };
        let when = key.when.iter().flat_map(|when| when.condition.fields());
        let mut needed = when
            .filter_map(|named| entity.field_named(&named.name))
            .chain(key.key.field_ids());
        self.access.by_hand.is_none() && needed.all(known)
    }
}

fn updates_by_entity<'m>(context: &Context<'m>) -> HashMap<EntityId, Vec<Update<'m>>> {
    let mut updates: HashMap<EntityId, Vec<Update<'m>>> = HashMap::new();
    for (_, access, _) in context.accesses() {
        for (kind, entity, fields) in access.verb.writes() {
            if kind == ActionKind::Update {
                updates
                    .entry(entity.id)
                    .or_default()
                    .push(Update { access, fields });
            }
        }
    }
    updates
}
