//! An index another one subsumes.

use tablewright_model::model::IndexId;

use crate::rule::rule;
use crate::subsumed::subsumed_indexes;
use crate::{Context, Found, Subject};

rule! {
    name: "duplicate-index",
    code: "I02",
    severity: Warning,
    group: Indexes,
    summary: "an index another one subsumes",
    why: "Two indexes with the same partitions, of which one sorts like the beginning of the other, answer the same questions: a prefix
of the longer sort key finds what the shorter one holds. Each costs a write for every item, and the storage of what it projects.

Keep the longer one and ask it with `begins_with`.",
}

fn check(context: &Context<'_>, found: &mut Found) {
    for ((table_position, index), by) in subsumed_indexes(context) {
        let table = &context.model.tables[table_position];
        let (index_named, other) = (table.index(index), table.index(by));
        let mut entities = context
            .model
            .entities
            .iter()
            .filter(|entity| entity.table.0 == table_position);
        let keys = entities.find_map(|entity| Some((key_in(entity, index)?, key_in(entity, by)?)));
        let mut diagnostic = RULE
            .at(
                index_named.name.content(),
                format!(
                    "`{}` holds nothing that `{}` does not: it answers the same questions",
                    index_named.name, other.name
                ),
            )
            .label("paid for twice")
            .related(other.name.content(), "does the same")
            .help(format!(
                "remove `{}` and ask `{}`",
                index_named.name, other.name
            ));
        if let Some((mine, theirs)) = keys {
            diagnostic = diagnostic
                .related(mine.span, "this key")
                .related(theirs.span, "begins the same way");
        }
        found.report(
            &[
                Subject::Index(table_position, index.0),
                Subject::Table(table_position),
            ],
            diagnostic,
        );
    }
}

fn key_in(
    entity: &tablewright_model::model::Entity,
    index: IndexId,
) -> Option<&tablewright_model::model::IndexKey> {
    entity.keys_in(index).next()
}
