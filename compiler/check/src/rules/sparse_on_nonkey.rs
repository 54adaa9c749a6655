//! A sparse condition that depends on a field outside the index key, which a request by hand changes alone.

use std::ops::Range;

use tablewright_model::Span;
use tablewright_model::condition::Condition;
use tablewright_model::model::{Access, ActionKind, EntityId, FieldChanges, FieldId, Request};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "sparse-on-nonkey",
    code: "I11",
    severity: Error,
    group: Indexes,
    summary: "an index condition that depends on a field outside the index key, which an update by hand changes",
    why: "Whether an item is in a sparse index is decided when its index key is written. An update of the field in `when` must write or
remove that key as well, and a request by hand sets what is said and nothing else: the other fields of the key are stored, and an
UpdateItem does not know them. The item stays in the index it should have left, or never enters it.

Leave `request` out: a planned update reads the item where it must, and writes every key anew on condition that nothing has changed
since. Or put the whole item, with its keys.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    let updates = updates_in_place(context);
    for (id, entity) in context.model.entity_ids() {
        for key in &entity.index_keys {
            let Some(when) = &key.when else {
                continue;
            };
            let mut seen = Vec::new();
            for (name, span) in deciding(&when.condition) {
                let Some(field) = entity.field_named(name) else {
                    continue;
                };
                if key.key.has(field) || seen.contains(&field) {
                    continue;
                }
                seen.push(field);
                let stale = updates.iter().find_map(|update| {
                    let at = update.changes(id, field)?;
                    Some((update, at))
                });
                let Some((update, at)) = stale else {
                    continue;
                };
                let diagnostic = RULE
                    .at(
                        when.written.at(span.clone()),
                        format!(
                            "whether {} is in {} depends on `{}`, which `{}` changes without the key: the index goes stale",
                            entity.name, key.name, name, update.access.name
                        ),
                    )
                    .label("outside the index key")
                    .related(at, "changed here")
                    .help(format!(
                        "leave out the request of `{}`: a planned update writes the keys of {} anew",
                        update.access.name, entity.name
                    ));
                let subjects = [
                    Subject::Access(update.position),
                    Subject::Entity(id.0),
                    Subject::Index(entity.table.0, key.index.0),
                ];
                found.report(&subjects, diagnostic);
            }
        }
    }
}

/// The fields a condition depends on, each with its place: also those that others are compared with.
fn deciding(condition: &Condition) -> Vec<(&str, &Range<usize>)> {
    let mut fields = Vec::new();
    condition.visit(&mut |comparison| {
        let subject = comparison.field();
        fields.extend(subject.map(|field| (field.name.as_str(), &field.span)));
        let values = comparison.values().iter();
        fields.extend(values.filter_map(|value| Some((value.field()?, &value.span))));
    });
    fields
}

/// An update by hand that sets some fields and leaves the rest of the item as it is.
struct Update<'m> {
    position: usize,
    access: &'m Access,
    entity: EntityId,
    fields: &'m FieldChanges,
}

impl Update<'_> {
    fn changes(&self, entity: EntityId, field: FieldId) -> Option<Span> {
        let mut changed = self.fields.set.iter().chain(&self.fields.add);
        changed
            .find(|known| known.id == field && self.entity == entity)
            .map(|known| known.written.content())
    }
}

fn updates_in_place<'m>(context: &Context<'m>) -> Vec<Update<'m>> {
    let mut updates = Vec::new();
    for (position, access, plan) in context.by_hand() {
        if !matches!(
            plan.request,
            Request::UpdateItem | Request::TransactWriteItems
        ) {
            continue;
        }
        for (kind, entity, fields) in access.verb.writes() {
            if kind == ActionKind::Update {
                updates.push(Update {
                    position,
                    access,
                    entity: entity.id,
                    fields,
                });
            }
        }
    }
    updates
}
