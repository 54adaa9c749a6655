//! An index no pattern uses.

use std::collections::HashSet;

use tablewright_model::model::IndexId;
use tablewright_plan::Answer;

use crate::rule::rule;
use crate::subsumed::subsumed_indexes;
use crate::{Context, Found, Subject};

rule! {
    name: "unused-index",
    code: "I01",
    severity: Warning,
    group: Indexes,
    summary: "an index no pattern uses",
    why: "Every write of an item in an index is paid once more for the index, and once more for its storage. An index that answers no
question costs as much as one that does.

Remove it, or write down the pattern it is for: the next person cannot tell the one from the other.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    // A model that asks nothing yet has no use for any index, and need not be told.
    if !context
        .model
        .accesses
        .iter()
        .any(|access| access.verb.is_read())
    {
        return;
    }
    let used = used(context);
    let subsumed = subsumed_indexes(context);
    for (table_position, table) in context.model.tables.iter().enumerate() {
        for (position, index) in table.indexes.iter().enumerate() {
            let place = (table_position, IndexId(position));
            if used.contains(&place) || subsumed.contains_key(&place) {
                continue;
            }
            let mut keys = context
                .model
                .entities
                .iter()
                .filter(|entity| entity.table.0 == table_position);
            let key = keys.find_map(|entity| entity.keys_in(IndexId(position)).next());
            let diagnostic = match key {
                Some(key) => RULE
                    .at(
                        index.name.content(),
                        format!(
                            "no pattern uses `{}`: every write pays for it, and nothing reads it",
                            index.name
                        ),
                    )
                    .label("written and never read")
                    .related(key.name.content(), "stored here")
                    .help(format!(
                        "remove `{}` here and in its entities, or add the pattern it is for",
                        index.name
                    )),
                None => RULE
                    .at(
                        index.name.content(),
                        format!(
                            "no entity has a key in `{}`: it is always empty",
                            index.name
                        ),
                    )
                    .label("always empty")
                    .help(format!(
                        "remove it, or give an entity a key in it: [entity.….index] {} = {{ … }}",
                        index.name
                    )),
            };
            found.report(
                &[
                    Subject::Index(table_position, position),
                    Subject::Table(table_position),
                ],
                diagnostic,
            );
        }
    }
}

/// The indexes that are read, and those that a pattern without an answer may have been meant for.
fn used(context: &Context<'_>) -> HashSet<(usize, IndexId)> {
    let mut used = HashSet::new();
    for (_, _, plan) in context.accesses() {
        match &plan.answer {
            // A batch may find its items through an index.
            Answer::Read(_) | Answer::Write(_) => {
                let place = plan.read().map(|read| read.place);
                used.extend(place.and_then(|place| Some((place.table.0, place.index?))));
            }
            Answer::ByHand(plan) => {
                used.extend(plan.place.index.map(|index| (plan.place.table.0, index)))
            }
            Answer::Nothing(nothing) => {
                let entity = context.model.entity(nothing.entity);
                used.extend(
                    entity
                        .index_keys
                        .iter()
                        .map(|key| (entity.table.0, key.index)),
                );
            }
        }
    }
    used
}
