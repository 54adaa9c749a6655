//! More indexes than a table may have.

use tablewright_model::model::{Index, IndexKind, Projection, Table};

use crate::rule::rule;
use crate::{Context, Found, Subject};

rule! {
    name: "index-quota",
    code: "I12",
    severity: Error,
    group: Indexes,
    summary: "over 20 global indexes, over 5 local ones, or over 100 projected attributes in one table",
    why: "A table has at most 5 local indexes, for ever, and 20 global ones unless AWS raises the quota of the account; the fields that its indexes
project by name are 100 in all, counted again for each index. What goes beyond is refused when the table is created or the index
added: in the deployment, not before.

Long before the quota, every further index makes every write dearer. Put entities that are not in it yet into an index that is there,
under a prefix of their own; project `all` where most of an item is wanted. Where the account's quota is higher, allow this with the
number.",
}

const GLOBAL: usize = 20;
const LOCAL: usize = 5;
const PROJECTED: usize = 100;

fn check(context: &Context<'_>, found: &mut Found) {
    for (position, table) in context.model.tables.iter().enumerate() {
        let kinds = [
            (
                IndexKind::Global,
                GLOBAL,
                "global",
                ", unless the quota is raised",
            ),
            (IndexKind::Local, LOCAL, "local", ", for ever"),
        ];
        for (kind, most, word, how) in kinds {
            let of_kind = |index: &&Index| index.kind == kind;
            let count = table.indexes.iter().filter(of_kind).count();
            let Some(first) = table.indexes.iter().filter(of_kind).nth(most) else {
                continue;
            };
            let diagnostic = RULE
                .at(
                    first.name.span,
                    format!(
                        "the table `{}` has {count} {word} indexes, and DynamoDB takes {most}{how}: it cannot be created",
                        table.name
                    ),
                )
                .label("one too many")
                .help("let several entities share an index, each under a prefix of its own; or take another table");
            found.report(&[Subject::Table(position)], diagnostic);
        }
        if let Some((index, count)) = over_projected(table) {
            let diagnostic = RULE
                .at(
                    index.name.span,
                    format!(
                        "the indexes of `{}` project {count} fields by name, and a table takes {PROJECTED} over all its indexes: it cannot be created",
                        table.name
                    ),
                )
                .label("more than 100 with this")
                .help("project \"all\" where most fields are wanted: it does not count, and \"keys-only\" does not either");
            found.report(&[Subject::Table(position)], diagnostic);
        }
    }
}

/// The index with which the projected fields become too many, and how many there are in all.
fn over_projected(table: &Table) -> Option<(&Index, usize)> {
    let projected = |index: &Index| match &index.projection {
        Projection::Fields(fields) => fields.len(),
        Projection::All | Projection::KeysOnly => 0,
    };
    let mut sum = 0;
    let over = table.indexes.iter().find(|index| {
        sum += projected(index);
        sum > PROJECTED
    })?;
    Some((over, table.indexes.iter().map(projected).sum()))
}
