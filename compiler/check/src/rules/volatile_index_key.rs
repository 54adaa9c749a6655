//! A field that changes often, in an index key.

use tablewright_model::model::{Changes, Entity, FieldId};

use crate::key_space::field_span;
use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "volatile-index-key",
    code: "I07",
    severity: Warning,
    group: Indexes,
    summary: "a field that changes often in the key of an index",
    why: "An index entry cannot be moved: when its key changes, the old entry is deleted and a new one written. A write that changes such a field
costs three units instead of one, and two more for every further index that holds it; and an index that is throttled holds up the
writes of the table.

Keep what changes often out of the key: sort by something that stays, and read the field from the item. Or let a sparse index (`when`)
hold only what is waited for, so that most changes touch nothing. Where the order by that field is what the pattern is about, as on a
leaderboard, allow it with that reason, and let the index project little.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for (id, entity) in context.model.entity_ids() {
        let often: Vec<FieldId> = changes_often(entity).collect();
        if often.is_empty() {
            continue;
        }
        let table = context.table_of(id);
        for key in &entity.index_keys {
            for field in &often {
                let mut templates = key.key.templates();
                let Some(span) = templates.find_map(|template| field_span(template, *field)) else {
                    continue;
                };
                let index = table.index(key.index);
                let field = entity.field(*field);
                let diagnostic = RULE
                    .at(
                        span,
                        format!(
                            "`{}` changes often, and {} of {} has it in its key: every change deletes an entry and writes another, two writes for one",
                            field.name, index.name, entity.name
                        ),
                    )
                    .label("moves the entry")
                    .related(field.written.content(), "changes often")
                    .help(format!(
                        "sort by something that stays and read `{}` from the item; or hold in a sparse index (`when`) only what is looked for",
                        field.name
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

/// The fields declared to change with most writes. What the primary key holds cannot change at all.
fn changes_often(entity: &Entity) -> impl Iterator<Item = FieldId> {
    let declared = entity.facts.changes.iter();
    declared
        .filter(|(field, changes)| *changes == Changes::Often && !entity.key.has(*field))
        .map(|(field, _)| *field)
}
